"""Attempts to derive falsehoods; each must end in a KernelError."""

import copy
import dataclasses
import pickle
import random
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
import soundness_truth as truth
from hypothesis import given
from hypothesis import strategies as st

from proofs import language as la
from proofs.claims.base import ledger
from proofs.facts.base import all_facts
from proofs.kernel import (
    RULES,
    KernelError,
    Lemma,
    Proof,
    Refutation,
    Session,
    Statement,
    Step,
    Theorem,
    check,
    establish,
    infer,
    refute,
)
from proofs.terms import (
    DIM,
    ONE,
    PROP,
    REAL,
    Literal,
    Term,
    TermError,
    application,
    function_sort,
    index,
    index_sort,
    size,
    variable,
)

d, n = la.dim("d"), la.dim("n")
V, A, M = (la.mat(name, d, d) for name in ("V", "A", "M"))
x, y, c = la.real("x"), la.real("y"), la.real("c")
u = la.vec("u", d)
t, T = la.real("t"), la.lifetime("T")
FALSE = la.eq(la.number(0), la.number(1))
TRUE = la.eq(la.number(0), la.number(0))
HOLE = la.lam(la.real("h"), la.real("h"))


def step(rule: str, *uses: int, **args: Any) -> Step:
    return Step(rule, uses, args)


def assume(proposition: Term) -> Step:
    return step("assume", proposition=proposition)


def run(*steps: Step, lemmas: dict[str, Lemma] | None = None) -> Theorem:
    return check(Proof(steps, lemmas or {}))


def rejected(*steps: Step, rule: str | None = None, lemmas: dict[str, Lemma] | None = None) -> str:
    with pytest.raises(KernelError) as info:
        run(*steps, lemmas=lemmas)
    if rule is not None:
        assert info.value.rule == rule
    return info.value.reason


REFLEXIVE = step("reflexivity", term=la.number(0))
TRUTH = establish(Statement((), TRUE), Proof((REFLEXIVE,)))


# Variables and binders -----------------------------------------------------------------------


def test_no_generalisation_over_an_assumption():
    rejected(assume(la.psd(x)), step("generalise", 0, variable=x), rule="generalise")
    # nor over a variable that hides in a larger assumption, or over a size
    inside = la.forall(y, la.psd(la.mul(x, y)))
    rejected(assume(inside), step("generalise", 0, variable=x), rule="generalise")
    true = step("reflexivity", term=V)
    rejected(true, step("generalise", 0, variable=d), rule="generalise")
    assert run(assume(la.psd(x)), step("generalise", 0, variable=y)).hypotheses == (la.psd(x),)


def test_discharged_assumptions_free_the_variable():
    proof = (
        assume(la.psd(x)),
        step("discharge", 0, proposition=la.psd(x)),
        step("generalise", 1, variable=x),
    )
    assert run(*proof).hypotheses == ()


def test_obtained_variables_do_not_escape():
    exists = la.exists(x, la.pd(x))
    steps = (assume(exists), assume(la.pd(x)))
    rejected(*steps, step("obtain", 0, 1, variable=x), rule="obtain")
    # the variable occurs in a further assumption
    both = step("conjunction", 1, 2)
    more = (*steps, assume(la.psd(la.scale(-1, x))), both, step("obtain", 0, 3, variable=x))
    rejected(*more, rule="obtain")
    # the variable occurs in the existence statement itself
    related = la.exists(y, la.eq(y, x))
    rejected(assume(related), REFLEXIVE, step("obtain", 0, 1, variable=x), rule="obtain")


def test_bound_names_do_not_capture():
    """for all x there is y > x, at x = y, is not: there is y > y."""
    larger = la.forall(x, la.exists(y, la.pd(la.minus(y, x))))
    result = run(assume(larger), step("specialise", 0, value=y)).conclusion
    assert result != la.exists(y, la.pd(la.minus(y, y)))
    assert result == la.exists(x, la.pd(la.minus(x, y)))


def test_exhibit_does_not_capture():
    never = la.forall(x, la.negation(la.eq(x, la.add(x, la.number(1)))))
    predicate = la.lam(y, la.forall(x, la.negation(la.eq(x, y))))
    value = la.add(x, la.number(1))
    rejected(assume(never), step("exhibit", 0, predicate=predicate, value=value), rule="exhibit")


def test_extensionality_needs_a_free_variable():
    steps = (assume(la.eq(x, la.number(0))), step("extensionality", 0, variable=x))
    rejected(*steps, rule="extensionality")


def test_one_name_two_sorts():
    clash = la.conj(la.psd(la.real("a")), la.psd(la.mat("a", d, d)))
    with pytest.raises(KernelError):
        establish(Statement((clash,), clash), Proof((assume(clash),)))


def test_a_free_index_is_no_term():
    for place in (0, 1):
        rejected(assume(la.psd(Term("bound", data=place))), rule="assume")
    loose = Term("apply", (la.lam(x, x), Term("bound", data=0)))
    rejected(step("reflexivity", term=loose), rule="reflexivity")


# Steps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [1, 2, -1, True, False, 0.0, "0", None, (0,)])
def test_only_earlier_steps(index: Any):
    rejected(REFLEXIVE, Step("conjunction", (0, index), {}), rule="conjunction")


def test_no_step_uses_itself():
    rejected(Step("conjunction", (0, 0), {}), rule="conjunction")


def test_unused_steps_and_lemmas():
    assert "nothing uses" in rejected(REFLEXIVE, REFLEXIVE, rule="proof")
    unused = {"idle": Lemma(Statement((), TRUE), Proof((REFLEXIVE,)))}
    rejected(REFLEXIVE, rule="lemma", lemmas=unused)
    rejected(rule="proof")


def test_unknown_names():
    rejected(step("magic"), rule="magic")
    rejected(step("fact", name="magic", instance={}), rule="fact")
    rejected(step("lemma", name="magic", instance={}), rule="lemma")


def test_a_lemma_needs_its_own_proof():
    call = step("lemma", name="false", instance={})
    for proof in (Proof(()), Proof((REFLEXIVE,)), Proof((assume(FALSE),))):
        rejected(call, lemmas={"false": Lemma(Statement((), FALSE), proof)})
    cyclic: dict[str, Lemma] = {}
    cyclic["false"] = Lemma(Statement((), FALSE), Proof((call,), {}))
    rejected(call, lemmas=cyclic)


def test_a_lemma_keeps_its_hypotheses():
    lemma = Lemma(Statement((FALSE,), FALSE), Proof((assume(FALSE),)))
    rejected(step("lemma", name="l", instance={}), lemmas={"l": lemma}, rule="lemma")
    call = step("lemma", 0, name="l", instance={})
    assert run(assume(FALSE), call, lemmas={"l": lemma}).hypotheses == (FALSE,)


@pytest.mark.parametrize(
    "instance",
    [
        {},
        {"d": d},
        {"d": d, "M": u},
        {"d": size(2), "M": V},
        {"d": d, "M": V, "extra": V},
        {"d": V, "M": V},
        {"d": d, "M": Term("bound", data=0)},
        {"d": d, "M": None},
        {"d": 2, "M": V},
    ],
)
def test_instances_are_complete_and_well_sorted(instance: dict):
    rejected(
        assume(la.pd(V)), step("fact", 0, name="definite-inverse", instance=instance), rule="fact"
    )


def test_assumptions_are_not_lost():
    proof = Proof((assume(FALSE),))
    with pytest.raises(KernelError, match="assumptions"):
        establish(Statement((), FALSE), proof)
    with pytest.raises(KernelError):
        establish(Statement((), TRUE), proof)
    # discharging another proposition does not help
    steps = (assume(FALSE), step("discharge", 0, proposition=TRUE))
    assert run(*steps).hypotheses == (FALSE,)


def test_contradiction_needs_a_contradiction():
    steps = (assume(TRUE), assume(FALSE), step("contradiction", 0, 1, proposition=TRUE))
    rejected(*steps, rule="contradiction")


def test_replace_follows_the_template():
    equation = assume(la.eq(x, y))
    rejected(
        equation,
        assume(la.psd(y)),
        step("replace", 0, 1, template=la.lam(c, la.psd(c))),
        rule="replace",
    )
    rejected(equation, assume(TRUE), step("replace", 0, 1, template=HOLE), rule="replace")


# Theorems ------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [Theorem, Refutation])
def test_theorems_come_from_the_kernel(made: type):
    for key in ((), (None,), (object(),), (True,)):
        with pytest.raises(TypeError):
            made((), FALSE, frozenset(), *key)


def test_theorems_cannot_be_edited():
    with pytest.raises((TypeError, ValueError)):
        dataclasses.replace(TRUTH, conclusion=FALSE)
    with pytest.raises(dataclasses.FrozenInstanceError):
        TRUTH.conclusion = FALSE
    assert not hasattr(TRUTH, "__dict__")


