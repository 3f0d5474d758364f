"""Every claim against an independent computation, and the digits that are reported."""

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from runpy import run_path

import pytest
from mpmath import mp

import numeric.precise
from numeric.precise.agreement import digits_of_agreement
from proofs import crosschecks
from proofs import language as la
from proofs.claims.base import Claim, ledger
from proofs.crosschecks.base import (
    Comparison,
    CrossCheck,
    NoDigits,
    cross_check_of,
    cross_checks,
)
from proofs.crosschecks.evaluate import EvaluationError, evaluate, holds
from proofs.crosschecks.structure import expect
from proofs.kernel import Statement
from proofs.terms import (
    REAL,
    Term,
    application,
    free_variables,
    rebuild,
    sort_of,
    substitute,
)

FOLDER = Path(crosschecks.__path__[0])
DIGITS = 50
EXPONENTS = (5, 15, 25)
CHECKS = [check for check in cross_checks().values() if isinstance(check, CrossCheck)]
COMPARISONS = [
    pytest.param(comparison, id=f"{check.claim}-{index}")
    for check in CHECKS
    for index, comparison in enumerate(check.comparisons)
]


@cache
def computed(index: int) -> object:
    """The independent value of a comparison, computed once for all tests."""
    return COMPARISONS[index].values[0].independent(DIGITS + 5)


def with_known_result(comparison: Comparison) -> Comparison:
    index = [p.values[0] for p in COMPARISONS].index(comparison)
    return replace(comparison, independent=lambda digits: computed(index))


# The table


def test_every_claim_has_one() -> None:
    assert set(cross_checks()) == set(ledger())
    for name in ledger():
        check = cross_check_of(name)
        if isinstance(check, NoDigits):
            assert check.reason
            assert check.run().digits is None


def test_a_claim_without_one_has_a_reason() -> None:
    result = cross_check_of("no.such-claim").run()
    assert result.digits is None
    assert result.reason


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.claim)
def test_agrees_to_thirty_digits(check: CrossCheck) -> None:
    result = check.run(DIGITS)
    assert result.reason == ""
    assert result.digits is not None
    assert 30 <= result.digits <= DIGITS
    assert "\n" not in result.quantity
    assert result.quantity


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_compares_something_else_than_zero(comparison: Comparison) -> None:
    assert max(abs(entry) for entry in comparison.claimed(20)) > mp.mpf(10) ** -3


# The formula is the claim's, and the parameters satisfy the hypotheses


def with_scaled_literals(term: Term) -> Term:
    if term.op == "literal":
        return perturbed(term, 15)
    return rebuild(term, tuple(map(with_scaled_literals, term.args))) if term.args else term


def is_family(sort: Term) -> bool:
    return sort.op == "Fun" and sort.args[0].op == "Index"


def is_parameter_curve(name: str, sort: Term) -> bool:
    """A parameter that depends on time, not the mean or the covariance that solve equations."""
    return sort.op == "Fun" and sort.args[0] == la.real("t").args[0] and name in tuple("AVQKX")


def altered_letter(letter: Term) -> Term:
    if letter.args[0].op == "Mat":
        return perturbed(letter, 15)
    if not is_family(letter.args[0]):
        time = la.real("time")
        return la.lam(time, perturbed(la.at(letter, time), 15))
    index, time = la.head("index", letter.args[0].args[0].args[0]), la.real("time")
    member = la.at(letter, index)
    if sort_of(member).op == "Fun":
        return la.lam(index, la.lam(time, perturbed(la.at(member, time), 15)))
    return la.lam(index, perturbed(member, 15))


def parameters(claim: Claim) -> dict[str, Term]:
    """The letters that are no solutions."""
    return {
        name: letter
        for name, letter in claim.statement.variables().items()
        if letter.args[0].op == "Mat"
        or is_family(letter.args[0])
        or is_parameter_curve(name, letter.args[0])
    }


def altered(claim: Claim) -> Claim:
    """A claim with other formulas: matrix and real letters, and the values exhibited, scaled."""
    letters = {name: altered_letter(letter) for name, letter in parameters(claim).items()}
    statement = Statement(
        tuple(substitute(h, letters) for h in claim.statement.hypotheses),
        substitute(claim.statement.conclusion, letters),
    )
    steps = tuple(
        replace(step, args={**step.args, "value": with_scaled_literals(step.args["value"])})
        if step.rule == "exhibit"
        else step
        for step in claim.proof.steps
    )
    example = claim.counterexample
    if example is not None:
        example = {name: with_scaled_literals(term) for name, term in example.items()}
    proof = replace(claim.proof, steps=steps)
    return replace(claim, statement=statement, counterexample=example, prove=lambda: proof)


