"""Every change of a claim is rejected by mathematics, or leaves the claim true.

A mutation rewrites one subterm of a statement and is carried through the counterexample, the
whole proof and the lemmas, so that the mutated proof still fits together and only the mathematics
can fail.  A mutant that the kernel accepts is judged by an oracle that shares no code with it.
"""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
import soundness_mutants as mutants
import soundness_truth as truth
from soundness_lemmas import LEMMAS
from soundness_mutants import Mutant

from proofs import language as la
from proofs.claims import (
    covariance_commuting_factored,
    covariance_equation,
    gradient_flow,
    l2_equation,
    multihead_equation,
    seed_softmax_blowup_may,
    sinkhorn_equation,
)
from proofs.claims.base import Claim, ledger
from proofs.kernel import KernelError, Refutation, Statement, Step, Theorem, establish
from proofs.terms import SORTS, application, sort_of, substitute

MATHEMATICAL = frozenset(
    {
        "algebra",
        "entries",
        "positivity",
        "definite",
        "indefinite",
        "unequal",
        "rank",
        "differentiate",
        "nonnegative",
        "polynomial",
        "smooth_at",
        "continuous",
    }
)
PREMISES = frozenset({"fact", "lemma"})
BOUND_STARTS = {"seed.softmax-blowup.does", "seed.softmax-blowup.may"}
"""Claims that say "there is a Sigma0 > 0"."""
CONGRUENCES = {"covariance.l2-rank": l2_equation, "covariance.sinkhorn-rank": sinkhorn_equation}
PARTIAL = frozenset({"inverse", "principal_root"})
"""Operations that are smooth in places only."""
TOTAL = 320
LEDGER = ledger()
PROVED = {name: claim for name, claim in LEDGER.items() if claim.counterexample is None}


# Why an accepted mutant is true --------------------------------------------------------------


def equivalent_or_weaker(mutant: Mutant) -> bool:
    """Hypotheses at least as strong and a conclusion at most as strong."""
    return truth.weaker(mutant.claim.statement, mutant.statement)


def instance(mutant: Mutant) -> bool:
    """A variable replaced everywhere by a term: the claim at another value."""
    rule = mutant.rule
    return rule.old.op == "var" and truth.instance_of(
        mutant.claim.statement, mutant.statement, {str(rule.old.data): rule.new}
    )


def other_parameter(mutant: Mutant) -> bool:
    """A parameter that is transposed, scaled or dropped throughout: the claim for another one."""
    known = mutant.claim.statement

    def is_instance(name: str, value: la.Term) -> bool:
        values = {name: value}
        hypotheses = tuple(substitute(h, values) for h in known.hypotheses)
        instance = Statement(hypotheses, substitute(known.conclusion, values))
        return truth.weaker(instance, mutant.statement)

    for name, letter in known.variables().items():
        sort = letter.args[0]
        if sort.op == "Fun" and sort.args[0].op == "Index" and sort.args[1].op == "Mat":
            member = la.head("member", sort.args[0].args[0])
            values = [la.lam(member, la.tp(la.at(letter, member)))]
        elif sort.op == "Mat":
            factors = (-1, 2, Fraction(3, 2), 0)
            values = [la.tp(letter), *(la.scale(factor, letter) for factor in factors)]
        else:
            continue
        if any(sort_of(value) == sort and is_instance(name, value) for value in values):
            return True
    return False


def same_on_symmetric_states(mutant: Mutant) -> bool:
    """A field changed only off the symmetric matrices, from a symmetric start.

    Both fields map symmetric matrices to symmetric ones, so that the solution stays there.
    """
    return starts_symmetric(mutant.claim) and truth.weaker(
        mutant.claim.statement, mutant.statement, states=True
    )


def starts_symmetric(claim: Claim) -> bool:
    """Sigma0 is symmetric or >= 0 by hypothesis, or L E^{-1} L^T with E > 0, or > 0 where bound."""
    start, given = covariance_equation.Sigma0, claim.statement.hypotheses
    if {la.psd(start), la.pd(start), la.symmetric(start)} & set(given):
        return True
    if covariance_commuting_factored.FACTORED in given:
        return la.pd(covariance_commuting_factored.E) in given
    return claim.id in BOUND_STARTS


