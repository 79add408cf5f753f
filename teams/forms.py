"""Forms of people: signing in and up, inviting, and workspaces."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import LoginForm, SignupForm
from django import forms
from django.utils.translation import gettext_lazy as _

from teams.models import Role, Workspace

DAYS = ((1, _("1 day")), (7, _("7 days")), (30, _("30 days")))


class SignInForm(LoginForm):  # type: ignore[misc]
    """allauth's form, whose first field keeps the name under which browsers know it: `username`."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        login = self.fields["login"]
        login.label = _("User name or e-mail")
        login.widget.attrs = {
            "autocomplete": "username",
            "autocapitalize": "none",
            "autofocus": True,
        }
        self.fields["password"].widget.attrs.pop("placeholder", None)

    def add_prefix(self, field_name: str) -> str:
        return "username" if field_name == "login" else str(super().add_prefix(field_name))


class SignUpForm(SignupForm):  # type: ignore[misc]
    """allauth's form without placeholders, which repeat the labels."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class InvitationForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices, initial=Role.READER)
    days = forms.TypedChoiceField(choices=DAYS, coerce=int, initial=7)
    email = forms.EmailField(required=False)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


class WorkspaceForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Workspace
        fields = ("name",)

    def clean_name(self) -> str:
        name = " ".join(str(self.cleaned_data["name"]).split())
        if not name:
            raise forms.ValidationError(_("Give the workspace a name."))
        return name
