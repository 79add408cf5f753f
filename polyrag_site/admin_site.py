"""The Django admin for operators, and for those who curate or audit a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.admin import AdminSite
from django.utils.translation import gettext_lazy as _

from teams.access import Right, workspace_ids

if TYPE_CHECKING:
    from django.http import HttpRequest

ENTER = (Right.CURATE, Right.AUDIT)


class CurationSite(AdminSite):
    """Who may come in; what each sees is their own rights' matter, in each app's admin."""

    site_header = site_title = "PolyRAG"
    index_title = _("Curation and audit")

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        if not user.is_active or not user.is_authenticated:
            return False
        if user.is_staff or user.is_superuser:
            return True
        return any(workspace_ids(user, right) for right in ENTER)