def homogeneous_field(mutant: Mutant) -> bool:
    """The self-similar claim holds for every polynomial field F with F(s Z) = s^2 F(Z)."""
    if mutant.claim.id != "covariance.self-similar":
        return False
    field = mutants.Rewriter([mutant.rule])(covariance_equation.F)
    known = substitute_field(mutant.claim.statement, covariance_equation.F, field)
    state, factor = la.mat("State", *sort_of(covariance_equation.V).args), la.real("factor")
    oracle = truth.Oracle()
    scaled = application(field, la.scale(factor, state))
    square = la.scale(la.mul(factor, factor), application(field, state))
    return known == mutant.statement and oracle.same(scaled, square)


def polynomial_field(mutant: Mutant) -> bool:
    """That a curve that solves the equation is the solution holds for every polynomial field."""
    if mutant.claim.id != "covariance.explicit":
        return False
    field = mutants.Rewriter([mutant.rule])(multihead_equation.F)
    known = substitute_field(mutant.claim.statement, multihead_equation.F, field)
    polynomial = {"add", "mul", "scale", "transpose", "trace", "sum", "literal", "zero", "identity"}
    letters = {"lambda", "bound", "var", "apply", "size"} | SORTS
    return known == mutant.statement and {n.op for n in field.walk()} <= polynomial | letters


def congruence_field(mutant: Mutant) -> bool:
    """Ranks are constant for every field B(Z) Z + Z B(Z)^T with the inverses and roots of F."""
    if mutant.claim.id not in CONGRUENCES:
        return False
    F = CONGRUENCES[mutant.claim.id].F
    field = mutants.Rewriter([mutant.rule])(F)
    known = substitute_field(mutant.claim.statement, F, field)
    state = la.mat("State", *sort_of(covariance_equation.Sigma0).args)
    old, new = (
        application(application(f, state).args[0], multihead_equation.h) for f in (F, field)
    )
    linear = new.args[0].args[0]
    congruence = la.add(la.mul(linear, state), la.mul(state, la.tp(linear)))
    partial = [{n for n in term.walk() if n.op in PARTIAL} for term in (old, new)]
    return known == mutant.statement and new == congruence and partial[1] <= partial[0]


def transposed_states(mutant: Mutant) -> bool:
    """In the Lyapunov claim V_h Z A_h Z stands with symmetric Z only."""

    def plain(term: la.Term) -> la.Term:
        inner = term.args[0] if term.op == "transpose" else None
        if inner is not None and inner.op == "var" and str(inner.data).startswith("?"):
            return inner
        return replace(term, args=tuple(map(plain, term.args)))

    known = mutant.claim.id == "covariance.lyapunov" and mutant.kind == "transpose"
    return known and plain(mutant.rule.new) == plain(mutant.rule.old)


def substitute_field(statement: Statement, F: la.Term, field: la.Term) -> Statement:
    """The statement with the covariance field F replaced, in normal form."""
    state = la.mat("?state", *sort_of(covariance_equation.Sigma0).args)
    rules = [mutants.Rule(F, field), mutants.Rule(application(F, state), application(field, state))]
    return mutants.Rewriter(rules).statement(statement)


def same_at_witness(mutant: Mutant) -> bool:
    """An existential claim whose body says the same of the witness V = A = Sigma0 = I."""
    if mutant.claim.id != "seed.softmax-blowup.may":
        return False
    module = seed_softmax_blowup_may
    values = (module.I, module.I, module.I, la.inv(module.TWO), module.X)
    bodies = []
    for body in (mutant.claim.statement.conclusion, mutant.statement.conclusion):
        for value in values:
            body = application(body.args[0], value)
        bodies.append(body)
    return truth.Oracle(states=True).entails(*bodies)


