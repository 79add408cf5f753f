"""Forms of the anchors' admin, each narrowed to the scopes that a person may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from routing.curation import LANGUAGES, TEXT_MOST
from routing.models import Anchor, Route, Thresholds
from teams.access import Right
from teams.models import Workspace

if TYPE_CHECKING:
    from teams.models import User

LANGUAGE_CHOICES = [(code, code) for code in LANGUAGES]


class ScopeField(forms.ModelChoiceField[Workspace]):
    """The workspaces that a person curates; empty are the shared anchors, for superusers alone."""

    def __init__(self, **more: Any) -> None:
        super().__init__(Workspace.objects.none(), label=_("Workspace"), required=False, **more)

    def narrow(self, user: User) -> None:
        self.queryset = Workspace.objects.visible_to(user, Right.CURATE)
        self.required = not user.is_superuser
        self.empty_label = str(_("all workspaces (shared)")) if user.is_superuser else None


class ScopedForm(forms.Form):
    workspace = ScopeField()

    def __init__(self, *args: Any, user: User, **more: Any) -> None:
        super().__init__(*args, **more)
        field = self.fields["workspace"]
        assert isinstance(field, ScopeField)
        field.narrow(user)


class AnchorForm(forms.ModelForm[Anchor]):
    """`user` is set on a subclass by the admin, which makes the form's class for each request."""

    user: User
    workspace = ScopeField()
    language = forms.ChoiceField(label=_("Language"), choices=LANGUAGE_CHOICES)

    class Meta:
        model = Anchor
        fields = ("workspace", "route", "language", "text", "active")

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        field = self.fields.get("workspace")
        if isinstance(field, ScopeField):
            field.narrow(self.user)

    def clean_text(self) -> str:
        return " ".join(str(self.cleaned_data["text"]).split())


class ThresholdsForm(forms.ModelForm[Thresholds]):
    user: User
    workspace = ScopeField()
    tau_high = forms.FloatField(
        min_value=0, max_value=2, help_text=Thresholds._meta.get_field("tau_high").help_text
    )
    tau_low = forms.FloatField(
        min_value=-1, max_value=1, help_text=Thresholds._meta.get_field("tau_low").help_text
    )
    delta = forms.FloatField(
        min_value=0, max_value=2, help_text=Thresholds._meta.get_field("delta").help_text
    )

    class Meta:
        model = Thresholds
        fields = ("workspace", "tau_high", "tau_low", "delta")

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        field = self.fields.get("workspace")
        if isinstance(field, ScopeField):
            field.narrow(self.user)


class PasteForm(ScopedForm):
    route = forms.ModelChoiceField(Route.objects.filter(enabled=True), label=_("Route"))
    language = forms.ChoiceField(label=_("Language"), choices=LANGUAGE_CHOICES)
    lines = forms.CharField(
        label=_("Anchors, one a line"),
        max_length=100 * TEXT_MOST,
        widget=forms.Textarea(attrs={"rows": 12, "cols": 80}),
    )


class ImportForm(ScopedForm):
    """A YAML file, or its text; `replace` makes it all that the scope holds."""

    file = forms.FileField(label=_("YAML file"), required=False)
    text = forms.CharField(
        label=_("or its text"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 12, "cols": 80, "spellcheck": "false"}),
    )
    replace = forms.BooleanField(
        label=_("Remove the anchors that the file does not hold"), required=False
    )

    def clean(self) -> dict[str, Any]:
        held = super().clean() or {}
        given = held.get("file")
        if given is not None:
            try:
                held["text"] = given.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("file", _("The file is not written in UTF-8."))
        elif not held.get("text", "").strip():
            self.add_error("text", _("Choose a file or paste its text."))
        return held
