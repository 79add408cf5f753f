"""Public collections in the BEIR layout, read by the product's own path and searched in its stores.

`corpus.jsonl` has `_id` (or `id`), `title` (may be missing) and `text`; `queries.jsonl` has `_id` and
`text`; `qrels.tsv` has a header and query, passage and score on each line.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.errors import UploadRefused
from engines.language import detect
from eval.workspace import folder_read
from retrieval import graph_store, text_store
from routing.values import GRAPH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.values import Hit
    from teams.models import User, Workspace

MODES = (*text_store.MODES, GRAPH)
DEPTH = 30  # a long passage is found as several chunks; so many are read to have ten passages


class CollectionInvalid(Exception):
    """A file is not in the layout; the message says which line and why."""


@dataclass(frozen=True, slots=True)
class Item:
    """A passage or a question. `title` is empty for questions."""

    id: str
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A passage found for a question, with the score of its best chunk."""

    id: str
    score: float


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CollectionInvalid(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CollectionInvalid(f"{path} is not UTF-8 (byte {error.start}).") from error


def lines_of(path: Path, *needed: str) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file, each with all the fields `needed`. Raises CollectionInvalid."""
    rows = []
    for number, line in enumerate(_text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise CollectionInvalid(f"{path}, line {number}: not JSON ({error.msg}).") from error
        if not isinstance(row, dict):
            raise CollectionInvalid(f"{path}, line {number}: not an object.")
        if missing := [field for field in needed if field not in row]:
            raise CollectionInvalid(f"{path}, line {number}: without {', '.join(missing)}.")
        rows.append(row)
    return rows


def items(path: Path, *fields: str) -> list[Item]:
    """Passages or questions with a text in the first of `fields` that is there."""
    read = []
    for number, row in enumerate(lines_of(path), start=1):
        text = next((str(row[field]) for field in fields if row.get(field)), "")
        key = str(row.get("_id", row.get("id", number)))
        if not text:
            raise CollectionInvalid(
                f"{path}, entry {number}: none of {', '.join(fields)} is there."
            )
        read.append(Item(key, text, str(row.get("title") or "")))
    if not read:
        raise CollectionInvalid(f"{path} holds nothing.")
    return read


def judged(path: Path) -> dict[str, set[str]]:
    """Per question the passages that answer it. Raises CollectionInvalid."""
    held: dict[str, set[str]] = {}
    for number, line in enumerate(_text_of(path).splitlines()[1:], start=2):
        cells = line.split("\t")
        if len(cells) != 3 or not cells[2].strip().lstrip("-").isdigit():
            raise CollectionInvalid(f"{path}, line {number}: not query, passage and whole score.")
        if int(cells[2]) > 0:
            held.setdefault(cells[0], set()).add(cells[1])
    return held


@dataclass(frozen=True, slots=True)
class Collection:
    """Passages read into a workspace of their own; `ids` has a passage's id by its file's name."""

    workspace: Workspace
    user: User
    ids: dict[str, str]

    def search(
        self, text: str, vector: NDArray[np.float32], mode: str, limit: int = 10
    ) -> list[Found]:
        """The best passages for one question, at most `limit`. `vector` is (d,) with unit length."""
        asked: dict[str, Any] = {
            "workspace": self.workspace, "user": self.user, "text": text, "vector": vector,
            "language": detect(text), "limit": DEPTH,
        }  # fmt: skip
        if mode != GRAPH:
            return self._passages(text_store.search(**asked, mode=mode).hits, limit)
        found = graph_store.search(**asked)
        # A question that names nothing the graph holds goes to the text store, as in the product.
        return self._passages((found if found.hits else text_store.search(**asked)).hits, limit)

    def _passages(self, hits: Iterable[Hit], limit: int) -> list[Found]:
        best: dict[str, float] = {}
        for hit in hits:
            best.setdefault(self.ids[hit.document], hit.score)
        return [Found(key, score) for key, score in list(best.items())[:limit]]


def load(
    passages: list[Item], *, say: Callable[[str], None], reset: bool = False, apart: str = ""
) -> Collection:
    """Upload every passage as a text file and read it; a collection that was read is taken again.

    The same passages read `apart` are a collection of their own, whose stores may be changed.
    """
    shape = apart + json.dumps([[p.id, p.title, p.text] for p in passages], ensure_ascii=False)
    slug = f"collection-{hashlib.sha256(shape.encode()).hexdigest()[:12]}"
    names = {f"{number:07}.txt": passage for number, passage in enumerate(passages)}
    with tempfile.TemporaryDirectory() as held:
        for name, passage in names.items():
            said = f"{passage.title}\n\n{passage.text}" if passage.title else passage.text
            (Path(held) / name).write_text(said, encoding="utf-8")
        try:
            workspace, user = folder_read(Path(held), slug=slug, reset=reset, say=say)
        except UploadRefused as error:
            raise CollectionInvalid(str(error)) from error
    return Collection(workspace, user, {name: passage.id for name, passage in names.items()})
