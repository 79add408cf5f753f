from __future__ import annotations

from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_not_required
from django.urls import path

from teams import views, views_tokens

urlpatterns = [
    path(
        "login/",
        login_not_required(auth_views.LoginView.as_view(template_name="teams/login.html")),
        name="login",
    ),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("tokens/", views_tokens.token_list, name="tokens"),
    path("tokens/new/", views_tokens.token_new, name="token-new"),
    path("tokens/<uuid:token_id>/revoke/", views_tokens.token_end, name="token-revoke"),
    path("workspace/", views.workspace_switch, name="workspace-switch"),
]
