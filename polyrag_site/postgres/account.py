"""Under which account the server runs, and whether it can reach what it needs."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyrag_site.postgres.errors import PostgresError

if TYPE_CHECKING:
    from pathlib import Path

UNPRIVILEGED = "nobody"


@dataclass(frozen=True, slots=True)
class Account:
    """The account of the server. `switch` is true when we are root and must become somebody else."""

    uid: int
    gid: int
    name: str
    switch: bool


def server_account() -> Account:
    """PostgreSQL refuses root, so root hands it to `nobody`; anybody else runs it as themselves."""
    if os.geteuid() != 0:
        me = pwd.getpwuid(os.geteuid())
        return Account(me.pw_uid, me.pw_gid, me.pw_name, switch=False)
    try:
        other = pwd.getpwnam(UNPRIVILEGED)
    except KeyError as error:
        raise PostgresError(
            f"PostgreSQL does not run as root, and there is no account '{UNPRIVILEGED}' to run it as. "
            "Start PolyRAG as an ordinary user, or set DATABASE_URL to a server of your own."
        ) from error
    return Account(other.pw_uid, other.pw_gid, other.pw_name, switch=True)


def require_reach(path: Path, account: Account) -> None:
    """Raise PostgresError when a folder above `path` is closed to the server's account."""
    if not account.switch:
        return
    for folder in [*reversed(path.resolve().parents), path.resolve()]:
        if not folder.exists():
            return
        info = folder.stat()
        if info.st_uid == account.uid:
            needed = 0o100
        elif info.st_gid == account.gid:
            needed = 0o010
        else:
            needed = 0o001
        if not info.st_mode & needed:
            raise PostgresError(
                f"The account '{account.name}', as which PostgreSQL runs under root, may not enter "
                f"{folder}. Move PolyRAG to a folder that others may enter, start it as an ordinary "
                "user, or set DATABASE_URL to a server of your own."
            )


def run_as(
    account: Account, command: list[str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `command` as the server's account, from the root folder, which every account may enter."""
    identity: dict[str, object] = (
        {"user": account.uid, "group": account.gid, "extra_groups": []} if account.switch else {}
    )
    environment = {
        key: value for key, value in os.environ.items() if key in {"PATH", "TMPDIR", "TZ"}
    }
    return subprocess.run(  # type: ignore[call-overload,no-any-return]  # noqa: S603
        command,
        cwd="/",
        env={**environment, "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **identity,
    )
