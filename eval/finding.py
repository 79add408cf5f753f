"""Which figures a folder of public sets gives: rankings per mode, many-step questions, the router's mixes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from engines.registry import embedder
from eval.collection import MODES, CollectionInvalid, items, judged, lines_of, load
from eval.mix import mix_figures
from eval.routing_run import compound_figures
from eval.triples import graph_given, triples_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from eval.collection import Found, Item

NDCG_AT, RECALL_AT, ALL_AT = 10, 5, 8


@dataclass(frozen=True, slots=True)
class Suite:
    """One corpus with its questions, as paths under the data folder. `qrels` is "" where the questions
    name their passages themselves (`gold_ids`), `triples` "" where the graph is the product's own."""

    name: str
    corpus: str
    queries: str
    qrels: str = ""
    triples: str = ""


SUITES = (
    Suite("pira_pt_pt", "pira/public_pt/corpus.jsonl", "pira/public_pt/queries.jsonl",
          "pira/public_pt/qrels.tsv"),
    Suite("pira_en_en", "pira/public_en/corpus.jsonl", "pira/public_en/queries.jsonl",
          "pira/public_en/qrels.tsv"),
    Suite("pira_pt_en", "pira/public_en/corpus.jsonl", "pira/public_pt/queries.jsonl",
          "pira/public_pt/qrels.tsv"),
    Suite("pira_en_pt", "pira/public_pt/corpus.jsonl", "pira/public_en/queries.jsonl",
          "pira/public_en/qrels.tsv"),
    Suite("squad_pt", "squad_pt/corpus.jsonl", "squad_pt/queries.jsonl", "squad_pt/qrels.tsv"),
    Suite("faquad", "faquad/corpus.jsonl", "faquad/queries.jsonl", "faquad/qrels.tsv"),
    Suite("twowiki", "multihop/2wiki_101/corpus_780.jsonl", "multihop/2wiki_101/questions.jsonl"),
    Suite("musique", "multihop/musique_dev100/corpus.jsonl",
          "multihop/musique_dev100/questions.jsonl"),
    Suite("musique_given", "multihop/musique_dev100/corpus.jsonl",
          "multihop/musique_dev100/questions.jsonl",
          triples="multihop/musique_dev100/openie_gpt35.jsonl"),
    Suite("hotpot", "multihop/hotpot_dev100/corpus.jsonl",
          "multihop/hotpot_dev100/questions.jsonl"),
)  # fmt: skip


def ndcg(found: Sequence[str], relevant: set[str], k: int = NDCG_AT) -> float:
    """nDCG@k with relevance 0 or 1 (Järvelin and Kekäläinen, 2002); 0 without a relevant passage."""
    gain = sum(1 / math.log2(rank + 1) for rank, key in enumerate(found[:k], 1) if key in relevant)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))
    return gain / ideal if ideal else 0.0


def recall(found: Sequence[str], relevant: set[str], k: int = RECALL_AT) -> float:
    return len(relevant & set(found[:k])) / len(relevant) if relevant else 0.0


def all_in(found: Sequence[str], relevant: set[str], k: int = ALL_AT) -> float:
    """1 when every relevant passage stands among the first k."""
    return float(bool(relevant) and relevant <= set(found[:k]))


def suite_figures(
    data: Path, suite: Suite, modes: Sequence[str], say: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    """Per mode nDCG@10, R@5 and all-in-8 over the questions that have a passage to find."""
    asked = items(data / suite.queries, "text", "question")
    relevant = judged(data / suite.qrels) if suite.qrels else _named(data / suite.queries, asked)
    asked = [question for question in asked if relevant.get(question.id)]
    if not asked:
        raise CollectionInvalid(f"{data / suite.queries}: no question has a passage to find.")
    held = load(items(data / suite.corpus, "text"), say=say, apart=suite.triples)
    if suite.triples:
        graph_given(held, triples_of(data / suite.triples))
    vectors = embedder().queries([question.text for question in asked])
    figures = {}
    for mode in modes:
        runs = [
            (held.search(q.text, vector, mode, NDCG_AT), relevant[q.id])
            for q, vector in zip(asked, vectors, strict=True)
        ]
        figures[mode] = _means(runs) | {"questions": len(asked)}
    return figures


def _named(path: Path, asked: Sequence[Item]) -> dict[str, set[str]]:
    """The passages that the questions name, under the ids that `items` gave them."""
    rows = lines_of(path, "gold_ids")
    return {question.id: set(row["gold_ids"]) for question, row in zip(asked, rows, strict=True)}


def _means(runs: Sequence[tuple[list[Found], set[str]]]) -> dict[str, float]:
    keyed = [([hit.id for hit in found], relevant) for found, relevant in runs]
    return {
        "ndcg10": round(fmean(ndcg(*run) for run in keyed), 4),
        "r5": round(fmean(recall(*run) for run in keyed), 4),
        "all8": round(fmean(all_in(*run) for run in keyed), 4),
    }


def mixes(data: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """The router's and the splitter's figures on the two mixes."""
    questions = lines_of(data / "mixes" / "routing_public.jsonl", "q", "route")
    return {
        **mix_figures(data / "spider" / "csv", questions, say),
        **compound_figures(lines_of(data / "mixes" / "compound_public.jsonl", "q", "lang")),
    }


def summary(found: dict[str, dict[str, dict[str, float]]]) -> dict[str, float]:
    """One figure per suite: nDCG@10 of the hybrid search; of many-step questions the graph beside dense."""
    flat: dict[str, float] = {}
    for name, per_mode in found.items():
        if name == "twowiki":
            flat |= {"twowiki_all8": per_mode["graph"]["all8"]}
            flat |= {"twowiki_all8_dense": per_mode["vector"]["all8"]}
        elif name == "musique":
            flat |= {"musique_r5_own": per_mode["graph"]["r5"]}
        elif name == "musique_given":
            flat |= {"musique_r5": per_mode["graph"]["r5"]}
            flat |= {"musique_r5_dense": per_mode["vector"]["r5"]}
        elif name == "hotpot":
            flat |= {"hotpot_r5": per_mode["graph"]["r5"]}
        else:
            flat |= {name: per_mode["hybrid"]["ndcg10"]}
    return flat


__all__ = ["MODES", "SUITES", "Suite", "mixes", "ndcg", "suite_figures", "summary"]
