"""Every claim against an independent computation, and the digits that are reported."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from mpmath import mp

import numeric.precise
from numeric.precise.agreement import digits_of_agreement
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
from proofs.crosschecks.structure import exhibited, expect
from proofs.kernel import Statement
from proofs.terms import REAL, Term, TermError, free_variables, rebuild, sort_of, substitute

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


def statement_terms(claim: Claim) -> set[Term]:
    """Every subterm of the statement, bound variables opened by their names in the check."""
    parts = [*claim.statement.hypotheses, claim.statement.conclusion]
    if claim.counterexample is not None:
        parts += [substitute(part, claim.counterexample) for part in parts]
    if any(step.rule == "exhibit" for step in claim.proof.steps):
        parts.append(exhibited(claim))
    return {node for part in parts for node in part.walk()}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.claim)
def test_follows_the_statement(check: CrossCheck) -> None:
    """The formulas were built from the object in the ledger, with no letter of their own."""
    claim = ledger()[check.claim]
    statement = claim.statement
    names = {str(n.data) for part in statement_terms(claim) for n in part.walk() if n.op == "var"}
    bound = {n.hint for part in statement_terms(claim) for n in part.walk() if n.op == "lambda"}
    for comparison in check.comparisons:
        assert set(free_variables(comparison.formula)) <= names | bound
        Statement(comparison.assumes, statement.conclusion).check()


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
            if proposition.op in ("maximal", "ode", "forall"):
                continue
            assert holds(proposition, comparison.values, 40), proposition


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

    Arguments of ranks and pseudo-inverses are left alone: there the formula is not continuous.
    """
    if term.op in ("rank", "pinv") or term.op in ("Mat", "Dim", "Fun", "size", "zero"):
        return
    for i, argument in enumerate(term.args):
        inner = (term.args[0], *bound) if term.op == "lambda" and i == 1 else bound
        if term.op == "lambda" and i == 0:
            continue
        try:
            sort = sort_of(argument, inner)
        except TermError:
            continue
        if sort.op == "Mat" and argument.op != "zero":
            yield rebuild(
                term, (*term.args[:i], perturbed(argument, k), *term.args[i + 1 :])
            )
        for varied in variations(argument, k, inner):
            yield rebuild(term, (*term.args[:i], varied, *term.args[i + 1 :]))


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_every_coefficient_counts(comparison: Comparison) -> None:
    """A wrong coefficient anywhere inside the formula is seen, at its size or near it."""
    k = 15
    exact = comparison.claimed(DIGITS)
    for formula in variations(comparison.formula, k):
        wrong = replace(comparison, formula=formula)
        digits = digits_of_agreement(wrong.claimed(DIGITS), exact, cap=DIGITS)
        assert abs(digits - k) <= 1, formula


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
    """No function of a cross-check reads a term or a formula of its claim."""
    folder = Path(sys.modules[CrossCheck.__module__].__file__ or "").parent
    for path in sorted(folder.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            and node.module is not None
            and node.module.startswith(("proofs.claims", "proofs.terms", "proofs.language"))
            for alias in node.names
        }
        if "CROSS_CHECK" not in path.read_text(encoding="utf-8") or path.stem in ("base", "__init__"):
            continue
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda)]
        used = {n.id for f in functions for n in ast.walk(f) if isinstance(n, ast.Name)}
        assert not imported & used, path.name


# Evaluation

d = la.dim("d")
M, t, X = la.mat("M", d, d), la.real("t"), la.time_to("X", d, d)
POSITIVE = {"d": 2, "M": [[2, 1], [1, 3]]}


def value(term: Term, values: dict, **options: object) -> list[list[float]]:
    return evaluate(term, values, 30, **options).tolist()


def test_operations() -> None:
    assert value(la.mul(la.root(M), la.root(M)), POSITIVE) == pytest.approx(
        evaluate(M, POSITIVE, 30).tolist()
    ) or digits_of_agreement(
        evaluate(la.mul(la.root(M), la.root(M)), POSITIVE, 30), [[2, 1], [1, 3]], cap=30
    ) == 30
    numbers = {
        la.tr(M): 5,
        la.rank(M): 2,
        la.lmax(la.minus(M, la.identity(d))): 1 + (1 + mp.sqrt(5)) / 2 - 0.5 + 0.5 - 1 + 0.5 - 0.5,
        la.dimension(d): 2,
        la.inv(la.number(4)): 0.25,
        la.exp(la.number(0)): 1,
        la.tr(la.pinv(M)): 1,
        la.tr(la.zero(d, d)): 0,
    }
    for term, expected in numbers.items():
        result = evaluate(term, POSITIVE, 30, tolerance=Fraction(1, 10**10))[0]
        assert float(result) == pytest.approx(float(expected)), term
