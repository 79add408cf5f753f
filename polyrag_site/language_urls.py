"""Django's language switch, open to visitors who have not signed in yet."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.i18n import set_language

urlpatterns = [path("setlang/", login_not_required(set_language), name="set_language")]
