"""Reading a file into blocks and tables, in a child process with limits where the format is complex."""

from __future__ import annotations

from corpus.parsing.isolation import Measured, parse_file, parse_measured
from corpus.parsing.sniffing import ACCEPTED, SUFFIXES, sniff

__all__ = ["ACCEPTED", "SUFFIXES", "Measured", "parse_file", "parse_measured", "sniff"]