@pytest.mark.parametrize(
    "check",
    [
        # its proof takes long
        pytest.param(
            check,
            id=check.claim,
            marks=[pytest.mark.acceptance] if check.claim == "covariance.l2-tied" else [],
        )
        for check in CHECKS
    ],
)
def test_follows_the_statement(check: CrossCheck, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another claim in the claim's file makes another formula in the cross-check."""
    name = check.claim.replace(".", "_").replace("-", "_")
    module = import_module(f"proofs.claims.{name}")
    monkeypatch.setattr(module, "CLAIM", altered(ledger()[check.claim]))
    changed = run_path(str(FOLDER / f"{name}.py"))["CROSS_CHECK"].comparisons
    free = set(parameters(ledger()[check.claim]))
    for before, after in zip(check.comparisons, changed, strict=True):
        # What is made of letters that the statement itself quantifies stays what it is.
        if free & set(free_variables(before.formula)):
            assert after.formula != before.formula


def cases(proposition: Term, values: Mapping[str, object]) -> Iterator[Term]:
    """The parts of a conjunction; those for all times at 0 and at every number among the values."""
    if proposition.op == "and":
        for part in proposition.args:
            yield from cases(part, values)
    elif proposition.op != "forall" or proposition.args[0].args[0].op == "Index":
        yield proposition
    elif proposition.args[0].args[0] == REAL:
        times = {Fraction(x) for x in values.values() if isinstance(x, int | Fraction)}
        for time in {Fraction(0), *times}:
            yield from cases(application(proposition.args[0], la.number(time)), values)


COMPUTED = {"maximal", "ode", "piecewise", "smooth", "continuous"}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.claim)
def test_hypotheses_hold(check: CrossCheck) -> None:
    claim = ledger()[check.claim]
    for comparison in check.comparisons:
        hypotheses = [
            substitute(h, claim.counterexample) if claim.counterexample else h
            for h in claim.statement.hypotheses
        ]
        for proposition in (*hypotheses, *comparison.assumes):
            # That the curve is the solution, and that it stays regular, is what is computed.
            if {node.op for node in proposition.walk()} & COMPUTED:
                continue
            if proposition.op == "forall" and proposition.args[0].args[0].op != "Index":
                continue
            for case in cases(proposition, comparison.values):
                assert holds(case, comparison.values, 40), case


# Calibration: the digits that are reported are those to which the formula is right


def perturbed(term: Term, k: int) -> Term:
    return la.scale(la.number(1 + Fraction(1, 10**k)), term)


@pytest.mark.parametrize("k", EXPONENTS)
@pytest.mark.parametrize("comparison", COMPARISONS)
def test_calibration(comparison: Comparison, k: int) -> None:
    wrong = replace(with_known_result(comparison), formula=perturbed(comparison.formula, k))
    assert abs(wrong.agreement(DIGITS) - k) <= 1


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.claim)
def test_the_worst_comparison_counts(check: CrossCheck) -> None:
    for index in range(len(check.comparisons)):
        comparisons = [with_known_result(c) for c in check.comparisons]
        comparisons[index] = replace(
            comparisons[index], formula=perturbed(comparisons[index].formula, 15)
        )
        result = replace(check, comparisons=tuple(comparisons)).run(DIGITS)
        assert result.digits is not None
        assert abs(result.digits - 15) <= 1


def variations(term: Term, k: int, bound: tuple[Term, ...] = ()) -> Iterator[Term]:
    """The term with one matrix subterm after the other scaled by 1 + 10^-k.

    Arguments of ranks and pseudo-inverses are left alone, and how far one sees the past: there the
    formula is not continuous.
    """
    # The curves in the values do not depend on time.
    if term.op in ("var", "rank", "pinv", "past", "apply", "identity", "zero", "dimension"):
        return
    for i, argument in enumerate(term.args):
        if term.op == "lambda" and i == 0:
            continue
        inner = (term.args[0], *bound) if term.op == "lambda" else bound
        if sort_of(argument, inner).op == "Mat" and argument.op != "zero":
            yield rebuild(term, (*term.args[:i], perturbed(argument, k), *term.args[i + 1 :]))
        for varied in variations(argument, k, inner):
            yield rebuild(term, (*term.args[:i], varied, *term.args[i + 1 :]))


