"""What a curator may run in a database of others: one SELECT of known parts. Pure."""

from __future__ import annotations

import sqlglot
from django.utils.translation import gettext as _
from sqlglot import exp
from sqlglot.errors import SqlglotError

from corpus.errors import CorpusError

MOST_CHARACTERS = 20_000
REFUSED = (
    exp.Insert,
    exp.Update,
    exp.Delete,
    exp.Merge,
    exp.Create,
    exp.Drop,
    exp.Command,
    exp.Into,
    exp.Lock,
    # Functions that the parser doesn't know may read files, sleep, or change settings.
    exp.Anonymous,
)


class QueryRefused(CorpusError):
    """The statement may not run there. The message says why."""


def query_checked(text: str) -> str:
    """The one SELECT of `text`, written anew from its tree, so that nothing else is sent.

    The transaction that it runs in is read only whatever it says. Raises QueryRefused.
    """
    if len(text) > MOST_CHARACTERS or "\x00" in text:
        raise QueryRefused(_("The statement is too long."))
    try:
        parsed = sqlglot.parse(text, read="postgres")
    except (SqlglotError, RecursionError) as error:
        raise QueryRefused(_("This is not a statement that can be read.")) from error
    # A comment behind the last semicolon is a tree of its own.
    found = [tree for tree in parsed if tree is not None and not isinstance(tree, exp.Semicolon)]
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise QueryRefused(_("Exactly one SELECT may run here."))
    for node in found[0].walk():
        if isinstance(node, REFUSED):
            name = node.name if isinstance(node, exp.Anonymous) else node.key
            raise QueryRefused(_("%(name)s is not allowed here.") % {"name": name.upper()})
    return str(found[0].sql(dialect="postgres", comments=False))
