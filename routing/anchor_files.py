"""Anchors as text: pasted lines, and YAML files that come and go. Problems are told by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from django.utils.translation import gettext as _

from routing.changes import AnchorDraft, ChangeInvalid

if TYPE_CHECKING:
    from collections.abc import Iterable

FIELDS = ("route", "language", "text", "active")
BYTES_MOST = 1_000_000


def lines_read(pasted: str, route: str, language: str) -> list[AnchorDraft]:
    """One anchor a line; empty lines and those that begin with # are left out."""
    found = {}
    for line in pasted.splitlines():
        text = " ".join(line.split())
        if text and not text.startswith("#"):
            found[text] = AnchorDraft(route, language, text)
    if not found:
        raise ChangeInvalid([_("Paste at least one line.")])
    return list(found.values())


def anchors_dump(drafts: Iterable[AnchorDraft]) -> str:
    """The anchors as YAML that `anchors_load` reads back."""
    rows = [{name: getattr(draft, name) for name in FIELDS} for draft in drafts]
    text: str = yaml.safe_dump({"anchors": rows}, allow_unicode=True, sort_keys=False, width=100)
    return text


def anchors_load(
    text: str, *, routes: Iterable[str], languages: Iterable[str]
) -> list[AnchorDraft]:
    """The anchors of a YAML file: `anchors:` with a list of route, language, text and, if wanted, active.

    Raises ChangeInvalid with every problem and the line where it stands.
    """
    if len(text.encode()) > BYTES_MOST:
        raise ChangeInvalid([_("The file is larger than 1 MB.")])
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = str(getattr(error, "problem", None) or error)
        raise ChangeInvalid([_at(mark, _("this is no YAML: %(why)s") % {"why": said})]) from error
    items = _items(root)
    drafts, problems = [], []
    allowed = {"route": set(routes), "language": set(languages)}
    lines: dict[tuple[str, str], int] = {}
    for node in items:
        draft, wrong = _draft(node, allowed)
        problems += wrong
        if draft is None:
            continue
        first = lines.setdefault((draft.route, draft.text), node.start_mark.line)
        if first != node.start_mark.line:
            told = {"n": first + 1}
            problems.append(_at(node.start_mark, _("the same anchor stands in line %(n)s") % told))
        drafts.append(draft)
    if problems:
        raise ChangeInvalid(problems)
    if not drafts:
        raise ChangeInvalid([_("The file holds no anchors.")])
    return drafts


def _items(root: Any) -> list[Any]:
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if key.value == "anchors" and isinstance(value, yaml.SequenceNode):
                return list(value.value)
    raise ChangeInvalid([_("The file is to hold “anchors:” with a list under it.")])


def _draft(node: Any, allowed: dict[str, set[str]]) -> tuple[AnchorDraft | None, list[str]]:
    if not isinstance(node, yaml.MappingNode):
        said = _("an anchor is written as route, language and text")
        return None, [_at(node.start_mark, said)]
    held: dict[str, str] = {}
    problems = []
    for key, value in node.value:
        if key.value not in FIELDS or not isinstance(value, yaml.ScalarNode):
            told = {"name": str(key.value)[:60], "all": ", ".join(FIELDS)}
            said = _("“%(name)s” is not known here, only %(all)s") % told
            problems.append(_at(key.start_mark, said))
            continue
        held[key.value] = value.value
    for name in ("route", "language", "text"):
        if not held.get(name, "").strip():
            problems.append(_at(node.start_mark, _("“%(name)s” is missing") % {"name": name}))
    for name, known in allowed.items():
        if held.get(name) and held[name] not in known:
            told = {"value": held[name][:60], "name": name, "all": ", ".join(sorted(known))}
            said = _("“%(value)s” is no %(name)s, only %(all)s") % told
            problems.append(_at(node.start_mark, said))
    active = {"true": True, "false": False}.get(held.get("active", "true").lower())
    if active is None:
        problems.append(_at(node.start_mark, _("“active” is true or false")))
    if problems:
        return None, problems
    text = " ".join(held["text"].split())
    return AnchorDraft(held["route"], held["language"], text, bool(active)), []


def _at(mark: Any, said: str) -> str:
    if mark is None:
        return said
    return _("Line %(n)s: %(said)s.") % {"n": mark.line + 1, "said": said.rstrip(".")}
