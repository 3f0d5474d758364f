"""Every change of a proof is rejected, or proves the claim all the same."""

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
import soundness_mutants as mutants
import soundness_truth as truth
from soundness_lemmas import LEMMAS

from proofs import language as la
from proofs.claims.base import Claim, ledger
from proofs.kernel import KernelError, Proof, Step, establish, refute
from proofs.terms import REAL, Term, application, sort_of

LEDGER = {**ledger(), **LEMMAS}
SAMPLE = 14
"""How many changes of each kind to try on one claim; removals are all tried."""

Steps = list[tuple[Step, int]]


def numbered(proof: Proof) -> Steps:
    return [(step, n) for n, step in enumerate(proof.steps)]


def changed(proof: Proof, n: int, *, uses: tuple[int, ...] | None = None, **args: Any) -> Steps:
    step = proof.steps[n]
    new = Step(
        step.rule,
        step.uses if uses is None else uses,
        {**step.args, **args} if args else step.args,
    )
    return [*numbered(proof)[:n], (new, n), *numbered(proof)[n + 1 :]]


def removed(proof: Proof, n: int) -> Steps:
    """Without step n; what used it uses the step before (or after) it."""

    def point(i: int) -> int:
        return i - 1 if i > n or (i == n and n > 0) else i

    return [
        (Step(step.rule, tuple(point(i) for i in step.uses), step.args), old)
        for old, step in enumerate(proof.steps)
        if old != n
    ]


def twice(template: Term) -> Term:
    """h -> 2 template(h)."""
    hole = la.variable("hole_", template.args[0])
    return la.lam(hole, la.scale(2, application(template, hole)))


def without(items: tuple, k: int) -> tuple:
    return items[:k] + items[k + 1 :]


def changes(claim: Claim, generator: random.Random) -> Iterator[tuple[str, str, Steps]]:
    """(kind, what makes it harmless, changed steps)."""
    proof = claim.proof
    sequents = mutants.sequents(proof)
    for n, step in enumerate(proof.steps):
        if n < len(proof.steps) - 1:
            yield "step removed", "", removed(proof, n)
        for k, used in enumerate(step.uses):
            others = [i for i in range(n) if i != used]
            if not others:
                continue
            other = generator.choice(others)
            same = sequents[other].conclusion == sequents[used].conclusion
            uses = (*step.uses[:k], other, *step.uses[k + 1 :])
            reason = "identical conclusion" if same else ""
            yield "use re-pointed", reason, changed(proof, n, uses=uses)
        contexts = step.args.get("contexts", ())
        for k, context in enumerate(contexts):
            if context is not None:
                new = (*contexts[:k], twice(context), *contexts[k + 1 :])
                yield "multiplier doubled", "", changed(proof, n, contexts=new)
            if step.rule == "algebra":
                uses, rest = without(step.uses, k), without(contexts, k)
                steps = changed(proof, n, uses=uses, contexts=rest)
                reason = "symmetry not needed" if context is None else ""
                yield "multiplier removed", reason, steps
            elif step.rule == "positivity":
                fewer = without(step.args["equations"], k)
                steps = changed(proof, n, equations=fewer, contexts=without(contexts, k))
                reason = "symmetry not needed" if context is None else ""
                yield "multiplier removed", reason, steps
        if step.rule in ("fact", "lemma"):
            for k in range(len(step.uses)):
                yield "premise removed", "", changed(proof, n, uses=without(step.uses, k))
            for name, value in step.args["instance"].items():
                for new in altered(value):
                    instance = {**step.args["instance"], name: new}
                    yield "instance altered", "", changed(proof, n, instance=instance)
        if step.rule in ("positivity", "definite"):
            yield "strict flipped", "", changed(proof, n, strict=not step.args["strict"])
            matrix = la.scale(3, step.args["matrix"])
            yield "conclusion replaced", "", changed(proof, n, matrix=matrix)
        summands = step.args.get("summands", ())
        for k, item in enumerate(summands):
            for value in (-item["coefficient"], item["coefficient"] + Fraction(1, 7)):
                new = (*summands[:k], {**item, "coefficient": value}, *summands[k + 1 :])
                yield "coefficient changed", "", changed(proof, n, summands=new)
            yield "summand removed", "", changed(proof, n, summands=without(summands, k))
        if step.rule == "algebra":
            right = la.scale(3, step.args["right"])
            yield "conclusion replaced", "", changed(proof, n, right=right)
        if step.rule in ("discharge", "assume", "contradiction"):
            proposition = la.psd(la.number(generator.randint(1, 9)))
            yield "conclusion replaced", "", changed(proof, n, proposition=proposition)
        if step.rule == "part":
            yield "conclusion replaced", "", changed(proof, n, index=step.args["index"] + 1)


