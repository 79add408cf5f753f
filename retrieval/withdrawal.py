"""What follows when document versions go: nothing of them may be given again."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING

from django.db.models import Q

from corpus.models import DocumentVersion
from retrieval.cache import forget
from telemetry.models import Trace
from telemetry.services import events_withdraw, runs_wait

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
    # A run that goes on has told of its sources, but does not cite them yet: it waits until this is done, and
    # looks for them when it is settled. One that was just being settled is seen below.
    places = DocumentVersion.objects.filter(pk__in=versions).values("document__workspace")
    runs_wait(workspaces=places)
    cites = [Q(answer__citations__contains=[{"version_id": str(key)}]) for key in versions]
    told = Trace.objects.filter(functools.reduce(operator.or_, cites))
    events_withdraw(traces=told.values_list("pk", flat=True))
