from __future__ import annotations

from django.apps import AppConfig


class PolyragSiteConfig(AppConfig):
    name = "polyrag_site"
    verbose_name = "PolyRAG"

    def ready(self) -> None:
        from polyrag_site import checks  # noqa: F401  (registers the system checks)
