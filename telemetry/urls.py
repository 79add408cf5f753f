from __future__ import annotations

from django.urls import path

from telemetry import views

urlpatterns = [
    path("", views.trace_list, name="telemetry"),
    path("<uuid:trace_id>/", views.trace_detail, name="trace"),
]
