from __future__ import annotations

from django.urls import path

from engines import views

urlpatterns = [
    path("", views.servers, name="servers"),
    path("budget/", views.budget, name="servers-budget"),
    path("<slug:name>/<slug:action>/", views.server_act, name="servers-act"),
]
