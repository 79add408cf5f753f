from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.widgets import ForeignKeyRawIdWidget
from django.contrib.auth.admin import UserAdmin
from django.db.models import Q

from teams.access import Right, workspace_ids
from teams.models import AuditEntry, Membership, User, Workspace
from teams.paging import CappedPaginator
from teams.scoped_admin import PER_PAGE, person

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

admin.site.register(User, UserAdmin)


class KeyWidget(ForeignKeyRawIdWidget):
    """A key to type, without the name beside it, which would be read once for each row."""

    def label_and_url_for_value(self, value: object) -> tuple[str, str]:
        return "", ""


class MembershipInline(admin.TabularInline[Membership, Workspace]):
    """Each row is headed by the person's name and the workspace's."""

    model = Membership
    extra = 0
    raw_id_fields = ("user",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return super().get_queryset(request).select_related("user", "workspace")

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **more: Any) -> Any:
        if db_field.name == "user":
            more["widget"] = KeyWidget(db_field.remote_field, self.admin_site)
        return super().formfield_for_foreignkey(db_field, request, **more)


@admin.register(Workspace)
class WorkspaceAdmin(admin.ModelAdmin[Workspace]):
    list_display = ("name", "slug", "created_at")
    search_fields = ("name", "slug")
    inlines = (MembershipInline,)
    readonly_fields = ("created_at",)

    def has_add_permission(self, request: object) -> bool:
        """Workspaces come with a schema and a role, which `workspace_create` makes."""
        return False


@admin.register(AuditEntry)
class AuditEntryAdmin(admin.ModelAdmin[AuditEntry]):
    """Read here and never written: entries of workspaces that one may audit, and one's own sign-ins."""

    list_display = ("created_at", "actor", "action", "target", "workspace", "address")
    list_filter = ("action",)
    search_fields = ("target",)
    list_select_related = ("actor", "workspace")
    show_full_result_count = False
    paginator = CappedPaginator
    list_per_page = PER_PAGE

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        rows = super().get_queryset(request)
        audited = workspace_ids(person(request), Right.AUDIT)
        # Sign-ins belong to no workspace: the operator reads them all, anybody else their own.
        loose = Q(workspace=None)
        if not request.user.is_superuser:
            loose &= Q(actor=request.user.pk)
        return rows.filter(Q(workspace__in=audited) | loose)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: AuditEntry | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: AuditEntry | None = None) -> bool:
        return False
