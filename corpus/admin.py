from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.utils.translation import gettext_lazy, ngettext

from corpus.models import Document, DocumentVersion
from corpus.reroute_models import Reroute
from corpus.services import version_retry
from teams.access import Right
from teams.scoped_admin import ScopedAdmin, WorkspaceFilter, person

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

    from teams.models import User


@admin.register(Document)
class DocumentAdmin(ScopedAdmin):
    """Documents are kept on the corpus pages; here is which there are and when they came."""

    list_display = ("name", "workspace", "created_at", "trashed_at")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("workspace",)
    search_fields = ("name",)
    ordering = ("-created_at",)
    fields = ("name", "workspace", "created_at", "trashed_at")


@admin.register(DocumentVersion)
class DocumentVersionAdmin(ScopedAdmin):
    """Versions and their reading: looked at here, retried through the service."""

    list_display = ("document", "state", "step", "done", "total", "error", "created_at")
    list_filter = (WorkspaceFilter, "state")
    list_select_related = ("document",)
    search_fields = ("document__name", "sha256")
    ordering = ("-created_at",)
    fields = list_display
    actions = ("retry",)

    def readable(self, user: User) -> QuerySet[Any]:
        documents = Document.objects.visible_to(user, self.right)
        return DocumentVersion.objects.filter(document__in=documents)

    @admin.action(description=gettext_lazy("Read the chosen versions again"))
    def retry(self, request: HttpRequest, queryset: QuerySet[DocumentVersion]) -> None:
        mine = self.readable(person(request)).filter(pk__in=queryset.values("pk"))
        queued = sum(version_retry(version=version) for version in mine)
        said = ngettext("%(n)s version is read again.", "%(n)s versions are read again.", queued)
        messages.info(request, said % {"n": queued})


@admin.register(Reroute)
class RerouteAdmin(ScopedAdmin):
    """Jobs that decide the routes of stored passages anew; begun on other pages."""

    right = Right.CURATE
    list_display = (
        "reason",
        "workspace",
        "state",
        "done",
        "total",
        "moved",
        "author",
        "created_at",
    )
    list_filter = (WorkspaceFilter, "state")
    list_select_related = ("workspace", "author")
    ordering = ("-pk",)
    fields = list_display
