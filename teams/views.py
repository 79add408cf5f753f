from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from teams.middleware import SESSION_KEY
from teams.models import Workspace

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_POST
def workspace_switch(request: HttpRequest) -> HttpResponse:
    """Choose the workspace of this session; one that is not readable answers as one that is not there."""
    try:
        readable = Workspace.objects.visible_to(request.user)
        workspace = get_object_or_404(readable, pk=request.POST.get("workspace", ""))
    except ValidationError as error:
        raise Http404("No such workspace.") from error
    request.session[SESSION_KEY] = str(workspace.pk)
    return redirect("chat")
