"""The type of a file, told from its bytes; the name only settles what the bytes leave open."""

from __future__ import annotations

import re
import struct
import zipfile
from pathlib import Path

from corpus.errors import UnreadableFile

CODE = (
    *("py", "js", "mjs", "ts", "tsx", "jsx", "java", "go", "rs", "c", "h", "cpp", "hpp", "cs"),
    *("rb", "php", "sql", "sh", "kt", "swift", "scala", "lua", "r"),
)
ACCEPTED = (
    *(
        "pdf",
        "docx",
        "pptx",
        "xlsx",
        "xls",
        "ods",
        "odt",
        "odp",
        "rtf",
        "doc",
        "ppt",
        "csv",
        "html",
    ),
    *("md", "rst", "adoc", "txt", "epub", "eml", "msg", "png", "jpg", "tiff", "webp", "gif", "bmp"),
    *("zip", "code", "sqlite", "duckdb"),
)
# What a file chooser should offer: each type's usual endings.
SUFFIXES = (
    *(kind for kind in ACCEPTED if kind != "code"),
    *("htm", "xhtml", "markdown", "asciidoc", "text", "log", "json", "xml", "yaml", "yml"),
    *("db", "sqlite3", "db3", "ddb"),
    *("tsv", "tab", "jpeg", "tif", "docm", "dotx", "pptm", "ppsx", "xlsm", "xlsb", *CODE),
)
MAGIC = (
    (b"%PDF-", "pdf"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
    (b"GIF8", "gif"),
    (b"{\\rtf", "rtf"),
    (b"SQLite format 3\x00", "sqlite"),
)
FOREIGN = (
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a program"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"!BDN", "an Outlook data file (.pst)"),
    (b"%!PS", "a PostScript file"),
    (b"ID3", "a sound file"),
    (b"OggS", "a sound file"),
)
# The main part of an Office file, and the kind that an OpenDocument or e-book states of itself.
OFFICE = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
STATED = {
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/epub+zip": "epub",
}
STREAMS = {
    "worddocument": "doc",
    "workbook": "xls",
    "book": "xls",
    "powerpoint document": "ppt",
    "__properties_version1.0": "msg",
}
SUFFIX_KINDS = {
    "htm": "html",
    "xhtml": "html",
    "tsv": "csv",
    "tab": "csv",
    "markdown": "md",
    "asciidoc": "adoc",
    "asc": "adoc",
    **{kind: kind for kind in ("html", "csv", "md", "rst", "adoc", "eml")},
    **dict.fromkeys(CODE, "code"),
}
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]*:(?:\s|$)")
MAIL_HEADER = re.compile(
    r"(?:from|to|cc|subject|date|received|return-path|message-id|mime-version|delivered-to|reply-to)$",
    re.IGNORECASE,
)
HTML_TAG = re.compile(r"<(?:body|div|p|table|h[1-6])[\s>]")
DIRECTORY_BYTES = 16_000_000


def sniff(path: Path, name: str) -> str:
    """One of ACCEPTED. Raises UnreadableFile that names the type found and the types accepted."""
    with path.open("rb") as handle:
        head = handle.read(65_536)
    if not head.strip(b"\x00 \t\r\n\x0b\x0c\xef\xbb\xbf\xfe\xff"):
        raise UnreadableFile(f"{name} is empty.")
    for magic, kind in MAGIC:
        if head.startswith(magic) or (kind == "pdf" and magic in head[:1024]):
            return kind
    if head[8:12] == b"DUCK":
        return "duckdb"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    if head[:2] == b"BM" and head[14:18] in {struct.pack("<I", n) for n in (12, 40, 52, 108, 124)}:
        return "bmp"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(path, name)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return _compound(path, name)
    if head[4:8] == b"ftyp":
        picture = head[8:11] in {b"hei", b"hev", b"mif", b"avi"}
        raise _refusal(name, "a HEIC or AVIF picture" if picture else "a film or a sound file")
    for magic, what in FOREIGN:
        if head.startswith(magic):
            raise _refusal(name, what)
    return _text(head, name)


def _archive(path: Path, name: str) -> str:
    """The kind of a zip: what it holds and what it states of itself tell Office files from others."""
    if directory_bytes(path) > DIRECTORY_BYTES:
        raise UnreadableFile(f"{name} holds far too many members and is refused.")
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member.replace("\\", "/").lower() for member in archive.namelist()]
            stated = ""
            if "mimetype" in members and archive.getinfo("mimetype").file_size < 200:
                stated = archive.read("mimetype").decode("ascii", "replace").strip()
    except (zipfile.BadZipFile, KeyError, ValueError, RuntimeError, NotImplementedError) as error:
        raise UnreadableFile(
            f"{name} is damaged: it cannot be unpacked. Save or pack it again."
        ) from error
    if "[content_types].xml" in members:
        for prefix, kind in OFFICE.items():
            if any(member.startswith(prefix) for member in members):
                return kind
    for kind_stated, kind in STATED.items():
        if stated.startswith(kind_stated):
            return kind
    if stated.startswith("application/vnd.oasis"):
        raise _refusal(name, "an OpenDocument drawing or database")
    if any(member.startswith("index/") and member.endswith(".iwa") for member in members):
        raise _refusal(name, "an Apple Pages, Numbers or Keynote file")
    return "zip"


