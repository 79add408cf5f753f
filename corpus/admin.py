from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin

from corpus.models import DocumentVersion
from corpus.services import version_retry

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest


@admin.register(DocumentVersion)
class DocumentVersionAdmin(admin.ModelAdmin[DocumentVersion]):
    """Versions and their reading: looked at here, retried through the service."""

    list_display = ("document", "state", "step", "done", "total", "error", "created_at")
    list_filter = ("state", "kind")
    list_select_related = ("document",)
    search_fields = ("document__name", "sha256")
    actions = ("retry",)

    @admin.action(description="Read the chosen versions again")
    def retry(self, request: HttpRequest, queryset: QuerySet[DocumentVersion]) -> None:
        for version in queryset:
            version_retry(version=version)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: DocumentVersion | None = None
    ) -> bool:
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: DocumentVersion | None = None
    ) -> bool:
        return False
