"""The channel layer over the database that the rest of the instance uses."""

from __future__ import annotations

from typing import Any

from channels_postgres.core import PostgresChannelLayer
from django.db import connections


class ChannelLayer(PostgresChannelLayer):  # type: ignore[misc]
    """PostgreSQL's NOTIFY as channel layer, with the connection settings of `default`.

    Read when the layer is made and not from a copy in the settings, so that a test's layer speaks
    over the test's database; and the layer's own ORM calls go to `default` as well, since no second
    alias is declared.
    """

    def __init__(self, **options: Any) -> None:
        held = connections["default"].settings_dict
        kept = {**held, "OPTIONS": {}, "TEST": {}, "CONN_MAX_AGE": 0}
        super().__init__(**kept, **options)
        self.django_db.using = "default"
