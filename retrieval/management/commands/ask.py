"""`manage.py ask FOLDER "question"`: read a folder, answer one question from it, leave nothing behind.

Exit codes: 0 answered; 3 nothing in the folder answers the question; 2 the folder, a file in it or the
question cannot be used; 1 an engine or the database failed; 128 + n stopped by signal n (143 for SIGTERM,
130 for Ctrl-C). How the reading goes is told on stderr, the answer on stdout.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import translation

from corpus.watching import FolderGone
from engines.errors import EngineError
from retrieval.errors import QuestionRefused
from retrieval.once import Found, NothingRead, ToldToStop, folder_ask
from teams.models import User
from telemetry.accounting import cost_of
from telemetry.panel import sql_shown

if TYPE_CHECKING:
    from argparse import ArgumentParser

UNUSABLE, UNKNOWN, SIGNALLED = 2, 3, 128


class Command(BaseCommand):
    help = "Answer one question from a folder's files, with sources, and leave nothing behind."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("question")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--keep", action="store_true", help="keep the workspace that was made")
        parser.add_argument(
            "--user", help="with --keep: whose workspace it becomes, by the name of the person"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        owner = self._owner(options)
        try:
            with translation.override("en"):
                found = folder_ask(
                    folder=options["folder"],
                    question=options["question"],
                    say=self._say,
                    keep=options["keep"],
                    owner=owner,
                )
        except NothingRead as error:
            raise _unusable("No file of the folder could be read.") from error
        except (FolderGone, QuestionRefused) as error:
            raise _unusable(str(error)) from error
        except (EngineError, DatabaseError) as error:
            raise CommandError(str(error)) from error
        except ToldToStop as stopped:
            self._say("Stopped; nothing was kept.")
            sys.exit(SIGNALLED + stopped.number)
        self.stdout.write(_as_json(found) if options["json"] else _as_text(found))
        if found.refused:
            sys.exit(UNKNOWN)

    def _owner(self, options: dict[str, Any]) -> User | None:
        if options["user"] and not options["keep"]:
            raise _unusable("--user only goes with --keep.")
        if not options["user"]:
            return None
        owner = User.objects.filter(username=options["user"]).first()
        if owner is None:
            raise _unusable(f"There is nobody called {options['user']}.")
        return owner

    def _say(self, text: str) -> None:
        self.stderr.write(text)
        self.stderr.flush()


def _unusable(text: str) -> CommandError:
    return CommandError(text, returncode=UNUSABLE)


def _as_text(found: Found) -> str:
    """The answer, its sources by their numbers, and the statements that were run."""
    lines = [found.outcome.answer["text"], ""]
    for row in found.citations:
        place = f", page {row['page']}" if row["page"] else ""
        heading = f" — {row['heading_path']}" if row["heading_path"] else ""
        lines.append(f"[{row['n']}] {row['document']}{place}{heading}")
        if row["sql"]:
            lines += [f"    {line}" for line in sql_shown(row["sql"]).splitlines()]
    seconds = found.read_seconds + found.ask_seconds
    lines.append(f"{found.documents} documents read and asked in {seconds:.1f} s")
    if found.kept:
        lines.append(f"Kept as the workspace {found.kept}.")
    return "\n".join(lines)


def _as_json(found: Found) -> str:
    answer = found.outcome.answer
    tokens_in = sum(use.tokens_in for use in found.uses)
    tokens_out = sum(use.tokens_out for use in found.uses)
    cost = cost_of(tokens_in, tokens_out)
    held = {
        "answer": answer["text"],
        "refused": found.refused,
        "language": found.outcome.language,
        "model": answer["model"],
        "unsupported": answer["unsupported"],
        "sources": list(found.citations),
        "parts": [
            {key: part.get(key) for key in ("text", "route", "stage", "store", "note", "table")}
            for part in found.outcome.parts
        ],
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "tokens_estimated": any(use.estimated for use in found.uses),
        "cost": None if cost is None or not found.uses else str(cost),
        "documents": found.documents,
        "read_seconds": round(found.read_seconds, 3),
        "ask_seconds": round(found.ask_seconds, 3),
        "workspace": found.kept,
    }
    return json.dumps(held, ensure_ascii=False, indent=1)
