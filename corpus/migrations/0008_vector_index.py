"""A passage's vector stands in its row, so that a scan of many need not fetch each from elsewhere.

Rows that are written from now on are laid out so; older ones stay as they are and are read as before.
"""

from __future__ import annotations

from django.db import migrations

INLINE = "ALTER TABLE corpus_chunk ALTER COLUMN embedding SET STORAGE MAIN;"
ASIDE = "ALTER TABLE corpus_chunk ALTER COLUMN embedding SET STORAGE EXTERNAL;"


class Migration(migrations.Migration):
    dependencies = [("corpus", "0007_aliases")]

    operations = [migrations.RunSQL(INLINE, ASIDE)]
