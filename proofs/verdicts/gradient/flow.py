"""A metric that makes attention a gradient of its energy, with the proof for given matrices."""

from __future__ import annotations

from collections.abc import Mapping

from proofs import language as la
from proofs.builder import Use, itself
from proofs.claims import (
    gradient_exponential,
    gradient_linear,
    gradient_multihead_exponential,
    gradient_multihead_linear,
    gradient_multihead_sigmoid,
    gradient_sigmoid,
    gradient_sinkhorn,
    gradient_softmax,
)
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import t
from proofs.claims.gradient_flow import Structure
from proofs.claims.particles import i, nonnegative_masses, over_atoms, rewritten
from proofs.kernel import Proof, Statement
from proofs.terms import Literal, Term, size, substitute
from proofs.verdicts.gradient.given import Given
from proofs.verdicts.gradient.problem import GradientProblem, Pair
from proofs.verdicts.problem import SCALE

#: variant -> the claim that it is a gradient flow, and what that claim shows
STRUCTURES: Mapping[str, tuple[Claim, Structure]] = {
    "exponential": (gradient_exponential.CLAIM, gradient_exponential.SHOWN),
    "linear": (gradient_linear.CLAIM, gradient_linear.SHOWN),
    "sigmoid": (gradient_sigmoid.CLAIM, gradient_sigmoid.SHOWN),
    "sinkhorn": (gradient_sinkhorn.CLAIM, gradient_sinkhorn.SHOWN),
    "softmax": (gradient_softmax.CLAIM, gradient_softmax.SHOWN),
}


#: variant -> the claim on several heads with one metric
HEADS: Mapping[str, Claim] = {
    "exponential": gradient_multihead_exponential.CLAIM,
    "linear": gradient_multihead_linear.CLAIM,
    "sigmoid": gradient_multihead_sigmoid.CLAIM,
}


def claim_of(problem: GradientProblem) -> Claim | None:
    """The claim to apply; None where the ledger has none."""
    if problem.pairs is None:
        return None
    if len(problem.pairs) > 1:
        return HEADS.get(problem.variant)
    return STRUCTURES[problem.variant][0] if problem.variant in STRUCTURES else None


def energy_of(problem: GradientProblem) -> Term:
    """F, a number at the time t; divided by the scale when that is irrational."""
    energy = _energy(problem)
    return energy if problem.scale_squared is None else la.scale(la.inv(SCALE), energy)


def _energy(problem: GradientProblem) -> Term:
    """The sum over the heads."""
    _, shown = STRUCTURES[problem.variant]
    parts = [
        problem.at_size(substitute(shown.energy, {"A": pair.A})) for pair in problem.pairs or ()
    ]
    return parts[0] if len(parts) == 1 else la.add(*parts)


def proved_flow(
    problem: GradientProblem, claim: Claim, metric: Literal, sign: int
) -> tuple[Statement, Proof]:
    """That B V_h = c A_h with B > 0, and that Gamma is then the gradient of c F in its metric.

    c is the sign, divided by the scale when that is irrational.
    """
    given = Given(problem, {claim.id: claim.lemma()})
    flow = _Flow(given, claim, Term("literal", data=metric), sign)
    conclusion = flow.conclude()
    return Statement(problem.hypotheses, given.p[conclusion]), given.p.proof(conclusion)


