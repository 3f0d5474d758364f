"""Steps that several verdicts take: from an explicit solution to the maximal one."""

from __future__ import annotations

from fractions import Fraction

from proofs import language as la
from proofs.builder import Summand, itself
from proofs.claims.ranks import equal_ranks
from proofs.language import INFINITY
from proofs.terms import Literal, Term, size
from proofs.verdicts.problem import SCALE
from proofs.verdicts.workspace import UNIT, Workspace


def unique(work: Workspace, explicit: int) -> tuple[int, int]:
    """T = S, and Sigma(t) = X(t) on [0, S), from a step that proves maximal(S, X, F, Sigma0)."""
    p, problem = work.p, work.problem
    curve = p[explicit].args[1]
    same = p.fact(
        "uniqueness",
        p.smooth_along(problem.field, problem.terms["T"], problem.terms["Sigma"]),
        work.solution(),
        explicit,
        F=problem.field,
        X=problem.terms["Sigma"],
        Y=curve,
        X0=problem.terms["Sigma0"],
    )
    end = p.part(same, 0)
    along = p.replace(
        end,
        p.part(same, 1),
        lambda h: la.on_lifetime(
            h, lambda t: la.eq(la.at(problem.terms["Sigma"], t), la.at(curve, t))
        ),
    )
    return end, along


def flipped(work: Workspace, equation: int) -> int:
    """b = a from a = b."""
    left = work.p[equation].args[0]
    return work.p.replace(equation, work.p.reflexivity(left), lambda h: la.eq(h, left))


def transfer_limit(work: Workspace, along: int, converges: int) -> int:
    """The limit of X is that of Sigma, from Sigma(t) = X(t) on [0, oo)."""
    p, t = work.p, la.real("t")
    curve, sigma = p[converges].args[0], work.problem.terms["Sigma"]
    now = p.at(along, t, p.assume(la.within(t, INFINITY)))
    back = p.algebra(la.at(curve, t), la.at(sigma, t), (now, lambda h: la.scale(-1, h)))
    return p.fact(
        "equal-curves", converges, p.for_all(t, la.within(t, INFINITY), back), Y=curve, W=sigma
    )


def scaled_inverse_bounds(
    work: Workspace, value: Term, factor: Fraction, positive: int
) -> tuple[Fraction, Fraction, int, int]:
    """Bounds of 1/c for c = s * factor > 0, and steps that prove 1/c - low, high - 1/c >= 0.

    ``positive`` proves c > 0.
    """
    p = work.p
    low_scale, high_scale, above, below = work.scale_bounds()
    low, high = 1 / (factor * high_scale), 1 / (factor * low_scale)
    definite = p.fact("definite-inverse", positive)
    cancel = p.part(p.fact("inverse", p.part(definite, 0)), 0)
    inverse = p.part(definite, 1)
    # 1/c - low = (1/c) (1 - low c), and 1 - low c = low factor (high_scale - s)
    later = p.positive(
        la.minus(la.inv(value), la.number(low)),
        Summand(UNIT, scalars=(inverse, below), coefficient=low * factor),
        by=[(cancel, lambda h: la.scale(low, h))],
    )
    earlier = p.positive(
        la.minus(la.number(high), la.inv(value)),
        Summand(UNIT, scalars=(inverse, above), coefficient=high * factor),
        by=[(cancel, lambda h: la.scale(-high, h))],
    )
    return low, high, later, earlier


def literal_rank(work: Workspace, matrix: Term, core: Literal) -> int:
    """rank(M) = number, for M = core or M = s core."""
    p = work.p
    literal = Term("literal", data=core)
    one = la.identity(size(core.rows))
    if work.problem.scale_squared is None:
        same = equal_ranks(
            p,
            (p.algebra(matrix, la.mul(one, literal, one)), one, literal, one),
            (p.algebra(literal, la.mul(one, matrix, one)), one, matrix, one),
        )
    else:
        _, cancel = work.scale_inverse()
        wide, narrow = la.scale(SCALE, one), la.scale(la.inv(SCALE), one)
        up = p.algebra(
            literal,
            la.mul(narrow, matrix, one),
            (cancel, lambda h: la.scale(-1, la.scale(h, literal))),
        )
        same = equal_ranks(
            p,
            (p.algebra(matrix, la.mul(wide, literal, one)), wide, literal, one),
            (up, narrow, matrix, one),
        )
    count = p.rank(literal)
    return p.algebra(la.rank(matrix), p[count].args[1], (same, itself), (count, itself))
