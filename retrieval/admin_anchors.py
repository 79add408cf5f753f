"""Anchors in the admin: own ones to change, shared ones to read, lists pasted and files in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.http import Http404, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from retrieval.admin_forms import AnchorForm, ImportForm, PasteForm, ScopedForm
from retrieval.admin_impact import ImpactAdmin
from routing.anchor_files import anchors_dump, anchors_load, lines_read
from routing.changes import AnchorDraft, Change, ChangeInvalid
from routing.curation import (
    LANGUAGES,
    anchors_readable,
    change_putting,
    change_switching,
    scope_allowed,
)
from routing.models import Anchor, Route
from routing.revisions import scope_anchors
from teams.access import Right, workspace_ids
from teams.audit import address_of, audit_record
from teams.audit_models import AuditAction
from teams.models import Workspace
from teams.scoped_admin import WorkspaceFilter, person

if TYPE_CHECKING:
    import uuid

    from django.db.models import QuerySet
    from django.http import HttpRequest

    from teams.models import User


class ScopeFilter(WorkspaceFilter):
    """As WorkspaceFilter, with the shared ones as a choice of their own."""

    SHARED = "shared"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        shared = (self.SHARED, _("all workspaces (shared)"))
        return [*super().lookups(request, model_admin), shared]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == self.SHARED:
            return queryset.filter(workspace=None)
        return super().queryset(request, queryset)


class ScopedImpactAdmin(ImpactAdmin):
    """Rows that have a workspace or are shared; whoever may change their scope may change them."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        user = person(request)
        if obj is not None:
            return self.readable(user).filter(pk=obj.pk).exists()
        return bool(workspace_ids(user, Right.CURATE)) or (user.is_active and user.is_superuser)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is None:
            return self.has_view_permission(request)
        return scope_allowed(person(request), obj.workspace_id)


