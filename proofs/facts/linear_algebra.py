"""Facts of linear algebra."""

from __future__ import annotations

from proofs.facts.base import Fact
from proofs.language import (
    add,
    at,
    conj,
    det,
    dim,
    dimension,
    eq,
    exists,
    family,
    forall,
    head,
    identity,
    implies,
    inv,
    invertible,
    lam,
    le,
    limit,
    lmax,
    mat,
    minus,
    mul,
    negation,
    number,
    pd,
    pinv,
    principal_root,
    psd,
    rank,
    real,
    root,
    scale,
    slit,
    symmetric,
    time_to,
    total,
    tp,
    tr,
    vec,
    zero,
)
from proofs.terms import ONE

d, m, n, p, q = (dim(name) for name in "dmnpq")
M, N = mat("M", d, d), mat("N", d, d)
R = mat("R", m, n)
P = mat("P", n, m)
A, B = mat("A", m, n), mat("B", n, p)
C, D = mat("C", m, n), mat("D", m, n)
X, Y = mat("X", m, n), mat("Y", p, n)
Z = mat("Z", d, n)
u, w = vec("u", d), vec("w", n)
t = real("t")
curve, value = time_to("X", m, n), mat("Y", m, n)
members, numbers = family("f", m, d, d), family("f", m, ONE, ONE)
h = head("h", m)
left, right = mat("L", p, m), mat("R", n, q)

HORN_JOHNSON = "Horn and Johnson, Matrix Analysis, 2nd ed."

