"""A code such as F-77 or CF/2020_05 is found by its pieces.

PostgreSQL's parser reads "-77" as a signed number, which a question for 77 never matches.
"""

from __future__ import annotations

from django.db import migrations

ADD = """
ALTER TABLE corpus_chunk ADD COLUMN tsv_folded tsvector GENERATED ALWAYS AS (
    to_tsvector('simple', {text})
) STORED;
CREATE INDEX chunk_tsv_folded ON corpus_chunk USING gin (tsv_folded);
"""
DROP = "DROP INDEX chunk_tsv_folded; ALTER TABLE corpus_chunk DROP COLUMN tsv_folded;"
BEFORE = "polyrag_fold(heading_path || ' ' || text)"
AFTER = "translate(polyrag_fold(heading_path || ' ' || text), '-/_', '   ')"


class Migration(migrations.Migration):
    dependencies = [("corpus", "0002_search_columns")]

    operations = [
        migrations.RunSQL(DROP + ADD.format(text=AFTER), DROP + ADD.format(text=BEFORE)),
    ]
