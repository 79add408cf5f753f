from __future__ import annotations

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "retrieval"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from corpus.services import VERSIONS_REMOVED
        from retrieval.withdrawal import versions_withdrawn

        if versions_withdrawn not in VERSIONS_REMOVED:
            VERSIONS_REMOVED.append(versions_withdrawn)
