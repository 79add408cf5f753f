"""Invented tables that refer to each other: clubs, players, matches, and who was in which match."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from corpus.models import Document, DocumentVersion, VersionState
from corpus.table_store import table_create
from corpus.tabular.grid import table_from_grid

if TYPE_CHECKING:
    from teams.models import Workspace

CLUBS = """club_id,name,country,founded
1,Lobos,Portugal,1921
2,Falcons,Ireland,1950
3,Corvos,Portugal,1988
4,Otters,Norway,2001
"""
PLAYERS = """player_id,name,club_id,age,height,position
1,Ana Reis,1,24,171,keeper
2,Bo Lind,4,31,188,forward
3,Cal Nunn,2,24,180,forward
4,Dina Sol,1,19,165,forward
5,Eli Costa,3,35,177,keeper
6,Finn Moe,4,28,191,back
"""
MATCHES = """match_id,title,year,spectators
1,Opening,2019,1200
2,Derby,2020,5400
3,Final,2020,9100
"""
PLAYED = """player_id,match_id,goals
1,1,0
4,1,2
3,2,1
4,2,1
2,3,3
4,3,1
"""
FILES = {
    "club.csv": CLUBS,
    "player.csv": PLAYERS,
    "match.csv": MATCHES,
    "player_in_match.csv": PLAYED,
}


def store(workspace: Workspace, names: tuple[str, ...] = tuple(FILES)) -> dict[str, Document]:
    """The tables in the workspace's schema, each of a document of its own."""
    made = {}
    for at, name in enumerate(names):
        rows = list(csv.reader(io.StringIO(FILES[name])))
        parsed, _ = table_from_grid(rows, name.partition(".")[0], {})
        assert parsed is not None
        document = Document.objects.create(workspace=workspace, name=name)
        version = DocumentVersion.objects.create(
            document=document, sha256=f"{at}" * 64, size=1, kind="csv", state=VersionState.READY
        )
        document.current = version
        document.save(update_fields=["current"])
        table_create(workspace=workspace, version=version, parsed=parsed)
        made[name] = document
    return made
