from __future__ import annotations

from django.urls import path

from retrieval import views
from telemetry.sse import run_events

urlpatterns = [
    path("", views.chat, name="chat"),
    path("chat/ask/", views.ask, name="chat-ask"),
    path("chat/<uuid:trace_id>/", views.run, name="chat-run"),
    path("chat/<uuid:trace_id>/events/", run_events, name="chat-events"),
    path("chat/<uuid:trace_id>/cancel/", views.cancel, name="chat-cancel"),
    path("chat/<uuid:trace_id>/again/", views.again, name="chat-again"),
    path("chat/<uuid:trace_id>/run.json", views.run_json, name="chat-run-json"),
    path("chat/<uuid:trace_id>/source/<int:n>/", views.source, name="chat-source"),
]
