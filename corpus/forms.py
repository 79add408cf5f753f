from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from corpus.listing import STATES
from corpus.models import EntityAlias
from corpus.tags import TAG_LONGEST, TAGS_MOST, tag_plain, tags_plain

TABLES = frozenset({"csv", "xlsx", "xls", "ods"})
RECOGNISE = ("", _("recognise"))
TAB = "tab"
DELIMITERS = (
    RECOGNISE,
    (";", _("semicolon ;")),
    (",", _("comma ,")),
    (TAB, _("tab")),
    ("|", _("vertical bar |")),
    (":", _("colon :")),
)
ENCODINGS = (
    RECOGNISE,
    *((name, name) for name in ("utf-8", "utf-16", "cp1252", "iso-8859-1", "iso-8859-15")),
    *((name, name) for name in ("cp850", "mac-roman", "cp1250", "cp1251", "shift_jis", "gb18030")),
)
NUMBERS = (
    RECOGNISE,
    ("comma", _("1.234,56: a comma before the decimals")),
    ("point", _("1,234.56: a point before the decimals")),
)
MOST_HEADER = 1000


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files; gives a list."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("widget", FilesInput())
        super().__init__(*args, **kwargs)

    def clean(self, data: Any, initial: Any = None) -> Any:
        held = data if isinstance(data, list | tuple) else [data]
        held = held or [None]  # Nothing chosen: the field's own `required` says so.
        return [super(FilesField, self).clean(item, initial) for item in held]


class UploadForm(forms.Form):
    """`path` is a single file's name with its folders, which browsers send apart from the file."""

    # An empty file is refused by the service, with the reason that people see for every refusal.
    files = FilesField(allow_empty_file=True, max_length=1000)  # type: ignore[assignment]
    path = forms.CharField(max_length=1000, required=False)


class ListForm(forms.Form):
    """What the list of documents is asked for. A value that makes no sense counts as not given."""

    q = forms.CharField(max_length=200, required=False)
    state = forms.ChoiceField(choices=STATES, required=False)
    inside = forms.UUIDField(required=False)
    tag = forms.CharField(max_length=TAG_LONGEST, required=False)

    def clean_tag(self) -> str:
        return tag_plain(self.cleaned_data["tag"])


class TagsForm(forms.Form):
    """The tags of a document, with commas between them."""

    tags = forms.CharField(label=_("Tags"), max_length=1000, required=False)

    def __init__(self, data: Any = None, *, held: list[str]) -> None:
        super().__init__(data, initial={"tags": ", ".join(held)})
        if self.is_bound and self.errors:
            self.fields["tags"].widget.attrs["aria-invalid"] = "true"

    def clean_tags(self) -> list[str]:
        tags = tags_plain(self.cleaned_data["tags"].split(","))
        if len(tags) > TAGS_MOST or any(len(tag) > TAG_LONGEST for tag in tags):
            raise forms.ValidationError(
                _("At most %(most)d tags are kept, each of at most %(longest)d characters.")
                % {"most": TAGS_MOST, "longest": TAG_LONGEST}
            )
        return tags


class ReadingForm(forms.Form):
    """How a table is to be read where it was recognised wrongly. What is left empty is recognised."""

    delimiter = forms.ChoiceField(label=_("Delimiter"), choices=DELIMITERS, required=False)
    encoding = forms.ChoiceField(label=_("Encoding"), choices=ENCODINGS, required=False)
    header_row = forms.IntegerField(
        label=_("Row of the column names"), min_value=1, max_value=MOST_HEADER, required=False
    )
    numbers = forms.ChoiceField(label=_("Number format"), choices=NUMBERS, required=False)

    def __init__(self, data: Any = None, *, kind: str, options: dict[str, str]) -> None:
        """`options` are those that a version of this kind was read with."""
        super().__init__(data, initial=recognised(options))
        if kind != "csv":
            del self.fields["delimiter"], self.fields["encoding"]
        for name in self.errors if self.is_bound else ():
            self.fields[name].widget.attrs["aria-invalid"] = "true"

    def options(self) -> dict[str, str]:
        """What was chosen, as parsers take it."""
        chosen = {name: str(value) for name, value in self.cleaned_data.items() if value}
        if chosen.get("delimiter") == TAB:
            chosen["delimiter"] = "\t"
        return chosen


def recognised(reading: dict[str, str]) -> dict[str, str]:
    """How a table was read, in the words of the form: a tab is none that a page can show."""
    return {**reading, "delimiter": reading.get("delimiter", "").replace("\t", TAB)}


class AliasFilter(forms.Form):
    q = forms.CharField(max_length=200, required=False)
    state = forms.ChoiceField(choices=EntityAlias.State.choices, required=False)


class AliasDecision(forms.Form):
    state = forms.ChoiceField(
        choices=[
            choice
            for choice in EntityAlias.State.choices
            if choice[0] != EntityAlias.State.PROPOSED.value
        ]
    )
