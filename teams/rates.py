"""How many requests a minute a token and an address may send; counted in the database, for all processes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection

from teams.audit import address_of
from teams.models import RateCount

if TYPE_CHECKING:
    from django.http import HttpRequest

WINDOW_SECONDS = 60
COUNT = """
INSERT INTO teams_ratecount AS held (key, "window", count) VALUES (%s, %s, 1)
ON CONFLICT (key) DO UPDATE SET "window" = excluded."window",
  count = CASE WHEN held."window" = excluded."window" THEN held.count + 1 ELSE 1 END
RETURNING count
"""


def rate_take(*, key: str, limit: int) -> int:
    """Count one request under `key`; gives 0 when it is within `limit` a minute, else the seconds to wait.

    0 as `limit` counts nothing. One statement, so that processes that count at once lose none.
    """
    if not limit:
        return 0
    now = time.time()
    window = int(now // WINDOW_SECONDS)
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [key, window])
        count = int(cursor.fetchone()[0])
    if count == 1:
        RateCount.objects.filter(window__lt=window - 1).delete()
    return 0 if count <= limit else max(1, int((window + 1) * WINDOW_SECONDS - now) + 1)


def address_take(request: HttpRequest) -> int:
    """Count a request under the address that it came from, before anything is asked of what it shows."""
    return rate_take(key=f"address:{address_of(request) or ''}"[:80], limit=settings.RATE_ADDRESS)
