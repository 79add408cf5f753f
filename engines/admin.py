from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from engines.models import EmbedderPrint, Engine
from engines.services import engine_delete, engine_save

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest


class OperatorOnly:
    """Engines belong to the whole instance: nobody but a superuser sees or changes them here."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    has_change_permission = has_delete_permission = has_view_permission

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request)


class EngineForm(forms.ModelForm[Engine]):
    api_key = forms.CharField(
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        label=_("API key"),
        help_text=_("Stored encrypted and never shown. Empty: the stored one stays."),
    )
    remove_key = forms.BooleanField(required=False, label=_("Remove the stored API key"))

    class Meta:
        model = Engine
        fields = (
            "role",
            "name",
            "base_url",
            "model",
            "protocol",
            "place",
            "price_in",
            "price_out",
            "context_tokens",
            "timeout",
            "priority",
            "enabled",
        )


@admin.register(Engine)
class EngineAdmin(OperatorOnly, admin.ModelAdmin[Engine]):
    form = EngineForm
    list_display = ("name", "role", "model", "place", "priority", "enabled")
    list_filter = ("role", "place", "enabled")
    search_fields = ("name", "model")

    def save_model(self, request: Any, obj: Engine, form: Any, change: bool) -> None:
        held = form.cleaned_data
        key = "" if held["remove_key"] else held["api_key"] or None
        engine_save(engine=obj, user=request.user, api_key=key)

    def delete_model(self, request: Any, obj: Engine) -> None:
        engine_delete(engine=obj, user=request.user)

    def delete_queryset(self, request: Any, queryset: QuerySet[Engine]) -> None:
        for engine in queryset:
            engine_delete(engine=engine, user=request.user)


@admin.register(EmbedderPrint)
class EmbedderPrintAdmin(OperatorOnly, admin.ModelAdmin[EmbedderPrint]):
    """Deleted when the same model is served from other weights on purpose."""

    list_display = ("key", "created_at")
    readonly_fields = ("key", "created_at")
    exclude = ("vector",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
