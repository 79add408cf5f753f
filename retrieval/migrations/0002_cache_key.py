"""Find a cached answer by a digest of what its question says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import migrations, models

if TYPE_CHECKING:
    from django.apps.registry import Apps
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def forget_all(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Answers kept by the earlier guard can never be found again."""
    apps.get_model("retrieval", "CachedAnswer").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(forget_all, migrations.RunPython.noop),
        migrations.RemoveIndex(model_name="cachedanswer", name="cached_answer_scope"),
        migrations.AddField(
            model_name="cachedanswer",
            name="key",
            field=models.CharField(default="", max_length=64),
        ),
        migrations.AddField(
            model_name="cachedanswer",
            name="variant",
            field=models.TextField(blank=True, default=""),
        ),
        migrations.AlterField(
            model_name="cachedanswer",
            name="guard",
            field=models.JSONField(
                default=dict, help_text="all that another question must agree in"
            ),
        ),
        migrations.AddIndex(
            model_name="cachedanswer",
            index=models.Index(fields=["workspace", "scope", "key"], name="cached_answer_key"),
        ),
        migrations.AddIndex(
            model_name="cachedanswer",
            index=models.Index(fields=["workspace", "user"], name="cached_answer_author"),
        ),
    ]
