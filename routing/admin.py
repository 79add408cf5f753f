from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from routing.models import Anchor, Revision, Route, Thresholds
from routing.services import anchors_set_active, revision_create

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest


class Revised(admin.ModelAdmin[Any]):
    """Every change made here becomes a revision with its author."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        verb = "changed" if change else "added"
        revision_create(author=request.user, reason=f"{obj._meta.verbose_name} {verb}: {obj}")  # type: ignore[arg-type]

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        revision_create(author=request.user, reason=f"{obj._meta.verbose_name} removed: {obj}")  # type: ignore[arg-type]

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        count = queryset.count()
        super().delete_queryset(request, queryset)
        revision_create(author=request.user, reason=f"{count} rows removed")  # type: ignore[arg-type]


@admin.register(Route)
class RouteAdmin(Revised):
    list_display = ("label", "name", "enabled", "position")


@admin.register(Anchor)
class AnchorAdmin(Revised):
    list_display = ("text", "route", "language", "workspace", "active")
    list_filter = ("route", "language", "active", "workspace")
    search_fields = ("text",)
    list_select_related = ("route", "workspace")
    actions = ("enable", "disable")

    def save_model(self, request: HttpRequest, obj: Anchor, form: Any, change: bool) -> None:
        obj.vector, obj.embedder = None, ""
        super().save_model(request, obj, form, change)

    @admin.action(description="Enable the chosen anchors")
    def enable(self, request: HttpRequest, queryset: QuerySet[Anchor]) -> None:
        anchors_set_active(anchors=queryset, active=True, author=request.user)  # type: ignore[arg-type]

    @admin.action(description="Disable the chosen anchors")
    def disable(self, request: HttpRequest, queryset: QuerySet[Anchor]) -> None:
        anchors_set_active(anchors=queryset, active=False, author=request.user)  # type: ignore[arg-type]


@admin.register(Thresholds)
class ThresholdsAdmin(Revised):
    list_display = ("embedder", "tau_high", "tau_low", "delta", "source", "created_at")


@admin.register(Revision)
class RevisionAdmin(admin.ModelAdmin[Revision]):
    list_display = ("pk", "reason", "author", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Revision | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Revision | None = None) -> bool:
        return False
