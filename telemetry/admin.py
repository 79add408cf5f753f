from __future__ import annotations

from django.contrib import admin

from telemetry.models import Trace


@admin.register(Trace)
class TraceAdmin(admin.ModelAdmin[Trace]):
    """Traces are read here and never changed."""

    list_display = ("started_at", "user", "workspace", "question", "route", "state", "duration_ms")
    list_filter = ("state", "route", "workspace")
    list_select_related = ("user", "workspace")
    search_fields = ("question",)
    show_full_result_count = False

    def has_add_permission(self, request: object) -> bool:
        return False

    def has_change_permission(self, request: object, obj: Trace | None = None) -> bool:
        return False