def test_counterexamples_cannot_be_edited():
    refutation = next(c for c in ledger().values() if c.counterexample).settle()
    with pytest.raises((TypeError, ValueError)):
        dataclasses.replace(refutation, statement=Statement((), TRUE))
    with pytest.raises(dataclasses.FrozenInstanceError):
        refutation.statement = Statement((), TRUE)


def test_inference_starts_from_theorems():
    forged = SimpleNamespace(hypotheses=(), conclusion=FALSE, facts=frozenset())
    with pytest.raises(KernelError):
        infer(step("conjunction", 0, 0), [forged], {})
    with pytest.raises(KernelError):
        infer(step("lemma", name="x", instance={}), [], {"x": forged})


def test_copies_say_the_same():
    """Copying and pickling keep what was proved.

    Python cannot protect more: object.__setattr__, object.__new__ and a doctored pickle make
    objects of any class.  That is why certificates are JSON that is proved again when read, and
    why nothing here unpickles a theorem.
    """
    for other in (copy.copy(TRUTH), copy.deepcopy(TRUTH), pickle.loads(pickle.dumps(TRUTH))):
        assert other == TRUTH


def test_equality_is_that_of_the_kernel():
    """Neither hypotheses that claim to contain everything nor terms that equal everything."""

    class Everything(tuple):
        def __contains__(self, _: object) -> bool:
            return True

    with pytest.raises(KernelError):
        establish(Statement(Everything(), FALSE), Proof((assume(FALSE),)))
    with pytest.raises(TypeError):
        type("Anything", (Term,), {"__eq__": lambda *_: True, "__ne__": lambda *_: False})


def test_theorems_do_not_alias_lists():
    hypotheses = [FALSE]
    theorem = establish(Statement(hypotheses, FALSE), Proof((assume(FALSE),)))
    hypotheses.clear()
    assert theorem.hypotheses == (FALSE,)


# Sessions ------------------------------------------------------------------------------------


P, R = la.psd(x), la.psd(y)
ASSUMED = check(Proof((assume(P),)))
HOLLOW = Proof((REFLEXIVE,))
CALL = step("lemma", name="l", instance={})


@pytest.mark.parametrize(
    ("statement", "theorem"),
    [
        # another conclusion, one of other variables, one of another sort
        (Statement((), FALSE), TRUTH),
        (Statement((P,), R), ASSUMED),
        (Statement((P,), la.psd(la.mat("x", d, d))), ASSUMED),
        (Statement((P,), la.conj(P, P)), ASSUMED),
        # a theorem with more hypotheses, or with others
        (Statement((), P), ASSUMED),
        (Statement((R,), P), ASSUMED),
        (Statement((la.psd(la.real("z")), R), P), ASSUMED),
        # nothing that the kernel made
        (Statement((), FALSE), SimpleNamespace(hypotheses=(), conclusion=FALSE, facts=frozenset())),
        (Statement((), TRUE), SimpleNamespace(hypotheses=(), conclusion=TRUE, facts=frozenset())),
        (Statement((), TRUE), Lemma(Statement((), TRUE), Proof((REFLEXIVE,)))),
        (Statement((), TRUE), None),
        # no statement
        (Statement((), Term("eq", (V, u))), TRUTH),
        (Statement((la.psd(la.real("d")), la.psd(V)), TRUE), TRUTH),
    ],
)
def test_a_session_knows_only_what_was_proved(statement: Statement, theorem: Any):
    session, lemma = Session(), Lemma(statement, HOLLOW)
    with pytest.raises(KernelError):
        session.know(lemma, theorem)
    if statement.conclusion != TRUE:  # and what was refused is not remembered
        with pytest.raises(KernelError):
            session.theorem(lemma)


def test_a_session_states_a_known_theorem_with_all_hypotheses():
    """Those of the lemma, and the facts of the theorem."""
    proof = Proof(
        (
            assume(la.pd(V)),
            step("fact", 0, name="positive-definite", instance={"d": d, "M": V}),
        )
    )
    theorem = check(proof)
    lemma = Lemma(Statement((P, la.pd(V)), la.psd(V)), HOLLOW)
    session = Session()
    session.know(lemma, theorem)
    known = session.theorem(lemma)
    assert known.statement == lemma.statement
    assert known.facts == {"positive-definite"}
    # used in a proof, it asks for both hypotheses
    call = {"name": "l", "instance": {"d": d, "V": V, "x": x}}
    steps = (assume(P), assume(la.pd(V)), step("lemma", 0, 1, **call))
    assert session.trace(Proof(steps, {"l": lemma}))[-1].hypotheses == (P, la.pd(V))
    with pytest.raises(KernelError):
        session.trace(Proof((assume(la.pd(V)), step("lemma", 0, **call)), {"l": lemma}))


def test_another_session_knows_nothing():
    """What one session took on trust of a theorem is run anew by the next, and by establish."""
    lemma = Lemma(Statement((), TRUE), Proof((assume(TRUE),)))
    first = Session()
    first.know(lemma, TRUTH)
    proof = Proof((CALL,), {"l": lemma})
    assert first.establish(Statement((), TRUE), proof).conclusion == TRUE
    for settle in (Session().establish, establish):
        with pytest.raises(KernelError, match="assumptions"):
            settle(Statement((), TRUE), proof)
    for again in (copy.copy(lemma), copy.deepcopy(lemma)):  # an equal lemma is another one
        with pytest.raises(KernelError):
            first.theorem(again)


def test_a_lemma_that_is_changed_afterwards_stays_what_was_proved():
    """The arguments of its steps, its own lemmas, and its hypotheses."""
    args: dict[str, Any] = {"term": la.number(0)}
    hypotheses = [P]
    lemma = Lemma(Statement(hypotheses, TRUE), Proof((Step("reflexivity", (), args),)))
    session = Session()
    before = session.theorem(lemma)
    args["term"] = la.number(1)
    hypotheses[:] = [FALSE]
    assert session.theorem(lemma) is before
    assert before.statement == Statement((P,), TRUE)
    call = step("lemma", 0, name="l", instance={"x": x})
    proof = Proof((assume(P), call), {"l": lemma})
    assert session.trace(proof)[-1].hypotheses == (P,)
    # a fresh session sees the lemma as it is now: 1 = 1 is not its conclusion
    with pytest.raises(KernelError):
        establish(Statement((P,), TRUE), proof)


def test_lemmas_keep_their_place():
    """A session holds on to the lemmas it has met: no later one is taken for them."""
    session = Session()
    true, false = Statement((), TRUE), Statement((), FALSE)
    session.theorem(Lemma(true, HOLLOW))  # without a name, so that its place could be free
    for lemma in [Lemma(false, HOLLOW) for _ in range(1000)]:
        with pytest.raises(KernelError):
            session.theorem(lemma)


def test_a_rejected_lemma_stays_rejected():
    session = Session()
    lemma = Lemma(Statement((), FALSE), HOLLOW)
    for _ in range(3):
        with pytest.raises(KernelError):
            session.theorem(lemma)
        with pytest.raises(KernelError):
            session.trace(Proof((CALL,), {"l": lemma}))


def test_a_lemma_does_not_rest_on_itself():
    own: dict[str, Lemma] = {}
    own["l"] = Lemma(Statement((), FALSE), Proof((CALL,), own))
    with pytest.raises(KernelError):
        Session().theorem(own["l"])
    with pytest.raises(KernelError):
        establish(Statement((), FALSE), Proof((CALL,), own))


# Mathematics ---------------------------------------------------------------------------------


def algebra(left: Term, right: Term, *uses: int, contexts: tuple = ()) -> Step:
    return step("algebra", *uses, left=left, right=right, contexts=contexts)


def literal(*rows: list) -> Term:
    return la.literal(list(rows))