#: the mean squares in a second variation are least at the mean, so that a small error of it does
#: not count
STATIONARY = cross_checks()["variation.softmax"].comparisons


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_every_coefficient_counts(comparison: Comparison) -> None:
    """A wrong coefficient anywhere inside the formula is seen, at its size or near it."""
    k, digits = 15, 25
    exact = comparison.claimed(digits)
    seen = 0
    for formula in variations(comparison.formula, k):
        try:
            wrong = replace(comparison, formula=formula).claimed(digits)
        except EvaluationError:
            # A symmetric matrix that is not any more: that is seen too.
            assert {"lmax", "root"} & {node.op for node in formula.walk()}
        else:
            agreement = digits_of_agreement(wrong, exact, cap=digits)
            assert agreement >= k - 1, formula
            seen += agreement <= k + 1
            assert agreement <= k + 1 or comparison in STATIONARY, formula
    assert seen > 20 or comparison not in STATIONARY


def test_a_failing_computation_has_no_digits() -> None:
    def fails(digits: int) -> object:
        raise ArithmeticError("out of reach")

    comparison = Comparison("a number", la.number(2), {}, fails)
    result = CrossCheck("some.claim", (comparison,)).run()
    assert (result.digits, result.reason) == (0, "a number: out of reach")
    wrong = Comparison("a number", la.number(2), {}, lambda digits: mp.mpf(3))
    assert CrossCheck("some.claim", (wrong,)).run().digits == 0


# Independence


def test_precise_numerics_stand_alone() -> None:
    names = sorted(path.stem for path in Path(numeric.precise.__file__).parent.glob("*.py"))
    modules = ", ".join(f"numeric.precise.{name}" for name in names if name != "__init__")
    code = (
        f"import sys, {modules}; "
        "sys.exit(any(m.split('.')[0] in ('symbolic', 'proofs', 'sympy') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nothing_of_the_claim_reaches_the_independent_side() -> None:
    """No function in the file of a cross-check reads anything of the claim or of its terms."""
    for path in sorted(FOLDER.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "\nCROSS_CHECK = " not in text:
            continue
        tree = ast.parse(text)
        imported = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            and str(node.module).startswith(("proofs.claims", "proofs.terms", "proofs.language"))
            for alias in node.names
        }
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda)]
        used = {n.id for f in functions for n in ast.walk(f) if isinstance(n, ast.Name)}
        assert "CLAIM" in imported
        assert not imported & used, path.name


# Evaluation

d, k = la.dim("d"), la.dim("k")
M, B, x = la.mat("M", d, d), la.mat("B", d, k), la.real("x")
X = la.time_to("X", d, d)
VALUES = {
    "d": 2,
    "k": 3,
    "M": [[2, 1], [1, 3]],
    "B": [[1, 0, 2], [0, "1/3", 1]],
    "x": Fraction(1, 3),
    "X": lambda t: [[t, 0], [0, 1]],
}
SINGULAR = {"d": 2, "M": [[1, 2], [2, 4]]}
TOLERANCE = Fraction(1, 10**10)
E11 = la.literal([[1, 0], [0, 0]])


def equal(left: Term, right: Term, values: Mapping[str, object] = VALUES) -> bool:
    a, b = (evaluate(term, values, 40, tolerance=TOLERANCE) for term in (left, right))
    return (
        digits_of_agreement(a + mp.ones(a.rows, a.cols), b + mp.ones(b.rows, b.cols), cap=40) == 40
    )


