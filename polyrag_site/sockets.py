from __future__ import annotations

from django.urls import path

from corpus.consumers import CorpusConsumer
from telemetry.consumers import RunConsumer

websocket_urlpatterns = [
    path("ws/runs/<uuid:trace_id>/", RunConsumer.as_asgi()),
    path("ws/corpus/", CorpusConsumer.as_asgi()),
]
