from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Q

from teams.access import Right
from teams.models import AuditEntry, Membership, User, Workspace

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

admin.site.register(User, UserAdmin)


class MembershipInline(admin.TabularInline[Membership, Workspace]):
    model = Membership
    extra = 0
    raw_id_fields = ("user",)


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

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        rows = super().get_queryset(request)
        audited = rows.visible_to(request.user, Right.AUDIT)  # type: ignore[attr-defined]
        # Sign-ins belong to no workspace: the operator reads them all, anybody else their own.
        loose = Q(workspace=None)
        if not request.user.is_superuser:
            loose &= Q(actor=request.user.pk)
        return rows.filter(Q(pk__in=audited.values("pk")) | loose)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: AuditEntry | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: AuditEntry | None = None) -> bool:
        return False
