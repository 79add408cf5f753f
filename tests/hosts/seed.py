"""Run on one host before the others start: tables, a person, a workspace, a token, a session; as JSON."""

from __future__ import annotations

import json
import os
import sys

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "polyrag_site.settings")
    django.setup()

    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client

    from teams.models import User
    from teams.services import workspace_create
    from teams.tokens import token_create

    call_command("migrate", verbosity=0)
    owner = User.objects.create_user("ana", password="unused-but-long-enough")
    team = workspace_create(name="Kilns", owner=owner)
    minted = token_create(
        workspace=team, user=owner, name="hosts", scopes=["upload", "ask"], days=1
    )
    client = Client()
    client.force_login(owner)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    sys.stdout.write("SEED " + json.dumps({"token": minted.secret, "cookie": cookie}) + "\n")
