"""Curation in the admin: registered here, in the room that can say what a change would do."""

from __future__ import annotations

from django.contrib import admin

from retrieval.admin_anchors import AnchorAdmin
from retrieval.admin_revisions import RevisionAdmin, ThresholdsAdmin
from routing.models import Anchor, Revision, Thresholds

admin.site.register(Anchor, AnchorAdmin)
admin.site.register(Thresholds, ThresholdsAdmin)
admin.site.register(Revision, RevisionAdmin)