def altered(value: Term) -> Iterator[Term]:
    sort = sort_of(value)
    if sort.op == "Mat":
        yield la.scale(2, value)
        if sort.args[0] == sort.args[1] and sort != REAL:
            yield la.tp(value)
    elif sort == la.EXT:
        yield la.finite(la.number(5))


def settle(claim: Claim, proof: Proof):
    if claim.counterexample is None:
        return establish(claim.statement, proof)
    return refute(claim.statement, claim.counterexample, proof)


claims = pytest.mark.parametrize("claim", LEDGER.values(), ids=LEDGER)
#: they share their steps with gaussian.l2 and gaussian.linear, and take long
LONG = {"covariance.l2-tied", "gaussian.multihead", "gaussian.sinkhorn"}


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(claim, id=name, marks=[pytest.mark.acceptance] if name in LONG else [])
        for name, claim in LEDGER.items()
    ],
)
def test_changed_proofs_prove_nothing_else(claim: Claim):
    try_changes(claim, SAMPLE)


@pytest.mark.acceptance
@claims
def test_all_changes_of_proofs_prove_nothing_else(claim: Claim):
    try_changes(claim, None)


def try_changes(claim: Claim, sample: int | None) -> None:
    """Try the changes of a proof, ``sample`` of each kind (None: all)."""
    generator = random.Random(claim.id)
    found: dict[str, list[tuple[str, Steps]]] = {}
    for kind, reason, steps in changes(claim, generator):
        found.setdefault(kind, []).append((reason, steps))
    counts: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    genuine = settle(claim, claim.proof)
    for kind, items in found.items():
        if sample is not None and kind != "step removed" and len(items) > sample:
            items = generator.sample(items, sample)
        for reason, steps in items:
            counts[kind] += 1
            try:
                mutants.rerun(claim.proof, steps)
                proof = Proof(tuple(step for step, _ in steps), claim.proof.lemmas)
                result = settle(claim, proof)
            except KernelError as error:
                rejected[error.rule] += 1
                continue
            assert result == genuine, f"{kind}: a change of the proof changed the theorem"
            accepted[f"{kind}: {reason or harmless(claim, steps)}"] += 1
    print(f"\n{claim.id}: {sum(counts.values())} changes, {dict(counts)}")
    print(f"  rejected {dict(rejected)}\n  accepted {dict(accepted)}")
    assert counts["step removed"] == len(claim.proof.steps) - 1
    assert sum(map(len, found.values())) >= 1.5 * len(claim.proof.steps)
    assert sum(accepted.values()) <= max(3, 0.05 * sum(counts.values()))
    unexplained = [name for name in accepted if name.endswith("unexplained")]
    assert unexplained == []


def harmless(claim: Claim, steps: Steps) -> str:
    """Why an accepted change is one: each step proves what it proved before, or as much of it as
    the proof needs.
    """
    results = mutants.rerun(claim.proof, steps)
    known = mutants.sequents(claim.proof)
    pairs = [(results[n].conclusion, known[old].conclusion) for n, (_, old) in enumerate(steps)]
    if all(new == old for new, old in pairs):
        return "every step proves what it proved"
    users: dict[int, set[str]] = {n: set() for n in range(len(steps))}
    for step, _ in steps:
        for n in step.uses:
            users[n].add(step.rule)
    if all(new == old for n, (new, old) in enumerate(pairs) if users[n] != {"part"}):
        return "a conjunction differs in a part that nothing uses"
    oracle = truth.Oracle()
    if all(oracle.entails(new, old) and oracle.entails(old, new) for new, old in pairs):
        return "a step says the same in another form"
    less = all(oracle.entails(old, new) for new, old in pairs)
    return "a step says less, and enough" if less else "unexplained"
