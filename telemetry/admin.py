from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from teams.access import Right
from teams.models import Workspace
from teams.scoped_admin import ScopedAdmin, WorkspaceFilter, person
from telemetry.looking import list_record, look_record
from telemetry.models import Trace
from telemetry.panel import ROUTE_LABELS

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest


class RouteFilter(admin.SimpleListFilter):
    """The known routes; asking the rows for theirs would read them all."""

    title = _("route")
    parameter_name = "route"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, str(label)) for name, label in ROUTE_LABELS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        return queryset.filter(route__contains=chosen) if chosen else queryset


@admin.register(Trace)
class TraceAdmin(ScopedAdmin):
    """Traces of audited workspaces: listed here, read on their own page, never changed."""

    right = Right.AUDIT
    list_display = ("started_at", "user", "workspace", "question", "route", "state", "duration_ms")
    list_filter = (WorkspaceFilter, "state", RouteFilter)
    list_select_related = ("user", "workspace")
    search_fields = ("question",)
    ordering = ("-started_at",)
    fields = (
        "question",
        "user",
        "workspace",
        "state",
        "route",
        "stage",
        "started_at",
        "duration_ms",
    )

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **more: Any) -> Any:
        trace = self.get_object(request, object_id)
        if trace is not None:
            look_record(trace=trace, user=person(request))
        return super().change_view(request, object_id, *args, **more)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        for workspace in Workspace.objects.visible_to(person(request), self.right):
            list_record(workspace=workspace, user=person(request))
        return super().changelist_view(request, extra_context)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("parts", "answer", "options")