I2 = la.identity(size(2))
SINGULAR = literal([1, 2], [2, 4])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (la.mul(V, A), la.mul(A, V)),
        (la.tp(V), V),
        (la.tp(la.mul(V, A)), la.mul(la.tp(V), la.tp(A))),
        (la.mul(la.inv(V), V), la.identity(d)),
        (la.inv(la.inv(V)), V),
        (la.inv(la.mul(V, A)), la.mul(la.inv(A), la.inv(V))),
        (la.inv(la.scale(2, V)), la.scale(2, la.inv(V))),
        (la.mul(la.inv(x), x), la.number(1)),
        (la.inv(la.number(0)), la.number(1)),
        (la.mul(la.inv(SINGULAR), SINGULAR), I2),
        (la.mul(la.root(V), la.root(V)), V),
        (la.mul(V, la.pinv(V), V), V),
        (la.tr(la.mul(V, A)), la.mul(la.tr(V), la.tr(A))),
        (la.tr(la.mul(V, A, M)), la.tr(la.mul(V, M, A))),
        (la.tr(la.identity(d)), la.number(2)),
        (la.dimension(d), la.number(1)),
        (la.mul(u, la.tp(u)), la.scale(2, la.mul(u, la.tp(u)))),
        (la.exp(la.add(x, y)), la.add(la.exp(x), la.exp(y))),
        (la.exp(la.number(0)), la.number(1)),
        (la.rank(V), la.rank(la.tp(V))),
        (la.lmax(la.scale(2, V)), la.scale(2, la.lmax(V))),
        (la.mul(literal([0, 1], [0, 0]), literal([0, 0], [1, 0])), I2),
        (literal([1, 2], [3, 4]), literal([1, 3], [2, 4])),
    ],
)
def test_algebra_rejects(left: Term, right: Term):
    rejected(algebra(left, right), rule="algebra")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (la.tp(la.mul(V, A)), la.mul(la.tp(A), la.tp(V))),
        (la.tr(la.mul(V, A, M)), la.tr(la.mul(M, V, A))),
        (la.tr(V), la.tr(la.tp(V))),
        (la.tr(la.mul(u, la.tp(u))), la.mul(la.tp(u), u)),
        (la.tr(la.identity(d)), la.dimension(d)),
        (la.mul(x, y), la.mul(y, x)),
        (la.mul(la.tp(u), V, u), la.mul(la.tp(u), la.tp(V), u)),
        (la.tp(la.inv(V)), la.inv(la.tp(V))),
        (la.tp(la.root(V)), la.root(V)),
        (la.mul(la.mat("p", ONE, ONE), la.mat("q", ONE, ONE)), la.mul(la.real("q"), la.real("p"))),
        (la.inv(la.scale(2, la.identity(d))), la.scale(Fraction(1, 2), la.identity(d))),
        (la.mul(literal([0, 1], [0, 0]), literal([0, 0], [1, 0])), literal([1, 0], [0, 0])),
    ],
)
def test_algebra_accepts(left: Term, right: Term):
    assert run(algebra(left, right)).conclusion == la.eq(left, right)


def test_commutation_is_for_the_literal_size_one():
    assert run(algebra(la.mul(x, y), la.mul(y, x)))
    for n in (d, size(2), size(3)):
        p, q = la.mat("p", n, n), la.mat("q", n, n)
        rejected(algebra(la.mul(p, q), la.mul(q, p)), rule="algebra")


def test_symmetry_has_to_be_proved():
    flipped = (la.tp(V), V)
    rejected(assume(la.psd(A)), algebra(*flipped, 0, contexts=(None,)), rule="algebra")
    rejected(assume(la.eq(V, la.tp(A))), algebra(*flipped, 0, contexts=(None,)), rule="algebra")
    rejected(assume(la.invertible(V)), algebra(*flipped, 0, contexts=(None,)), rule="algebra")
    used = run(assume(la.psd(V)), algebra(*flipped, 0, contexts=(None,)))
    assert used.hypotheses == (la.psd(V),)


def test_inverses_cancel_only_with_existence():
    cancel = la.lam(la.mat("h", d, d), la.mat("h", d, d))
    target = algebra(la.mul(la.inv(V), V), la.identity(d), 0, contexts=(cancel,))
    rejected(assume(la.eq(V, V)), target, rule="algebra")
    rejected(step("fact", name="inverse", instance={"d": d, "M": V}), rule="fact")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (la.mul(V, u), la.mul(u, V)),
        (la.add(V, u), V),
        (V, u),
        (la.mul(V, la.mat("W", n, d)), V),
        (la.tr(u), la.number(0)),
        (la.inv(u), u),
    ],
)
def test_shapes(left: Term, right: Term):
    rejected(algebra(left, right), rule="algebra")


def positivity(matrix: Term, summands: tuple, *uses: int, **args: Any) -> Step:
    return step("positivity", *uses, matrix=matrix, summands=summands, **args)


def summand(factor: Term, coefficient: Any = Fraction(1), core: Any = None, scalars: tuple = ()):
    return {"coefficient": coefficient, "core": core, "scalars": scalars, "factor": factor}


CONGRUENT, MULTIPLE = la.mul(la.tp(V), M, V), la.scale(x, la.identity(d))
I, GRAM = la.identity(d), la.mul(la.tp(V), V)  # noqa: E741 (the identity matrix)


@pytest.mark.parametrize(
    "attack",
    [
        [positivity(la.scale(-1, I), (summand(I, Fraction(-1)),))],
        [positivity(I, (summand(I, 1),))],
        [positivity(I, (summand(I, 1.0),))],
        [positivity(I, (summand(I, True),))],
        [positivity(GRAM, (summand(V),), strict=True)],
        [positivity(V, (summand(V),))],
        [positivity(la.mul(V, la.tp(V)), (summand(V),))],
        [assume(la.psd(M)), positivity(M, (summand(I, core=0),), 0, strict=True)],
        [assume(la.pd(M)), positivity(CONGRUENT, (summand(V, core=0),), 0, strict=True)],
        [assume(la.psd(x)), positivity(MULTIPLE, (summand(I, scalars=(0,)),), 0, strict=True)],
        [assume(la.eq(M, M)), positivity(M, (summand(I, core=0),), 0)],
        [assume(la.invertible(M)), positivity(M, (summand(I, core=0),), 0)],
        [assume(la.psd(M)), positivity(M, (summand(I, scalars=(0,)),), 0)],
        [assume(la.psd(M)), positivity(la.scale(2, M), (summand(I, core=0),), 0)],
        [positivity(la.zero(d, d), (summand(I, Fraction(0)),), strict=True)],
        [positivity(u, (summand(u),))],
        [positivity(la.number(0), (), strict=True)],
        [positivity(la.number(1), ())],
    ],
)
def test_positivity_rejects(attack: list[Step]):
    rejected(*attack, rule="positivity")


@pytest.mark.parametrize(
    "attack",
    [
        step("definite", matrix=literal([1, 2], [0, 1]), strict=False),
        step("definite", matrix=literal([1, 2], [2, 1]), strict=False),
        step("definite", matrix=SINGULAR, strict=True),
        step("definite", matrix=literal([0, 1], [1, 0]), strict=False),
        step("definite", matrix=literal([0, 1], [1, 5]), strict=False),
        step("definite", matrix=literal([-1]), strict=False),
        step("definite", matrix=literal([0]), strict=True),
        step("definite", matrix=literal([1, 2]), strict=False),
        step("definite", matrix=V, strict=False),
        step("definite", matrix=I, strict=True),
        step("definite", matrix=la.scale(-1, I2), strict=False),
        step("definite", matrix=la.minus(I2, SINGULAR), strict=False),
        step("definite", matrix=la.mul(SINGULAR, literal([0, 1], [1, 0])), strict=False),
        step("definite", matrix=la.mul(la.tp(literal([1, 2])), literal([1, 2])), strict=True),
        step("definite", matrix=la.zero(size(2), size(2)), strict=True),
        step("definite", matrix=literal([1, 2], [2, 1]), congruence=literal([1, 0], [0, 1])),
        step("definite", matrix=literal([1, 2], [2, 1]), congruence=literal([1, 1], [1, 1])),
        step("definite", matrix=literal([1, 2], [2, 1]), congruence=literal([1], [1])),
        step("definite", matrix=literal([1, 2], [2, 1]), congruence=literal([1])),
        step("definite", matrix=literal([1, 2], [0, 9]), congruence=literal([1, 0], [0, 1])),
        step("definite", matrix=SINGULAR, congruence=literal([1, -2], [0, 1])),
        step("definite", matrix=literal([-1]), congruence=literal([-1])),
        step("definite", matrix=literal([1]), congruence=literal([0])),
        step("definite", matrix=literal([1, 2]), congruence=literal([1])),
        # no congruence at all is not an empty one, and an expression is not a literal
        step("definite", matrix=literal([1, 0], [0, 1]), congruence=None),
        step("definite", matrix=literal([1, 0], [0, 1]), congruence=I2),
        step("indefinite", matrix=SINGULAR, witness=literal([1], [1])),
        step("indefinite", matrix=SINGULAR, witness=literal([2], [-1])),
        step("indefinite", matrix=SINGULAR, witness=literal([1])),
        step("indefinite", matrix=SINGULAR, witness=literal([1, 0], [0, 1])),
        step("indefinite", matrix=literal([1, 2]), witness=literal([-1])),
        step("unequal", left=literal([1]), right=literal([1])),
        step("unequal", left=literal([1]), right=literal([Fraction(2, 2)])),
        step("unequal", left=literal([1]), right=literal([1, 0], [0, 1])),
        step("unequal", left=la.number(1), right=la.identity(ONE)),
        step("rank", matrix=V),
        step("rank", matrix=I2),
    ],
)
def test_literals(attack: Step):
    rejected(attack, rule=attack.rule)


