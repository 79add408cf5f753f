"""What the API gives and takes of anchors, bounds and their revisions."""

import datetime as dt
from typing import Any, Literal

from ninja import Field, Schema
from pydantic import FiniteFloat

from retrieval.api.paging import KEY_MOST, Plain
from retrieval.api.schemas import Page

TEXT, REASON = 300, 300
Language = Literal["pt", "en", "es", "fr"]


class Anchor(Schema):
    id: int
    route: str
    language: str
    text: str
    active: bool
    shared: bool = Field(description="of all workspaces; only a superuser changes it")


class Anchors(Page):
    items: list[Anchor]


class AnchorIn(Schema):
    id: int | None = Field(
        None, ge=1, le=KEY_MOST, description="of the one to change; else a new one"
    )
    route: Plain = Field(max_length=20)
    language: Language
    text: Plain = Field(min_length=1, max_length=TEXT)
    active: bool = True


class Bounds(Schema):
    tau_high: FiniteFloat = Field(ge=0, le=2)
    tau_low: FiniteFloat = Field(ge=-1, le=1)
    delta: FiniteFloat = Field(ge=0, le=2)


class BoundsShown(Bounds):
    embedder: str
    own: bool = Field(description="whether they are the workspace's own")


class ChangeIn(Schema):
    """Anchors to add or change, and to remove; bounds to set, or to drop for the shared ones."""

    put: list[AnchorIn] = Field(default_factory=list, max_length=1000)
    remove: list[int] = Field(default_factory=list, max_length=1000)
    bounds: Bounds | None = None
    bounds_dropped: bool = False


class SaveIn(ChangeIn):
    reason: Plain = Field(min_length=1, max_length=REASON)
    revision: int = Field(ge=0, le=KEY_MOST, description="the one that the impact was shown under")
    reroute: bool = Field(False, description="decide the stored passages anew")


class SwitchIn(Schema):
    active: bool
    reason: Plain = Field(min_length=1, max_length=REASON)
    revision: int = Field(ge=0, le=KEY_MOST)
    reroute: bool = False


class ImportIn(Schema):
    yaml: Plain = Field(max_length=1_000_000)
    replace: bool = Field(False, description="anchors that are not in the file go")


class ImportSaveIn(ImportIn):
    reason: Plain = Field(min_length=1, max_length=REASON)
    revision: int = Field(ge=0, le=KEY_MOST)
    reroute: bool = False


class RestoreIn(Schema):
    reason: Plain = Field(min_length=1, max_length=REASON)
    revision: int = Field(ge=0, le=KEY_MOST, description="the newest one that the caller knows")
    reroute: bool = False


class Flip(Schema):
    text: str
    before: str
    after: str
    wanted: str


class Moved(Schema):
    before: str
    after: str
    passages: int


class Impact(Schema):
    revision: int = Field(description="to be sent with the change")
    passages: int
    moves: list[Moved]
    questions: int
    flips: list[Flip]
    labelled: int
    right_before: int
    right_after: int
    labelled_flips: list[Flip]


class Saved(Schema):
    revision: int
    reroutes: list[int]


class Revision(Schema):
    id: int
    author: str
    reason: str
    shared: bool
    changes: dict[str, Any]
    restores: int | None
    created_at: dt.datetime


class Revisions(Page):
    newest: int
    items: list[Revision]


class Reroute(Schema):
    id: int
    author: str
    reason: str
    state: str = Field(description="running, done, undoing or undone")
    moved: int | None = Field(
        description="passages that the caller may read; None once it is forgotten"
    )
    created_at: dt.datetime
    finished_at: dt.datetime | None


class Reroutes(Page):
    items: list[Reroute]


class ReroutePreview(Schema):
    passages: int
    foreign: int = Field(description="left alone: their vector is of another embedder")
    moves: list[Moved]


class RerouteIn(Schema):
    reason: Plain = Field(min_length=1, max_length=REASON)


class Label(Schema):
    id: int
    text: str
    route: str
    taken: str = Field(description="the route that was taken")
    state: str = Field(description="pending, accepted or rejected")
    split: str
    language: str
    author: str


class Labels(Page):
    items: list[Label]


class LabelIn(Schema):
    text: Plain = Field(min_length=1, max_length=2000)
    route: Plain = Field(max_length=20)


class LabelReview(Schema):
    verdict: Literal["accept", "reject", "reopen"]
    route: Plain = Field("", max_length=20, description="another route to accept it with")


class WrongRoute(Schema):
    position: int = Field(0, ge=0, le=1000, description="of the part of the question")
    route: Plain = Field(max_length=20)
