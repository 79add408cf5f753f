"""The two generated search columns of a chunk, and the folding function that they stand on."""

from __future__ import annotations

from django.db import migrations

FOLD = r"""
CREATE FUNCTION polyrag_fold(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(regexp_replace(normalize(value, NFD), '[\u0300-\u036f]', '', 'g'));
"""

COLUMNS = """
ALTER TABLE corpus_chunk ADD COLUMN tsv tsvector GENERATED ALWAYS AS (
    CASE language
        WHEN 'pt' THEN to_tsvector('portuguese', heading_path || ' ' || text)
        WHEN 'en' THEN to_tsvector('english', heading_path || ' ' || text)
        WHEN 'es' THEN to_tsvector('spanish', heading_path || ' ' || text)
        WHEN 'fr' THEN to_tsvector('french', heading_path || ' ' || text)
        ELSE to_tsvector('simple', heading_path || ' ' || text)
    END
) STORED;
ALTER TABLE corpus_chunk ADD COLUMN tsv_folded tsvector GENERATED ALWAYS AS (
    to_tsvector('simple', polyrag_fold(heading_path || ' ' || text))
) STORED;
CREATE INDEX chunk_tsv ON corpus_chunk USING gin (tsv);
CREATE INDEX chunk_tsv_folded ON corpus_chunk USING gin (tsv_folded);
"""

UNDO = """
DROP INDEX chunk_tsv_folded;
DROP INDEX chunk_tsv;
ALTER TABLE corpus_chunk DROP COLUMN tsv_folded;
ALTER TABLE corpus_chunk DROP COLUMN tsv;
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial")]

    operations = [
        migrations.RunSQL(FOLD, "DROP FUNCTION polyrag_fold(text);"),
        migrations.RunSQL(COLUMNS, UNDO),
    ]
