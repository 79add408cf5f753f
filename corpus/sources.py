"""Attaching databases of others, and copying chosen tables of theirs into documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.files.base import File
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_q.tasks import async_task

from corpus.errors import CorpusError
from corpus.services import document_upload
from corpus.source_connection import connected, listed, query_csv, table_csv
from corpus.source_models import DataSource, SourceState
from corpus.source_query import query_checked
from engines.sealing import seal
from teams.access import Right, require
from teams.audit import audit_record
from teams.audit_models import AuditAction
from teams.models import User

if TYPE_CHECKING:
    import uuid
    from collections.abc import Mapping
    from typing import IO

    from corpus.source_connection import Listed
    from corpus.uploads import Upload
    from teams.models import Workspace


def source_attach(
    *, workspace: Workspace, user: User, fields: Mapping[str, Any], password: str
) -> DataSource:
    """Keep a database once its connection has been tried; the password is sealed.

    `fields` are name, host, port, database, username and encrypted. Raises CorpusError with what is
    wrong, nothing kept, and PermissionDenied without the right to curate.
    """
    require(user, workspace, Right.CURATE)
    source = DataSource(
        workspace=workspace, created_by=user, sealed_password=seal(password), **fields
    )
    listed(source)
    with transaction.atomic():
        source.save(force_insert=True)
        audit_record(
            action=AuditAction.SOURCE_ATTACHED,
            actor=user,
            workspace=workspace,
            target=source.name,
            details={"host": source.host, "database": source.database},
        )
    return source


@transaction.atomic
def source_detach(*, source: DataSource, user: User) -> None:
    """Forget the database and its password. What was copied from it stays."""
    require(user, source.workspace, Right.CURATE)
    audit_record(
        action=AuditAction.SOURCE_DETACHED,
        actor=user,
        workspace=source.workspace,
        target=source.name,
    )
    source.delete()


def source_tables(*, source: DataSource, user: User) -> list[Listed]:
    """What the account may read there now. Raises CorpusError."""
    require(user, source.workspace, Right.CURATE)
    return listed(source)


@transaction.atomic
def source_queue(*, source: DataSource, user: User, tables: list[str]) -> None:
    """Have the worker copy `tables`, in place of what was chosen before.

    Raises CorpusError where none is chosen or one cannot be read there.
    """
    require(user, source.workspace, Right.CURATE)
    if not tables:
        raise CorpusError(_("Choose at least one table."))
    unknown = set(tables) - {table.name for table in listed(source)}
    if unknown:
        said = _("There is no such table: %(names)s.")
        raise CorpusError(said % {"names": ", ".join(sorted(unknown))})
    source.tables, source.state, source.note = tables, SourceState.READING, ""
    source.save(update_fields=["tables", "state", "note"])
    key, person = str(source.pk), user.pk
    transaction.on_commit(lambda: async_task("corpus.tasks.source_read", key, person))


def source_read(source_id: uuid.UUID, user_id: int) -> str:
    """Copy the chosen tables into documents `kb:…`, each as far as it goes; gives the state then.

    The same rows change nothing, changed ones replace what was copied before.
    """
    source = DataSource.objects.select_related("workspace").filter(pk=source_id).first()
    user = User.objects.filter(pk=user_id).first()
    if source is None or user is None:
        return "gone"
    failed: list[str] = []
    try:
        require(user, source.workspace, Right.CURATE)
        for table in source.tables:
            try:
                with connected(source) as opened, table_csv(opened, table) as file:
                    _taken(source, user, table, file)
            except CorpusError as error:
                failed.append(f"{table}: {error}")
    finally:
        count = len(source.tables) - len(failed)
        done = ngettext("%(n)s table was copied.", "%(n)s tables were copied.", count)
        source.note = " ".join([done % {"n": count}, *failed])
        source.state = SourceState.FAILED if failed else SourceState.READY
        source.read_at = timezone.now()
        DataSource.objects.filter(pk=source.pk).update(
            note=source.note, state=source.state, read_at=source.read_at
        )
    return str(source.state)


def source_query(*, source: DataSource, user: User, title: str, statement: str) -> Upload:
    """Copy the rows of one SELECT into the document `kb:<source>.<title>`. Raises CorpusError."""
    require(user, source.workspace, Right.CURATE)
    checked = query_checked(statement)
    with connected(source) as opened, query_csv(opened, checked) as file:
        return _taken(source, user, title, file)


def _taken(source: DataSource, user: User, title: str, file: IO[bytes]) -> Upload:
    name = f"kb:{source.name}.{title}.csv"
    return document_upload(
        workspace=source.workspace, user=user, name=name, content=File(file, name=name)
    )
