"""Traces are found by the documents that they cite."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0006_placement"),
    ]

    operations = [
        migrations.RunSQL(
            "CREATE INDEX trace_citations ON telemetry_trace"
            " USING gin ((answer -> 'citations') jsonb_path_ops)",
            "DROP INDEX trace_citations",
        ),
    ]
