from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.urls import path

from corpus.consumers import CorpusConsumer
from telemetry.consumers import RunConsumer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

websocket_urlpatterns = [
    path("ws/runs/<uuid:trace_id>/", RunConsumer.as_asgi()),
    path("ws/corpus/", CorpusConsumer.as_asgi()),
]


def under_script_name(app: App) -> App:
    """`app` under FORCE_SCRIPT_NAME, whether or not the proxy in front took it off the path.

    Django does this for pages by itself; channels goes by the path that the server names as its root.
    """

    async def mounted(scope: dict[str, Any], receive: Any, send: Any) -> None:
        name = (settings.FORCE_SCRIPT_NAME or scope.get("root_path", "")).rstrip("/")
        inside = bool(name) and scope["path"].startswith(f"{name}/")
        await app({**scope, "root_path": name if inside else ""}, receive, send)

    return mounted
