"""How far the verifier and the judge can be believed, on statements whose truth was labelled by hand.

`sets/claims.jsonl` holds 40 passages of the demo corpus. Each comes with a question, a statement that the
passage makes and that answers it (`supported`), the same statement with one thing changed (`unsupported`,
`change` names what), and a true statement that does not answer it (`beside`). Prompts were written while
looking at the first ten; the other thirty give 60 cases to each of the two questions: is it stated, and
does it answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.errors import EngineError
from engines.registry import judge, verifier
from eval.judging import answers
from eval.questions import SETS, SetInvalid
from eval.refusal_run import share
from retrieval.values import Citation
from retrieval.verify import unsupported
from retrieval.verifying import stated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

FILE, LOOKED_AT = "claims.jsonl", 10


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled case: of a statement whether `source` makes it, or whether it answers `question`."""

    id: str
    language: str
    source: str
    question: str
    statement: str
    label: bool
    change: str = ""


def read(path: Path = SETS / FILE) -> tuple[list[Case], list[Case]]:
    """The cases of support and those of relevancy, in the order of the file. Raises SetInvalid."""
    support, relevancy = [], []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            common = row["id"], row["language"], row["source"], row["question"]
            support.append(Case(*common, row["supported"], True))
            support.append(Case(*common, row["unsupported"], False, row["change"]))
            relevancy.append(Case(*common, row["supported"], True))
            relevancy.append(Case(*common, row["beside"], False))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetInvalid(f"{path.name}: {error!r}") from error
    return support, relevancy


def figures(_data: Path) -> dict[str, Any]:
    """Agreement, TPR and TNR over the reported cases: of arithmetic alone, and of the models that are set.

    Positive is what is supported, or answers. `arithmetic_…` is `retrieval.verify.unsupported`, which only
    looks for numbers and names. Under `…_changes` stands how many of each kind of change were noticed.
    """
    support, relevancy = read()
    found = _agreement("arithmetic", support, _by_arithmetic)
    if (checker := verifier()) is not None:
        found["verifier_model"] = checker.model
        found |= _agreement(
            "verifier", support, lambda case: stated(checker, case.statement, [case.source])
        )
    if (sitting := judge()) is not None:
        found["judge_model"] = sitting.model
        found |= _agreement(
            "judge_support", support, lambda case: stated(sitting, case.statement, [case.source])
        )
        found |= _agreement(
            "judge_relevancy",
            relevancy,
            lambda case: answers(sitting, case.question, case.statement),
        )
    return found


def _by_arithmetic(case: Case) -> bool:
    source = Citation(1, "text", "", "", "", text=case.source)
    return not unsupported(case.statement, [source], case.question)


def _agreement(name: str, cases: Sequence[Case], says: Callable[[Case], bool]) -> dict[str, Any]:
    """A case that the model gives no usable answer to counts as wrong, and is counted apart."""
    held = cases[2 * LOOKED_AT :]
    said: list[bool | None] = []
    for case in held:
        try:
            said.append(says(case))
        except EngineError:
            said.append(None)
    pairs = list(zip(held, said, strict=True))
    right = [answer is case.label for case, answer in pairs]
    kinds = sorted({case.change for case in held if case.change})
    found: dict[str, Any] = {
        f"{name}_agreement": share(right),
        f"{name}_tpr": share(_right(pairs, label=True)),
        f"{name}_tnr": share(_right(pairs, label=False)),
        f"{name}_silent": said.count(None),
        f"{name}_n": len(held),
    }
    if kinds:
        found[f"{name}_changes"] = {
            kind: [sum(answer is False for _, answer in own), len(own)]
            for kind in kinds
            for own in [[pair for pair in pairs if pair[0].change == kind]]
        }
    return found


def _right(pairs: Sequence[tuple[Case, bool | None]], *, label: bool) -> list[bool]:
    return [answer is label for case, answer in pairs if case.label is label]
