from __future__ import annotations

from django.urls import path

from retrieval import views, views_labels, views_quotas, views_replay, views_sql, views_talks
from telemetry.sse import run_events

urlpatterns = [
    path("", views.chat, name="chat"),
    path("quotas/", views_quotas.quotas, name="quotas"),
    path("quotas/set/", views_quotas.quota_change, name="quota-set"),
    path("replay/<uuid:trace_id>/", views_replay.trace_replay, name="trace-replay"),
    path("labelled/", views_labels.labels, name="labels"),
    path("labelled/new/", views_labels.label_new, name="label-new"),
    path("labelled/<int:label_id>/", views_labels.label_decide, name="label-decide"),
    path("labelled/<int:label_id>/undo/", views_labels.wrong_route_undo, name="wrong-route-undo"),
    path("chat/<uuid:trace_id>/wrong-route/", views_labels.wrong_route, name="wrong-route"),
    path("conversations/", views_talks.talk_list, name="talks"),
    path("conversations/<uuid:talk_id>/", views_talks.talk_detail, name="talk"),
    path("conversations/<uuid:talk_id>/rename/", views_talks.talk_rename, name="talk-rename"),
    path("conversations/<uuid:talk_id>/share/", views_talks.talk_share, name="talk-share"),
    path("conversations/<uuid:talk_id>/delete/", views_talks.talk_delete, name="talk-delete"),
    path("conversations/<uuid:talk_id>/export.md", views_talks.talk_export, name="talk-export"),
    path("chat/ask/", views.ask, name="chat-ask"),
    path("chat/<uuid:trace_id>/", views.run, name="chat-run"),
    path("chat/<uuid:trace_id>/events/", run_events, name="chat-events"),
    path("chat/<uuid:trace_id>/cancel/", views.cancel, name="chat-cancel"),
    path("chat/<uuid:trace_id>/again/", views.again, name="chat-again"),
    path("chat/<uuid:trace_id>/run.json", views.run_json, name="chat-run-json"),
    path("chat/<uuid:trace_id>/not-asked/", views.kept_refused, name="chat-kept-refuse"),
    path("chat/<uuid:trace_id>/rows/<int:position>/", views_sql.rows, name="chat-rows"),
    path("chat/<uuid:trace_id>/rows/<int:position>.csv", views_sql.rows_csv, name="chat-rows-csv"),
    path("chat/<uuid:trace_id>/verdict/<int:position>/", views_sql.verdict, name="chat-verdict"),
    path("chat/<uuid:trace_id>/source/<int:n>/", views.source, name="chat-source"),
]