def test_rank_is_exact():
    assert run(step("rank", matrix=SINGULAR)).conclusion == la.eq(la.rank(SINGULAR), la.number(1))


DENOMINATOR = la.minus(la.number(1), t)
RATIONAL = la.lam(t, la.inv(DENOMINATOR))


def regular(end: Term, matrix: Term) -> Term:
    return la.forall(t, la.implies(la.within(t, end), la.invertible(matrix)))


def test_differentiate_needs_inverses():
    derive = {"lifetime": T, "curve": RATIONAL, "time": t}
    rejected(step("differentiate", **derive), rule="differentiate")
    for wrong in (
        regular(la.finite(la.number(1)), DENOMINATOR),
        regular(T, la.minus(t, la.number(1))),
        la.forall(t, la.invertible(DENOMINATOR)),
        la.invertible(DENOMINATOR),
    ):
        rejected(assume(wrong), step("differentiate", 0, **derive), rule="differentiate")
    good = run(assume(regular(T, DENOMINATOR)), step("differentiate", 0, **derive))
    assert good.conclusion.args[2] != RATIONAL
    assert good.hypotheses == (regular(T, DENOMINATOR),)


@pytest.mark.parametrize(
    "curve",
    [
        la.lam(t, la.exp(t)),
        la.lam(t, la.root(t)),
        la.lam(t, la.pinv(t)),
        la.lam(t, la.lmax(la.scale(t, V))),
        la.lam(t, la.rank(la.scale(t, V))),
        la.lam(t, la.at(la.time_to("X", d, d), t)),
        la.lam(x, t),
    ],
)
def test_differentiate_knows_only_rational_curves(curve: Term):
    rejected(step("differentiate", lifetime=T, curve=curve, time=t), rule="differentiate")


Z = la.mat("Z", d, d)


@pytest.mark.parametrize(
    "body",
    [
        la.inv(Z),
        la.root(Z),
        la.pinv(Z),
        la.mul(Z, la.inv(la.add(la.identity(d), Z))),
        la.scale(la.lmax(Z), Z),
        la.scale(la.rank(Z), Z),
        la.scale(la.exp(la.tr(Z)), Z),
        la.at(la.field("F", d), Z),
    ],
)
def test_polynomial_knows_only_polynomials(body: Term):
    rejected(step("polynomial", field=la.lam(Z, body), state=Z), rule="polynomial")


def test_polynomial_state_must_be_fresh():
    field = la.lam(Z, la.mul(Z, Z, V))
    rejected(step("polynomial", field=field, state=V), rule="polynomial")


r = la.real("r")
FAMILY = function_sort(index_sort(size(2)), REAL)


@pytest.mark.parametrize(
    "body",
    [
        la.inv(r),
        la.root(r),
        la.det(r),
        la.lmax(r),
        la.rank(r),
        la.pinv(r),
        la.at(la.time_to("X", ONE, ONE), r),
        la.integral(la.gaussian(r, la.number(1)), x, x),
        la.exp(la.inv(la.exp(r))),
        la.mul(r, la.inv(la.add(la.number(1), la.mul(r, r)))),
        Term("sum", (la.at(variable("f", function_sort(REAL, FAMILY)), r),)),
    ],
)
def test_continuous_knows_only_continuous_operations(body: Term):
    """Inverses need a step that says that they exist at every point."""
    rejected(step("continuous", function=la.lam(r, body), point=r), rule="continuous")
    rejected(step("continuous", function=la.lam(r, la.add(r, body)), point=r), rule="continuous")


def test_continuous_needs_the_inverse_everywhere():
    body, square = la.inv(r), la.mul(r, r)
    everywhere = la.forall(r, la.invertible(r))
    for premise, function in (
        (la.invertible(r), la.lam(r, body)),
        (la.forall(r, la.pd(r)), la.lam(r, body)),
        (la.forall(r, la.implies(la.pd(r), la.invertible(r))), la.lam(r, body)),
        (la.forall(x, la.invertible(y)), la.lam(r, body)),
        (everywhere, la.lam(r, la.inv(square))),
        (everywhere, la.lam(r, la.mul(body, la.inv(square)))),
        (everywhere, la.lam(r, square)),
    ):
        rejected(
            assume(premise),
            step("continuous", 0, function=function, point=r),
            rule="continuous",
        )
    uses = step("continuous", 0, function=la.lam(r, body), point=r)
    assert run(assume(everywhere), uses).hypotheses == (everywhere,)


def test_continuous_point_must_be_fresh():
    function = la.lam(x, la.mul(x, la.inv(r)))
    rejected(step("continuous", function=function, point=r), rule="continuous")
    assert run(step("continuous", function=function, point=y))
    rejected(step("continuous", function=function, point=V), rule="continuous")
    rejected(step("continuous", function=function, point=la.number(1)), rule="continuous")
    rejected(step("continuous", function=la.mul(x, x), point=y), rule="continuous")


# Identities in the entries -------------------------------------------------------------------

TWO, THREE = size(2), size(3)
P2, Q2, S2 = (la.mat(name, TWO, TWO) for name in ("P2", "Q2", "S2"))
w2, tall = la.vec("w2", TWO), la.mat("tall", THREE, TWO)
PAIR = variable("pair", function_sort(index_sort(size(2)), S2.args[0]))
TURN = literal([0, 1], [-1, 0])
i2, j2 = la.head("i", TWO), la.head("j", TWO)


def entries(left: Term, right: Term, *uses: int, **args: Any) -> Step:
    return step("entries", *uses, left=left, right=right, **args)


def cayley_hamilton(matrix: Term, trace: Term, squares: Term) -> tuple[Term, Term]:
    """M^2 + (tr(M)^2 - tr(M^2))/2 I = tr(M) M, for 2 x 2."""
    determinant = la.scale(Fraction(1, 2), la.minus(la.mul(trace, trace), squares))
    left = la.add(la.mul(matrix, matrix), la.scale(determinant, la.identity(TWO)))
    return left, la.scale(trace, matrix)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (la.mul(P2, Q2), la.mul(Q2, P2)),
        (P2, la.tp(P2)),
        (la.mul(P2, TURN, P2), la.mul(la.tp(P2), TURN, P2)),
        (la.tr(la.mul(P2, Q2)), la.mul(la.tr(P2), la.tr(Q2))),
        # whatever is no sum, product, transpose or trace is any matrix
        (la.mul(la.inv(P2), P2), I2),
        (la.mul(la.inv(literal([2, 0], [0, 2])), literal([2, 0], [0, 2])), I2),
        (la.inv(la.inv(P2)), P2),
        (la.tp(la.root(P2)), la.root(P2)),
        (la.mul(la.root(P2), la.root(P2)), P2),
        (la.mul(la.principal_root(P2), la.principal_root(P2)), P2),
        (la.mul(P2, la.pinv(P2), P2), P2),
        (la.det(la.mul(P2, Q2)), la.det(la.mul(Q2, P2))),
        (la.det(P2), la.det(la.tp(P2))),
        (la.exp(la.add(x, y)), la.mul(la.exp(x), la.exp(y))),
        (la.exp(la.number(0)), la.number(1)),
        (la.exp(x), la.exp(y)),
        (la.rank(I2), la.number(2)),
        (la.lmax(P2), la.lmax(Q2)),
        (la.inv(P2), la.inv(Q2)),
        (la.at(PAIR, i2), la.at(PAIR, j2)),
        (la.total(i2, la.at(PAIR, i2)), la.scale(2, la.at(PAIR, i2))),
        (la.total(i2, la.at(PAIR, i2)), la.at(PAIR, Term("index", (TWO,), 1))),
        (la.mul(la.tp(tall), tall), la.zero(TWO, TWO)),
        (la.mul(tall, la.tp(tall)), la.identity(THREE)),
        # the sizes are not known, or not the same
        (la.mul(V, A), la.mul(A, V)),
        (V, V),
        (la.identity(d), la.identity(d)),
        (la.tr(V), la.tr(la.tp(V))),
        (la.dimension(d), la.number(1)),
        (la.dimension(TWO), la.number(2)),
        (la.mul(u, la.tp(u)), la.mul(u, la.tp(u))),
        (la.mul(la.tp(u), u), la.tr(la.mul(u, la.tp(u)))),
        (P2, la.identity(THREE)),
        (w2, la.tp(w2)),
        (la.tr(P2), P2),
        (la.zero(TWO, THREE), la.zero(THREE, TWO)),
        (la.mul(la.tp(tall), tall), la.mul(tall, la.tp(tall))),
        # not matrices
        (la.lam(x, x), la.lam(x, x)),
        (la.lam(P2, la.mul(P2, Q2)), la.lam(P2, la.mul(P2, Q2))),
        (TRUE, TRUE),
        (T, T),
        (i2, i2),
        (PAIR, PAIR),
        (d, d),
        # Cayley and Hamilton's identity for the wrong trace, for another size, off by a sign
        cayley_hamilton(P2, la.tr(Q2), la.tr(la.mul(P2, P2))),
        cayley_hamilton(P2, la.tr(P2), la.tr(la.mul(P2, la.tp(P2)))),
        cayley_hamilton(la.scale(2, P2), la.tr(P2), la.tr(la.mul(P2, P2))),
        cayley_hamilton(P2, la.scale(-1, la.tr(P2)), la.tr(la.mul(P2, P2))),
        # not one letter, although the names are equal
        (la.mul(la.real("P2"), la.number(2)), la.add(la.real("P2"), la.real("p2"))),
    ],
)
def test_entries_rejects(left: Term, right: Term):
    rejected(entries(left, right), rule="entries")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        cayley_hamilton(P2, la.tr(P2), la.tr(la.mul(P2, P2))),
        cayley_hamilton(la.inv(P2), la.tr(la.inv(P2)), la.tr(la.mul(la.inv(P2), la.inv(P2)))),
        (la.mul(la.tp(w2), TURN, w2), la.number(0)),
        (la.minus(P2, la.tp(P2)), la.scale(la.tr(la.mul(la.tp(TURN), P2)), TURN)),
        (la.scale(la.inv(x), la.scale(la.exp(y), P2)), la.scale(la.mul(la.exp(y), la.inv(x)), P2)),
        (la.total(i2, la.at(PAIR, i2)), la.add(*(la.at(PAIR, index(k, 2)) for k in (2, 1)))),
        (la.zero(TWO, THREE), la.scale(0, la.tp(tall))),
    ],
)
def test_entries_accepts(left: Term, right: Term):
    assert run(entries(left, right)).conclusion == la.eq(left, right)


