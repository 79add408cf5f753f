from __future__ import annotations

from django.urls import path

from telemetry import views_usage

urlpatterns = [
    path("", views_usage.usage, name="usage"),
    path("usage.csv", views_usage.usage_download, name="usage-csv"),
]
