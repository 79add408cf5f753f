"""The form by which an owner sets quotas."""

from __future__ import annotations

from django import forms

from teams.quotas import KINDS, STORAGE

MEGABYTE = 1024 * 1024
MOST = 10**12


class QuotaForm(forms.Form):
    """Empty fields take the instance's default, 0 is no limit; storage is in megabytes."""

    user = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    uploads = forms.IntegerField(required=False, min_value=0, max_value=MOST)
    storage = forms.IntegerField(required=False, min_value=0, max_value=MOST)
    questions = forms.IntegerField(required=False, min_value=0, max_value=MOST)
    tokens = forms.IntegerField(required=False, min_value=0, max_value=MOST)

    def limits(self) -> dict[str, int | None]:
        """By kind, storage in bytes; None for the default."""
        found: dict[str, int | None] = {kind: self.cleaned_data[kind] for kind in KINDS}
        if (room := found[STORAGE]) is not None:
            found[STORAGE] = room * MEGABYTE
        return found
