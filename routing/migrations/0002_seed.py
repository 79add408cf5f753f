"""The three routes and the anchors that every instance starts with."""

from __future__ import annotations

import tomllib
from pathlib import Path

from django.db import migrations

ROUTES = [
    ("relational", "Tables", "Figures computed over all rows of a table by SQL."),
    ("vectorial", "Text", "Passages of documents, by meaning and by words."),
    ("graph", "Graph", "Who is linked to whom, over several documents."),
]


def seed(apps, schema_editor):
    Route = apps.get_model("routing", "Route")
    Anchor = apps.get_model("routing", "Anchor")
    Revision = apps.get_model("routing", "Revision")
    for position, (name, label, description) in enumerate(ROUTES):
        Route.objects.create(name=name, label=label, description=description, position=position)
    path = Path(__file__).parent.parent / "data" / "anchors.toml"
    anchors = tomllib.loads(path.read_text(encoding="utf-8"))
    Anchor.objects.bulk_create(
        Anchor(route_id=route, language=language, text=text)
        for route, languages in anchors.items()
        for language, held in languages.items()
        for text in held["texts"]
    )
    Revision.objects.create(reason="Anchors that every instance starts with", snapshot={})


class Migration(migrations.Migration):
    dependencies = [("routing", "0001_initial")]
    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]
