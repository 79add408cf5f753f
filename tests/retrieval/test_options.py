from __future__ import annotations

from typing import Any

import pytest
from django.http import QueryDict
from django.utils import translation

from retrieval.errors import OptionsInvalid
from retrieval.filters import Filters
from retrieval.options import DEFAULT, Options, options_parse, options_posted


def test_nothing_chosen_is_the_default_and_keeps_nothing() -> None:
    posted = QueryDict("question=hello&route=&mode=&top_k=&rerank=&document=&tag=&page_from=")
    assert options_posted(posted) == DEFAULT == options_parse({})
    assert DEFAULT.as_json() == {}
    assert DEFAULT.variant == ""


def test_what_is_kept_can_be_sent_again() -> None:
    made = options_parse(
        {
            "route": "vectorial",
            "mode": "keyword",
            "top_k": 12,
            "rerank": False,
            "filters": {
                "document": ["a.md", "b.md"],
                "kind": "pdf",
                "page_from": "2",
                "page_to": 4,
                "date_from": "2026-01-01",
                "date_to": "2026-12-31",
                "language": "pt",
                "heading": "Férias",
                "tag": " Recursos  Humanos ",
            },
        }
    )
    assert made.filters.tag == "recursos humanos"
    assert options_parse(made.as_json()) == made


@pytest.mark.parametrize(
    ("sent", "field", "allowed"),
    [
        ({"route": "oracle"}, "route", "relational, vectorial, graph"),
        ({"mode": "fast"}, "mode", "hybrid, vector, keyword"),
        ({"top_k": "0"}, "top_k", "from 1 to 50"),
        ({"top_k": 51}, "top_k", "from 1 to 50"),
        ({"top_k": True}, "top_k", "from 1 to 50"),
        ({"top_k": 2.5}, "top_k", "from 1 to 50"),
        ({"top_k": "²"}, "top_k", "from 1 to 50"),
        ({"rerank": "perhaps"}, "rerank", "true, false"),
        ({"kind": "exe"}, "kind", "pdf"),
        ({"page_from": "-1"}, "page_from", "from 1"),
        ({"page_from": 5, "page_to": 4}, "page_to", "page_from"),
        ({"date_from": "yesterday"}, "date_from", "2026-12-31"),
        ({"date_from": 20260101}, "date_from", "2026-12-31"),
        ({"date_from": "2026-02-01", "date_to": "2026-01-01"}, "date_to", "date_from"),
        ({"language": "xx"}, "language", "pt, en, es, fr"),
        ({"heading": "x" * 201}, "heading", "at most 200"),
        ({"document": "a\x00b"}, "document", "characters"),
        ({"document": ["x"] * 2 + [7]}, "document", "characters"),
        ({"tag": ["a", "b"]}, "tag", "at most 40"),
        ({"filters": "pdf"}, "filters", "document"),
        ({"filters": {"dokument": "a"}}, "filters", "document"),
        ({"langauge": "pt"}, "options", "language"),
        ({"route": "graph", "tag": "x"}, "route", "vectorial"),
        ({"route": "graph", "document": "a.csv"}, "route", "vectorial"),
        ({"route": "relational", "document": "a.csv", "tag": "x"}, "route", "vectorial"),
    ],
)
def test_what_cannot_be_used_is_named_with_what_is_allowed(
    sent: dict[str, Any], field: str, allowed: str
) -> None:
    with translation.override("en"), pytest.raises(OptionsInvalid) as refused:
        options_parse(sent)
    assert refused.value.field == field
    assert f"“{field}”" in str(refused.value)
    assert allowed in str(refused.value).split("Allowed:")[1]


def test_other_options_are_another_variant() -> None:
    variants = {
        Options().variant,
        Options(mode="vector").variant,
        Options(top_k=3).variant,
        Options(filters=Filters(tag="a")).variant,
        Options(filters=Filters(tag="b")).variant,
    }
    assert len(variants) == 5


def test_tables_may_be_chosen_with_documents_alone() -> None:
    made = options_parse({"route": "relational", "document": ["a.csv", "b.csv"]})
    assert (made.route, made.filters.documents) == ("relational", ("a.csv", "b.csv"))
