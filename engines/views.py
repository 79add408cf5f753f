"""The page Servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from engines.models import Budget, ManagedServer
from engines.placement import choice_exists
from engines.rows import rows_forget, rows_refresh
from engines.services import budget_set, server_wish
from engines.shown import roles_shown, servers_shown
from teams.access import Right
from teams.requests import member_of
from telemetry.accounting import currency, spent_this_month

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class BudgetForm(forms.Form):
    monthly = forms.DecimalField(
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=2,
        label=gettext_lazy("Most that a month may cost"),
        help_text=gettext_lazy(
            "Empty: no limit. Once it is spent, answers come from local models."
        ),
    )


@require_safe
def servers(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.MANAGE)
    # Somebody who has just changed an engine elsewhere comes here to see it, not what was held.
    rows_forget()
    rows_refresh()
    budget = Budget.objects.visible_to(user, Right.MANAGE).filter(workspace=workspace).first()
    return render(
        request,
        "engines/servers.html",
        {
            "roles": roles_shown(),
            "operator": user.is_superuser,
            "servers": servers_shown(),
            "choice": choice_exists(),
            "budget": budget,
            "form": BudgetForm(initial={"monthly": budget.monthly if budget else None}),
            "spent": spent_this_month(workspace),
            "currency": currency(),
        },
    )


@require_POST
def budget(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.MANAGE)
    form = BudgetForm(request.POST)
    if form.is_valid():
        budget_set(workspace=workspace, user=user, monthly=form.cleaned_data["monthly"])
        messages.success(request, _("The budget is stored."))
    else:
        messages.error(request, _("The budget must be a number of nought or more."))
    return redirect("servers")


@require_POST
def server_act(request: HttpRequest, name: str, action: str) -> HttpResponse:
    user, workspace = member_of(request, Right.MANAGE)
    try:
        server_wish(name=name, workspace=workspace, user=user, action=action)
    except (ManagedServer.DoesNotExist, ValueError) as error:
        raise Http404 from error
    messages.success(request, _("Done within a second. Load this page again to see it."))
    return redirect("servers")
