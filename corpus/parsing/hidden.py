"""Text of Office files that a reader does not see: marked hidden, white on white, or tiny.

It is read like any other and told to the person, since instructions to a model like to hide there.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
WORD_PART = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml$")
SLIDE_PART = re.compile(r"ppt/slides/slide\d+\.xml$")
WHITE = re.compile(r"#?(?:f[c-f]){3}$", re.IGNORECASE)
TINY_POINTS = 2.0
TOLD = 5


def hidden_text(data: bytes, kind: str) -> list[str]:
    """Warnings that quote what is hidden in a docx, pptx, odt or odp; other kinds have none."""
    if kind not in {"docx", "pptx", "odt", "odp"}:
        return []
    found: dict[str, str] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for why, text in _found(archive, kind):
            said = " ".join(text.split())
            if said:
                found.setdefault(said, why)
    return quoted(found)


def quoted(found: dict[str, str]) -> list[str]:
    """One warning for each hidden text, by the text; beyond a few only their number."""
    warnings = [f"Hidden text ({why}): “{said[:160]}”." for said, why in found.items()]
    more = len(warnings) - TOLD
    return [*warnings[:TOLD], f"{more} more hidden texts."] if more > 0 else warnings


def _found(archive: zipfile.ZipFile, kind: str) -> Iterator[tuple[str, str]]:
    if kind == "docx":
        styles = _word_styles(archive)
        for _, part in xml_parts(archive, WORD_PART):
            yield from _word(part, styles)
    elif kind == "pptx":
        for _, part in xml_parts(archive, SLIDE_PART):
            yield from _slide(part)
    else:
        names = re.compile(r"(?:styles|content)\.xml$")
        styled = [part for _, part in xml_parts(archive, names)]
        why = {name: reason for part in styled for name, reason in _odf_styles(part)}
        for part in styled:
            for node in part.iter(f"{TEXT}span", f"{TEXT}p", f"{TEXT}h"):
                reason = why.get(node.get(f"{TEXT}style-name", ""))
                # Shapes on slides have grounds of their own, so that white is seen there.
                if reason and (kind == "odt" or reason != "white"):
                    yield reason, "".join(node.itertext())


def xml_parts(archive: zipfile.ZipFile, names: re.Pattern[str]) -> Iterator[tuple[str, Any]]:
    """The members whose whole names match, each with its root element."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    for member in archive.namelist():
        if names.fullmatch(member.lstrip("/")):
            yield member, etree.fromstring(archive.read(member), parser)


def _word_styles(archive: zipfile.ZipFile) -> dict[str, str]:
    """Why a run of a style is not seen, by the style's key."""
    reasons = {}
    for _, part in xml_parts(archive, re.compile(r"word/styles\.xml$")):
        for style in part.iter(f"{W}style"):
            # White in a style is nearly always the head of a table on a dark ground.
            reason = _word_reason(style.find(f"{W}rPr"))
            if reason and reason != "white":
                reasons[style.get(f"{W}styleId", "")] = reason
    return reasons


def _word(part: Any, styles: dict[str, str]) -> Iterator[tuple[str, str]]:
    for paragraph in part.iter(f"{W}p"):
        held: dict[str, list[str]] = {}
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        below = styles.get(style.get(f"{W}val", "") if style is not None else "", "")
        for run in paragraph.iter(f"{W}r"):
            text = "".join(node.text or "" for node in run.iter(f"{W}t"))
            properties = run.find(f"{W}rPr")
            own = properties.find(f"{W}rStyle") if properties is not None else None
            reason = _word_reason(properties) or below
            reason = reason or (styles.get(own.get(f"{W}val", ""), "") if own is not None else "")
            if reason == "white" and _shaded(run):
                reason = ""
            if reason:
                held.setdefault(reason, []).append(text)
        yield from ((reason, "".join(texts)) for reason, texts in held.items())


def _word_reason(properties: Any) -> str:
    if properties is None:
        return ""
    vanish = properties.find(f"{W}vanish")
    if vanish is not None and vanish.get(f"{W}val", "true") not in {"0", "false", "off"}:
        return "marked hidden"
    size = properties.find(f"{W}sz")
    if size is not None and _number(size.get(f"{W}val")) / 2 < TINY_POINTS:
        return "tiny"
    color = properties.find(f"{W}color")
    return "white" if color is not None and WHITE.match(color.get(f"{W}val", "")) else ""


def _shaded(run: Any) -> bool:
    """Whether anything around the run gives it a ground: a mark, a shade, a cell, a shape."""
    for holder in (run, *run.iterancestors()):
        tag = holder.tag.rpartition("}")[2]
        if tag in {"txbxContent", "tbl"}:
            # Shapes and styled tables have grounds that cannot be told from here.
            return True
        for child in holder:
            if child.tag in {f"{W}rPr", f"{W}pPr"} and (
                child.find(f"{W}shd") is not None or child.find(f"{W}highlight") is not None
            ):
                return True
    return False


def _slide(part: Any) -> Iterator[tuple[str, str]]:
    """Tiny text anywhere; white text where nothing on the slide could be a ground for it."""
    grounds = {f"{P}bg", f"{P}pic", f"{A}solidFill", f"{A}gradFill", f"{A}blipFill"}
    shapes = list(part.iter(f"{P}spPr"))
    bare = part.find(f".//{P}bg") is None and part.find(f".//{P}pic") is None
    bare = bare and not any(child.tag in grounds for shape in shapes for child in shape)
    bare = bare and part.find(f".//{P}style") is None
    for run in part.iter(f"{A}r"):
        properties = run.find(f"{A}rPr")
        text = "".join(node.text or "" for node in run.iter(f"{A}t"))
        if properties is None:
            continue
        if _number(properties.get("sz")) / 100 < TINY_POINTS:
            yield "tiny", text
        color = properties.find(f"{A}solidFill/{A}srgbClr")
        if bare and color is not None and WHITE.match(color.get("val", "")):
            yield "white", text


def _odf_styles(part: Any) -> Iterator[tuple[str, str]]:
    for style in part.iter(f"{STYLE}style"):
        properties = style.find(f"{STYLE}text-properties")
        if properties is None:
            continue
        size = properties.get(f"{FO}font-size", "")
        ground = style.find(f"{STYLE}paragraph-properties")
        shaded = properties.get(f"{FO}background-color") is not None or (
            ground is not None and ground.get(f"{FO}background-color") is not None
        )
        key = style.get(f"{STYLE}name", "")
        if properties.get(f"{TEXT}display") == "none":
            yield key, "marked hidden"
        elif size.endswith("pt") and _number(size[:-2]) < TINY_POINTS:
            yield key, "tiny"
        elif WHITE.match(properties.get(f"{FO}color", "")) and not shaded:
            yield key, "white"


def _number(text: str | None) -> float:
    """A size; one that is not stated or no number is taken as large."""
    try:
        return float(text or "999")
    except ValueError:
        return 999.0
