"""The table in which web processes share counts of attempts."""

from django.core.management import call_command
from django.db import migrations


def create(apps, schema_editor):
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    dependencies = [
        ("teams", "0003_service_tokens"),
    ]

    operations = [
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
