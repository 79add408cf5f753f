from __future__ import annotations

from django.apps import AppConfig


class TelemetryConfig(AppConfig):
    name = "telemetry"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from opentelemetry.instrumentation.django import DjangoInstrumentor

        from telemetry.spans import provider_install

        provider_install()
        instrumentor = DjangoInstrumentor()
        if not instrumentor.is_instrumented_by_opentelemetry:
            # Behind the one that gives programs their errors: this one raises for an unknown host.
            instrumentor.instrument(middleware_position=1)
