"""The question who may read a document, on the form of an upload and on the document's own page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from corpus.audience import EVERYBODY, Audience
from corpus.errors import SharingRefused
from corpus.sharing import audience_checked, groups_offered
from teams.models import Group
from teams.visibility import Visibility

if TYPE_CHECKING:
    from teams.models import User, Workspace


class ReadersForm(forms.Form):
    """`held` is who may read the document now. What is not said at all is the whole workspace."""

    visibility = forms.ChoiceField(
        label=_("Who may read it"), choices=Visibility.choices, required=False
    )
    groups = forms.TypedMultipleChoiceField(label=_("Groups"), coerce=int, required=False)

    def __init__(
        self, data: Any = None, *, workspace: Workspace, user: User, held: Audience = EVERYBODY
    ) -> None:
        super().__init__(data)
        self.workspace, self.user, self.held = workspace, user, held
        offered = {group.pk: group.name for group in groups_offered(workspace, user)}
        kept = Group.objects.filter(workspace=workspace, pk__in=held.groups)
        offered |= {group.pk: group.name for group in kept}
        chosen: Any = self.fields["groups"]
        chosen.choices = sorted(offered.items(), key=lambda item: item[1].casefold())
        self.audience = held

    @property
    def chosen(self) -> tuple[str, set[str]]:
        """The answers to be shown as chosen: what was sent, else what holds."""
        if self.is_bound:
            sent: Any = self.data
            return sent.get("visibility", ""), set(sent.getlist("groups"))
        return self.held.visibility, {str(key) for key in self.held.groups}

    def clean(self) -> dict[str, Any]:
        said: dict[str, Any] = super().clean() or {}
        if self.errors:
            raise forms.ValidationError(
                _("A group that was chosen is not here any more. Choose again.")
            )
        try:
            self.audience = audience_checked(
                workspace=self.workspace,
                user=self.user,
                visibility=said.get("visibility") or Visibility.WORKSPACE,
                groups=said.get("groups") or (),
                held=self.held,
            )
        except SharingRefused as error:
            raise forms.ValidationError(str(error)) from error
        return said

    @property
    def trouble(self) -> str:
        """What is wrong with the answer, in one sentence; "" when nothing is."""
        return str(next(iter(self.non_field_errors()), ""))
