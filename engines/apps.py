from __future__ import annotations

from django.apps import AppConfig


class EnginesConfig(AppConfig):
    name = "engines"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django_q.signals import pre_execute

        # A job of a worker begins with the engines as they are now, as a request does.
        pre_execute.connect(_before_job, dispatch_uid="engines")


def _before_job(**_: object) -> None:
    from engines.rows import rows_refresh

    rows_refresh()
