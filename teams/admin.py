from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from teams.models import Membership, User, Workspace

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
