from __future__ import annotations

from retrieval.pruning import GAP, pruned
from retrieval.values import Citation

RULES = (
    "Every employee has 24 days of holidays. Visitors wear a yellow badge. The gate closes at "
    "eight. A request for holidays is handed in before March."
)


def source(text: str, kind: str = "text") -> Citation:
    return Citation(1, kind, "d", "v", "rules.md", chunk_id="c", text=text)


def sent(question: str, item: Citation, keep: int) -> str:
    made = pruned(question, [item], language="en", languages={"c": "en"}, keep=keep)
    return made[0].text


def test_the_sentences_that_bear_on_the_question_are_kept_in_their_order() -> None:
    text = sent(
        "How many days of holidays, and when is the request for holidays due?", source(RULES), 2
    )
    assert text == (
        f"Every employee has 24 days of holidays. {GAP} A request for holidays is handed in before March."
    )


def test_what_is_left_out_at_either_end_is_marked() -> None:
    assert sent("What badge do visitors wear?", source(RULES), 1) == (
        f"{GAP} Visitors wear a yellow badge. {GAP}"
    )


def test_a_passage_of_few_sentences_stays_as_it_stands() -> None:
    short = "One line.\n\nAnother  line."
    assert sent("Which line is it?", source(short), 2) == short


def test_the_rows_of_a_statement_stay_whole() -> None:
    rows = "North 12. South 14. East 3. West 9."
    assert sent("How much in the North?", source(rows, "sql"), 1) == rows


def test_a_passage_without_a_sentence_stays_as_it_stands() -> None:
    assert sent("What?", source("***"), 1) == "***"
