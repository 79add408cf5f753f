"""Routes are the operator's. Anchors, thresholds and revisions are in `retrieval.admin`, which can say what a
change of them would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from routing.models import Route
from routing.revisions import revision_create
from teams.scoped_admin import person

if TYPE_CHECKING:
    from django.http import HttpRequest


@admin.register(Route)
class RouteAdmin(admin.ModelAdmin[Route]):
    """Every change made here becomes a revision with its author."""

    list_display = ("label", "name", "enabled", "position")

    def save_model(self, request: HttpRequest, obj: Route, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        verb = "changed" if change else "added"
        revision_create(author=person(request), reason=f"route {verb}: {obj}")

    def has_delete_permission(self, request: HttpRequest, obj: Route | None = None) -> bool:
        """Passages and traces name their route; one that is not wanted is switched off."""
        return False
