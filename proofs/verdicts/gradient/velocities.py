"""The velocities of the attention variants as kernel terms.

They are those of the table ``symbolic.variants`` in the form A, which a test confirms; written out
here, they need no computer algebra where a certificate is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proofs import language as la
from proofs.terms import Term, sort_of, variable

Velocity = Callable[[Term, Term, Term, Term], Term]
"""V, A, the law of the tokens and a point, all terms, to Gamma at this point."""


def score(A: Term, x: Term, y: Term) -> Term:
    """<A x, y>."""
    return la.mul(la.tp(la.mul(A, x)), y)


def _weighed(weight: Callable[[Term], Term]) -> Velocity:
    """The integral of weight(<A x, y>) V y."""

    def velocity(V: Term, A: Term, law: Term, x: Term) -> Term:
        y = variable("y", sort_of(x))
        return la.integral(law, y, la.scale(weight(score(A, x, y)), la.mul(V, y)))

    return velocity


def _softmax(V: Term, A: Term, law: Term, x: Term) -> Term:
    y = variable("y", sort_of(x))
    mass = la.integral(law, y, la.exp(score(A, x, y)))
    return la.scale(la.inv(mass), VELOCITIES["exponential"](V, A, law, x))


def _sinkhorn(V: Term, A: Term, law: Term, x: Term) -> Term:
    y, first = (variable(name, sort_of(x)) for name in ("y", "x"))
    kernel = la.lam(first, la.lam(y, la.exp(score(A, first, y))))
    weight = la.at(la.balanced(law, kernel), x, y)
    return la.integral(law, y, la.scale(weight, la.mul(V, y)))


def _logistic(number: Term) -> Term:
    return la.inv(la.add(la.number(1), la.exp(la.mul(la.number(-1), number))))


VELOCITIES: Mapping[str, Velocity] = {
    "exponential": _weighed(la.exp),
    "linear": _weighed(lambda number: number),
    "sigmoid": _weighed(_logistic),
    "sinkhorn": _sinkhorn,
    "softmax": _softmax,
}

#: biases of queries and keys that do not change the velocity
CANCELLING_BIASES: Mapping[str, frozenset[str]] = {
    "softmax": frozenset({"b_k"}),
    "sinkhorn": frozenset({"b_q", "b_k"}),
}
