"""The Django admin inside the rights of memberships: one's workspaces alone, a guessed id is a 404."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from teams.access import Right, workspace_ids
from teams.models import Workspace
from teams.paging import CappedPaginator

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from teams.models import User


PER_PAGE = 50


def person(request: HttpRequest) -> User:
    return cast("User", request.user)


class WorkspaceFilter(admin.SimpleListFilter):
    """Narrows to one of the workspaces in which the person holds the admin's right; names no other."""

    title = _("workspace")
    parameter_name = "workspace"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = Workspace.objects.visible_to(person(request), model_admin.right)
        return [(str(row.pk), row.name) for row in rows]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        if not chosen:
            return queryset
        # A value that is no key of theirs finds nothing, whatever else it may be.
        allowed = {key for key, _name in self.lookup_choices}
        if chosen not in allowed:
            return queryset.none()
        path: str = queryset.model.ACCESS_PATH
        return queryset.filter(**{path: chosen})


class ScopedAdmin(admin.ModelAdmin[Any]):
    """Rows on which the person holds `right`; looked at and not changed unless a subclass says so."""

    right = Right.CURATE
    show_full_result_count = False
    paginator = CappedPaginator
    list_per_page = PER_PAGE

    def readable(self, user: User) -> QuerySet[Any]:
        """The rows that `user` may see here."""
        rows: QuerySet[Any] = self.model._default_manager.all()
        return cast("QuerySet[Any]", rows.visible_to(user, self.right))  # type: ignore[attr-defined]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.readable(person(request)).order_by(*self.get_ordering(request) or ["-pk"])

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        user = person(request)
        if obj is None:
            return bool(workspace_ids(user, self.right))
        return self.readable(user).filter(pk=obj.pk).exists()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: Any, object_id: str
    ) -> HttpResponse:
        """Django sends one to the index with a message; here a guessed id is not there."""
        raise Http404
