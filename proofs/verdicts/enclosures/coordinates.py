"""The covariance equation as a quadratic system on R^n, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq_mat

from numeric.enclosures.system import QuadraticSystem, fraction
from proofs import language as la
from proofs.builder import Summand
from proofs.claims.covariance_enclosure import NORMS
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.quadratic_system import quadratic_field
from proofs.facts.enclosures import coordinates, plain_coordinates
from proofs.terms import Literal, Term, index, size, substitute
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.problem import SCALE
from proofs.verdicts.workspace import UNIT, Workspace

t = la.real("t")


@dataclass(frozen=True)
class Inside:
    """Steps about Sigma on [0, T) from Sigma0 >= 0, under the assumption that it is the solution.

    Attributes:
        solution: Sigma, or what is followed in its place, is the maximal solution.
        start: Sigma0 >= 0.
        stays: Sigma(t) >= 0 on [0, T), with constant rank.
        vector: the coordinates of Sigma are the maximal solution of the quadratic system.
    """

    solution: int
    start: int
    stays: int
    vector: int


@dataclass(frozen=True)
class Moment:
    """A time t in the lifetime of a solution.

    Attributes:
        solution: the step that it is the maximal one.
        time, early: t, and the step t in [0, T).
        passed: a rational number that t is, or is at least.
        least: the step ``passed`` <= t where they may differ.
    """

    solution: int
    time: Term
    early: int
    passed: Fraction
    least: int | None = None


class Coordinates:
    """What holds of the coordinates x_k = s tr(P_k Sigma), for the irrational scale s or 1.

    Args:
        lemmas: of ``work``; the claim on constant rank is among them.
        norms: q_k with -q_k I <= Q_k <= q_k I.
    """

    def __init__(
        self,
        work: Workspace,
        heads: AsHeads,
        system: QuadraticSystem,
        norms: Sequence[Fraction],
    ) -> None:
        self.work, self.heads, self.system = work, heads, system
        self.p = work.p
        d, n = heads.terms["d"], size(system.size)
        self.d, self.n = d, n
        self.start, self.end = la.mat("Sigma0", d, d), la.lifetime("T")
        self.curve = la.time_to("Sigma", d, d)
        irrational = heads.problem.scale_squared is not None
        self.scale = SCALE if irrational else la.number(1)
        units = [_unit(system.size, k) for k in range(system.size)]
        self.units = Term("family", tuple(units))
        self.functionals = _family(system.functionals)
        self.forms = _family(system.forms)
        self.names = {"U": self.units, "P": self.functionals, "s": self.scale}
        z = la.vec("z", n)
        self.field = quadratic_field(self.units, self.forms, z)
        bounds = Term("family", tuple(map(la.number, norms)))
        self.quadratic = {"n": n, "H": n, "U": self.units, "Q": self.forms, "q": bounds}
        self.norms = self._norms(norms)
        self.bridge = self._bridge(z)

    def of(self, matrix: Term) -> Term:
        """The coordinates of a matrix, n x 1."""
        return substitute(coordinates(la.mat("Z", self.d, self.d)), self._at(matrix))

    def near(self, centre: Term, radius: Term) -> Term:
        """Sigma on [0, T) is the maximal solution from Sigma0 >= 0, which is near a point."""
        apart = la.minus(self.of(self.start), centre)
        return la.conj(
            la.maximal(self.end, self.curve, self.field_of_solution(), self.start),
            la.psd(self.start),
            la.le(la.mul(la.tp(apart), apart), la.mul(radius, radius)),
        )

    def close(self, centre: Sequence[Fraction], radius: Fraction) -> int:
        """The coordinates of the given start are near a point."""
        p, problem = self.p, self.heads.problem
        state = self.of(problem.terms["Sigma0"])
        apart = la.minus(state, vector(centre))
        gap = la.minus(la.mul(la.number(radius), la.number(radius)), la.mul(la.tp(apart), apart))
        if problem.scale_squared is None:
            return p.definite(gap)
        # the state is s a: with e = low a - c and low <= s <= high the square of the distance is
        # (s - low)^2 |a|^2 + 2 (s - low) a e + |e|^2
        low, high, above, below = self.work.scale_bounds()
        assert isinstance(problem.start, tuple)
        plain = tuple(map(fraction, self.system.state(problem.start).entries()))
        error = [low * x - y for x, y in zip(plain, centre, strict=True)]
        length = sum((x * x for x in plain), Fraction(0))
        mixed = sum((x * y for x, y in zip(plain, error, strict=True)), Fraction(0))
        width = high - low
        rest = radius**2 - length * width**2 - sum((x * x for x in error), Fraction(0))
        rest -= 2 * max(mixed, Fraction(0)) * width
        if rest < 0:
            raise ValueError("the start is not near the point")
        return p.positive(
            gap,
            Summand(UNIT, scalars=(below, below), coefficient=length),
            Summand(UNIT, scalars=(below, above), coefficient=2 * length),
            Summand(UNIT, scalars=(below if mixed > 0 else above,), coefficient=2 * abs(mixed)),
            Summand(UNIT, coefficient=rest),
        )

    def moved(self, system: QuadraticSystem, norms: Sequence[Fraction]) -> Coordinates:
        """Other coordinates of the same solutions."""
        return Coordinates(self.work, self.heads, system, norms)

    def field_of_solution(self) -> Term:
        """The right-hand side of the equation of Sigma."""
        return self.heads.field

    def solution(self) -> int:
        """The step that the given solution is the maximal one."""
        return self.heads.solution(self.work)

    def inside(self, near: int) -> Inside:
        """From a step that proves ``near``."""
        return self.followed(self.p.part(near, 0), self.p.part(near, 1))

    def moment(self, inside: Inside, length: Fraction, reached: int) -> Moment:
        """When the solution is where the curve that is followed is after ``length``.

        Args:
            reached: the step that the curve lasts longer.
        """
        return Moment(inside.solution, la.number(length), reached, length)

    def released(self, near: int, use: int) -> int:
        """``use`` without what :meth:`inside` assumed besides ``near``."""
        return use

    def endless(self, near: int, use: int) -> int:
        """T = oo, from a step that the curve which is followed from near a point lasts forever."""
        return use

    def followed(self, solution: int, start: int) -> Inside:
        """From steps that a curve is the maximal solution, and starts at Sigma0 >= 0."""
        p = self.p
        stays = p.lemma(RANK.id, start, solution)
        within = la.within(t, p[solution].args[0])
        positive = p.for_all(t, within, p.part(p.at(stays, t, p.assume(within)), 0))
        vector = p.fact(
            "coordinates",
            solution,
            positive,
            *self.bridge,
            U=self.units,
            P=self.functionals,
            f=self.field,
        )
        return Inside(solution, start, stays, vector)

    def _at(self, matrix: Term) -> dict[str, Term]:
        return {**self.names, "Z": matrix, "k": self.n, "n": self.n, "d": self.d}

    def _norms(self, norms: Sequence[Fraction]) -> int:
        """|U_h| <= 1 and the bounds of the forms."""
        p, n = self.p, self.system.size
        stated = substitute(NORMS, self.quadratic)
        steps = []
        for k in range(len(norms)):
            unit, symmetric, below, above = la.at(stated.args[0], index(k + 1, n)).args
            steps.append(
                p.conjunction(
                    p.definite(unit.args[0]),
                    p.entries(symmetric.args[0], symmetric.args[1]),
                    p.definite(below.args[0]),
                    p.definite(above.args[0]),
                )
            )
        return p.cases(stated.args[0], steps)

    def _bridge(self, z: Term) -> tuple[int, int, int, int, int]:
        """s > 0, G is continuous and symmetric, s F(Z) = G(coordinates of Z), f is that of G."""
        p = self.p
        velocity = self._velocity(z)
        now = la.at(velocity, z)
        symmetric = p.generalise(z, p.entries(la.tp(now), now))
        Z = la.mat("Z", self.d, self.d)
        declared = p.assume(la.symmetric(Z))
        left = la.scale(self.scale, la.at(self.heads.field, Z))
        same = p.entries(left, la.at(velocity, self.of(Z)), declared)
        factored = p.for_all(Z, p[declared], same)
        plain = substitute(plain_coordinates(Z), self._at(now))
        own = p.generalise(z, p.entries(la.at(self.field, z), plain))
        return self._scale_positive(), p.continuous(velocity), symmetric, factored, own

    def _scale_positive(self) -> int:
        if self.heads.problem.scale_squared is None:
            return self.p.definite(self.scale, strict=True)
        return self.work.scale_positive()

    def _velocity(self, z: Term) -> Term:
        """G: x -> sum over h of V_h N a_h N^T and its transpose, N = sum of x_k N_k."""
        system = self.system
        parts = [
            la.scale(la.mul(la.tp(_unit(system.size, k)), z), literal(N))
            for k, N in enumerate(system.lifts)
        ]
        lift = la.add(*parts) if len(parts) > 1 else parts[0]
        halves = [
            la.mul(literal(V), lift, literal(a), la.tp(lift))
            for V, a in zip(system.values, system.scores, strict=True)
        ]
        half = la.add(*halves) if len(halves) > 1 else halves[0]
        return la.lam(z, la.add(half, la.tp(half)))


def _unit(n: int, k: int) -> Term:
    return la.literal([[int(i == k)] for i in range(n)])


def literal(matrix: fmpq_mat) -> Term:
    return Term("literal", data=Literal.from_flint(matrix))


def _family(matrices: Sequence[fmpq_mat]) -> Term:
    return Term("family", tuple(map(literal, matrices)))


def vector(entries: Sequence[Fraction]) -> Term:
    """A literal column."""
    return la.literal([[x] for x in entries])
