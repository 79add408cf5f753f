"""Forms of databases of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from corpus.source_models import DataSource

if TYPE_CHECKING:
    from teams.models import Workspace


class SourceForm(forms.Form):
    name = forms.SlugField(label=gettext_lazy("Name"), max_length=40)
    host = forms.CharField(label=gettext_lazy("Host"), max_length=255)
    port = forms.IntegerField(
        label=gettext_lazy("Port"), min_value=1, max_value=65_535, initial=5432
    )
    database = forms.CharField(label=gettext_lazy("Database"), max_length=63)
    username = forms.CharField(label=gettext_lazy("Account"), max_length=63)
    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=500,
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    encrypted = forms.BooleanField(
        label=gettext_lazy("The connection must be encrypted"), required=False, initial=True
    )

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.workspace = workspace

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if DataSource.objects.in_workspace(self.workspace).filter(name=name).exists():
            raise ValidationError(_("There is a database of this name already."))
        return name


class QueryForm(forms.Form):
    title = forms.SlugField(label=gettext_lazy("Name of the document"), max_length=60)
    statement = forms.CharField(
        label=gettext_lazy("SELECT"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
    )