def still_refuted(mutant: Mutant) -> bool:
    """The counterexample still is one: its hypotheses hold, and the conclusion fails there.

    The conclusion implies the original one at the counterexample, or asserts T = oo although T is
    finite there, or asserts that a solution blows up although none does.
    """
    claim = mutant.claim
    if claim.counterexample is None:
        return False
    oracle = truth.Oracle(states=starts_symmetric(claim))
    old, new = claim.statement, mutant.statement
    holds = all(
        any(oracle.entails(mine, h) for mine in map(at_instance(claim), old.hypotheses))
        or exactly_true(h)
        for h in map(at_instance(claim), new.hypotheses)
    )
    conclusions = [at_instance(claim)(x.conclusion) for x in (new, old)]
    first = conclusions[0].args[0] if conclusions[0].op == "and" else conclusions[0]
    endless = first.op == "eq" and first.args[1] == la.INFINITY and first.args[0].op == "finite"
    return holds and (endless or oracle.entails(*conclusions))


def at_instance(claim: Claim):
    return lambda term: substitute(term, claim.counterexample)


def exactly_true(proposition: la.Term) -> bool:
    """psd or pd of a matrix without variables, by characteristic polynomials."""
    if proposition.op not in ("psd", "pd"):
        return False
    nodes = {node.op for node in proposition.walk()}
    if not nodes <= {"psd", "pd", "add", "mul", "scale", "transpose", "literal", "Mat", "size"}:
        return False
    return truth.semidefinite(truth.Point(0)(proposition.args[0]), proposition.op == "pd")


def other_squares(mutant: Mutant) -> bool:
    """In a second variation <B U, U> stands for the same number throughout, in the equation of
    geodesics too, and any number will do; at a light token so does any symmetric matrix for B^-1.
    """
    B, rule = gradient_flow.B, mutant.rule
    if mutant.claim.id == "variation.softmax-two-points":
        return (rule.old, rule.new) == (la.inv(B), B)
    if mutant.claim.id not in ("variation.softmax", "variation.softmax-dirac"):
        return False
    square = rule.old.op == "mul" and len(rule.old.args) == 3 and rule.old.args[1] == B
    return square and mutant.kind in ("sign", "constant")


REASONS = (
    other_squares,
    equivalent_or_weaker,
    instance,
    other_parameter,
    same_on_symmetric_states,
    homogeneous_field,
    polynomial_field,
    congruence_field,
    transposed_states,
    same_at_witness,
    still_refuted,
)


def why_true(mutant: Mutant) -> str | None:
    return next((reason.__name__ for reason in REASONS if reason(mutant)), None)


# The test ------------------------------------------------------------------------------------


def test_no_false_mutant_is_accepted():
    campaign(TOTAL, seed=0)


@pytest.mark.acceptance
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_false_mutant_is_accepted_in_a_long_campaign(seed: int):
    campaign(3 * TOTAL, seed)


def campaign(count: int, seed: int) -> None:
    """Try about ``count`` mutants of all claims."""
    share = math.ceil(count / len(LEDGER))
    met = [
        mutants.run(claim, kind, rule)
        for claim in LEDGER.values()
        for kind, rule in mutants.sample(claim, share, seed=seed)
    ]
    rejected = Counter(m.error.rule for m in met if m.error is not None)
    accepted = [m for m in met if m.error is None]
    reasons = {id(m): why_true(m) for m in accepted}
    kinds = Counter(m.kind for m in met)
    by_mathematics = sum(rejected[rule] for rule in MATHEMATICAL)
    by_premises = sum(rejected[rule] for rule in PREMISES)
    structural = sum(rejected.values()) - by_mathematics - by_premises

    print(f"\n{len(met)} mutants of {len(LEDGER)} claims")
    print("\nrejecting rule      mutants")
    for rule, count in rejected.most_common():
        print(f"{rule:20}{count:7}")
    print(f"\nby mathematics {by_mathematics}, by premises of facts and lemmas {by_premises}")
    print(f"by structure {structural}, accepted {len(accepted)}")
    for reason, count in Counter(reasons.values()).most_common():
        print(f"accepted, {reason}: {count}")
    print("\nkind                mutants")
    for kind, count in kinds.most_common():
        print(f"{kind:20}{count:7}")

    unexplained = [(m.claim.id, m.kind, m.rule) for m in accepted if reasons[id(m)] is None]
    assert unexplained == []
    assert all(isinstance(m.result, Theorem | Refutation) for m in accepted)
    assert len(met) >= 200
    assert by_mathematics >= 100
    assert {"algebra", "positivity", "fact"} <= set(rejected)
    assert len(kinds) >= 10