SKEW_PART = la.tr(la.mul(TURN, S2))


@pytest.mark.parametrize(
    ("premise", "left", "right"),
    [
        # another matrix, not symmetric, a symmetric product, the wrong way round, families
        (la.psd(P2), la.tp(S2), S2),
        (la.eq(S2, la.tp(P2)), la.tp(S2), S2),
        (la.eq(S2, S2), la.tp(S2), S2),
        (la.invertible(S2), la.tp(S2), S2),
        (la.negation(la.psd(S2)), la.tp(S2), S2),
        (la.implies(TRUE, la.psd(S2)), la.tp(S2), S2),
        (la.psd(la.inv(S2)), la.tp(S2), S2),
        (la.psd(la.mul(P2, P2)), la.tp(P2), P2),
        (la.psd(la.mul(P2, Q2)), la.mul(P2, Q2), la.mul(Q2, P2)),
        (la.psd(S2), la.tp(la.mul(S2, P2)), la.mul(S2, P2)),
        (la.psd(S2), la.mul(S2, P2), la.mul(P2, S2)),
        (la.psd(S2), la.tp(la.root(P2)), la.root(P2)),
        (la.forall(S2, la.psd(S2)), la.tp(S2), S2),
        (la.forall(i2, la.psd(la.at(PAIR, i2))), la.tp(S2), S2),
        (la.forall(i2, la.psd(S2)), la.tp(S2), S2),
        # what is declared symmetric is no more than that
        (la.psd(S2), la.tr(S2), la.number(0)),
        (la.pd(S2), la.mul(la.inv(S2), S2), I2),
        (la.psd(x), la.mul(x, y), la.number(0)),
    ],
)
def test_entries_are_symmetric_where_that_is_proved(premise: Term, left: Term, right: Term):
    rejected(assume(premise), entries(left, right, 0), rule="entries")


def test_entries_keep_the_hypothesis_of_symmetry():
    for premise in (la.psd(S2), la.pd(S2), la.symmetric(S2)):
        result = run(assume(premise), entries(SKEW_PART, la.number(0), 0))
        assert result.hypotheses == (premise,)
    rejected(entries(SKEW_PART, la.number(0)), rule="entries")
    # one of two matrices only
    both = la.mul(TURN, la.minus(S2, la.tp(P2)))
    rejected(assume(la.psd(S2)), entries(la.tr(both), la.number(0), 0), rule="entries")


def test_entries_do_not_depend_on_names_of_bound_variables():
    """A family over another index, an integral over another point: equal terms, one letter."""
    mu = la.gaussian(w2, P2)
    point = la.vec("a", TWO), la.vec("b", TWO)
    first, second = (la.integral(mu, z, la.mul(z, la.tp(z))) for z in point)
    assert run(entries(la.mul(first, Q2), la.mul(second, Q2)))
    rejected(entries(first, la.integral(mu, point[0], la.mul(w2, la.tp(point[0])))), rule="entries")
    assert run(entries(la.total(i2, la.at(PAIR, i2)), la.total(j2, la.at(PAIR, j2))))


def test_too_many_entries_are_a_kernel_error():
    big = la.mat("B", size(15), size(15))
    assert "too many" in rejected(entries(big, big), rule="entries")
    family = variable("f", function_sort(index_sort(n), REAL))
    added = Term("sum", (family,))
    rejected(entries(added, added), rule="entries")


LETTERS_OF_KNOWN_SIZE = (P2, la.tp(Q2), S2, TURN, I2, la.mul(w2, la.tp(w2)), la.scale(x, P2))


KINDS = ("add", "mul", "mul", "scale", "tp", "trace", "inverse")


@st.composite
def expressions(draw: Any, letters: Sequence[Term], kinds: Sequence[str], depth: int) -> Term:
    """Random terms of ``letters``, square matrices of one size."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(letters))
    kind = draw(st.sampled_from(kinds))
    inner = expressions(letters, kinds, depth - 1)
    if kind in ("add", "mul"):
        return Term(kind, (draw(inner), draw(inner)))
    if kind == "scale":
        return la.scale(Fraction(draw(st.integers(-3, 3)), draw(st.integers(1, 3))), draw(inner))
    if kind == "tp":
        return la.tp(draw(inner))
    if kind == "trace":
        return la.scale(la.tr(draw(inner)), draw(inner))
    return Term(kind, (draw(inner),))


SIZED = expressions(LETTERS_OF_KNOWN_SIZE, (*KINDS, "root"), 2)


def follows(left: Term, right: Term) -> bool:
    try:
        run(assume(la.psd(S2)), entries(left, right, 0))
    except KernelError:
        return False
    return True


@given(SIZED, SIZED, st.integers(0, 2**20))
def test_entries_agree_with_independent_evaluation(left: Term, other: Term, seed: int):
    """Cayley and Hamilton's identity hidden in one side; and no more than what is true."""
    changed = shuffled(left, random.Random(seed))
    opaque = any(part.op in ("inverse", "root") for part in left.parts())
    right = left if opaque else changed
    zero = la.minus(*cayley_hamilton(other, la.tr(other), la.tr(la.mul(other, other))))
    points = [truth.Point(seed, frozenset({"S2"})) for seed in (11, 12, 13)]
    assert follows(left, la.add(right, zero))
    for candidate in (other, la.add(right, other), la.mul(right, other), la.tp(left)):
        if follows(left, candidate):
            assert all(point(left) == point(candidate) for point in points)


# Smooth near a point -------------------------------------------------------------------------


def smooth_at(body: Term, *uses: int, point: Term = Z, of: Term = Z) -> Step:
    return step("smooth_at", *uses, function=la.lam(of, body), point=point)


NORM = la.root(la.tr(la.mul(la.tp(Z), Z)))
heads = la.head("h", n)
parts = la.family("parts", n, d, d)
field_of_many = variable("F", function_sort(Z.args[0], function_sort(index_sort(n), Z.args[0])))


@pytest.mark.parametrize(
    "body",
    [
        la.inv(Z),
        la.principal_root(Z),
        la.root(Z),
        la.root(la.mul(la.tp(Z), Z)),
        la.root(la.add(la.identity(d), la.mul(la.tp(Z), Z))),
        la.pinv(Z),
        la.scale(NORM, V),
        la.scale(la.lmax(Z), V),
        la.scale(la.rank(Z), V),
        la.scale(la.det(Z), V),
        la.scale(la.exp(NORM), V),
        la.mul(V, la.inv(la.add(la.identity(d), la.mul(la.tp(Z), Z))), Z),
        la.principal_root(la.add(la.identity(d), la.mul(Z, V))),
        la.at(la.field("F", d), Z),
        la.at(la.field("F", d), la.mul(Z, Z)),
        la.at(field_of_many, Z, heads),
        la.total(heads, la.at(field_of_many, Z, heads)),
        Term("sum", (la.at(field_of_many, Z),)),
        la.total(heads, la.root(la.mul(la.at(parts, heads), Z))),
        la.total(heads, la.inv(la.mul(la.at(parts, heads), Z))),
        la.integral(la.gaussian(u, Z), u, la.mul(u, la.tp(u))),
        la.at(Term("family", (Z, V)), la.head("k", TWO)),
        la.total(i2, la.at(Term("family", (Z, V)), i2)),
    ],
)
def test_smooth_at_knows_only_smooth_operations(body: Term):
    """Inverses and roots need a step that says that they are regular there."""
    rejected(smooth_at(body), rule="smooth_at")
    rejected(smooth_at(la.add(la.mul(Z, Z), body)), rule="smooth_at")
    rejected(smooth_at(la.scale(0, body)), rule="smooth_at")
    for premise in (la.psd(Z), la.pd(Z), la.symmetric(Z), la.invertible(V), la.slit(V), TRUE):
        rejected(assume(premise), smooth_at(body, 0), rule="smooth_at")


