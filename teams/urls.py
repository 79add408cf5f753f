from __future__ import annotations

from allauth.account.views import login, logout
from django.urls import include, path

from teams import views, views_people, views_tokens

urlpatterns = [
    # The names by which Django and our own pages know them; allauth names them again below.
    path("login/", login, name="login"),
    path("logout/", logout, name="logout"),
    path("", views_people.account, name="account"),
    path("tokens/", views_tokens.token_list, name="tokens"),
    path("tokens/new/", views_tokens.token_new, name="token-new"),
    path("tokens/<uuid:token_id>/revoke/", views_tokens.token_end, name="token-revoke"),
    path("workspace/", views.workspace_switch, name="workspace-switch"),
    path("invitation/<str:token>/", views_people.invitation, name="invitation"),
    path("", include("allauth.account.urls")),
    path("2fa/", include("allauth.mfa.urls")),
    path("connected/", include("allauth.socialaccount.urls")),
    path("", include("allauth.socialaccount.providers.openid_connect.urls")),
]
