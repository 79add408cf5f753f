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

from engines.language import detect
from engines.registry import embedder
from eval.workspace import folder_read
from retrieval import graph_store, text_store
from routing.values import GRAPH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file. Raises CollectionInvalid for a line that is none."""
    rows = []
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise CollectionInvalid(f"{path} cannot be read: {error.strerror}.") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise CollectionInvalid(f"{path}, line {number}: not JSON ({error.msg}).") from error
        if not isinstance(row, dict):
            raise CollectionInvalid(f"{path}, line {number}: not an object.")
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
    """Per question the passages that answer it."""
    held: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, passage, score = line.split("\t")
        if int(score) > 0:
            held.setdefault(query, set()).add(passage)
    return held


@dataclass(frozen=True, slots=True)
class Collection:
    """Passages read into a workspace of their own; `ids` has a passage's id by its file's name."""

    workspace: Workspace
    user: User
    ids: dict[str, str]

    def search(self, text: str, mode: str, limit: int = 10) -> list[Found]:
        """The best passages for one question, at most `limit`."""
        vector = embedder().queries([text])[0]
        language = detect(text)
        said: dict[str, Any] = {"text": text, "vector": vector, "language": language}
        reader: dict[str, Any] = {"workspace": self.workspace, "user": self.user}
        found = self._store(mode)(**reader, **said)
        return self._passages(found.hits, limit)

    def _store(self, mode: str) -> Callable[..., Any]:
        def walked(**asked: Any) -> Any:
            found = graph_store.search(**asked, limit=DEPTH)
            # A question that names nothing the graph holds goes to the text store, as in the product.
            return found if found.hits else text_store.search(**asked, limit=DEPTH)

        def worded(**asked: Any) -> Any:
            return text_store.search(**asked, limit=DEPTH, mode=mode)

        return walked if mode == GRAPH else worded

    def _passages(self, hits: Iterable[Hit], limit: int) -> list[Found]:
        best: dict[str, float] = {}
        for hit in hits:
            best.setdefault(self.ids[hit.document], hit.score)
        return [Found(key, score) for key, score in list(best.items())[:limit]]


def load(passages: list[Item], *, say: Callable[[str], None], reset: bool = False) -> Collection:
    """Upload every passage as a text file and read it; a collection that was read is taken again."""
    shape = json.dumps([[p.id, p.title, p.text] for p in passages], ensure_ascii=False)
    slug = f"collection-{hashlib.sha256(shape.encode()).hexdigest()[:12]}"
    names = {f"{number:07}.txt": passage for number, passage in enumerate(passages)}
    with tempfile.TemporaryDirectory() as held:
        for name, passage in names.items():
            said = f"{passage.title}\n\n{passage.text}" if passage.title else passage.text
            (Path(held) / name).write_text(said, encoding="utf-8")
        workspace, user = folder_read(Path(held), slug=slug, reset=reset, say=say)
    return Collection(workspace, user, {name: passage.id for name, passage in names.items()})
