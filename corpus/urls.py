from __future__ import annotations

from django.urls import path

from corpus import views

urlpatterns = [
    path("", views.corpus_list, name="corpus"),
    path("upload/", views.upload, name="corpus-upload"),
    path("status.json", views.status, name="corpus-status"),
    path("<uuid:document_id>/", views.document_detail, name="corpus-document"),
    path("<uuid:document_id>/delete/", views.document_remove, name="corpus-delete"),
    path("<uuid:document_id>/retry/", views.document_retry, name="corpus-retry"),
    path("<uuid:document_id>/file/", views.document_file, name="corpus-download"),
]
