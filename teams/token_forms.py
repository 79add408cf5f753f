"""The form of a new service token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from teams.access import Right, holds

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from teams.models import User, Workspace

RIGHT_LABELS: dict[str, StrOrPromise] = {
    "see": _("read documents and answers"),
    "ask": _("ask questions"),
    "download": _("download originals"),
    "upload": _("upload and delete documents"),
    "curate": _("change routes and names"),
    "audit": _("read everybody's traces"),
    "manage": _("manage members and quotas"),
}
LASTS = ((7, _("7 days")), (30, _("30 days")), (90, _("90 days")), (365, _("a year")))


class TokenForm(forms.Form):
    """`workspace` and `user` decide which rights can be chosen: those that the person holds there."""

    name = forms.CharField(max_length=80, strip=True)
    scopes = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    days = forms.TypedChoiceField(choices=LASTS, coerce=int, initial=30)

    def __init__(self, data: Any = None, *, workspace: Workspace, user: User) -> None:
        super().__init__(data)
        rights = [right for right in Right if right != Right.SEE and holds(user, workspace, right)]
        field: Any = self.fields["scopes"]
        field.choices = [(right.value, RIGHT_LABELS.get(right, right.value)) for right in rights]
