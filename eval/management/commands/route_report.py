"""`manage.py route_report`: which share of questions went to an API, what it cost and what was saved."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from engines.registry import specs
from engines.rows import rows_refresh
from eval.route_report import Prices, built_in, live, simulated
from teams.models import Workspace
from telemetry.accounting import currency

if TYPE_CHECKING:
    from argparse import ArgumentParser

TOKENS_IN, TOKENS_OUT = 1200, 150


def price(text: str) -> Decimal:
    try:
        found = Decimal(text)
    except InvalidOperation as error:
        raise CommandError(f"{text!r} is no price.") from error
    if not found.is_finite() or found < 0:
        raise CommandError(f"A price is nought or more, not {text}.")
    return found


class Command(BaseCommand):
    help = (
        "Shares of questions answered here and by an API, cost per question and saving against an API "
        "alone: of stored runs, or with --simulate of a set that comes with the product."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--simulate", action="store_true", help="the built-in set; asks no model"
        )
        parser.add_argument("--workspace", metavar="SLUG", help="runs of one workspace only")
        parser.add_argument("--days", type=int, default=30, help="runs of so many days (30)")
        parser.add_argument("--price-in", type=price, help="of a million tokens read by the API")
        parser.add_argument("--price-out", type=price, help="of a million tokens written by it")
        parser.add_argument(
            "--tokens-in", type=int, default=TOKENS_IN, help="simulated, a question"
        )
        parser.add_argument(
            "--tokens-out", type=int, default=TOKENS_OUT, help="simulated, a question"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        prices = self._prices(options)
        if options["simulate"]:
            found = simulated(
                built_in(),
                prices=prices,
                tokens_in=options["tokens_in"],
                tokens_out=options["tokens_out"],
            )
        else:
            found = live(
                since=timezone.now() - timedelta(days=options["days"]),
                prices=prices,
                workspace=self._workspace(options["workspace"]),
            )
        found["currency"] = currency()
        for name, value in found.items():
            self.stdout.write(f"{name}: {value}")
        if not found["questions"]:
            self.stdout.write(
                "No run had a choice of places yet: an API has to be set as a generator (GENERATOR_URL, "
                "or a row in the admin)."
            )
        self.stdout.write(f"RESULT {json.dumps(found)}")

    def _prices(self, options: dict[str, Any]) -> Prices:
        """Those given, else those of the first API that is set."""
        rows_refresh()
        api = next((spec for spec in specs("generator") if spec.remote), None)
        given_in, given_out = options["price_in"], options["price_out"]
        tokens_in = given_in if given_in is not None else api and api.price_in
        tokens_out = given_out if given_out is not None else api and api.price_out
        if tokens_in is None and tokens_out is None:
            raise CommandError(
                "No API with a price is set: give --price-in and --price-out (for a million tokens)."
            )
        return Prices(tokens_in or Decimal(0), tokens_out or Decimal(0))

    def _workspace(self, slug: str | None) -> Workspace | None:
        if slug is None:
            return None
        found: Workspace | None = Workspace.objects.filter(slug=slug).first()
        if found is None:
            raise CommandError(f"No workspace has the slug {slug!r}.")
        return found
