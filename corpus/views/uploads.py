"""Taking files in: from the form, or one by one from its script, which asks for JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from corpus.errors import UploadRefused
from corpus.forms import UploadForm
from corpus.readers_form import ReadersForm
from corpus.services import document_upload
from teams.access import Right
from teams.requests import member_of

if TYPE_CHECKING:
    from django.core.files.base import File
    from django.http import HttpRequest, HttpResponse

    from corpus.audience import Audience
    from teams.models import User, Workspace


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one file. `outcome` is that of an Upload, or refused; `said` tells the person."""

    name: str
    outcome: str
    said: str


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.UPLOAD)
    scripted = request.get_preferred_type(["text/html", "application/json"]) == "application/json"
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        said = _("Choose at least one file.")
        if scripted:
            return JsonResponse({"files": [asdict(Taken("", "refused", said))]}, status=400)
        messages.error(request, said)
        return redirect("corpus")
    readers = ReadersForm(request.POST, workspace=workspace, user=user)
    if not readers.is_valid():
        if scripted:
            refused = asdict(Taken("", "refused", readers.trouble))
            return JsonResponse({"files": [refused]}, status=400)
        messages.error(request, readers.trouble)
        return redirect("corpus")
    files, path = form.cleaned_data["files"], form.cleaned_data["path"]
    taken = [
        _take(workspace, user, file, path if len(files) == 1 else "", readers.audience)
        for file in files
    ]
    if scripted:
        return JsonResponse({"files": [asdict(item) for item in taken]})
    _tell(request, taken)
    return redirect("corpus")


def _take(
    workspace: Workspace, user: User, content: File[Any], path: str, audience: Audience
) -> Taken:
    name = path or content.name or ""
    try:
        done = document_upload(
            workspace=workspace,
            user=user,
            name=name,
            content=content,
            folders=bool(path),
            audience=audience,
        )
    except UploadRefused as error:
        return Taken(name, "refused", str(error))
    match done.outcome:
        case "unchanged":
            said = _("%(name)s is already here with the same content; nothing was changed.")
        case "restored":
            said = _("%(name)s lay in the trash with the same content; it was taken out of it.")
        case _other:
            said = _("%(name)s is being read.")
    return Taken(name, done.outcome, said % {"name": done.document.name})


def _tell(request: HttpRequest, taken: list[Taken]) -> None:
    """Each file that needs a word gets one; those that are simply read are counted."""
    for item in taken:
        if item.outcome == "refused":
            messages.error(request, item.said)
        elif item.outcome in {"unchanged", "restored"}:
            messages.info(request, item.said)
    read = sum(item.outcome in {"new", "replaced"} for item in taken)
    if read:
        said = ngettext("%(n)d file is being read.", "%(n)d files are being read.", read)
        messages.success(request, said % {"n": read})