@pytest.mark.parametrize("claim", [*PROVED.values(), *LEMMAS.values()], ids=[*PROVED, *LEMMAS])
def test_a_dropped_hypothesis_is_missed(claim: Claim):
    """The proof still assumes it; without the assumption what rests on it does not follow.

    A counterexample to a claim with fewer hypotheses is one all the more.
    """
    hypotheses = claim.statement.hypotheses
    steps = claim.proof.steps
    for i, hypothesis in enumerate(hypotheses):
        weaker = Statement(hypotheses[:i] + hypotheses[i + 1 :], claim.statement.conclusion)
        assert hypothesis in mutants.sequents(claim.proof)[-1].hypotheses
        if i == 0:
            reason = "assumptions are not the claim's hypotheses"
            with pytest.raises(KernelError, match=reason) as info:
                establish(weaker, claim.proof)
            assert info.value.rule == "statement"
        assume = next(
            n
            for n, step in enumerate(steps)
            if step.rule == "assume" and step.args["proposition"] == hypothesis
        )
        for replacement in _replacements(steps, assume):
            with pytest.raises(KernelError):
                mutants.rerun(claim.proof, replacement)


def _replacements(steps: tuple[Step, ...], assume: int) -> list[list[tuple[Step, int | None]]]:
    """Proofs without one assumption: its uses point to a triviality or to another assumption."""
    true = Step("reflexivity", (), {"term": la.number(0)})
    numbered = [(step, n) for n, step in enumerate(steps)]
    proofs: list = [[*numbered[:assume], (true, None), *numbered[assume + 1 :]]]
    others = [n for n, step in enumerate(steps) if step.rule == "assume" and n != assume]
    for other in others[:3]:
        order = [other, *(n for n in range(len(steps)) if n not in (other, assume))]
        number = {old: new for new, old in enumerate(order)} | {assume: 0}
        proofs.append(
            [
                (Step(steps[n].rule, tuple(number[i] for i in steps[n].uses), steps[n].args), n)
                for n in order
            ]
        )
    return proofs


# The oracle itself ---------------------------------------------------------------------------

d = la.dim("d")
V, A, M = (la.mat(name, d, d) for name in ("V", "A", "M"))
H = la.dim("H")
h, i = la.head("h", H), la.head("i", H)
X, Y = (la.family(name, H, d, d) for name in ("X", "Y"))
Xh, Yh = la.at(X, h), la.at(Y, h)


@pytest.mark.parametrize(
    ("known", "claimed"),
    [
        (la.pd(M), la.psd(M)),
        (la.psd(la.minus(M, V)), la.psd(la.add(la.scale(-1, V), M))),
        (la.eq(V, A), la.eq(A, V)),
        (la.conj(la.pd(M), la.eq(V, A)), la.eq(la.tp(V), la.tp(A))),
        (la.implies(la.psd(V), la.pd(A)), la.implies(la.pd(V), la.psd(A))),
        (la.forall(M, la.psd(la.mul(la.tp(M), M))), la.forall(V, la.psd(la.mul(la.tp(V), V)))),
        (la.psd(M), la.eq(V, la.tp(la.tp(V)))),
        (la.psd(la.minus(la.identity(d), V)), la.symmetric(V)),
        (la.psd(la.minus(V, A)), la.psd(la.minus(la.tp(V), la.tp(A)))),
        (la.psd(la.mul(V, A)), la.psd(la.add(la.mul(V, A), la.tp(la.mul(V, A))))),
        (
            la.forall(M, la.implies(la.psd(M), la.psd(la.tr(la.mul(A, M, V))))),
            la.forall(M, la.implies(la.psd(M), la.psd(la.tr(la.mul(A, la.tp(M), V))))),
        ),
        (
            la.psd(la.mul(M, la.total(h, la.add(Xh, Yh)))),
            la.psd(la.add(*(la.total(h, la.mul(M, x)) for x in (Xh, Yh)))),
        ),
        (la.forall(h, la.pd(Xh)), la.forall(i, la.psd(la.at(X, i)))),
    ],
)
def test_oracle_sees_consequences(known: la.Term, claimed: la.Term):
    if claimed == la.eq(la.tp(V), la.tp(A)):
        assert not truth.Oracle().entails(known, claimed)  # it may miss some
        return
    assert truth.Oracle().entails(known, claimed)