def directory_bytes(path: Path) -> int:
    """The size in bytes that a zip states for its list of members, read without unpacking the list."""
    size = path.stat().st_size
    with path.open("rb") as handle:
        handle.seek(max(0, size - 66_000))
        tail = handle.read()
    at = tail.rfind(b"PK\x05\x06")
    stated = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    # A zip64 archive states it elsewhere; its list cannot be longer than the file.
    return size if stated == 0xFFFFFFFF else stated


def _compound(path: Path, name: str) -> str:
    """Word, Excel, PowerPoint of before 2007, or an Outlook message: told by the streams inside."""
    import olefile

    try:
        with olefile.OleFileIO(str(path)) as compound:
            streams = {"/".join(entry).lower() for entry in compound.listdir()}
    except (OSError, ValueError, LookupError, TypeError, struct.error, RecursionError) as error:
        raise UnreadableFile(
            f"{name} is damaged: its parts cannot be listed. Save it again."
        ) from error
    if "encryptedpackage" in streams:
        raise UnreadableFile(
            f"{name} is protected by a password. Remove the password and upload it again."
        )
    for stream, kind in STREAMS.items():
        if stream in streams:
            return kind
    raise _refusal(name, "an old Office file that is neither text, table, slides nor mail")


def _text(head: bytes, name: str) -> str:
    text = as_text(head)
    if text is None:
        raise _refusal(name, "a binary file of a type that is not known")
    suffix = Path(name).suffix.lower().lstrip(".")
    start = text.lstrip("\ufeff \r\n\t")[:1000].lower()
    told = SUFFIX_KINDS.get(suffix, "")
    if told == "code":
        return "code"
    if start.startswith(("<!doctype html", "<html")) or (start[:1] == "<" and "<html" in start):
        return "html"
    if told != "md" and _is_mail(text, strict=told != "eml"):
        return "eml"
    if told and told != "eml":
        return told
    if start[:1] == "<" and HTML_TAG.search(start):
        return "html"
    return "csv" if suffix in {"", "txt", "dat", "xls"} and _is_tabular(text) else "txt"


def as_text(head: bytes) -> str | None:
    """The beginning of a file as text, roughly decoded; None when it is not text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    for encoding, high in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        # Without a mark: in Western text every other byte is zero.
        if len(high) > 1 and high.count(b"\x00") > len(high) * 0.7:
            wide = head.decode(encoding, "replace")
            return wide if "\x00" not in wide else None
    if b"\x00" in head:
        return None
    controls = sum(byte < 32 and byte not in b"\t\r\n\x0c\x1b" for byte in head)
    return None if controls > len(head) * 0.02 else head.decode("utf-8", "replace")


def _is_mail(text: str, *, strict: bool) -> bool:
    """Header lines up to the first blank line. Strict: two known ones, since prose has "Note:" too."""
    lines = text.lstrip("\ufeff\r\n").splitlines()
    if lines and lines[0].startswith("From "):
        lines = lines[1:]
    known: set[str] = set()
    for line in lines[:200]:
        if not line.strip():
            break
        if line[0] in " \t":
            continue
        if not HEADER.match(line):
            return False
        key = line.partition(":")[0]
        known |= {key.lower()} if MAIL_HEADER.match(key) else set()
    return len(known) >= (2 if strict else 1)


def _is_tabular(text: str) -> bool:
    """Three or more lines that a sign parts into the same number of cells, two or more."""
    whole = text.splitlines() if len(text) < 20_000 else text[:20_000].splitlines()[:-1]
    lines = [line for line in whole if line.strip()]
    if len(lines) < 3:
        return False
    for sign, cells in (("\t", 2), (";", 2), ("|", 3), (",", 3)):
        counts = {line.count(sign) + 1 for line in lines}
        if len(counts) == 1 and counts.pop() >= cells:
            return True
    return False


def _refusal(name: str, what: str) -> UnreadableFile:
    kinds = ", ".join(kind for kind in ACCEPTED if kind != "code")
    return UnreadableFile(
        f"{name} is {what}, which PolyRAG does not read. Accepted: {kinds} and source code."
    )