INVERSE, PRINCIPAL = la.inv(Z), la.principal_root(Z)
NEXT = la.add(la.identity(d), Z)


@pytest.mark.parametrize(
    ("body", "premises"),
    [
        # elsewhere, everywhere but conditionally, of something else, or the other condition
        (INVERSE, (la.invertible(M),)),
        (INVERSE, (la.invertible(la.tp(Z)),)),
        (INVERSE, (la.forall(Z, la.invertible(Z)),)),
        (INVERSE, (la.implies(la.pd(Z), la.invertible(Z)),)),
        (INVERSE, (la.slit(Z),)),
        (INVERSE, (la.exists(Z, la.invertible(Z)),)),
        (INVERSE, (la.eq(la.mul(Z, INVERSE), la.identity(d)),)),
        (PRINCIPAL, (la.invertible(Z),)),
        (PRINCIPAL, (la.slit(NEXT),)),
        (PRINCIPAL, (la.slit(la.mul(Z, Z)),)),
        (la.principal_root(la.mul(Z, Z)), (la.slit(Z),)),
        (la.inv(la.mul(Z, Z)), (la.invertible(Z),)),
        (la.inv(NEXT), (la.invertible(Z),)),
        # two conditions: each of them, and in the order in which they are met
        (la.mul(INVERSE, la.inv(NEXT)), (la.invertible(Z),)),
        (la.mul(INVERSE, la.inv(NEXT)), (la.invertible(NEXT), la.invertible(Z))),
        (la.mul(INVERSE, la.inv(NEXT)), (la.conj(la.invertible(Z), la.invertible(NEXT)),)),
        (la.inv(PRINCIPAL), (la.invertible(PRINCIPAL),)),
        (la.inv(PRINCIPAL), (la.slit(Z),)),
        (la.principal_root(INVERSE), (la.slit(INVERSE),)),
        (la.inv(la.add(PRINCIPAL, la.root(Z))), (la.slit(Z), la.slit(Z))),
        # a condition too many
        (la.mul(Z, Z), (la.invertible(Z),)),
        (INVERSE, (la.invertible(Z), la.invertible(Z))),
    ],
)
def test_smooth_at_needs_its_conditions_there(body: Term, premises: tuple[Term, ...]):
    steps = [assume(premise) for premise in premises]
    rejected(*steps, smooth_at(body, *range(len(steps))), rule="smooth_at")


def test_smooth_at_keeps_its_conditions():
    result = run(assume(la.invertible(Z)), smooth_at(INVERSE, 0))
    assert result.hypotheses == (la.invertible(Z),)
    assert result.conclusion == la.smooth_at(la.lam(Z, INVERSE), Z)
    # so that it is not smooth everywhere, nor on the cone, nor at a singular matrix
    steps = (assume(la.invertible(Z)), smooth_at(INVERSE, 0))
    rejected(*steps, step("generalise", 1, variable=Z), rule="generalise")
    inner = (*steps, step("discharge", 1, proposition=la.psd(Z)))
    rejected(*inner, step("generalise", 2, variable=Z), rule="generalise")
    whole = run(
        assume(la.invertible(Z)),
        smooth_at(INVERSE, 0),
        step("discharge", 1, proposition=la.invertible(Z)),
    )
    assert whole.conclusion != la.implies(la.psd(Z), la.smooth_at(la.lam(Z, INVERSE), Z))


def test_smooth_at_is_not_smooth_on_the_closed_cone():
    """What is smooth at positive definite matrices may have a kink at singular ones."""
    steps = [
        assume(la.pd(Z)),
        step("fact", 0, name="definite-inverse", instance={"d": d, "M": Z}),
        step("part", 1, index=0),
        smooth_at(INVERSE, 2),
        step("discharge", 3, proposition=la.pd(Z)),
        step("generalise", 4, variable=Z),
    ]
    open_cone = run(*steps).conclusion
    field = la.lam(Z, INVERSE)
    assert open_cone == la.forall(Z, la.implies(la.pd(Z), la.smooth_at(field, Z)))
    assert open_cone != la.smooth_on_cone(field)
    flow = {
        "d": d,
        "F": field,
        "X": la.time_to("X", d, d),
        "X0": V,
        "T": T,
        "P": I,
        "b": la.lam(t, t),
    }
    maximal = la.maximal(T, flow["X"], field, V)
    stays = la.on_lifetime(T, lambda t: la.psd(la.at(flow["X"], t)))
    assert "premise" in rejected(
        *steps,
        assume(maximal),
        assume(stays),
        assume(la.pd(I)),
        assume(la.continuous(flow["b"])),
        assume(la.on_lifetime(T, lambda t: la.le(la.tr(la.mul(I, la.at(flow["X"], t))), t))),
        step("fact", 5, 6, 7, 8, 9, 10, name="bounded-solution", instance=flow),
        rule="fact",
    )


def test_the_point_of_smooth_at_is_free():
    rejected(smooth_at(la.mul(Z, V), point=V), rule="smooth_at")
    rejected(smooth_at(la.mul(Z, la.inv(V)), point=V), rule="smooth_at")
    # in the function or in a premise that the point would capture
    constant = la.lam(M, la.inv(Z))
    rejected(step("smooth_at", function=constant, point=Z), rule="smooth_at")
    assert run(step("smooth_at", function=constant, point=M)).hypotheses == ()
    for point in (la.identity(d), la.zero(d, d), la.mul(V, V), la.number(1), u, x, d, T, t):
        rejected(smooth_at(la.mul(Z, Z), point=point), rule="smooth_at")
    for function in (la.mul(V, V), V, TRUE, la.field("F", d), la.time_to("X", d, d)):
        rejected(step("smooth_at", function=function, point=Z), rule="smooth_at")
    # a map of indices, of curves, of propositions has no derivative
    curve = la.time_to("X", ONE, ONE)
    for state in (heads, curve, variable("state", PROP), T):
        rejected(step("smooth_at", function=la.lam(state, state), point=state), rule="smooth_at")
        constant = la.lam(state, la.number(1))
        rejected(step("smooth_at", function=constant, point=state), rule="smooth_at")
    rejected(step("smooth_at", function=la.lam(Z, la.psd(Z)), point=Z), rule="smooth_at")
    rejected(step("smooth_at", function=la.lam(x, T), point=x), rule="smooth_at")


def test_smooth_at_asks_for_every_member_of_a_sum():
    inverted = la.mul(la.at(parts, heads), Z)
    body = la.total(heads, la.inv(inverted))
    every = la.forall(heads, la.invertible(inverted))
    assert run(assume(every), smooth_at(body, 0)).hypotheses == (every,)
    k = la.head("k", n)
    other = la.forall(k, la.invertible(la.mul(la.at(la.family("others", n, d, d), k), Z)))
    one = la.invertible(la.mul(la.at(parts, k), Z))
    some = la.exists(heads, la.invertible(inverted))
    twice = la.forall(heads, la.forall(k, la.invertible(inverted)))
    for premise in (other, one, some, twice, la.forall(heads, one)):
        rejected(assume(premise), smooth_at(body, 0), rule="smooth_at")
    # the member that the rule picks is none that the sum speaks of
    for name in ("h0", "h1", "h", "member"):
        free = la.head(name, n)
        mixed = la.total(heads, la.inv(la.add(inverted, la.at(parts, free))))
        every_mixed = la.forall(heads, la.invertible(la.add(inverted, la.at(parts, free))))
        same = la.forall(heads, la.invertible(la.add(inverted, la.at(parts, heads))))
        if name != "h":
            assert run(assume(every_mixed), smooth_at(mixed, 0))
            rejected(assume(same), smooth_at(mixed, 0), rule="smooth_at")
        rejected(assume(every), smooth_at(mixed, 0), rule="smooth_at")
    double = la.total(heads, la.total(k, la.inv(la.mul(la.at(parts, heads), Z, la.at(parts, k)))))
    pairs = la.invertible(la.mul(la.at(parts, heads), Z, la.at(parts, k)))
    assert run(assume(la.forall(heads, la.forall(k, pairs))), smooth_at(double, 0))
    swapped = la.invertible(la.mul(la.at(parts, k), Z, la.at(parts, heads)))
    rejected(assume(la.forall(heads, la.forall(k, swapped))), smooth_at(double, 0))
    rejected(
        assume(
            la.forall(heads, la.invertible(la.mul(la.at(parts, heads), Z, la.at(parts, heads))))
        ),
        smooth_at(double, 0),
    )


