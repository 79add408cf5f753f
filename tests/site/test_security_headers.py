"""What browsers are told with every page, and how cookies and uploads are kept from misuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from corpus.models import Document
from tests.factories import PASSWORD, make_user, make_workspace

if TYPE_CHECKING:
    from typing import Any

    from teams.models import User

pytestmark = pytest.mark.django_db
NOTE = b"# Kiln\n\nThe kiln is fired to 1240 degrees.\n"


@pytest.fixture
def owner() -> User:
    user = make_user()
    make_workspace(user)
    return user


@pytest.fixture
def browser(owner: User) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    return client


@pytest.mark.parametrize("path", ["/", "/corpus/", "/accounts/login/", "/nothing/", "/api/v1/x"])
def test_every_reply_carries_the_headers(browser: Client, path: str) -> None:
    reply = browser.get(path)
    policy = reply["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy and "unsafe-eval" not in policy
    assert reply["X-Content-Type-Options"] == "nosniff"
    assert reply["X-Frame-Options"] == "DENY"
    assert reply["Referrer-Policy"] == "same-origin"
    assert reply["Cross-Origin-Opener-Policy"] == "same-origin"


def test_the_session_is_out_of_reach_of_scripts_and_of_other_sites(owner: User) -> None:
    client = Client()
    reply = client.post(
        reverse("login"), {"username": owner.username, "password": PASSWORD}, follow=False
    )
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    assert reply.status_code == 302
    assert cookie["httponly"] and cookie["samesite"] == "Lax"


def test_signing_in_gives_another_session(owner: User) -> None:
    client = Client()
    session = client.session
    session["planted"] = "1"
    session.save()
    planted = session.session_key
    client.post(reverse("login"), {"username": owner.username, "password": PASSWORD})
    assert client.session.session_key != planted


@pytest.mark.parametrize("name", ["corpus-upload", "chat-ask", "workspace-new", "member-leave"])
def test_a_form_of_another_site_changes_nothing(browser: Client, name: str) -> None:
    reply = browser.post(reverse(name), {"question": "x", "name": "y"})
    assert reply.status_code == 403


def test_a_form_with_the_wrong_token_or_origin_changes_nothing(browser: Client) -> None:
    browser.get(reverse("corpus"))
    path = reverse("corpus-upload")
    wrong = browser.post(path, {"csrfmiddlewaretoken": "a" * 64})
    assert wrong.status_code == 403
    token = browser.cookies["csrftoken"].value
    away = browser.post(
        path, {"csrfmiddlewaretoken": token}, headers={"Origin": "https://evil.example"}
    )
    assert away.status_code == 403


def test_reading_is_no_way_to_change(browser: Client) -> None:
    for name in ("corpus-upload", "chat-ask", "member-leave", "workspace-switch"):
        assert browser.get(reverse(name)).status_code == 405


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd.md", "passwd.md"),
        ("..\\..\\boot.md", "boot.md"),
        ("/abs/olute.md", "olute.md"),
    ],
)
def test_the_name_of_an_upload_leads_nowhere(owner: User, sent: str, kept: str) -> None:
    client = Client()
    client.force_login(owner)
    client.post(reverse("corpus-upload"), {"files": SimpleUploadedFile(sent, NOTE)})
    document = Document.objects.get()
    assert document.name == kept
    stored = document.versions.get().file
    assert stored.path.startswith(str(settings.MEDIA_ROOT)) and ".." not in str(stored.name)


def test_a_file_over_the_limit_is_refused(owner: User, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 20
    client = Client()
    client.force_login(owner)
    client.post(reverse("corpus-upload"), {"files": SimpleUploadedFile("a.md", NOTE)})
    assert not Document.objects.exists()


def test_an_original_comes_as_a_file_and_not_as_a_page(owner: User) -> None:
    client = Client()
    client.force_login(owner)
    page = SimpleUploadedFile("a.html", b"<!doctype html><p>x</p><script>alert(1)</script>")
    client.post(reverse("corpus-upload"), {"files": page})
    reply = client.get(reverse("corpus-download", args=[Document.objects.get().pk]))
    assert reply.status_code == 200
    assert reply["Content-Disposition"].startswith("attachment")
    assert reply["X-Content-Type-Options"] == "nosniff"
