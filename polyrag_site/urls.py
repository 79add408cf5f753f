from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("retrieval.urls")),
    path("corpus/", include("corpus.urls")),
    path("telemetry/", include("telemetry.urls")),
    path("accounts/", include("teams.urls")),
    path("i18n/", include("polyrag_site.language_urls")),
    path("admin/", admin.site.urls),
]
