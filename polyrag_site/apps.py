from __future__ import annotations

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class PolyragSiteConfig(AppConfig):
    name = "polyrag_site"
    default = True
    verbose_name = "PolyRAG"

    def ready(self) -> None:
        from polyrag_site import checks  # noqa: F401  (registers the system checks)


class PolyragAdminConfig(admin_apps.AdminConfig):
    default = False
    default_site = "polyrag_site.admin_site.CurationSite"
