"""The ASGI application: pages over HTTP, live events over WebSocket."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "polyrag_site.settings")

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

django_application = get_asgi_application()

from polyrag_site import warm
from polyrag_site.sockets import under_script_name, websocket_urlpatterns

if "daphne" in sys.argv[0]:
    # A web process; tests and commands that import this module load only what they use.
    warm.start()

application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": AllowedHostsOriginValidator(
            AuthMiddlewareStack(under_script_name(URLRouter(websocket_urlpatterns)))
        ),
    }
)
