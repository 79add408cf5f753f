"""Workspaces made before statements ran through a function of their reader role get theirs."""

from django.db import migrations

from teams.reader_roles import reader_role_create


def functions_make(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for key in apps.get_model("teams", "Workspace").objects.values_list("pk", flat=True):
            schema = f"ws_{key.hex}"
            cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema])
            if cursor.fetchone() is not None:
                reader_role_create(cursor=cursor, schema=schema, role=f"{schema}_reader")


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0002_cache_key"),
        ("teams", "0002_audit_log"),
    ]

    operations = [migrations.RunPython(functions_make, migrations.RunPython.noop)]
