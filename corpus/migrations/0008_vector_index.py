"""Passages are laid out for reading: the vector in its row, and words at once in the full-text indexes.

A scan then need not fetch each vector from elsewhere. Rows that are written from now on are laid out so;
older ones stay as they are and are read as before. A full-text index that keeps new words in a list until
the next vacuum reads that list on every question, and the planner rather reads every passage.
"""

from __future__ import annotations

from django.db import migrations

INLINE = "ALTER TABLE corpus_chunk ALTER COLUMN embedding SET STORAGE MAIN;"
AT_ONCE = "ALTER INDEX {0} SET (fastupdate = off); SELECT gin_clean_pending_list('{0}');"
LATER = "ALTER INDEX {0} RESET (fastupdate);"
ASIDE = "ALTER TABLE corpus_chunk ALTER COLUMN embedding SET STORAGE EXTERNAL;"


class Migration(migrations.Migration):
    dependencies = [("corpus", "0007_aliases")]

    operations = [
        migrations.RunSQL(INLINE, ASIDE),
        *(
            migrations.RunSQL(AT_ONCE.format(name), LATER.format(name))
            for name in ("chunk_tsv", "chunk_tsv_folded")
        ),
    ]