def test_smooth_at_is_not_polynomial_nor_continuous_everywhere():
    """The rule gives no more than the property at the point."""
    squares = la.lam(Z, la.mul(Z, Z))
    near = run(step("smooth_at", function=squares, point=Z)).conclusion
    assert near == la.smooth_at(squares, Z)
    assert near not in (la.smooth(squares), la.continuous(squares))
    for function in (la.lam(Z, PRINCIPAL), la.lam(Z, INVERSE)):
        rejected(step("polynomial", field=function, state=Z), rule="polynomial")
        rejected(step("continuous", function=function, point=Z), rule="continuous")
        rejected(
            assume(la.slit(Z)), step("continuous", 0, function=function, point=Z), rule="continuous"
        )


# Maximal solutions ---------------------------------------------------------------------------

ROOTED = la.lam(x, la.scale(2, la.root(x)))
LINE = {"d": ONE, "X": la.lam(t, la.mul(t, t)), "F": ROOTED, "X0": la.number(0)}


def flowing(end: Term, curve: Term, field: Term, start: Term) -> Term:
    return la.ode(end, curve, la.lam(t, la.at(field, la.at(curve, t))))


def test_maximal_solutions_need_a_smooth_field():
    """x' = 2 sqrt(x), x(0) = 0 has the solutions 0 and t^2; both are maximal, and differ."""
    along = la.on_lifetime(la.INFINITY, lambda t: la.smooth_at(ROOTED, la.at(LINE["X"], t)))
    ode = flowing(la.INFINITY, LINE["X"], ROOTED, la.number(0))
    start = la.eq(la.at(LINE["X"], la.number(0)), la.number(0))
    # the field is not smooth at the start, and no rule says that it is
    for point in (x, y):
        rejected(step("smooth_at", function=ROOTED, point=point), rule="smooth_at")
        rejected(assume(la.psd(point)), step("smooth_at", 0, function=ROOTED, point=point))
    rejected(step("polynomial", field=ROOTED, state=x), rule="polynomial")
    instance = {**LINE}
    for premise in (TRUE, along, la.smooth_on_cone(ROOTED)):
        rejected(
            assume(premise),
            assume(ode),
            assume(start),
            step("fact", 0, 1, 2, name="global-solution", instance=instance),
            rule="fact",
        )
    both = {**LINE, "T": la.INFINITY, "S": la.INFINITY, "Y": la.lam(t, la.number(0))}
    first = la.maximal(la.INFINITY, both["X"], ROOTED, la.number(0))
    second = la.maximal(la.INFINITY, both["Y"], ROOTED, la.number(0))
    later = la.on_lifetime(
        la.INFINITY, lambda t: la.implies(la.pd(t), la.smooth_at(ROOTED, la.at(both["X"], t)))
    )
    for premise in (TRUE, later, la.smooth(ROOTED), la.smooth_at(ROOTED, la.number(0))):
        rejected(
            assume(premise),
            assume(first),
            assume(second),
            step("fact", 0, 1, 2, name="uniqueness", instance=both),
            rule="fact",
        )


def test_a_part_of_a_solution_is_not_maximal():
    """x' = x on [0, 1) goes on, whatever is said of x outside."""
    grow = la.lam(x, x)
    curve = la.lam(t, la.exp(t))
    end = la.finite(la.number(1))
    instance = {"d": ONE, "X": curve, "F": grow, "X0": la.number(1), "r": la.number(1)}
    ode = flowing(end, curve, grow, la.number(1))
    start = la.eq(la.at(curve, la.number(0)), la.number(1))
    smooth = la.on_lifetime(end, lambda t: la.smooth_at(grow, la.at(curve, t)))
    positive = step("definite", matrix=la.number(1), strict=True)
    steps = (assume(smooth), positive, assume(ode), assume(start))
    rejected(
        *steps,
        assume(la.negation(la.escapes(end, curve))),
        step("fact", 0, 1, 2, 3, 4, name="escaping-solution", instance=instance),
        rule="fact",
    )
    # a solution on [0, 1) is no solution on [0, oo)
    rejected(
        step("polynomial", field=grow, state=x),
        assume(ode),
        assume(start),
        step("fact", 0, 1, 2, name="global-solution", instance=instance),
        rule="fact",
    )


@pytest.mark.parametrize("end", [la.finite(la.number(0)), la.finite(la.number(-1))])
def test_maximal_solutions_live_for_some_time(end: Term):
    """On the empty interval everything is a solution; nothing there is maximal."""
    grow, curve = la.lam(x, x), la.lam(t, t)
    instance = {"d": ONE, "X": curve, "F": grow, "X0": la.number(5), "r": end.args[0]}
    rejected(
        assume(la.on_lifetime(end, lambda t: la.smooth_at(grow, la.at(curve, t)))),
        step("definite", matrix=end.args[0], strict=True),
        rule="definite",
    )
    assert all_facts()["escaping-solution"].premises[1] == la.pd(la.real("r"))
    with pytest.raises(KernelError):
        run(
            assume(la.pd(end.args[0])), step("fact", 0, name="escaping-solution", instance=instance)
        )


# Refutations ---------------------------------------------------------------------------------


POSITIVE = Statement((la.pd(x),), la.pd(la.minus(x, la.number(1))))


def half_proof(value: Fraction = Fraction(1, 2)) -> Proof:
    point = la.number(value)
    claim = la.pd(la.minus(point, la.number(1)))
    return Proof(
        (
            step("definite", matrix=point, strict=True),
            assume(la.negation(claim)),
            step("conjunction", 0, 1),
        )
    )


def test_a_counterexample_rests_on_nothing():
    with pytest.raises(KernelError, match="rests on assumptions"):
        refute(POSITIVE, {"x": la.number(Fraction(1, 2))}, half_proof())


@pytest.mark.parametrize(
    "instance",
    [
        {"x": V},
        {"y": la.number(1)},
        {"x": la.number(1), "y": la.number(1)},
        {"x": None},
    ],
)
def test_a_counterexample_is_well_sorted(instance: dict):
    with pytest.raises(KernelError):
        refute(POSITIVE, instance, Proof((REFLEXIVE,)))


def test_a_counterexample_is_complete():
    """Every variable of the statement needs a value."""
    for claim in ledger().values():
        if claim.counterexample is None:
            continue
        for name in claim.counterexample:
            fewer = {key: value for key, value in claim.counterexample.items() if key != name}
            with pytest.raises(KernelError):
                refute(claim.statement, fewer, claim.proof)


def test_a_counterexample_proves_hypotheses_and_failure():
    zero = step("unequal", left=la.number(0), right=la.number(1))
    statement = Statement((TRUE,), FALSE)
    with pytest.raises(KernelError):
        refute(statement, {}, Proof((zero,)))  # the hypothesis is not proved
    with pytest.raises(KernelError):
        refute(statement, {}, Proof((REFLEXIVE,)))
    refute(statement, {}, Proof((REFLEXIVE, zero, step("conjunction", 0, 1))))


# Malformed input -----------------------------------------------------------------------------


JUNK: tuple[Any, ...] = (
    None,
    0,
    -1,
    1.5,
    True,
    "x",
    b"x",
    (),
    [],
    {},
    object(),
    Fraction(1, 2),
    V,
    u,
    t,
    la.mul(t, t),
    la.number(1),
    la.polynomial(t, [[1], [-1]]),
    la.scale(t, la.literal([[1, 2], [2, 4]])),
    Term("polynomial", (t, V)),
    Term("polynomial", (t,)),
    DIM,
    PROP,
    REAL,
    Term("nonsense"),
    Term("add", ()),
    Term("mul", (V,)),
    Term("bound", data=0),
    Term("var", (), "x"),
    Term("var", (V,), "x"),
    Term("var", (REAL,), 3),
    Term("lambda", (REAL,)),
    Term("apply", (V, V)),
    Term("size", data=0),
    Term("size", data="2"),
    Term("literal", data=None),
    la.literal([[1, 0], [0, 1]]),
    la.literal([[1, 2], [2, 1]]),
    la.literal([[1], [1]]),
    la.number(-1),
    la.minus(la.literal([[1, 2], [2, 1]]), la.identity(size(2))),
    Term("scale", (la.literal([[1]]), la.literal([[1]]), la.literal([[1]]))),
    Term("identity", (V,)),
    Term("zero", (d,)),
    Term("inverse", (V, V)),
    la.lam(x, x),
    la.lam(la.head("i", size(2)), la.psd(V)),
    la.lam(la.head("i", n), FALSE),
    Term("index", (size(2),), 3),
    Term("index", (d,), 1),
    Term("sum", (V,)),
    Term("family", ()),
    la.psd(V),
    FALSE,
    {"coefficient": Fraction(1), "core": None, "scalars": (), "factor": None},
    ({"coefficient": Fraction(1), "core": 9, "scalars": (), "factor": V},),
    ({"coefficient": Fraction(1)},),
    (None,),
    (V,),
)


