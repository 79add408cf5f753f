"""What people have brought in, counted against their quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Count, Sum

from corpus.errors import UploadOverQuota
from corpus.models import DocumentVersion
from teams.audit_models import AuditAction
from teams.models import AuditEntry
from teams.quotas import STORAGE, UPLOADS, day_begin, limits_of, over, quota_lock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from teams.models import User, Workspace


def uploads_today(workspace: Workspace, user: User | None) -> int:
    """By the audit log, which forgets nothing: deleting gives no upload back."""
    rows = AuditEntry.objects.in_workspace(workspace).filter(
        action=AuditAction.UPLOADED, created_at__gte=day_begin()
    )
    return int(_of(rows, "actor", user).count())


def stored_bytes(workspace: Workspace, user: User | None) -> int:
    """Files of all versions, those in the trash and inside archives too."""
    rows = DocumentVersion.objects.in_workspace(workspace)
    found = _of(rows, "document__uploaded_by", user).aggregate(size=Sum("size"))
    return int(found["size"] or 0)


def used_each(workspace: Workspace, people: Sequence[int]) -> dict[str, dict[int, int]]:
    """Uploads of today and bytes stored of each of `people` by their keys, in two statements."""
    uploads = AuditEntry.objects.in_workspace(workspace).filter(
        action=AuditAction.UPLOADED, created_at__gte=day_begin(), actor__in=people
    )
    stored = DocumentVersion.objects.in_workspace(workspace).filter(
        document__uploaded_by__in=people
    )
    counted = uploads.order_by().values_list("actor").annotate(Count("pk"))
    summed = stored.order_by().values_list("document__uploaded_by").annotate(Sum("size"))
    return {UPLOADS: dict(counted), STORAGE: dict(summed)}


def upload_admit(*, workspace: Workspace, user: User, size: int) -> None:
    """Raise UploadOverQuota when a file of `size` bytes more is too much. In the upload's transaction."""
    for whose in (user, None):
        limits = limits_of(workspace, whose)
        if limits[UPLOADS] or limits[STORAGE]:
            quota_lock(workspace)
        if limits[UPLOADS] and uploads_today(workspace, whose) >= limits[UPLOADS]:
            raise UploadOverQuota(over(UPLOADS, limits[UPLOADS], whole=whose is None))
        if limits[STORAGE] and stored_bytes(workspace, whose) + size > limits[STORAGE]:
            raise UploadOverQuota(over(STORAGE, limits[STORAGE], whole=whose is None))


def _of(rows: Any, path: str, user: User | None) -> Any:
    return rows if user is None else rows.filter(**{path: user.pk})