class AnchorAdmin(ScopedImpactAdmin):
    form = AnchorForm
    list_display = ("text", "route", "language", "scope", "active")
    list_filter = (ScopeFilter, "route", "language", "active")
    search_fields = ("text",)
    list_select_related = ("route", "workspace")
    ordering = ("route", "language", "text")
    actions = ("enable", "disable", "remove")
    change_list_template = "admin/routing/anchor/change_list.html"

    def readable(self, user: User) -> QuerySet[Any]:
        rows: QuerySet[Any] = anchors_readable(user)
        return rows

    @admin.display(description=gettext_lazy("workspace"), ordering="workspace__name")
    def scope(self, obj: Anchor) -> str:
        return obj.workspace.name if obj.workspace else _("all workspaces (shared)")

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **more: Any
    ) -> Any:
        made = super().get_form(request, obj, change=change, **more)
        made.user = person(request)  # type: ignore[attr-defined]
        return made

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """An anchor stays where it is: its revisions are told apart by its workspace."""
        return ("workspace",) if obj is not None else ()

    def get_urls(self) -> list[Any]:
        site = self.admin_site.admin_view
        return [
            path("confirm/", site(self.confirm_view), name="routing_anchor_confirm"),
            path("paste/", site(self.paste_view), name="routing_anchor_paste"),
            path("import/", site(self.import_view), name="routing_anchor_import"),
            path("export/", site(self.export_view), name="routing_anchor_export"),
            *super().get_urls(),
        ]

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """A form that is filled in well leads to the impact page; any other to itself, as in Django."""
        change = self._posted(request, object_id) if request.method == "POST" else None
        if change is not None:
            return self.impact_page(request, change, back=request.get_full_path())
        return super().changeform_view(request, object_id, form_url, extra_context)

    def _posted(self, request: HttpRequest, object_id: str | None) -> Change | None:
        obj = self.get_object(request, object_id) if object_id else None
        if object_id and obj is None:
            raise Http404
        allowed = self.has_change_permission(request, obj) if obj else True
        if not allowed or not self.has_add_permission(request):
            return None
        form = self.get_form(request, obj, change=obj is not None)(request.POST, instance=obj)
        if not form.is_valid():
            return None
        held = form.cleaned_data
        draft = AnchorDraft(held["route"].pk, held["language"], held["text"], held["active"])
        scope = obj.workspace_id if obj else getattr(held["workspace"], "pk", None)
        return Change(scope, put=((obj.pk if obj else None, draft),))

    @admin.action(description=gettext_lazy("Enable the chosen anchors"))
    def enable(self, request: HttpRequest, queryset: QuerySet[Anchor]) -> HttpResponse | None:
        return self._switched(request, queryset, active=True)

    @admin.action(description=gettext_lazy("Disable the chosen anchors"))
    def disable(self, request: HttpRequest, queryset: QuerySet[Anchor]) -> HttpResponse | None:
        return self._switched(request, queryset, active=False)

    @admin.action(description=gettext_lazy("Remove the chosen anchors"))
    def remove(self, request: HttpRequest, queryset: QuerySet[Anchor]) -> HttpResponse | None:
        return self._switched(request, queryset, active=None)

    def _switched(
        self, request: HttpRequest, rows: QuerySet[Anchor], *, active: bool | None
    ) -> HttpResponse | None:
        scopes = set(rows.order_by().values_list("workspace_id", flat=True))
        if len(scopes) != 1:
            said = _("Choose anchors of one workspace, or shared ones alone.")
            messages.error(request, said)
            return None
        scope = scopes.pop()
        if not scope_allowed(person(request), scope):
            messages.error(request, _("You may not change these anchors."))
            return None
        change = change_switching(scope, list(rows.values_list("pk", flat=True)), active=active)
        return self.impact_page(request, change, back=request.get_full_path())

    def paste_view(self, request: HttpRequest) -> HttpResponse:
        form = PasteForm(request.POST or None, user=self._curator(request))
        if request.method == "POST" and form.is_valid():
            held = form.cleaned_data
            try:
                drafts = lines_read(held["lines"], held["route"].pk, held["language"])
                change = change_putting(_scope(held), drafts)
            except ChangeInvalid as error:
                form.add_error("lines", list(error.problems))
            else:
                return self.impact_page(request, change, back=request.get_full_path())
        title = _("Paste anchors")
        return self._form_page(request, form, title)

    def import_view(self, request: HttpRequest) -> HttpResponse:
        form = ImportForm(request.POST or None, request.FILES or None, user=self._curator(request))
        if request.method == "POST" and form.is_valid():
            held = form.cleaned_data
            routes = Route.objects.values_list("name", flat=True)
            try:
                drafts = anchors_load(held["text"], routes=routes, languages=LANGUAGES)
                change = change_putting(_scope(held), drafts, replace=held["replace"])
            except ChangeInvalid as error:
                form.add_error(None, list(error.problems))
            else:
                return self.impact_page(request, change, back=request.get_full_path())
        return self._form_page(request, form, _("Import anchors from YAML"))

    def export_view(self, request: HttpRequest) -> HttpResponse:
        """The anchors of one scope as a YAML file; shared ones may be read by every curator."""
        user = self._curator(request)
        form = ScopedForm({"workspace": request.GET.get("workspace", "")}, user=user)
        form.fields["workspace"].required = False
        if not form.is_valid():
            raise Http404
        workspace: Workspace | None = form.cleaned_data["workspace"]
        scope = workspace.pk if workspace else None
        text = anchors_dump(draft for _key, draft in scope_anchors(scope))
        name = f"anchors-{workspace.slug if workspace else 'shared'}.yaml"
        audit_record(
            action=AuditAction.EXPORTED,
            actor=user,
            workspace=workspace,
            target=name,
            address=address_of(request),
        )
        disposition = f'attachment; filename="{name}"'
        return HttpResponse(
            text,
            content_type="application/yaml; charset=utf-8",
            headers={"Content-Disposition": disposition},
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        rows = Workspace.objects.visible_to(person(request), Right.CURATE)
        return super().changelist_view(
            request, {**(extra_context or {}), "curated": [(row.pk, row.name) for row in rows]}
        )

    def _curator(self, request: HttpRequest) -> User:
        if not self.has_add_permission(request):
            raise Http404
        return person(request)

    def _form_page(self, request: HttpRequest, form: Any, title: str) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": title,
            "opts": self.opts,
            "form": form,
            "back": reverse("admin:routing_anchor_changelist"),
        }
        return TemplateResponse(request, "admin/routing/anchor/form.html", context)


def _scope(held: dict[str, Any]) -> uuid.UUID | None:
    workspace: Workspace | None = held["workspace"]
    return workspace.pk if workspace else None
