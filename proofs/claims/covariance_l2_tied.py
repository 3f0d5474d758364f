"""L2 attention with K_h = -Q_h and V_h = I: the covariance decreases to the limit of softmax."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_commuting_limit import CLAIM as COMMUTING
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, t
from proofs.claims.covariance_l2_rank import CLAIM as RANK
from proofs.claims.l2_equation import (
    SOLUTION,
    F,
    Qh,
    h,
)
from proofs.claims.l2_tied import (
    DRIFT,
    LIMIT,
    LOW,
    NOW,
    PROJECTOR,
    SCORE,
    SOFTMAX_RANK,
    SUPPORT,
    TIED,
    I,
    N,
    R,
    State,
    X,
    Y,
    Z,
    bounded_forever,
    difference,
    excess,
    falls,
    fixes_unseen,
    null_of_form,
    product_piecewise,
    squeezed,
    stays_nonnegative,
    stronger_damping,
    transported,
    unseen,
    weaker_damping,
)
from proofs.claims.ranks import support_projector
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    at,
    conj,
    eq,
    forall,
    implies,
    lam,
    le,
    limit,
    maximal,
    minus,
    mul,
    number,
    on_lifetime,
    psd,
    rank,
    scale,
    total,
    tp,
    within,
    zero,
    zero_like,
)
from proofs.printing.abbreviations import Definition

DECREASING = forall(Z, implies(psd(Z), le(at(F, Z), zero(d, d))))
BETWEEN = on_lifetime(INFINITY, lambda t: conj(le(LIMIT, at(Sigma, t)), le(at(Sigma, t), at(X, t))))


#: Pi is the projector on the vectors y with Q_h R y = 0 for all h
KERNEL = conj(unseen(PROJECTOR), forall(Y, implies(unseen(Y), eq(mul(PROJECTOR, Y), Y))))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma(), COMMUTING.id: COMMUTING.lemma()})
    tied = p.specialise(p.assume(TIED), h)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    decreasing = p.for_all(Z, psd(Z), falls(p, State.of(p, tied, Z, p.assume(psd(Z)))))
    ranks = p.lemma(RANK.id, start, solution)
    endless = bounded_forever(p, solution, ranks, decreasing)

    # from here on [0, oo)
    forever = p.replace(endless, solution, lambda end: maximal(end, Sigma, F, Sigma0))
    stays = p.replace(
        endless,
        ranks,
        lambda end: on_lifetime(
            end, lambda t: conj(psd(at(Sigma, t)), eq(rank(at(Sigma, t)), rank(Sigma0)))
        ),
    )
    inside = p.assume(within(t, INFINITY))
    positive = p.part(p.at(stays, t, inside), 0)
    state, initial = State.of(p, tied, NOW, positive), State.of(p, tied, Sigma0, start)
    solves = p.fact("solution", forever)
    equation, begins = p.part(solves, 0), p.part(solves, 1)

    # Sigma <= Sigma0
    fixed = p.differentiate(INFINITY, lam(t, Sigma0))
    dropped = difference(p, fixed, equation)
    nothing = zero(d, d)
    still = p.fact("solution-piecewise", p.differentiate(INFINITY, lam(t, nothing)))
    drop = p[dropped].args[1]
    below = stays_nonnegative(
        p,
        dropped,
        still,
        p.positive(at(drop, number(0)), by=[(begins, lambda f: scale(-1, f))]),
        p.positive(
            excess(p, dropped, still),
            Summand(I, core=falls(p, state)),
        ),
    )
    below = p.at(below, t, inside)

    # Sigma <= X, the solution for softmax
    negative = p.positive(
        N,
        Summand(R, core=initial.damping, coefficient=4),
        by=[start, (initial.symmetric, lambda f: scale(2, mul(R, transported(f), R)))],
    )
    one = p.algebra(mul(I, Sigma0), mul(Sigma0, I))
    softmax = p.lemma(
        COMMUTING.id,
        start,
        one,
        p.algebra(mul(I, DRIFT), mul(DRIFT, I)),
        negative,
        V=I,
        A=SCORE,
    )
    explicit = p.fact("solution", p.part(softmax, 0))
    faster = difference(p, p.part(explicit, 0), equation)
    both = p.fact(
        "two-summands-piecewise",
        p.fact("solution-piecewise", p.part(explicit, 0)),
        p.fact("solution-piecewise", equation),
    )
    linear = product_piecewise(p, both, SCORE)
    U = p[faster].args[1]
    more = stronger_damping(p, initial, state, below)
    above = stays_nonnegative(
        p,
        faster,
        linear,
        p.positive(
            at(U, number(0)),
            by=[(p.part(explicit, 1), itself), (begins, lambda f: scale(-1, f))],
        ),
        p.positive(
            excess(p, faster, linear),
            Summand(NOW, core=more, coefficient=4),
            by=[
                positive,
                start,
                (state.field, lambda f: scale(-1, f)),
                (initial.symmetric, lambda f: scale(2, mul(at(X, t), transported(f), NOW))),
                (initial.symmetric, lambda f: scale(-2, mul(NOW, transported(f), at(X, t)))),
                (initial.symmetric, lambda f: scale(-2, mul(NOW, transported(f), NOW))),
            ],
        ),
    )

    # Sigma >= R Pi R, where the velocity is 0
    symmetric, idempotent, keeps = support_projector(p, N)
    same = p.algebra(
        LOW,
        LIMIT,
        (symmetric, lambda f: scale(-1, mul(R, f, PROJECTOR, R))),
        (idempotent, lambda f: mul(R, f, R)),
    )
    no_form = p.algebra(mul(N, PROJECTOR), zero(d, d), (keeps, lambda f: scale(-1, f)))
    image = p.at(null_of_form(p, initial), PROJECTOR, no_form)
    killed = p.algebra(
        mul(Qh, LOW),
        zero_like(mul(Qh, LOW)),
        (same, lambda f: mul(Qh, f)),
        (image, lambda f: mul(f, R)),
    )
    killed = p.extensionality(h, killed)
    slower = difference(p, equation, p.differentiate(INFINITY, lam(t, LOW)))
    weak = weaker_damping(p, state)
    W = p[slower].args[1]
    linear = product_piecewise(
        p, p.fact("solution-piecewise", slower), scale(-2, total(h, mul(tp(Qh), Qh)))
    )
    square = p.part(p.fact("square-root", start), 1)
    Ji = state.resolvent.Ji
    over = stays_nonnegative(
        p,
        slower,
        linear,
        p.positive(
            at(W, number(0)),
            Summand(mul(SUPPORT, R)),
            by=[
                (begins, itself),
                (same, lambda f: scale(-1, f)),
                (square, lambda f: scale(-1, f)),
                (symmetric, lambda f: scale(-1, mul(R, f, SUPPORT, R))),
                (idempotent, lambda f: scale(-1, mul(R, f, R))),
            ],
        ),
        p.positive(
            excess(p, slower, linear),
            Summand(at(W, t), core=weak, coefficient=4),
            by=[
                positive,
                start,
                (state.field, itself),
                (killed, lambda f: total(h, scale(-4, mul(tp(at(f, h)), Ji, Qh, NOW)))),
                (killed, lambda f: total(h, scale(-4, mul(NOW, tp(Qh), Ji, at(f, h))))),
                (killed, lambda f: total(h, scale(4, mul(LOW, tp(Qh), Ji, at(f, h))))),
            ],
        ),
    )
    over = p.at(over, t, inside)
    more = p.replace(same, over, lambda low: psd(minus(NOW, low)))
    between = p.conjunction(more, p.at(above, t, inside))
    between = p.for_all(t, within(t, INFINITY), between)
    converges = squeezed(p, initial, over, p.at(above, t, inside), same, keeps)
    p.conjunction(
        endless,
        decreasing,
        between,
        converges,
        p.part(softmax, 2),
        p.conjunction(p.generalise(h, image), fixes_unseen(p, initial)),
    )
    return p.proof()


CLAIM = Claim(
    id="covariance.l2-tied",
    title="L2 attention, K_h = -Q_h and V_h = I: the covariance decreases to the limit of softmax",
    source="new",
    statement=Statement(
        (TIED, psd(Sigma0), SOLUTION),
        conj(
            eq(T, INFINITY),
            DECREASING,
            BETWEEN,
            limit(Sigma, LIMIT),
            SOFTMAX_RANK,
            KERNEL,
        ),
    ),
    hypotheses=(
        "K_h = -Q_h and V_h = I for every head",
        "Sigma0 positive semidefinite",
        "Sigma solves the L2 covariance equation",
    ),
    prove=prove,
    note="X is the solution for softmax attention with V = I and the score matrix A. Pi is the "
    "orthogonal projector on the kernel of R (sum of Q_h^T Q_h) R, that is, on ker M. Rate 1/t, "
    "as X converges so. The rank drops exactly when M is not 0.",
    notation=(
        Definition("F", F),
        Definition("A", SCORE),
        Definition("M", scale(-1, N)),
        Definition("Pi", PROJECTOR),
        Definition("X", X),
    ),
)
