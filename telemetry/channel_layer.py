"""The channel layer over the database that the rest of the instance uses."""

from __future__ import annotations

from typing import Any

from channels_postgres.core import PostgresChannelLayer
from django.db import connections

# How a dead link is noticed; the other options of `default` are not for the layer's pool.
LINK = {
    "connect_timeout",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
}


class ChannelLayer(PostgresChannelLayer):  # type: ignore[misc]
    """PostgreSQL's NOTIFY as channel layer, with the connection settings of `default`.

    Read when the layer is made and not from a copy in the settings, so that a test's layer speaks
    over the test's database; and the layer's own ORM calls go to `default` as well.
    """

    def __init__(self, **options: Any) -> None:
        held = connections["default"].settings_dict
        told = {name: value for name, value in held["OPTIONS"].items() if name in LINK}
        kept = {**held, "OPTIONS": told, "TEST": {}, "CONN_MAX_AGE": 0}
        super().__init__(**kept, **options)
        self.django_db.using = "default"
