"""Loading what the first question needs before it is asked."""

from __future__ import annotations

import logging
import threading
import time

logger = logging.getLogger(__name__)
SENTENCE = "Quanto tempo demora a primeira resposta?"


def start() -> None:
    """Load models and libraries in a thread, so that pages are served meanwhile."""
    threading.Thread(target=_load, name="warm", daemon=True).start()


def _load() -> None:
    began = time.perf_counter()
    from engines.errors import EngineError
    from engines.language import detect
    from engines.registry import embedder
    from retrieval import runs  # noqa: F401  (all stores come with it)
    from retrieval.ppr import personalized_pagerank

    detect(SENTENCE)
    personalized_pagerank([("a", "b", 1.0)], {"a": 1.0})
    try:
        embedder().queries([SENTENCE])
    except EngineError as error:
        # Each question will say so; pages are served all the same.
        logger.warning("The embedder is not ready: %s", error)
    logger.info("Ready for questions after %.1f s.", time.perf_counter() - began)
