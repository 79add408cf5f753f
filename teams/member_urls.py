from __future__ import annotations

from django.urls import path

from teams import views_groups, views_members, views_workspaces

urlpatterns = [
    path("members/", views_members.members, name="members"),
    path("members/invite/", views_members.invite, name="member-invite"),
    path("members/invitations/<int:invitation_id>/", views_members.uninvite, name="uninvite"),
    path("members/<int:membership_id>/role/", views_members.member_role, name="member-role"),
    path("members/<int:membership_id>/remove/", views_members.member_remove, name="member-remove"),
    path("members/leave/", views_members.leave, name="member-leave"),
    path(
        "members/<int:membership_id>/download/",
        views_groups.member_download,
        name="member-download",
    ),
    path("groups/", views_groups.groups, name="groups"),
    path("groups/<int:group_id>/", views_groups.group, name="group"),
    path("groups/<int:group_id>/delete/", views_groups.group_remove, name="group-delete"),
    path("workspaces/new/", views_workspaces.workspace_new, name="workspace-new"),
    path("workspaces/name/", views_workspaces.workspace_name, name="workspace-name"),
    path("workspaces/delete/", views_workspaces.workspace_remove, name="workspace-delete"),
]
