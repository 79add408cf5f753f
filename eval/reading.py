"""How well files are read: facts on hard pages, words of receipts, odd files of every kind, web tables."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus.chunking import chunk
from corpus.errors import CorpusError, ReadingCrashed, ReadingTimedOut
from corpus.parsing import parse_measured, sniff
from eval.page_facts import JUDGED, Reading, facts, holds, reading_of
from eval.web_tables import web_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from corpus.values import ParsedDocument

    Say = Callable[[str], None]

SECONDS, MEGABYTES, DPI = 300, 6144, 200
FOLDERS = ("docling", "unstructured", "ocrmypdf")
WORD = re.compile(r"\w+(?:[.,'’/-]\w+)*")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file. `verdict` is read, refused (with its reason), crash, hang or silent.

    `peak_mb` is the most memory that its conversion held; `seconds` how long it took.
    """

    name: str
    verdict: str
    said: str
    chunks: int = 0
    tables: int = 0
    peak_mb: int = 0
    seconds: float = 0.0


def file_read(path: Path, name: str) -> tuple[Outcome, ParsedDocument | None]:
    """Read one file by the product's own path: sniffing, the isolated conversion, the passages."""
    try:
        kind = sniff(path, name)
        measured = parse_measured(path, kind=kind, name=name, seconds=SECONDS, megabytes=MEGABYTES)
    except ReadingTimedOut as error:
        return Outcome(name, "hang", str(error)), None
    except ReadingCrashed as error:
        return Outcome(name, "crash", str(error)), None
    except CorpusError as error:
        said = str(error)
        reason = said.replace(name, "").strip(" .:")
        return Outcome(name, "refused" if reason else "silent", said), None
    parsed = measured.document
    passages = len(chunk(parsed))
    held = bool(passages or parsed.attachments)
    outcome = Outcome(
        name,
        "read" if held else "silent",
        "; ".join((*parsed.warnings, *parsed.unreadable)),
        passages,
        len(parsed.tables),
        measured.peak_mb,
        measured.seconds,
    )
    return outcome, parsed


def olmocr(folder: Path, say: Say) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Share of the facts that hold in our reading and, where they are installed, in that of pdftotext
    and of tesseract (200 dpi, English). A page that could not be read bears out only what is absent."""
    judged = [fact for fact in facts(folder / "dataset.jsonl") if fact["type"] in JUDGED]
    engines: dict[str, Callable[[Path], Reading]] = {"polyrag": _ours}
    if shutil.which("pdftotext"):
        engines["pdftotext"] = _pdftotext
    if shutil.which("tesseract"):
        engines["tesseract"] = _tesseract
    right: Counter[str] = Counter()
    details = []
    for pdf in dict.fromkeys(fact["pdf"] for fact in judged):
        readings = {name: read(folder / "pdfs" / pdf) for name, read in engines.items()}
        for fact in (fact for fact in judged if fact["pdf"] == pdf):
            held = {name: holds(fact, reading) for name, reading in readings.items()}
            right.update(name for name, yes in held.items() if yes)
            details.append({"fact": fact, **held})
        say(f"olmocr {pdf}: {dict(right)} of {len(details)}")
    shares = {name: round(right[name] / len(judged), 4) for name in engines}
    figures = {
        "olmocr_facts": shares["polyrag"],
        "pdftotext_facts": shares.get("pdftotext"),
        "tesseract_facts": shares.get("tesseract"),
        "olmocr_judged": len(judged),
    }
    return figures, details


def _ours(path: Path) -> Reading:
    _, parsed = file_read(path, path.name)
    return reading_of(parsed.blocks) if parsed else Reading("")


def _pdftotext(path: Path) -> Reading:
    command = ["pdftotext", str(path), "-"]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    return Reading(done.stdout.decode("utf-8", "replace"))


def _tesseract(path: Path) -> Reading:
    """Each page rendered, then read with tesseract's own analysis of the page."""
    import io

    import pypdfium2 as pdfium

    pages = []
    for page in pdfium.PdfDocument(path):
        held = io.BytesIO()
        page.render(scale=DPI / 72).to_pil().save(held, "PNG")
        command = ["tesseract", "-", "-", "-l", "eng", "--dpi", str(DPI)]
        done = subprocess.run(  # noqa: S603
            command, input=held.getvalue(), capture_output=True, check=False
        )
        pages.append(done.stdout.decode("utf-8", "replace"))
    return Reading("\n".join(pages))


def sroie(folder: Path, say: Say) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Share of the receipts' words, case aside and as often as they stand, that the reading holds."""
    found = total = 0
    details = []
    for picture in sorted((folder / "img").iterdir()):
        gold = Counter(_words(_receipt(folder / "box" / f"{picture.stem}.csv")))
        outcome, parsed = file_read(picture, picture.name)
        blocks = parsed.blocks if parsed else ()
        read = Counter(_words("\n".join(block.text for block in blocks)))
        hits = sum((gold & read).values())
        found, total = found + hits, total + sum(gold.values())
        details.append({**_row(outcome), "words": sum(gold.values()), "found": hits})
        say(f"sroie {picture.name}: {hits} of {sum(gold.values())}")
    return {"sroie_word_recall": round(found / total, 4) if total else 0.0}, details


def _receipt(path: Path) -> str:
    """The texts of a receipt's boxes: eight coordinates stand before each."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(line.split(",", 8)[-1] for line in lines if line.count(",") >= 8)


def _words(text: str) -> Iterable[str]:
    return (match[0] for match in WORD.finditer(text.casefold()))


def files(folder: Path, say: Say) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Every file of the three folders: how many were read, refused with a reason, or neither."""
    outcomes: list[Outcome] = []
    for path in sorted(p for name in FOLDERS for p in (folder / name).rglob("*") if p.is_file()):
        outcome, _ = file_read(path, path.name)
        outcomes.append(outcome)
        said = f": {outcome.said[:150]}" if outcome.verdict != "read" else ""
        say(f"{path.relative_to(folder)}: {outcome.verdict}{said}")
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    figures = {
        "files": len(outcomes),
        "files_read": verdicts["read"],
        "files_refused": verdicts["refused"],
        "files_without_verdict": verdicts["silent"],
        "crashes": verdicts["crash"],
        "hangs": verdicts["hang"],
        "peak_mb": max((outcome.peak_mb for outcome in outcomes), default=0),
        "limit_mb": MEGABYTES,
    }
    return figures, [_row(outcome) for outcome in outcomes]


def _row(outcome: Outcome) -> dict[str, Any]:
    return {key: getattr(outcome, key) for key in Outcome.__slots__}


SUITES: dict[
    str, tuple[str, Callable[[Path, Say], tuple[dict[str, Any], list[dict[str, Any]]]]]
] = {
    "olmocr": ("documents/olmocr", olmocr),
    "sroie": ("documents/sroie", sroie),
    "files": ("documents", files),
    "wtq": ("wikitablequestions/tables", web_tables),
}