@pytest.mark.parametrize("data", [True, 1.0, Fraction(1), (1,)])
def test_leaves_hold_nothing_that_only_equals_a_number(data: Any):
    with pytest.raises(TermError):
        Term("size", data=data)


ARGUMENTS: dict[str, tuple[str, ...]] = {
    "assume": ("proposition",),
    "fact": ("name", "instance"),
    "lemma": ("name", "instance"),
    "discharge": ("proposition",),
    "modus_ponens": (),
    "generalise": ("variable",),
    "specialise": ("value",),
    "conjunction": (),
    "part": ("index",),
    "cases": ("predicate",),
    "exhibit": ("predicate", "value"),
    "obtain": ("variable",),
    "contradiction": ("proposition",),
    "replace": ("template",),
    "extensionality": ("variable",),
    "reflexivity": ("term",),
    "algebra": ("left", "right", "contexts"),
    "entries": ("left", "right"),
    "positivity": ("matrix", "summands", "strict", "equations", "contexts"),
    "definite": ("matrix", "strict", "congruence"),
    "indefinite": ("matrix", "witness"),
    "unequal": ("left", "right"),
    "rank": ("matrix",),
    "differentiate": ("lifetime", "curve", "time"),
    "nonnegative": ("value", "time", "end"),
    "polynomial": ("field", "state"),
    "smooth_at": ("function", "point"),
    "continuous": ("function", "point"),
}


def test_all_rules_are_attacked():
    assert set(ARGUMENTS) == set(RULES)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_malformed_arguments_are_kernel_errors(rule: str):
    """No other exception; what is accepted is checked not to be false."""
    generator = random.Random(rule)
    base = (
        assume(la.psd(M)),
        assume(la.eq(x, y)),
        assume(la.exists(x, la.pd(x))),
        assume(la.forall(x, la.psd(la.mul(x, x)))),
        assume(la.conj(TRUE, FALSE)),
        assume(la.implies(TRUE, FALSE)),
    )
    earlier: list[Theorem] = []
    for item in base:
        earlier.append(infer(item, earlier, {}))
    for _ in range(250):
        args = {name: generator.choice(JUNK) for name in ARGUMENTS[rule]}
        if args and generator.random() < 0.4:
            del args[generator.choice(sorted(args))]
        uses = tuple(generator.randrange(len(base)) for _ in range(generator.randrange(4)))
        try:
            result = infer(Step(rule, uses, args), earlier, {})
        except KernelError:
            continue
        assert not ({result.conclusion} & {FALSE}) or result.hypotheses
        if rule in ("definite", "indefinite"):
            assert holds(result.conclusion)
        if rule == "nonnegative":
            for k in range(-2, 9):
                implication = application(result.conclusion.args[0], la.number(Fraction(k, 4)))
                inside, value = implication.args
                assert holds(value) or not all(map(holds, inside.args))


def holds(proposition: Term) -> bool:
    """Whether psd or pd of an expression of literals, or its negation, is true."""
    if proposition.op == "not":
        return not holds(proposition.args[0])
    return truth.semidefinite(truth.Point(0)(proposition.args[0]), proposition.op == "pd")


@pytest.mark.parametrize("args", [None, 3, (), [], "args"])
def test_malformed_steps_are_kernel_errors(args: Any):
    for rule in sorted(RULES):
        with pytest.raises(KernelError):
            infer(Step(rule, (), args), [], {})


@pytest.mark.parametrize("rule", [None, 3, [], {}, object(), ()])
def test_malformed_rules_are_kernel_errors(rule: Any):
    with pytest.raises(KernelError):
        infer(Step(rule, (), {}), [], {})


@pytest.mark.parametrize(
    "statement",
    [
        Statement((), V),
        Statement((V,), TRUE),
        Statement((), None),
        Statement((None,), TRUE),
        Statement((), Term("nonsense")),
        Statement((), Term("eq", (V, u))),
        Statement((), Term("bound", data=0)),
        Statement((), Term("psd", (Term("bound"),))),
        Statement((), Term("psd", (Term("bound", data="x"),))),
        Statement((), Term("lambda")),
        Statement((Term("forall", (Term("lambda", (REAL,)),)),), TRUE),
        Statement((), Term("psd", (Term("literal", data=3),))),
    ],
)
def test_malformed_statements_are_kernel_errors(statement: Statement):
    proof = Proof((REFLEXIVE,))
    for settle in (
        lambda: establish(statement, proof),
        lambda: Session().theorem(Lemma(statement, proof)),
        lambda: Session().know(Lemma(statement, proof), TRUTH),
        lambda: refute(statement, {}, proof),
    ):
        with pytest.raises(KernelError):
            settle()


def test_deep_terms_are_kernel_errors():
    term = la.number(1)
    for _ in range(5000):
        term = la.tp(term)
    rejected(step("reflexivity", term=term))
    with pytest.raises(KernelError):
        establish(Statement((), Term("eq", (term, term))), Proof((REFLEXIVE,)))


@pytest.mark.parametrize("entry", [0.5, float("nan"), 1, True, "1", None, 1j])
def test_literals_hold_fractions(entry: Any):
    with pytest.raises(ValueError, match="fractions"):
        Literal(1, 1, (entry,))


def test_no_function_gives_a_size():
    sized = variable("f", function_sort(REAL, DIM))
    matrix = la.identity(Term("apply", (sized, x)))
    rejected(step("reflexivity", term=matrix))
    rejected(step("reflexivity", term=Term("lambda", (REAL, size(2)))))


def test_no_smoothness_off_matrices():
    for sort in (PROP, la.EXT, function_sort(REAL, REAL)):
        state = variable("state", sort)
        rejected(step("polynomial", field=la.lam(state, state), state=state), rule="polynomial")


# Random terms --------------------------------------------------------------------------------

LETTERS = (V, A, la.tp(V), la.identity(d), la.mul(u, la.tp(u)), la.scale(x, A))
UNSIZED = expressions(LETTERS, KINDS, 3)


def shuffled(term: Term, generator: random.Random) -> Term:
    """An equal expression: distributed, re-associated, transposed twice, sums permuted."""
    args = tuple(shuffled(a, generator) for a in term.args) if term.op != "var" else term.args
    term = Term(term.op, args, term.data)
    choice = generator.randrange(4)
    if term.op == "add" and choice:
        return Term("add", args[::-1])
    if term.op == "mul" and args[1].op == "add" and choice:
        return Term("add", tuple(la.mul(args[0], part) for part in args[1].args))
    if term.op == "mul" and args[0].op == "mul" and choice:
        return Term("mul", (*args[0].args, *args[1:]))
    if term.op == "mul" and choice == 3:
        return la.tp(la.mul(*(la.tp(a) for a in args[::-1])))
    if term.op == "trace" and args[0].op == "mul" and choice:
        return la.tr(Term("mul", args[0].args[1:] + args[0].args[:1]))
    return term


def accepted(left: Term, right: Term) -> bool:
    try:
        run(algebra(left, right))
    except KernelError:
        return False
    return True


POINTS = [truth.Point(seed) for seed in (101, 102, 103)]


@given(UNSIZED, UNSIZED, st.integers(0, 2**20))
def test_algebra_agrees_with_independent_evaluation(left: Term, other: Term, seed: int):
    right = shuffled(left, random.Random(seed))
    assert all(point(left) == point(right) for point in POINTS)
    assert accepted(left, right)
    for candidate in (other, la.add(right, other), la.mul(right, other), la.mul(other, right)):
        equal = all(point(left) == point(candidate) for point in POINTS)
        if accepted(left, candidate):
            assert equal
        if not equal:
            assert not accepted(left, candidate)


@given(st.lists(st.integers(-3, 3), min_size=9, max_size=9), st.booleans())
def test_definite_agrees_with_characteristic_polynomials(entries: list[int], strict: bool):
    rows = [[Fraction(x) for x in entries[3 * i : 3 * i + 3]] for i in range(3)]
    for matrix in (rows, truth.product(truth.transpose(rows), rows)):
        for symmetric in (matrix, truth.add(truth.matrix(matrix), truth.transpose(matrix))):
            term = la.literal([list(row) for row in symmetric])
            try:
                run(step("definite", matrix=term, strict=strict))
                found = True
            except KernelError:
                found = False
            assert found == truth.semidefinite(truth.matrix(symmetric), strict)


def test_the_table_of_facts_is_what_it_was():
    assert all_facts() is all_facts()
    assert len(all_facts()) >= 30
