from __future__ import annotations

from django.urls import path

from corpus.views import (
    documents,
    lifecycle,
    listing,
    names,
    pages,
    readers,
    routes,
    sources,
    uploads,
)

ONE = "<uuid:document_id>/"

urlpatterns = [
    path("", listing.corpus_list, name="corpus"),
    path("upload/", uploads.upload, name="corpus-upload"),
    path("status.json", listing.status, name="corpus-status"),
    path("reindex/", lifecycle.reindex, name="corpus-reindex"),
    path("routes/", routes.routes, name="corpus-routes"),
    path("routes/start/", routes.reroute_start, name="corpus-reroute"),
    path("routes/<int:reroute_id>/undo/", routes.reroute_take_back, name="corpus-reroute-undo"),
    path("names/", names.names, name="corpus-names"),
    path("names/<int:alias_id>/", names.name_decide, name="corpus-name-decide"),
    path("databases/", sources.sources, name="corpus-sources"),
    path("databases/<uuid:source_id>/", sources.source, name="corpus-source"),
    path("databases/<uuid:source_id>/copy/", sources.source_copy, name="corpus-source-copy"),
    path("databases/<uuid:source_id>/select/", sources.source_select, name="corpus-source-select"),
    path("databases/<uuid:source_id>/detach/", sources.source_remove, name="corpus-source-remove"),
    path("trash/", listing.trash, name="corpus-trash"),
    path("trash/empty/", lifecycle.trash_clear, name="corpus-trash-empty"),
    path(ONE, documents.document_detail, name="corpus-document"),
    path(f"{ONE}file/", documents.document_file, name="corpus-download"),
    path(f"{ONE}again/", documents.document_reread, name="corpus-reread"),
    path(f"{ONE}readers/", readers.document_readers, name="corpus-readers"),
    path(f"{ONE}tags/", documents.document_tags, name="corpus-tags"),
    path(f"{ONE}tables/<uuid:table_id>/", documents.document_table, name="corpus-table"),
    path(f"{ONE}pages/", pages.page_choose, name="corpus-page-choose"),
    path(f"{ONE}pages/<int:number>/", pages.page_view, name="corpus-page"),
    path(f"{ONE}pages/<int:number>.png", pages.page_png, name="corpus-picture"),
    path(f"{ONE}trash/", lifecycle.document_discard, name="corpus-discard"),
    path(f"{ONE}restore/", lifecycle.document_take_back, name="corpus-restore"),
    path(f"{ONE}delete/", lifecycle.document_remove, name="corpus-delete"),
    path(f"{ONE}cancel/", lifecycle.document_cancel, name="corpus-cancel"),
    path(f"{ONE}retry/", lifecycle.document_retry, name="corpus-retry"),
]
