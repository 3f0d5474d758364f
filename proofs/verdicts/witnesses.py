"""Two starts with different fates, where the start is not given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from proofs.kernel import Lemma
from proofs.terms import Term
from proofs.verdicts.base import Finding, Witness
from proofs.verdicts.problem import CovarianceProblem, Rows
from proofs.verdicts.workspace import Workspace

Decide = Callable[[CovarianceProblem], tuple[str, Finding] | None]
"""What is proved about existence from a given start, with the theorem that was applied."""

SEED = 0
RANDOM_STARTS = 12


def two_fates(
    problem: CovarianceProblem, decide: Decide, directions: Sequence[Rows] = ()
) -> Finding | None:
    """Blow-up from one start and a global solution from another, None where none are found.

    Args:
        directions: symmetric matrices P; starts with large tr(P Sigma0) are tried early.
    """
    found: dict[str, tuple[str, Finding, Rows]] = {}
    for start in _starts(problem.dimension, directions):
        decided = decide(replace(problem, start=start))
        if decided is None:
            continue
        name, finding = decided
        if finding.verdict in ("blow-up", "global"):
            found.setdefault(finding.verdict, (name, finding, start))
        if len(found) == 2:
            return _finding(problem, found["blow-up"], found["global"])
    return None


def _starts(d: int, directions: Sequence[Rows]) -> Iterator[Rows]:
    """Positive definite matrices with small entries, the same in each run."""
    unit = tuple(tuple(Fraction(int(i == j)) for j in range(d)) for i in range(d))
    yield unit
    for direction in directions:
        for sign in (1, -1):
            yield _along(direction, sign)
    yield tuple(tuple((i + 1) * x for x in row) for i, row in enumerate(unit))
    generator = np.random.default_rng(SEED)
    for _ in range(RANDOM_STARTS):
        factor = generator.integers(-2, 3, size=(d, d))
        gram = factor @ factor.T + np.identity(d, dtype=int)
        yield tuple(tuple(Fraction(int(x)) for x in row) for row in gram)


def _along(direction: Rows, sign: int) -> Rows:
    """A start with a large eigenvalue where sign * P has its largest one."""
    floats = np.array([[float(x) for x in row] for row in direction])
    vector = np.linalg.eigh(sign * floats)[1][:, -1]
    rounded = [Fraction(round(4 * float(x)), 2) for x in vector / np.abs(vector).max()]
    return tuple(
        tuple(x * y + (i == j) for j, y in enumerate(rounded)) for i, x in enumerate(rounded)
    )


def _finding(
    problem: CovarianceProblem,
    ending: tuple[str, Finding, Rows],
    lasting: tuple[str, Finding, Rows],
) -> Finding:
    work = Workspace(
        problem,
        {
            name: Lemma(finding.statement, finding.proof)
            for name, (_, finding, _) in (("ends", ending), ("lasts", lasting))
        },
    )
    p = work.p
    steps = [
        _for_every_solution(work, name, problem, found[1], found[2])
        for name, found in (("ends", ending), ("lasts", lasting))
    ]
    both = p.conjunction(*steps)
    witnesses = tuple(
        Witness(start, finding.verdict, finding.time, theorem)
        for theorem, finding, start in (ending, lasting)
    )
    return Finding(
        "existence",
        "depends",
        problem.statement(p[both]),
        p.proof(both),
        by=", ".join(dict.fromkeys(f"{ending[0]}, {lasting[0]}".split(", "))),
        witnesses=witnesses,
    )


def _for_every_solution(
    work: Workspace, name: str, problem: CovarianceProblem, finding: Finding, start: Rows
) -> int:
    """For all T and Sigma: what is proved of the maximal solution from this start."""
    p = work.p
    solution = replace(problem, start=start).solution
    assumed = [work.assume(hypothesis) for hypothesis in problem.scale_hypotheses]
    stated = p.lemma(name, *assumed, p.assume(solution), **finding.statement.variables())
    result = p.discharge(solution, stated)
    variables: list[Term] = [problem.terms["Sigma"], problem.terms["T"]]
    for variable in variables:
        result = p.generalise(variable, result)
    return result
