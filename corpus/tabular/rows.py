"""Rows that are kept packed: a million of them take a fraction of the memory of a million tuples."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import batched, chain, islice
from typing import overload

from corpus.plain_pickle import loads

BLOCK, SMALL = 4_000, 20_000
type Row = tuple[object, ...]


class PackedRows(Sequence[Row]):
    """A sequence of rows in compressed blocks, one of which is open at a time."""

    __slots__ = ("_blocks", "_length")

    def __init__(self, rows: Iterable[Row]) -> None:
        self._blocks: list[bytes] = []
        self._length = 0
        for block in batched(rows, BLOCK):
            self._blocks.append(zlib.compress(pickle.dumps(block, pickle.HIGHEST_PROTOCOL), 1))
            self._length += len(block)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Row]:
        return chain.from_iterable(map(self._open, range(len(self._blocks))))

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(self._length)))
        place = range(self._length)[index]
        return self._open(place // BLOCK)[place % BLOCK]

    def _open(self, number: int) -> tuple[Row, ...]:
        block: tuple[Row, ...] = loads(zlib.decompress(self._blocks[number]))
        return block


def keep(rows: Iterable[Row]) -> Sequence[Row]:
    """The rows as a tuple, or packed where there are many."""
    source = iter(rows)
    first = tuple(islice(source, SMALL + 1))
    return first if len(first) <= SMALL else PackedRows(chain(first, source))
