"""The claims that Gaussians stay Gaussian say what SymPy derives."""

import pytest

from proofs.bridge import to_term
from proofs.builder import Builder
from proofs.claims import gaussian_masked_linear as masked
from proofs.claims.covariance_equation import Sigma, d, t
from proofs.claims.gaussian_multihead import heads_of
from proofs.claims.l2_velocity import precision
from proofs.claims.preservation import Layer
from proofs.claims.preserving_heads import (
    COVARIANCE,
    MEAN,
    L2Head,
    LinearHead,
    SinkhornHead,
    SoftmaxHead,
    alpha,
    x,
)
from proofs.kernel import KernelError
from proofs.language import at, eq, identity, inv, lam, mul, psd, time_to, tp
from proofs.terms import Term
from symbolic.gaussian import derived, reduction

KINDS = {kind.variant: kind for kind in (L2Head, LinearHead, SinkhornHead, SoftmaxHead)}
k = Term("var", (Term("Dim"),), "k")


def single(kind) -> tuple[Layer, dict[str, Term]]:
    """One head, and its letters at the time t."""
    rows = {"V": d, "A": d, "Q": k, "K": k}
    curves = {name: time_to(name, rows[name], d) for name in kind.names}
    layer = Layer((kind(tuple(curves.values())),))
    letters = {name: at(curve, t) for name, curve in curves.items()}
    return layer, letters | {"alpha": MEAN, "Sigma": COVARIANCE, "x": x}


def several(kind) -> tuple[Layer, dict[str, Term]]:
    """A family of heads."""
    family = heads_of(kind)
    h = family.index
    now = {name: lam(h, value) for name, value in zip(kind.names, family.now, strict=True)}
    letters = now | {"H": h.args[0].args[0], "alpha": MEAN, "Sigma": COVARIANCE, "x": x}
    return Layer((family,)), letters


def with_score(letters: dict[str, Term]) -> dict[str, Term]:
    """A = K^T Q where the heads have Q and K."""
    if "A" in letters:
        return letters
    Q, K = letters["Q"], letters["K"]
    if Q.op != "lambda":
        return letters | {"A": mul(tp(K), Q)}
    h = heads_of(L2Head).index
    return letters | {"A": lam(h, mul(tp(at(K, h)), at(Q, h)))}


def equal(left: Term, right: Term, letters: dict[str, Term]) -> None:
    """The kernel proves it; for L2 from (I + 2 Sigma K^T K)^{-1} (I + 2 Sigma K^T K) = I."""
    if left.op == right.op == "sum":
        h = heads_of(L2Head).index
        left, right = at(left.args[0], h), at(right.args[0], h)
    p = Builder()
    uses = [p.assume(psd(COVARIANCE))]
    if "K" in letters and letters["K"].op != "lambda":
        regular = precision(letters["K"], COVARIANCE)
        cancels = p.assume(eq(mul(inv(regular), regular), identity(d)))
        try:
            p.algebra(left, right, *uses)
        except KernelError:
            uses.append((cancels, lambda g: mul(letters["V"], g, MEAN)))
            p.algebra(right, left, *uses)
        return
    p.algebra(left, right, *uses)


@pytest.mark.parametrize("variant", sorted(KINDS))
@pytest.mark.parametrize("make", [single, several])
def test_equations_are_those_of_the_reduction(variant, make):
    layer, letters = make(KINDS[variant])
    letters = with_score(letters)
    name = variant if make is single else f"multihead-{variant}"
    found = reduction(name)
    equal(to_term(found.linear, letters), layer.linear, letters)
    equal(to_term(found.mean_rhs, letters), at(layer.mean_equation.args[2], t), letters)


@pytest.mark.parametrize("variant", sorted(KINDS))
def test_velocities_are_those_of_the_reduction(variant):
    layer, letters = single(KINDS[variant])
    letters = with_score(letters)
    equal(to_term(reduction(variant).velocity, letters), layer.affine(x), letters)


def test_masked_linear_is_the_reduction():
    found = reduction("masked-linear")
    here = {"alpha_s": at(masked.alpha, masked.s, t), "M_s": masked.SEEN, "x": masked.x}
    letters = here | {"V": at(masked.V, t), "A": at(masked.A, t)}
    p = Builder()
    p.algebra(to_term(found.linear, letters), masked.LINEAR)
    p.algebra(to_term(found.velocity, letters), mul(masked.LINEAR, masked.x))


def test_every_reduction_has_a_claim():
    plain = {name.removeprefix("masked-").removeprefix("multihead-") for name in derived()}
    assert plain == set(KINDS)


def test_a_wrong_factor_is_noticed():
    layer, letters = single(L2Head)
    letters = with_score(letters)
    wrong = reduction("l2").linear / 2
    with pytest.raises(KernelError):
        equal(to_term(wrong, letters), layer.linear, letters)


def test_letters_are_those_of_the_law():
    assert at(Sigma, t) == COVARIANCE
    assert at(alpha, t) == MEAN
