"""Pages of service tokens. Each parses, calls one function, renders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from teams.access import Right, holds
from teams.models import ServiceToken
from teams.requests import member_of
from teams.token_forms import RIGHT_LABELS, TokenForm
from teams.tokens import Minted, token_create, token_revoke

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest, HttpResponse

    from teams.models import User, Workspace

PER_PAGE = 50


def _readable(user: User, workspace: Workspace) -> Any:
    """One's own tokens, and for who manages the workspace those of all its people."""
    rows = ServiceToken.objects.visible_to(user).in_workspace(workspace)
    return rows if holds(user, workspace, Right.MANAGE) else rows.filter(user=user)


def _page(
    request: HttpRequest, form: TokenForm | None = None, minted: Minted | None = None
) -> HttpResponse:
    user, workspace = member_of(request)
    rows = _readable(user, workspace).select_related("user")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    for token in page.object_list:
        token.labels = [RIGHT_LABELS.get(scope, scope) for scope in token.scopes]
    context = {
        "page": page,
        "form": form or TokenForm(workspace=workspace, user=user),
        "minted": minted,
        "manages": holds(user, workspace, Right.MANAGE),
    }
    status = 400 if form is not None and form.errors else 200
    return render(request, "teams/tokens.html", context, status=status)


@require_safe
def token_list(request: HttpRequest) -> HttpResponse:
    return _page(request)


@never_cache
@require_POST
def token_new(request: HttpRequest) -> HttpResponse:
    """Answers with the page itself and no redirect: the secret is nowhere but in this reply."""
    user, workspace = member_of(request)
    form = TokenForm(request.POST, workspace=workspace, user=user)
    if not form.is_valid():
        return _page(request, form)
    minted = token_create(workspace=workspace, user=user, **form.cleaned_data)
    return _page(request, minted=minted)


@require_POST
def token_end(request: HttpRequest, token_id: uuid.UUID) -> HttpResponse:
    user, workspace = member_of(request)
    rows = _readable(user, workspace).select_related("workspace")
    token = get_object_or_404(rows, pk=token_id)
    if token_revoke(token=token, user=user):
        messages.success(request, _("“%(name)s” opens nothing any more.") % {"name": token.name})
    return redirect("tokens")
