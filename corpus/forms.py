from __future__ import annotations

from typing import Any

from django import forms


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
    # An empty file is refused by the service, with the reason that people see for every refusal.
    files = FilesField(allow_empty_file=True, max_length=1000)  # type: ignore[assignment]
