"""Several engines of one role, asked in their order: the next one where one does not answer."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engines.breaker import Breaker
from engines.errors import EngineError, EngineReplyInvalid, EngineUnavailable
from engines.models import Place
from engines.placing import LOCAL_ONLY, places_current
from engines.prints import SENTENCE, print_check
from engines.sensitive import sensitive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Generator as Pieces

    import numpy as np
    from numpy.typing import NDArray

    from engines.roles import Embedder, Generator, Reranker, Verifier
    from engines.specs import EngineSpec
    from engines.values import Completion, EmbedderIdentity

logger = logging.getLogger(__name__)
# How long an embedder that gave the known vector of the fixed sentence is believed for questions.
PROVEN_SECONDS = 30.0


@dataclass(slots=True)
class Member[Engine]:
    """An engine with its circuit breaker. `proven` is when its model was last known by its vector."""

    spec: EngineSpec
    engine: Engine
    breaker: Breaker = field(default_factory=Breaker)
    proven: float = float("-inf")


def _admitted[Engine](
    members: Sequence[Member[Engine]], failures: list[EngineError]
) -> Iterator[Member[Engine]]:
    """The members that may be asked, one by one; of the others why not goes to `failures`."""
    for member in members:
        if member.spec.problem:
            failures.append(EngineUnavailable(member.spec.problem))
        elif member.breaker.admits():
            yield member
        else:
            failures.append(
                EngineUnavailable(
                    f"{member.spec.name} failed several times and is asked again in "
                    f"{member.breaker.rests:.0f} s. {member.breaker.reason}"
                )
            )


def _failed(member: Member[Any], error: EngineError, failures: list[EngineError]) -> None:
    logger.warning("%s: %s", member.spec.name, error)
    failures.append(error)
    if isinstance(error, EngineUnavailable | EngineReplyInvalid):
        member.breaker.failed(str(error))
        member.proven = float("-inf")
    else:
        # It answers, but not to this request: another may still be taken.
        member.breaker.given_up()


def _none_left(failures: list[EngineError]) -> EngineError:
    if len(failures) == 1:
        return failures[0]
    return EngineUnavailable(" ".join(dict.fromkeys(str(error) for error in failures)))


def first_of[Engine, Result](
    members: Sequence[Member[Engine]], call: Callable[[Member[Engine]], Result]
) -> Result:
    """What `call` gives for the first member that can. Raises EngineError when none can."""
    failures: list[EngineError] = []
    for member in _admitted(members, failures):
        try:
            result = call(member)
        except EngineError as error:
            _failed(member, error, failures)
        except BaseException:
            member.breaker.given_up()
            raise
        else:
            member.breaker.succeeded()
            return result
    raise _none_left(failures)


class ChainEmbedder:
    """Embedders of one model: the vectors of one must mean the same as those of the next."""

    def __init__(self, members: Sequence[Member[Embedder]]) -> None:
        self._members = members
        self._identity: EmbedderIdentity | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        with self._lock:
            if self._identity is None:
                self._identity = first_of(self._members, lambda member: member.engine.identity)
            return self._identity

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return first_of(self._members, lambda member: self._queries(member, texts))

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return first_of(self._members, lambda member: self._passages(member, texts))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._members[0].engine.count_tokens(texts)

    def _queries(self, member: Member[Embedder], texts: Sequence[str]) -> NDArray[np.float32]:
        """Proven now and then: a question's vector is kept nowhere for long."""
        if time.monotonic() - member.proven < PROVEN_SECONDS:
            return self._same(member, member.engine.queries(texts))
        vectors = member.engine.queries([*texts, SENTENCE])
        return self._proven(member, vectors, "query")

    def _passages(self, member: Member[Embedder], texts: Sequence[str]) -> NDArray[np.float32]:
        """Proven each time: these vectors are stored."""
        if not texts:
            return member.engine.passages(texts)
        return self._proven(member, member.engine.passages([*texts, SENTENCE]), "passage")

    def _proven(
        self, member: Member[Embedder], vectors: NDArray[np.float32], side: str
    ) -> NDArray[np.float32]:
        self._same(member, vectors)
        print_check(f"{member.engine.identity}/{side}", vectors[-1], member.spec.shown_url)
        member.proven = time.monotonic()
        return vectors[:-1]

    def _same(self, member: Member[Embedder], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        held = self.identity.dimension if self._identity else vectors.shape[1]
        if vectors.shape[1] != held:
            raise EngineReplyInvalid(
                f"The embedder at {member.spec.shown_url} gives {vectors.shape[1]} dimensions instead "
                f"of {held}: another model is being served."
            )
        return vectors


class ChainDocumentEmbedder(ChainEmbedder):
    """The same for engines that read a passage among those around it."""

    def document_passages(self, texts: Sequence[str], wanted: Sequence[int]) -> NDArray[np.float32]:
        def call(member: Member[Any]) -> NDArray[np.float32]:
            self._passages(member, [SENTENCE])
            vectors: NDArray[np.float32] = member.engine.document_passages(texts, wanted)
            return vectors

        return first_of(self._members, call)


class ChainGenerator:
    """Generators in the order of the places that this context allows, then by priority."""

    def __init__(self, members: Sequence[Member[Generator]]) -> None:
        self._members = members

    @property
    def model(self) -> str:
        """Of the engine that is asked first; `Completion.model` tells which one answered."""
        return str(in_places(self._members, places_current())[0].engine.model)

    @property
    def context_tokens(self) -> int:
        """The least of those that may be asked, since each may have to."""
        allowed = in_places(self._members, places_current())
        return min(member.spec.context_tokens for member in allowed)

    def complete(
        self,
        *,
        system: str,
        user: str,
        max_tokens: int = 512,
        json_schema: dict[str, Any] | None = None,
    ) -> Completion:
        return first_of(
            sendable(self._members, system, user, "generator"),
            lambda member: member.engine.complete(
                system=system, user=user, max_tokens=max_tokens, json_schema=json_schema
            ),
        )

    def stream(
        self, *, system: str, user: str, max_tokens: int = 512
    ) -> Pieces[str, None, Completion]:
        """The first engine's words; the next one's only where it failed before its first word."""
        failures: list[EngineError] = []
        for member in _admitted(sendable(self._members, system, user, "generator"), failures):
            begun = False
            pieces = member.engine.stream(system=system, user=user, max_tokens=max_tokens)
            try:
                while True:
                    try:
                        piece = next(pieces)
                    except StopIteration as end:
                        member.breaker.succeeded()
                        whole: Completion = end.value
                        return whole
                    begun = True
                    yield piece
            except EngineError as error:
                _failed(member, error, failures)
                if begun:
                    raise
            except BaseException:
                member.breaker.given_up()
                raise
            finally:
                pieces.close()
        raise _none_left(failures)


def sendable[Engine](
    members: Sequence[Member[Engine]], system: str, user: str, role: str
) -> list[Member[Engine]]:
    """Whom this prompt may be sent to. Whatever the caller thought of, nothing sensitive leaves here.

    Raises EngineUnavailable when nobody is left.
    """
    places = places_current()
    if Place.REMOTE in places and any(member.spec.remote for member in members):
        kind = sensitive(f"{system}\n{user}")
        places = LOCAL_ONLY if kind else places
    found = in_places(members, places)
    if not found:
        raise EngineUnavailable(f"This must stay on your own machines, and no local {role} is set.")
    return found


def in_places[Engine](
    members: Sequence[Member[Engine]], places: Sequence[Place]
) -> list[Member[Engine]]:
    """The members that stand in `places`, in the order of these."""
    remote = {Place.LOCAL: False, Place.REMOTE: True}
    return [m for place in places for m in members if m.spec.remote is remote[place]]


class ChainReranker:
    """Rerankers by priority."""

    def __init__(self, members: Sequence[Member[Reranker]]) -> None:
        self._members = members

    @property
    def model(self) -> str:
        return self._members[0].engine.model

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        return first_of(self._members, lambda member: member.engine.scores(question, texts))


class ChainVerifier:
    """Models that answer yes or no, by priority."""

    def __init__(self, members: Sequence[Member[Verifier]]) -> None:
        self._members = members

    @property
    def model(self) -> str:
        return self._members[0].engine.model

    def holds(self, *, system: str, user: str) -> bool:
        return first_of(
            sendable(self._members, system, user, "verifier"),
            lambda member: member.engine.holds(system=system, user=user),
        )
