"""Softmax attention keeps Gaussian measures Gaussian."""

from __future__ import annotations

from proofs.bridge import to_term
from proofs.builder import Builder, itself
from proofs.claims.affine_flow import affine_flow, equation_of, preserved
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import A, Sigma, Sigma0, T, V, d, t
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.claims.gaussian_velocity import softmax_velocity, velocity
from proofs.kernel import Proof, Statement
from proofs.language import (
    at,
    gaussian,
    lam,
    mat,
    maximal,
    ode,
    psd,
    time_to,
    vec,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE
from symbolic.gaussian import reduction

REDUCTION = reduction("softmax")
alpha, x, Z = time_to("alpha", d, ONE), vec("x", d), mat("Z", d, d)
_LETTERS = {"A": A, "V": V}
F = lam(Z, to_term(REDUCTION.covariance_rhs, {**_LETTERS, "Sigma": Z}))
NOW = {**_LETTERS, "Sigma": at(Sigma, t), "alpha": at(alpha, t)}
MEAN_VELOCITY = lam(t, to_term(REDUCTION.mean_rhs, NOW))
LINEAR, CONSTANT = (lam(t, to_term(part, NOW)) for part in (REDUCTION.linear, REDUCTION.constant))
LAW = lam(t, gaussian(at(alpha, t), at(Sigma, t)))
VELOCITY = lam(t, lam(x, velocity("softmax", at(LAW, t), x)))
FORMULA = to_term(REDUCTION.velocity, {**NOW, "x": x})
SOLUTION = maximal(T, Sigma, F, Sigma0)
MEAN = ode(T, alpha, MEAN_VELOCITY)


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    start, solution, mean = p.assume(psd(Sigma0)), p.assume(SOLUTION), p.assume(MEAN)
    mean_now, covariance_now = at(alpha, t), at(Sigma, t)
    stays = p.lemma(RANK.id, start, solution)
    positive = p.part(p.at(stays, t, p.assume(within(t, T))), 0)
    affine = softmax_velocity(p, mean_now, covariance_now, x, positive)

    solves = affine_flow(
        p,
        equation=equation_of(p, solution),
        mean=mean,
        linear=LINEAR,
        constant=CONSTANT,
        positive=positive,
        formula=affine,
        velocity=VELOCITY,
    )
    formula = p.algebra(at(VELOCITY, t, x), FORMULA, (affine, itself))
    p.conjunction(p.for_all(t, within(t, T), p.generalise(x, formula)), solves)
    return p.proof()


CLAIM = Claim(
    id="gaussian.softmax",
    title="Softmax attention keeps Gaussians Gaussian: the equations of mean and covariance",
    source=PAPER_ID,
    statement=Statement(
        (psd(Sigma0), SOLUTION, MEAN),
        preserved(LAW, VELOCITY, x, FORMULA),
    ),
    hypotheses=(
        "Sigma0 positive semidefinite",
        "Sigma solves the covariance equation",
        "alpha solves the mean equation",
    ),
    prove=prove,
    note="The mean equation is linear in alpha, so that its solution lives as long as Sigma.",
    notation=(Definition("mu", LAW), Definition("Gamma", VELOCITY)),
)
