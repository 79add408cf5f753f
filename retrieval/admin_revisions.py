"""Thresholds and revisions in the admin: bounds are set with their impact seen, states are brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from corpus.reroute_models import OPEN, Reroute
from engines.errors import EngineError
from retrieval.admin_anchors import ScopedImpactAdmin, ScopeFilter
from retrieval.admin_forms import ScopedForm, ThresholdsForm
from routing.changes import Change
from routing.curation import (
    revisions_readable,
    scope_allowed,
    thresholds_readable,
)
from routing.revisions import change_restoring
from routing.values import Bounds
from teams.access import Right
from teams.scoped_admin import person

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

    from routing.models import Revision, Thresholds
    from teams.models import User


class ThresholdsAdmin(ScopedImpactAdmin):
    """The newest row of a scope is in force; a row is never changed, the next one follows it."""

    list_display = ("embedder", "scope", "tau_high", "tau_low", "delta", "source", "created_at")
    list_filter = (ScopeFilter, "embedder")
    list_select_related = ("workspace",)
    ordering = ("-pk",)
    actions = ("drop",)

    def readable(self, user: User) -> QuerySet[Any]:
        rows: QuerySet[Any] = thresholds_readable(user)
        return rows

    @admin.display(description=gettext_lazy("workspace"), ordering="workspace__name")
    def scope(self, obj: Thresholds) -> str:
        return obj.workspace.name if obj.workspace else _("all workspaces (shared)")

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **more: Any
    ) -> Any:
        if obj is not None:
            return super().get_form(request, obj, change=change, **more)
        made = super().get_form(request, obj, change=change, form=ThresholdsForm, **more)
        made.user = person(request)  # type: ignore[attr-defined]
        return made

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None and super().has_change_permission(request)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        if request.method == "POST" and object_id is None and self.has_add_permission(request):
            form = self.get_form(request)(request.POST)
            if form.is_valid():
                held = form.cleaned_data
                bounds = Bounds(held["tau_high"], held["tau_low"], held["delta"])
                scope = getattr(held["workspace"], "pk", None)
                change = Change(scope, bounds=bounds)
                return self.impact_page(request, change, back=request.get_full_path())
        return super().changeform_view(request, object_id, form_url, extra_context)

    @admin.action(description=gettext_lazy("Remove the thresholds of this workspace"))
    def drop(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        scopes = set(queryset.order_by().values_list("workspace_id", flat=True))
        scope = scopes.pop() if len(scopes) == 1 else None
        if scopes or not scope_allowed(person(request), scope):
            messages.error(request, _("Choose thresholds of one workspace that you curate."))
            return None
        change = Change(scope, bounds_dropped=True)
        return self.impact_page(request, change, back=request.get_full_path())


class RevisionAdmin(ScopedImpactAdmin):
    """What was changed, by whom and why; with its jobs, and the way back to it."""

    list_display = ("pk", "reason", "scope", "author", "created_at")
    list_filter = (ScopeFilter,)
    list_select_related = ("author", "workspace")
    search_fields = ("reason",)
    ordering = ("-pk",)
    fields = ("reason", "scope", "author", "created_at")
    change_form_template = "admin/routing/revision/change_form.html"

    def readable(self, user: User) -> QuerySet[Any]:
        rows: QuerySet[Any] = revisions_readable(user)
        return rows

    @admin.display(description=gettext_lazy("workspace"), ordering="workspace__name")
    def scope(self, obj: Revision) -> str:
        return obj.workspace.name if obj.workspace else _("all workspaces (shared)")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_urls(self) -> list[Any]:
        site = self.admin_site.admin_view
        restore = path(
            "<int:revision_id>/restore/",
            site(self.restore_view),
            name="routing_revision_restore",
        )
        return [restore, *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        revision = self.get_object(request, object_id)
        if revision is None:
            raise Http404
        user = person(request)
        jobs = Reroute.objects.visible_to(user, Right.CURATE).filter(revision=revision.pk)
        held = list(jobs.select_related("workspace"))
        more = {
            "changes": revision.changes,
            "jobs": held,
            "busy": any(job.state in OPEN for job in held),
            "scope_form": ScopedForm(initial={"workspace": revision.workspace_id}, user=user),
            "title": f"r{revision.pk}",
        }
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **more})

    def restore_view(self, request: HttpRequest, revision_id: int) -> HttpResponse:
        """The change that would bring the state of this revision back, with its impact."""
        user = person(request)
        revision = self.readable(user).filter(pk=revision_id).first()
        back = reverse("admin:routing_revision_changelist")
        if revision is None:
            raise Http404
        form = ScopedForm(request.POST, user=user)
        if request.method != "POST" or not form.is_valid():
            return HttpResponseRedirect(
                reverse("admin:routing_revision_change", args=[revision_id])
            )
        try:
            change = change_restoring(revision, form.cleaned_data["workspace"])
        except EngineError as error:
            messages.error(request, str(error))
            return HttpResponseRedirect(back)
        if change.empty:
            messages.info(request, _("This is how it stands already: nothing to restore."))
            return HttpResponseRedirect(
                reverse("admin:routing_revision_change", args=[revision_id])
            )
        reason = _("Back to r%(n)s: %(reason)s") % {"n": revision.pk, "reason": revision.reason}
        return self.impact_page(request, change, back=back, reason=reason[:300])
