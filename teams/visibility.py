"""Who may read a document: everybody of its workspace, the members of named groups, or its uploader alone.

The uploader always may, as long as they are in the workspace; nobody may by their role. What is derived
from a document (passages, tables, facts, pages) is read by those who may read the document, and says how
it hangs on it: `DOCUMENT_PATH`, a lookup or several that each end at a document; or `DOCUMENT_KEY`, a
field that holds a document's key without a constraint. A row whose document is not known (NULL) is read
by nobody. `DOCUMENT_FREE` says why a model needs neither (checked by `polyrag_site.checks`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from collections.abc import Iterable


class Visibility(models.TextChoices):
    WORKSPACE = "workspace", _("Everybody in this workspace")
    GROUPS = "groups", _("Chosen groups")
    UPLOADER = "uploader", _("Only the person who uploaded it")


class Restrictable(models.Model):
    """What a document is to the access function. `audience` is empty for the whole workspace, else the
    same for documents that the very same people may read (`corpus.sharing.Audience.key`)."""

    visibility = models.CharField(
        max_length=9, choices=Visibility.choices, default=Visibility.WORKSPACE
    )
    groups = models.ManyToManyField("teams.Group", blank=True, related_name="+")
    audience = models.CharField(max_length=64, blank=True, editable=False)
    restricted_at = models.DateTimeField(
        null=True, editable=False, help_text="when fewer people than before could read it, last"
    )

    class Meta:
        abstract = True


@functools.cache
def document_model() -> Any:
    """The one model that people are given or refused. Raises ImproperlyConfigured unless there is one."""
    found = [model for model in apps.get_models() if issubclass(model, Restrictable)]
    if len(found) != 1:
        raise ImproperlyConfigured(f"One model must be Restrictable; these are: {found}.")
    return found[0]


def readable_by(user_id: int, path: str = "") -> Q:
    """Rows whose document, at the end of `path`, the person may read; their workspace is checked apart."""
    at = f"{path}__" if path else ""
    through = document_model().groups.through
    shared = through.objects.filter(group__members__user=user_id).values("document")
    return (
        Q(**{f"{at}visibility": Visibility.WORKSPACE})
        | Q(**{f"{at}uploaded_by": user_id})
        | Q(**{f"{at}visibility": Visibility.GROUPS, f"{at}pk__in": shared})
    )


def documents_readable(user_id: int, workspaces: Iterable[Any]) -> Any:
    """The documents of `workspaces`, which are those that the person may see, that they may read."""
    found = document_model()._base_manager.filter(workspace__in=list(workspaces))
    return found.filter(readable_by(user_id))


def narrowed(rows: Any, user_id: int, workspaces: Iterable[Any]) -> Any:
    """Those of `rows` whose documents the person may read; all of a model that hangs on no document."""
    model = rows.model
    if model is document_model():
        return rows.filter(readable_by(user_id))
    key: str | None = getattr(model, "DOCUMENT_KEY", None)
    if key is not None:
        held = documents_readable(user_id, workspaces).values("pk")
        return rows.filter(**{f"{key}__in": held})
    for path in document_paths(model):
        condition = readable_by(user_id, path)
        if leads_to_many(model, path):
            # A join would give a row once for each of its documents.
            found = model._base_manager.filter(condition).order_by()
            condition = Q(pk__in=found.values("pk"))
        rows = rows.filter(condition)
    return rows


def document_paths(model: Any) -> tuple[str, ...]:
    """The lookups of `DOCUMENT_PATH`, one or several; none for a model that names none."""
    said = getattr(model, "DOCUMENT_PATH", ())
    return (said,) if isinstance(said, str) else tuple(said)


def leads_to_many(model: Any, path: str) -> bool:
    """Whether a row may have several documents along `path`. Raises ImproperlyConfigured for a path that
    does not end at a document."""
    many = False
    for step in path.split("__"):
        try:
            field = model._meta.get_field(step)
        except FieldDoesNotExist as error:
            raise ImproperlyConfigured(f"{model.__name__} has no {step} ({path}).") from error
        many = many or field.one_to_many or field.many_to_many
        model = field.related_model
    if model is not document_model():
        raise ImproperlyConfigured(f"{path} does not end at a document.")
    return bool(many)


def reader_ids(document: Any) -> list[int] | None:
    """The people who may read it, by their keys; None for the whole workspace.

    Whether they are still in the workspace is for whoever is told to ask.
    """
    if document.visibility == Visibility.WORKSPACE:
        return None
    found = {document.uploaded_by_id} - {None}
    if document.visibility == Visibility.GROUPS:
        members = document.groups.values_list("members__user", flat=True)
        found |= {key for key in members if key is not None}
    return sorted(found)