def test_identities() -> None:
    I, BB = la.identity(d), la.mul(B, la.tp(B))  # noqa: E741
    assert equal(la.mul(la.root(M), la.root(M)), M)
    assert equal(la.mul(la.root(M), la.root(M)), M, SINGULAR)
    assert equal(la.mul(M, la.inv(M)), I)
    assert equal(la.mul(B, la.pinv(B), B), B)
    assert equal(la.mul(M, la.pinv(M), M), M, SINGULAR)
    assert equal(la.inv(BB), la.mul(la.tp(la.pinv(B)), la.pinv(B)))
    assert equal(la.tr(BB), la.tr(la.mul(la.tp(B), B)))
    assert equal(la.add(I, la.zero(d, d)), la.scale(3, la.scale(x, I)))
    assert equal(la.mul(la.exp(x), la.exp(la.scale(-1, x))), la.number(1))
    assert equal(la.at(X, x), la.add(la.literal([[0, 0], [0, 1]]), la.scale(x, E11)))
    assert equal(la.rank(B), la.dimension(d))
    assert equal(la.rank(M), la.number(1), SINGULAR)
    assert equal(la.lmax(M), la.number(5), SINGULAR)
    assert equal(la.at(la.lam(x, la.mul(x, x)), la.inv(la.number(2))), la.inv(la.number(4)))


def test_an_abstraction_that_is_not_applied() -> None:
    outer = la.lam(x, la.lam(y := la.real("y"), la.minus(x, y)))
    chosen = Term("apply", (Term("apply", (outer, la.number(5))), la.number(2)))
    assert equal(chosen, la.number(3))


def test_integrals_over_a_line() -> None:
    point, score = la.vec("y", d), la.vec("s", d)
    law = la.gaussian(la.literal([[1], [-1]]), M)
    values = {**SINGULAR, "s": ["1/2", -1]}
    generating = la.integral(law, point, la.exp(la.mul(la.tp(score), point)))
    # E exp(s.y) = exp(s.alpha + s.M s / 2)
    exponent = la.add(
        la.mul(la.tp(score), la.literal([[1], [-1]])),
        la.scale(Fraction(1, 2), la.mul(la.tp(score), M, score)),
    )
    assert equal(generating, la.exp(exponent), values)
    assert equal(la.integral(law, point, point), la.literal([[1], [-1]]), values)
    with pytest.raises(EvaluationError, match="on a line"):
        evaluate(generating, {**VALUES, "s": [1, 1]}, 20)


@pytest.mark.parametrize(
    ("term", "values", "message"),
    [
        (M, {"d": 2}, "no value for M"),
        (M, {"M": [[1]]}, "no value for d"),
        (M, {"d": 0, "M": [[1]]}, "size d must be an integer"),
        (M, {"d": 3, "M": [[1, 2], [2, 4]]}, "M is 2 x 2, expected 3 x 3"),
        (la.at(X, x), {"d": 1, "x": 1, "X": [[1]]}, "X must be a callable"),
        (la.inv(M), SINGULAR, "singular"),
        (la.inv(x), {"x": 0}, "singular"),
        (la.rank(M), SINGULAR, "need a tolerance"),
        (la.pinv(M), SINGULAR, "need a tolerance"),
        (la.root(M), {"d": 2, "M": [[1, 2], [2, 3]]}, "not positive semidefinite"),
        (la.root(M), {"d": 2, "M": [[1, 2], [0, 3]]}, "not symmetric"),
        (la.lmax(M), {"d": 2, "M": [[1, 2], [0, 3]]}, "not symmetric"),
        (la.INFINITY, {}, "infinity is not a matrix"),
    ],
)
def test_refusals(term: Term, values: Mapping[str, object], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        evaluate(term, values, 30)


def test_a_rank_that_is_not_clear_is_refused() -> None:
    values = {"d": 2, "M": [[1, 0], [0, "1e-12"]]}
    with pytest.raises(EvaluationError, match="too close"):
        evaluate(la.rank(M), values, 30, tolerance=TOLERANCE)


def test_propositions() -> None:
    zero = la.zero(d, d)
    for proposition in (
        la.eq(M, la.tp(M)),
        la.psd(M),
        la.conj(la.symmetric(M), la.negation(la.pd(M))),
        la.negation(la.invertible(M)),
        la.implies(la.pd(M), la.eq(M, zero)),
        la.le(zero, M),
    ):
        assert holds(proposition, SINGULAR, 30)
    for proposition in (la.pd(M), la.lt(zero, M), la.eq(M, zero), la.psd(la.scale(-1, M))):
        assert not holds(proposition, SINGULAR, 30)
    with pytest.raises(EvaluationError, match="cannot be decided"):
        holds(la.forall(x, la.psd(x)), {}, 30)


def test_a_changed_form_is_noticed() -> None:
    with pytest.raises(ValueError, match="expected eq, found psd"):
        expect(la.psd(M), "eq")
