"""Names that are or may be one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from corpus.alias_listing import alias_rows, aliases_listed
from corpus.aliases import alias_decide
from corpus.forms import AliasDecision, AliasFilter
from corpus.models import EntityAlias
from corpus.views.common import PER_PAGE
from teams.access import Right
from teams.requests import member_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.CURATE)
    form = AliasFilter(request.GET)
    form.is_valid()
    state, said = form.cleaned_data.get("state", ""), form.cleaned_data.get("q", "")
    found = aliases_listed(workspace, user, state=state, said=said)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": alias_rows(workspace, user, page.object_list),
        "states": EntityAlias.State.choices,
        "state": state,
        "q": said,
    }
    return render(request, "corpus/names.html", context)


@require_POST
def name_decide(request: HttpRequest, alias_id: int) -> HttpResponse:
    user, workspace = member_of(request, Right.CURATE)
    readable = aliases_listed(workspace, user, state="", said="")
    alias = get_object_or_404(readable, pk=alias_id)
    form = AliasDecision(request.POST)
    wanted = EntityAlias.State(form.cleaned_data["state"]) if form.is_valid() else None
    if wanted is None or not alias_decide(alias=alias, user=user, state=wanted):
        messages.error(request, _("That was decided meanwhile. See how it stands now."))
    else:
        messages.success(request, _("Your decision was kept."))
    return redirect("corpus-names")
