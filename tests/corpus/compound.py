"""Writes small files in Microsoft's compound format (.msg, .doc …), for which no library writes any."""

from __future__ import annotations

import struct

SECTOR, MINI, CUTOFF = 512, 64, 4096
END, FREE, FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
Tree = dict[str, "bytes | Tree"]


def compound(tree: Tree) -> bytes:
    """A compound file of the streams (bytes) and storages (dicts) of a tree."""
    entries: list[list[object]] = []  # name, type, right, child, content
    _add(entries, "Root Entry", 5, tree)
    mini_fat: list[int] = []
    mini = bytearray()
    big = bytearray()
    for entry in entries:
        content = entry[4]
        if not isinstance(content, bytes) or not content:
            continue
        if len(content) < CUTOFF:
            entry.append(len(mini) // MINI)
            mini += content.ljust(_up(len(content), MINI), b"\0")
            mini_fat += _chain(len(mini_fat), _up(len(content), MINI) // MINI)
        else:
            entry.append(len(big) // SECTOR)
            big += content.ljust(_up(len(content), SECTOR), b"\0")
    mini_fat_bytes = struct.pack(f"<{len(mini_fat)}I", *mini_fat)
    parts = {
        "directory": _up(len(entries), 4) // 4,
        "mini_fat": _up(len(mini_fat_bytes), SECTOR) // SECTOR,
        "mini": _up(len(mini), SECTOR) // SECTOR,
    }
    fat_sectors = 1 + (sum(parts.values()) + len(big) // SECTOR) // 127
    start, fat = fat_sectors, [FAT] * fat_sectors
    starts = {}
    for part, count in parts.items():
        starts[part] = start if count else END
        fat += _chain(start, count)
        start += count
    for entry in entries:
        content = entry[4]
        if isinstance(content, bytes) and len(content) >= CUTOFF:
            fat += _chain(len(fat), _up(len(content), SECTOR) // SECTOR)
            entry[5] = int(str(entry[5])) + start
    directory = b"".join(_entry(entry, starts["mini"], len(mini)) for entry in entries).ljust(
        parts["directory"] * SECTOR, b"\0"
    )
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        *(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6),
        *(0, fat_sectors, starts["directory"], 0, CUTOFF),
        *(starts["mini_fat"], parts["mini_fat"], END, 0),
    )
    difat = [*range(fat_sectors), *[FREE] * (109 - fat_sectors)]
    fat += [FREE] * (fat_sectors * 128 - len(fat))
    return (
        header
        + struct.pack("<109I", *difat)
        + struct.pack(f"<{len(fat)}I", *fat)
        + directory
        + mini_fat_bytes.ljust(parts["mini_fat"] * SECTOR, b"\xff")
        + bytes(mini).ljust(parts["mini"] * SECTOR, b"\0")
        + bytes(big)
    )


def message(
    texts: dict[int, str],
    *,
    attachments: list[tuple[str, bytes]] | None = None,
    inner: Tree | None = None,
    top: bool = True,
) -> Tree:
    """The tree of an Outlook message: properties by their number, attachments, a message inside."""
    tree: Tree = _properties({(pid, 0x1F): text.encode("utf-16-le") for pid, text in texts.items()})
    files: list[Tree] = [
        _properties(
            {(0x3707, 0x1F): name.encode("utf-16-le"), (0x3701, 0x102): data}, {0x3705: 1}, head=8
        )
        for name, data in attachments or []
    ]
    if inner is not None:
        held = _properties({}, {0x3705: 5}, head=8)
        held["__substg1.0_3701000D"] = inner
        files.append(held)
    for number, file in enumerate(files):
        tree[f"__attach_version1.0_#{number:08X}"] = file
    properties = tree["__properties_version1.0"]
    assert isinstance(properties, bytes)
    counts = struct.pack("<8x4I", 0, len(files), 0, len(files))
    tree["__properties_version1.0"] = counts + (b"\0" * 8 if top else b"") + properties
    return tree


def _properties(
    held: dict[tuple[int, int], bytes], numbers: dict[int, int] | None = None, head: int = 0
) -> Tree:
    tree: Tree = {f"__substg1.0_{pid:04X}{kind:04X}": data for (pid, kind), data in held.items()}
    rows = b"".join(
        struct.pack("<HHIII", kind, pid, 6, len(data) + (2 if kind == 0x1F else 0), 0)
        for (pid, kind), data in held.items()
    )
    rows += b"".join(
        struct.pack("<HHIII", 0x3, pid, 6, number, 0) for pid, number in (numbers or {}).items()
    )
    tree["__properties_version1.0"] = b"\0" * head + rows
    return tree


def _add(entries: list[list[object]], name: str, kind: int, content: bytes | Tree) -> int:
    """Append the entry with all below it; siblings hang in a row, each to the right of the last."""
    number = len(entries)
    entries.append([name, kind, FREE, FREE, content if isinstance(content, bytes) else None])
    if isinstance(content, dict):
        before = None
        for child, below in content.items():
            added = _add(entries, child, 2 if isinstance(below, bytes) else 1, below)
            if before is None:
                entries[number][3] = added
            else:
                entries[before][2] = added
            before = added
    return number


def _entry(entry: list[object], mini_start: int, mini_size: int) -> bytes:
    name, kind, right, child, content, *start = entry
    encoded = str(name).encode("utf-16-le")
    size = mini_size if kind == 5 else len(content) if isinstance(content, bytes) else 0
    first = mini_start if kind == 5 else start[0] if start else END
    return struct.pack(
        "<64sHBBIII16xI16xIQ",
        *(encoded, len(encoded) + 2, kind, 1, FREE, right, child, 0, first, size),
    )


def _chain(start: int, count: int) -> list[int]:
    return [*range(start + 1, start + count), END] if count else []


def _up(size: int, unit: int) -> int:
    return -(-size // unit) * unit
