"""`make screenshots` takes every page there is: a URL is a page of it, or named here as none."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.urls import resolve

from polyrag_site.url_rights import ASKED

if TYPE_CHECKING:
    from types import ModuleType

# Pages that a link or a button of another page leads to, by the name under which their picture is kept.
LED_TO = {
    "conversation": "talk", "run": "chat-run", "source": "chat-source", "trace": "trace",
    "replay": "trace-replay", "document": "corpus-document", "page": "corpus-page",
    "table-rows": "corpus-table", "database": "corpus-source", "group": "group",
}  # fmt: skip
# What only changes something and leads elsewhere, is a file or a stream, or is for programs.
NO_PAGES = {
    "account_login", "logout", "set_language", "workspace-switch", "talk-rename", "talk-share",
    "talk-delete", "talk-export", "chat-ask", "chat-events", "chat-cancel", "chat-again",
    "chat-run-json", "chat-kept-refuse", "chat-rows-csv", "chat-verdict", "corpus-status",
    "corpus-download", "corpus-page-choose", "corpus-picture", "corpus-upload", "corpus-reread",
    "corpus-tags", "corpus-readers", "corpus-discard", "corpus-restore", "corpus-delete",
    "corpus-cancel", "corpus-retry", "corpus-trash-empty", "corpus-reindex", "label-new",
    "label-decide", "wrong-route", "wrong-route-undo", "corpus-reroute", "corpus-reroute-undo",
    "corpus-source-copy", "corpus-source-select", "corpus-source-remove", "corpus-name-decide",
    "trace-export-jsonl", "trace-export-csv", "usage-csv", "member-leave", "group-delete",
    "member-download", "member-invite", "uninvite", "member-role", "member-remove",
    "workspace-name", "quota-set", "token-new", "token-revoke", "metrics", "servers-budget",
    "servers-act", "api:", "mcp", "api:openapi-json", "mfa_login_webauthn",
    "mfa_download_recovery_codes", "openid_connect_login", "openid_connect_callback",
}  # fmt: skip
# Pages that need a message, another person's secret, a second factor or a question with a chart.
ELSEWHERE = {
    "account_logout", "account_inactive", "account_signup", "account_email_verification_sent",
    "account_confirm_email", "account_confirm_login_code", "account_reset_password_done",
    "account_reset_password_from_key", "account_reset_password_from_key_done", "mfa_authenticate",
    "socialaccount_login_cancelled", "socialaccount_signup", "invitation", "account_reauthenticate",
    "account_request_reauthentication_code", "account_confirm_reauthentication_code", "account_set_password",
    "mfa_reauthenticate", "mfa_activate_totp", "mfa_deactivate_totp", "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes", "mfa_list_webauthn", "mfa_add_webauthn", "mfa_reauthenticate_webauthn",
    "mfa_remove_webauthn", "mfa_edit_webauthn", "socialaccount_login_error", "chat-rows",
}  # fmt: skip


def script() -> ModuleType:
    path = Path(settings.BASE_DIR) / "scripts" / "screenshots.py"
    spec = importlib.util.spec_from_file_location("screenshots", path)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_every_page_is_taken() -> None:
    taken = script()
    paths = {**taken.OUTSIDE, **taken.PAGES}
    names = {resolve(path.partition("?")[0]).view_name for path in paths.values()}
    admin = {name for name in names if name.startswith("admin:")}
    assert "admin:index" in admin
    steps = {name for _start, name, _selector in taken.STEPS} | {"replay"}
    assert steps - LED_TO.keys() <= {"table"}
    assert LED_TO.keys() <= steps
    known = (names - admin) | set(LED_TO.values()) | NO_PAGES | ELSEWHERE | {"admin:"}
    assert set(ASKED) - known == set()
    assert (NO_PAGES | ELSEWHERE) - set(ASKED) == set()


def test_what_is_seen_in_portuguese_is_among_the_pages() -> None:
    taken = script()
    steps = {name for _start, name, _selector in taken.STEPS}
    assert set(taken.PORTUGUESE) <= taken.PAGES.keys() | steps
