"""L2 attention whose heads see what they move: the covariance grows at most exponentially."""

from __future__ import annotations

from functools import partial

from proofs.builder import Builder, Summand
from proofs.claims import l2_growth as growth
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, t
from proofs.claims.covariance_l2_rank import CLAIM as RANK
from proofs.claims.exponential_growth import ceiling, endless
from proofs.claims.head_growth import LENGTH, TOP, I, Z, c, u
from proofs.claims.l2_equation import SOLUTION, F, H, Kh, Qh, Vh, h, regular
from proofs.claims.l2_growth import gap, grows_at_most
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    at,
    conj,
    eq,
    family,
    forall,
    identity,
    implies,
    inv,
    lam,
    le,
    lmax,
    minus,
    mul,
    on_lifetime,
    psd,
    real,
    scale,
    total,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

HEAD = (Qh, Kh, Vh)
rho, s = family("rho", H, ONE, ONE), real("s")
#: for each head: u^T B_h(Z) Z u <= rho_h c |u|^2 where 0 <= Z <= c I and Z u = c u
GROWTH = forall(h, grows_at_most(HEAD, at(rho, h)))
RATE = scale(2, total(h, at(rho, h)))
START = le(Sigma0, scale(s, I))


def exponential(start: Term) -> Term:
    """Sigma(t) <= start exp(rate t) I on [0, T)."""
    return on_lifetime(T, lambda t: le(at(Sigma, t), ceiling(start, RATE, t)))


GLOBAL = conj(eq(T, INFINITY), forall(s, implies(START, exponential(s))))


def prove_global(p: Builder) -> int:
    """GROWTH gives GLOBAL, for all rho."""
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    each = p.specialise(p.assume(GROWTH), h)
    for value in (Z, c, u):
        each = p.specialise(each, value)
    state = p.assume(TOP)
    one = p.generalise(h, p.modus_ponens(each, state))
    growing = p.fact("sum-nonnegative", one, f=lam(h, gap(HEAD, at(rho, h))))
    bound = p.positive(
        minus(scale(RATE, scale(c, LENGTH)), mul(tp(u), at(F, Z), u)),
        Summand(identity(ONE), core=growing, coefficient=2),
        by=[p.part(state, 0)],
    )
    everywhere = p.generalise(Z, p.generalise(c, p.generalise(u, p.discharge(TOP, bound))))
    ranks = p.lemma(RANK.id, start, solution)
    now = p.part(p.at(ranks, t, p.assume(within(t, T))), 0)
    stays = p.for_all(t, within(t, T), now)
    below = p.assume(START)
    bounded = p.fact(
        "linear-comparison", solution, stays, below, everywhere, X=Sigma, F=F, s=s, r=RATE
    )
    bounded = p.for_all(s, START, bounded)

    # Sigma0 <= lambda_max(Sigma0) I, and the trace is bounded by a continuous function of time
    symmetric = p.fact("semidefinite-symmetric", start)
    top = p.part(p.fact("largest-eigenvalue", symmetric), 0)
    smooth = p.smooth_on_cone(F, partial(regular, p))
    level = ceiling(lmax(Sigma0), RATE, t)
    forever = endless(p, smooth, solution, stays, p.at(bounded, lmax(Sigma0), top), level)
    return p.for_all(rho, GROWTH, p.conjunction(forever, bounded))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    general = prove_global(p)
    through = growth.prove_through_keys(p, HEAD)
    definite = growth.prove_definite_keys(p, HEAD, through)
    multiple = growth.prove_proportional(p, HEAD)
    p.conjunction(general, *(p.generalise(h, one) for one in (through, multiple, definite)))
    return p.proof()


def kind(hypotheses: tuple[Term, ...], letters: tuple[Term, ...], bound: Term) -> Term:
    """For every head and all ``letters`` with ``hypotheses``: the bound of its growth."""
    body = implies(conj(*hypotheses), grows_at_most(HEAD, bound))
    for letter in reversed(letters):
        body = forall(letter, body)
    return forall(h, body)


N, n, q, l, a, v, kappa = (  # noqa: E741
    growth.N,
    growth.n,
    growth.q,
    growth.l,
    growth.a,
    growth.v,
    growth.kappa,
)

CLAIM = Claim(
    id="covariance.l2-global",
    title="L2 attention is global when V_h = N_h K_h or Q_h = l_h K_h for every head",
    source="new",
    statement=Statement(
        (psd(Sigma0), SOLUTION),
        conj(
            forall(rho, implies(GROWTH, GLOBAL)),
            kind(growth.through_keys(HEAD), (N, n, q), mul(n, q)),
            kind(growth.proportional(HEAD), (l, a, v), mul(a, v)),
            kind(growth.definite_keys(HEAD), (kappa, v, q), mul(mul(v, inv(kappa)), q)),
        ),
    ),
    hypotheses=("Sigma0 positive semidefinite", "Sigma solves the L2 covariance equation"),
    prove=prove,
    note="A head grows at most at the rate 2 |N_h| |Q_h| when V_h = N_h K_h, that is, when ker K_h "
    "is in ker V_h, as it is when K_h^T K_h > 0, and at most at 2 |l_h| |V_h| when Q_h = l_h K_h.",
    notation=(Definition("F", F),),
)
