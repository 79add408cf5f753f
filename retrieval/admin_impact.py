"""The page between a form of the admin and the save: what the change would do, then the change itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from corpus.rerouting import RerouteRefused
from engines.errors import EngineError
from retrieval.curating import change_save
from retrieval.impact import change_impact
from routing.changes import Change, ChangeInvalid, ChangeStale, change_as_json, change_parse
from routing.curation import scope_require
from teams.scoped_admin import ScopedAdmin, person

if TYPE_CHECKING:
    from django.http import HttpRequest

    from routing.models import Revision

EXAMPLES = 20


class ImpactAdmin(ScopedAdmin):
    """An admin whose writes are changes: shown with their impact, then saved as one revision."""

    def impact_page(
        self, request: HttpRequest, change: Change, *, back: str, reason: str = "", note: str = ""
    ) -> HttpResponse:
        """What `change` would do, with the form that makes it; back to `back` where it cannot be made."""
        try:
            if change.empty:
                raise ChangeInvalid([_("Nothing would change.")])
            impact = change_impact(change=change, user=person(request))
        except ChangeInvalid as error:
            return self._back(request, back, list(error.problems))
        except EngineError as error:
            return self._back(request, back, [str(error)])
        context = {
            **self.admin_site.each_context(request),
            "title": _("What this would change"),
            "opts": self.opts,
            "impact": impact,
            "change": change,
            "change_json": json.dumps(change_as_json(change)),
            "drafts": change.put[:EXAMPLES],
            "more": max(0, len(change.put) - EXAMPLES),
            "back": back,
            "reason": reason,
            "note": note,
        }
        return TemplateResponse(request, "admin/routing/impact.html", context)

    def confirm_view(self, request: HttpRequest) -> HttpResponse:
        """Make the change that an impact page showed. Shown again where something came between."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        back = reverse("admin:routing_anchor_changelist")
        reason = request.POST.get("reason", "").replace("\x00", "").strip()
        try:
            change = change_parse(json.loads(request.POST.get("change", "")))
            expected = int(request.POST.get("revision", ""))
        except (ValueError, ChangeInvalid):
            return self._back(request, back, [_("This form is damaged. Begin again.")])
        scope_require(person(request), change.workspace)
        if not reason:
            said = _("Say why, so that others can follow it later.")
            return self.impact_page(request, change, back=back, note=said)
        try:
            revision, jobs = change_save(
                change=change,
                author=person(request),
                reason=reason,
                expected=expected,
                reroute="reroute" in request.POST,
            )
        except ChangeStale as error:
            said = f"{error} {_('This is what the change would do now.')}"
            return self.impact_page(request, change, back=back, reason=reason, note=said)
        except ChangeInvalid as error:
            return self._back(request, back, list(error.problems))
        except (RerouteRefused, EngineError) as error:
            said = f"{error} {_('Nothing was saved.')}"
            return self.impact_page(request, change, back=back, reason=reason, note=said)
        return self._saved(request, revision, len(jobs))

    def _saved(self, request: HttpRequest, revision: Revision, jobs: int) -> HttpResponse:
        said = _("Saved as revision %(n)s.") % {"n": revision.pk}
        if jobs:
            told = ngettext(
                "The routes of %(n)s workspace are being decided anew.",
                "The routes of %(n)s workspaces are being decided anew.",
                jobs,
            )
            said += " " + told % {"n": jobs}
        messages.success(request, said)
        return HttpResponseRedirect(reverse("admin:routing_revision_change", args=[revision.pk]))

    def _back(self, request: HttpRequest, back: str, problems: list[str]) -> HttpResponse:
        for said in problems[:EXAMPLES]:
            messages.error(request, said)
        return HttpResponseRedirect(back)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        raise AssertionError("Changes go through the impact page.")  # pragma: no cover
