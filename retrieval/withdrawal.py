"""What follows when document versions go: nothing of them may be given again."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING

from django.db.models import Q

from retrieval.cache import forget
from telemetry.models import Trace
from telemetry.services import events_withdraw

if TYPE_CHECKING:
    import uuid


def versions_withdrawn(versions: list[uuid.UUID]) -> None:
    """Drop cached answers that stand on the versions, and the content of events that told them.

    The traces stay, for whoever audits them; pages read their sources again under the reader's rights
    and show what was withdrawn as withdrawn.
    """
    if not versions:
        return
    forget(versions)
    cites = [Q(answer__citations__contains=[{"version_id": str(key)}]) for key in versions]
    told = Trace.objects.filter(functools.reduce(operator.or_, cites))
    events_withdraw(traces=told.values_list("pk", flat=True))