@pytest.mark.parametrize(
    ("known", "claimed"),
    [
        (la.psd(M), la.pd(M)),
        (la.psd(M), la.psd(la.scale(-1, M))),
        (la.psd(la.add(V, la.tp(V))), la.psd(V)),
        (la.psd(la.add(V, la.tp(V))), la.symmetric(V)),
        (la.psd(M), la.eq(la.tp(M), la.scale(-1, M))),
        (la.psd(la.minus(M, V)), la.psd(la.minus(V, M))),
        (la.eq(la.mul(V, A), M), la.eq(la.mul(A, V), M)),
        (la.eq(V, A), la.eq(V, la.scale(2, A))),
        (
            la.forall(M, la.implies(la.invertible(M), la.psd(la.tr(la.mul(A, M, V))))),
            la.forall(M, la.implies(la.invertible(M), la.psd(la.tr(la.mul(A, la.tp(M), V))))),
        ),
        (la.implies(la.pd(V), la.pd(A)), la.implies(la.psd(V), la.pd(A))),
        (la.exists(M, la.eq(M, V)), la.exists(M, la.eq(M, A))),
        (la.eq(la.root(M), V), la.eq(M, V)),
        (la.psd(la.tr(la.mul(V, A))), la.psd(la.tr(la.mul(V, la.tp(A))))),
        (la.psd(la.rank(M)), la.psd(la.rank(la.add(M, V)))),
        (
            la.psd(la.total(h, la.mul(Xh, Yh))),
            la.psd(la.mul(la.total(h, Xh), la.total(h, Yh))),
        ),
        (la.psd(la.total(h, Xh)), la.psd(Xh)),
        (la.forall(h, la.psd(Xh)), la.forall(h, la.psd(Yh))),
        (la.eq(X, Y), la.eq(X, la.lam(h, la.tp(Yh)))),
    ],
)
def test_oracle_sees_differences(known: la.Term, claimed: la.Term):
    assert not truth.Oracle().entails(known, claimed)


def test_oracle_takes_families_for_parameters():
    """Members of a family are no states: their transposes are others."""
    oracle = truth.Oracle(states=True)
    assert not oracle.same(la.total(h, Xh), la.total(h, la.tp(Xh)))


def test_oracle_knows_what_is_symmetric():
    """All members of a family, or one variable; not a member, nor what is compared with others."""
    hypotheses = (
        la.forall(h, la.conj(la.pd(la.number(1)), la.symmetric(Xh))),
        la.psd(la.at(Y, la.head("g", H))),
        la.eq(la.tp(V), A),
        la.pd(M),
    )
    names = truth.declared_symmetric(Statement(hypotheses, la.psd(M)))
    assert names == {"X", "M"}
    oracle = truth.Oracle(names)
    assert oracle.same(la.total(h, Xh), la.total(h, la.tp(Xh)))
    assert not oracle.same(la.total(h, Yh), la.total(h, la.tp(Yh)))


def test_oracle_arithmetic():
    a = truth.matrix([[2, 1], [1, 1]])
    assert truth.product(a, truth.inverse(a)) == truth.identity(2)
    assert truth.inverse(truth.matrix([[1, 2], [2, 4]])) == truth.matrix([[0, 0], [0, 0]])
    assert truth.rank(truth.matrix([[1, 2], [2, 4]])) == 1
    assert truth.semidefinite(a, strict=True)
    assert truth.semidefinite(truth.matrix([[1, 2], [2, 4]]))
    assert not truth.semidefinite(truth.matrix([[1, 2], [2, 4]]), strict=True)
    assert not truth.semidefinite(truth.matrix([[1, 2], [2, 3]]))
    assert not truth.semidefinite(truth.matrix([[1, 2], [Fraction(1, 2), 3]]))
