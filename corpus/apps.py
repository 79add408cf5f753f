from __future__ import annotations

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "corpus"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from corpus.pictures import pictures_remove
        from corpus.removal import workspace_files_remove
        from corpus.services import VERSIONS_REMOVED
        from teams.services import WORKSPACES_REMOVED

        if pictures_remove not in VERSIONS_REMOVED:
            VERSIONS_REMOVED.append(pictures_remove)
        if workspace_files_remove not in WORKSPACES_REMOVED:
            WORKSPACES_REMOVED.append(workspace_files_remove)