FACTS = (
    Fact(
        "square-root",
        (psd(M),),
        conj(psd(root(M)), eq(mul(root(M), root(M)), M)),
        "A positive semidefinite matrix is the square of a positive semidefinite one.",
        f"{HORN_JOHNSON}, Theorem 7.2.6",
    ),
    Fact(
        "slit",
        (psd(M), psd(N)),
        slit(add(identity(d), mul(N, M))),
        "If $M$ and $N$ are positive semidefinite then $I + N M$ has no eigenvalue in $(−∞, 0]$.",
        f"{HORN_JOHNSON}, Theorem 1.3.22 ($N M$ has the eigenvalues of $√M N √M$)",
    ),
    Fact(
        "principal-root",
        (slit(M),),
        conj(
            eq(mul(principal_root(M), principal_root(M)), M),
            invertible(add(identity(d), principal_root(M))),
        ),
        "The principal root of $M$ squares to $M$, and $−1$ is not among its eigenvalues.",
        "Higham, Functions of Matrices, Theorem 1.29",
    ),
    Fact(
        "root-intertwines",
        (psd(M), psd(N)),
        eq(
            mul(root(M), principal_root(add(identity(d), mul(N, M)))),
            mul(root(add(identity(d), mul(root(M), N, root(M)))), root(M)),
        ),
        "$R f(N R R) = f(R N R) R$ for $R = √M$ and the principal root of $I + X$ as $f(X)$.",
        "Higham, Functions of Matrices, Corollary 1.34",
    ),
    Fact(
        "definite-inverse",
        (pd(M),),
        conj(invertible(M), pd(inv(M))),
        "A positive definite matrix is invertible, with positive definite inverse.",
        f"{HORN_JOHNSON}, Section 7.1",
    ),
    Fact(
        "inverse",
        (invertible(M),),
        conj(eq(mul(M, inv(M)), identity(d)), eq(mul(inv(M), M), identity(d))),
        "An invertible matrix times its inverse is the identity, on both sides.",
        f"{HORN_JOHNSON}, Section 0.5",
    ),
    Fact(
        "one-sided-inverse",
        (eq(mul(N, M), identity(d)),),
        conj(invertible(M), eq(inv(M), N)),
        "A square matrix with a left inverse is invertible, and this is its inverse.",
        f"{HORN_JOHNSON}, Section 0.5",
    ),
    Fact(
        "definite-form",
        (pd(M), negation(eq(u, zero(d, ONE)))),
        pd(mul(tp(u), M, u)),
        "If $M ≻ 0$ and $u$ is not 0 then $uᵀ M u > 0$.",
        f"{HORN_JOHNSON}, Definition 4.1.9",
    ),
    Fact(
        "determinant-positive",
        (pd(M),),
        pd(det(M)),
        "The determinant of a positive definite matrix is positive.",
        f"{HORN_JOHNSON}, Theorem 7.2.5",
    ),
    Fact(
        "determinant-of-products",
        (),
        eq(det(add(identity(m), mul(R, P))), det(add(identity(n), mul(P, R)))),
        "$det(I + R P) = det(I + P R)$, for $R$ and $P$ of transposed shapes.",
        f"{HORN_JOHNSON}, Section 0.8.5 (Schur complements in the matrix of the blocks "
        "$I, −R$ and $P, I$)",
    ),
    Fact(
        "trace-dominates",
        (psd(M),),
        psd(minus(scale(tr(M), identity(d)), M)),
        "A positive semidefinite matrix is at most its trace times the identity.",
        f"{HORN_JOHNSON}, Section 1.2 (the trace is the sum of the eigenvalues, none of which is "
        "negative)",
    ),
    Fact(
        "trace-nonnegative",
        (psd(M),),
        psd(tr(M)),
        "The trace of a positive semidefinite matrix is not negative.",
        f"{HORN_JOHNSON}, Section 7.1",
    ),
    Fact(
        "zero-trace",
        (psd(M), eq(tr(M), number(0))),
        eq(M, zero(d, d)),
        "A positive semidefinite matrix of trace zero vanishes.",
        f"{HORN_JOHNSON}, Section 7.1",
    ),
    Fact(
        "zero-form",
        (psd(M), eq(mul(tp(Z), M, Z), zero(n, n))),
        eq(mul(M, Z), zero(d, n)),
        "If $M$ is positive semidefinite and $Zᵀ M Z = 0$ then $M Z = 0$.",
        f"{HORN_JOHNSON}, Observation 7.1.6",
    ),
    Fact(
        "largest-eigenvalue",
        (symmetric(M),),
        conj(
            psd(minus(scale(lmax(M), identity(d)), M)),
            exists(
                u,
                conj(
                    eq(mul(tp(u), u), number(1)),
                    eq(mul(M, u), scale(lmax(M), u)),
                ),
            ),
        ),
        "$M ⪯ λ_max(M) I$, with equality on a unit eigenvector.",
        f"{HORN_JOHNSON}, Theorem 4.2.2",
    ),
    Fact(
        "moore-penrose",
        (),
        conj(
            eq(mul(R, pinv(R), R), R),
            eq(mul(pinv(R), R, pinv(R)), pinv(R)),
            symmetric(mul(R, pinv(R))),
            symmetric(mul(pinv(R), R)),
        ),
        "The four equations of the Moore-Penrose inverse.",
        f"{HORN_JOHNSON}, Problem 7.3.P7",
    ),
    Fact(
        "rank-of-product",
        (),
        conj(le(rank(mul(A, B)), rank(A)), le(rank(mul(A, B)), rank(B))),
        "The rank of a product is at most that of each factor.",
        f"{HORN_JOHNSON}, Section 0.4.5",
    ),
    Fact(
        "rank-of-sum",
        (),
        le(rank(add(C, D)), add(rank(C), rank(D))),
        "The rank of a sum is at most the sum of the ranks.",
        f"{HORN_JOHNSON}, Section 0.4.5",
    ),
    Fact(
        "rank-of-orthogonal-sum",
        (eq(mul(tp(C), D), zero(n, n)), eq(mul(C, tp(D)), zero(m, m))),
        eq(rank(add(C, D)), add(rank(C), rank(D))),
        "Ranks add when both the ranges and the row spaces are orthogonal.",
        "Marsaglia and Styan, Equalities and inequalities for ranks of matrices (1974), Theorem 11",
    ),
    Fact(
        "rank-of-identity",
        (),
        eq(rank(identity(d)), dimension(d)),
        "The identity has full rank.",
        f"{HORN_JOHNSON}, Section 0.4",
    ),
    Fact(
        "rank-by-kernels",
        (
            forall(
                w,
                implies(eq(mul(Y, w), zero(p, ONE)), eq(mul(X, w), zero(m, ONE))),
            ),
        ),
        le(rank(X), rank(Y)),
        "If $ker Y ⊆ ker X$ then $rank X ≤ rank Y$.",
        f"{HORN_JOHNSON}, Section 0.2.3 (rank-nullity)",
    ),
    Fact(
        "resolvent-limit",
        (psd(N),),
        limit(
            lam(t, inv(add(identity(d), scale(t, N)))),
            minus(identity(d), mul(pinv(N), N)),
        ),
        "If $N ⪰ 0$ then $(I + t N)⁻¹$ converges to the orthogonal projector on $ker N$.",
        f"{HORN_JOHNSON}, Theorem 2.5.6 (spectral theorem): an eigenvalue $n$ of $N$ gives "
        "$1/(1 + t n)$",
    ),
    Fact(
        "limit-of-product",
        (limit(curve, value),),
        limit(lam(t, mul(left, at(curve, t), right)), mul(left, value, right)),
        "Multiplication by fixed matrices is continuous.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Theorem 4.4",
    ),
    Fact(
        "sum-nonnegative",
        (forall(h, psd(at(members, h))),),
        psd(total(h, at(members, h))),
        "A sum of positive semidefinite matrices is positive semidefinite.",
        f"{HORN_JOHNSON}, Observation 7.1.3",
    ),
    Fact(
        "sum-positive",
        (forall(h, pd(at(members, h))),),
        pd(total(h, at(members, h))),
        "A sum of positive definite matrices is positive definite.",
        f"{HORN_JOHNSON}, Observation 7.1.3",
    ),
    Fact(
        "sum-of-nonnegative-zero",
        (forall(h, psd(at(numbers, h))), eq(total(h, at(numbers, h)), number(0))),
        forall(h, eq(at(numbers, h), number(0))),
        "If a sum of nonnegative numbers is $0$, each of them is.",
        "order axioms of the reals",
    ),
)