class _Flow:
    """The proof of one statement."""

    def __init__(self, given: Given, claim: Claim, metric: Term, sign: int) -> None:
        self.given, self.p, self.problem = given, given.p, given.problem
        self.claim, self.B, self.sign = claim, metric, sign
        self.pairs = given.problem.pairs or ()
        self.c = given.divided if sign == 1 else la.scale(sign, given.divided)
        if given.rational:
            self.c = la.number(sign)
        *motion, self.named = self.problem.particles
        self.motion = [given.assume(hypothesis) for hypothesis in motion]

    def conclude(self) -> int:
        p, pairs = self.p, self.pairs
        symmetric = [self.symmetric(pair) for pair in pairs]
        positive = p.definite(self.B, strict=True)
        related = [self.related(pair) for pair in pairs]
        if len(pairs) > 1:
            shown = self.of_heads(symmetric, positive, related)
            flow = self.written_out(p.part(shown, 1))
        else:
            shown = p.lemma(self.claim.id, *symmetric, positive, *related, *self.motion)
            flow = p.part(shown, 1)
            if len(self.problem.letters) > 1:
                flow = self.split(flow, pairs[0])
        flow = self.tidied(self.renamed(flow))
        return p.conjunction(
            *symmetric, positive, *map(self.plain, related), p.part(shown, 0), flow
        )

    def plain(self, related: int) -> int:
        """B V = A in place of B V = 1 A."""
        left, right = self.p[related].args
        if self.c != la.number(1):
            return related
        return self.p.algebra(left, right.args[1], (related, itself))

    def tidied(self, flow: int) -> int:
        """F in place of 1 F."""
        if self.c != la.number(1):
            return flow
        curve = self.p[flow].args[1]
        return rewritten(self.p, flow, self.p.algebra(la.at(curve, t), _energy(self.problem)))

    def of_heads(self, symmetric: list[int], positive: int, related: list[int]) -> int:
        """The claim on several heads, for the families of the letters V_h and A_h."""
        p, letters = self.p, self.problem.letters
        V, A = (Term("family", tuple(pair[k] for pair in letters)) for k in (0, 1))
        count = size(len(letters))
        h = la.head("h", count)
        alike = p.cases(la.lam(h, la.symmetric(la.at(A, h))), symmetric)
        equation = la.eq(la.mul(self.B, la.at(V, h)), la.scale(self.c, la.at(A, h)))
        relations = p.cases(la.lam(h, equation), related)
        return p.lemma(
            self.claim.id,
            *(alike, positive, relations, *self.motion),
            H=count,
            V=V,
            A=A,
            B=self.B,
            c=self.c,
            d=size(self.problem.dimension),
        )

    def written_out(self, flow: int) -> int:
        """The sums over heads, term by term."""
        p, problem = self.p, self.problem
        _, curve, velocity = p[flow].args
        energy = la.scale(self.c, _energy(problem))
        inner = self.inner(self.pairs[0], problem.velocity)
        return rewritten(
            p,
            flow,
            p.algebra(la.at(curve, t), energy),
            p.algebra(la.at(velocity, t), inner),
        )

    def symmetric(self, pair: Pair) -> int:
        stated = self.given.score(pair.A)
        uses: tuple[Use, ...] = ((stated, la.tp), (stated, lambda h: la.scale(-1, h)))
        return self.p.algebra(la.tp(pair.A), pair.A, *uses)

    def related(self, pair: Pair) -> int:
        """B V = c A."""
        scores = la.scale(-self.sign, Term("literal", data=pair.scores))
        return self.p.algebra(
            la.mul(self.B, pair.V),
            la.scale(self.c, pair.A),
            (self.given.value(pair), lambda h: la.mul(self.B, h)),
            (self.given.score(pair.A), lambda h: la.scale(-1, la.scale(self.c, h))),
            *self.given.cancel(scores),
        )

    # The velocities of several heads

    def structure(self, pair: Pair, velocity: Term) -> Structure:
        """What the claim shows of a pair, with its velocity written as given."""
        _, shown = STRUCTURES[self.problem.variant]
        values = {
            "d": size(self.problem.dimension),
            "A": pair.A,
            "V": pair.V,
            "B": self.B,
            "c": self.c,
        }
        return Structure(
            substitute(shown.energy, values),
            velocity,
            substitute(shown.weight, values),
            self.B,
            self.c,
        )

    def split(self, flow: int, pair: Pair) -> int:
        """The velocity of one head with the sum of the values is the sum of the velocities."""
        p, problem = self.p, self.problem
        _, shown = STRUCTURES[problem.variant]
        nonnegative = nonnegative_masses(p, self.motion[0])
        joint = substitute(shown.velocity, {"d": size(problem.dimension), "A": pair.A, "V": pair.V})
        scores = [A for _, A in problem.letters]
        factor, _ = joint.args
        alike = [
            substitute(shown.velocity, {"d": size(problem.dimension), "A": pair.A, "V": V})
            for V, _ in problem.letters
        ]
        sums: list[Use] = [
            (over_atoms(p, nonnegative, joint.args[1]), lambda h: la.scale(factor, h))
        ]
        for one in alike:
            step = over_atoms(p, nonnegative, one.args[1])
            sums.append((step, lambda h: la.scale(-1, la.scale(factor, h))))
        same = p.algebra(joint, la.add(*alike), *sums)
        for place, letter in enumerate(scores[1:], 1):
            same = self.with_score(same, place, pair.A, letter)
        functions = p.extensionality(i, p.extensionality(t, same))
        end, curve, _ = p[flow].args
        return p.replace(
            functions,
            flow,
            lambda g: la.ode(end, curve, la.lam(t, self.inner(pair, la.at(g, i, t)))),
        )

    def with_score(self, same: int, place: int, first: Term, letter: Term) -> int:
        """The velocity of one head written with its own score matrix, which is that of head 0."""
        p, given = self.p, self.given
        equal = p.algebra(
            first,
            letter,
            (given.score(first), itself),
            (given.score(letter), lambda h: la.scale(-1, h)),
        )
        left, right = p[same].args
        _, shown = STRUCTURES[self.problem.variant]
        V = self.problem.letters[place][0]

        def written(score: Term) -> Term:
            values = {"d": size(self.problem.dimension), "A": score, "V": V}
            terms = list(right.args)
            terms[place] = substitute(shown.velocity, values)
            return la.eq(left, la.add(*terms))

        return p.replace(equal, same, written)

    def inner(self, pair: Pair, velocity: Term) -> Term:
        """The sum over i of w_i <B U_i, Gamma_i>."""
        return la.total(i, self.at_size(self.structure(pair, velocity).inner_product))

    def at_size(self, term: Term) -> Term:
        return self.problem.at_size(term)

    def renamed(self, flow: int) -> int:
        """The same with the letter Gamma for the velocity."""
        p = self.p
        named = self.given.assume(self.named)
        left = p[named].args[0]
        back = p.replace(named, p.reflexivity(left), lambda h: la.eq(h, left))
        end, curve, _ = p[flow].args
        return p.replace(
            back,
            flow,
            lambda g: la.ode(end, curve, la.lam(t, self.inner(self.pairs[0], la.at(g, i, t)))),
        )
