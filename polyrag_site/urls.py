from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from polyrag_site.metrics import metrics
from retrieval.api.mcp_server import mcp
from retrieval.api.urls import urls as api_urls
from teams.views_audit import audit_log

# The admin's own form would ask for no second factor and count no attempts.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("api/", api_urls),
    path("mcp", mcp, name="mcp"),
    path("", include("retrieval.urls")),
    path("corpus/", include("corpus.urls")),
    path("telemetry/", include("telemetry.urls")),
    path("audit/", audit_log, name="audit"),
    path("usage/", include("telemetry.usage_urls")),
    path("metrics", metrics, name="metrics"),
    path("servers/", include("engines.urls")),
    path("accounts/", include("teams.urls")),
    path("", include("teams.member_urls")),
    path("i18n/", include("polyrag_site.language_urls")),
    path("admin/", admin.site.urls),
]
