from __future__ import annotations

from django.apps import AppConfig


class EvalConfig(AppConfig):
    name = "eval"
    default_auto_field = "django.db.models.BigAutoField"
