"""Reading a file into blocks and tables, in a child process with limits where the format is complex."""

from __future__ import annotations

from corpus.parsing.isolation import parse_file
from corpus.parsing.sniffing import ACCEPTED, sniff

__all__ = ["ACCEPTED", "parse_file", "sniff"]
