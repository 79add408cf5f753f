from __future__ import annotations

from django.urls import path

from telemetry import views

urlpatterns = [
    path("export.jsonl", views.trace_export, {"kind": "jsonl"}, name="trace-export-jsonl"),
    path("export.csv", views.trace_export, {"kind": "csv"}, name="trace-export-csv"),
    path("", views.trace_list, name="telemetry"),
    path("<uuid:trace_id>/", views.trace_detail, name="trace"),
]
