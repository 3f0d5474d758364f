"""Every variant is compared with its definition on a discrete measure, written out by hand."""

import random
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf
from symbolic_semantics import add, close, dot, evaluate, mul, rational_matrix, sinkhorn, times
from symbolic_semantics import transpose as tr

from symbolic import variants
from symbolic.nodes import HeadSum, indexed
from symbolic.notation import A as A_
from symbolic.notation import H, beta, mu, s, with_scale, x
from symbolic.notation import K as K_
from symbolic.notation import Q as Q_
from symbolic.notation import V as V_
from symbolic.notation import b_k as bk_
from symbolic.notation import b_q as bq_
from symbolic.notation import b_v as bv_

TOLERANCE = mpf(10) ** -25
NAMES = ["exponential", "l2", "linear", "sigmoid", "sinkhorn", "softmax"]


@pytest.fixture(autouse=True)
def forty_digits():
    with mpmath.workdps(40):
        yield


def parameters(seed, d, k):
    """Letters and a measure of three atoms, one of which is the token x."""
    rng = random.Random(seed)
    shapes = {Q_: (k, d), K_: (k, d), V_: (d, d), bq_: (k, 1), bk_: (k, 1), bv_: (d, 1)}
    env = {letter: rational_matrix(rng, *shape, mpf) for letter, shape in shapes.items()}
    points = [rational_matrix(rng, d, 1, mpf) for _ in range(3)]
    weights = [mpf(1) / 2, mpf(1) / 3, mpf(1) / 6]
    positions = [Fraction(0), Fraction(1, 3), Fraction(2, 3)]
    env[mu] = list(zip(weights, positions, points, strict=True))
    env[x] = points[1]
    env[A_] = mul(tr(env[K_]), env[Q_])
    return env


def by_hand(name, env, atoms, biases):
    """Gamma_mu(x) from the definition, with loops and numbers only."""

    def affine(matrix, z, bias):
        return add(mul(env[matrix], z), env[bias]) if biases else mul(env[matrix], z)

    def kernel(a, b):
        query, key = affine(Q_, a, bq_), affine(K_, b, bk_)
        score = dot(query, key)
        gap = add(query, times(-1, key))
        return {
            "softmax": lambda: mpmath.exp(score),
            "l2": lambda: mpmath.exp(-dot(gap, gap)),
            "sinkhorn": lambda: mpmath.exp(score),
            "sigmoid": lambda: 1 / (1 + mpmath.exp(-score)),
            "linear": lambda: score,
            "exponential": lambda: mpmath.exp(score),
        }[name]()

    weight = kernel
    if name == "sinkhorn":
        weight = sinkhorn(kernel, [(w, z) for w, _, z in atoms])
    total = [[mpf(0)] for _ in env[x]]
    mass = mpf(0)
    for w, _, z in atoms:
        total = add(total, times(w * weight(env[x], z), affine(V_, z, bv_)))
        mass += w * kernel(env[x], z)
    return times(1 / mass, total) if name in ("softmax", "l2") else total


@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize(("d", "k"), [(1, 1), (2, 1), (3, 2)])
@pytest.mark.parametrize("name", NAMES)
def test_velocity_is_its_definition(name, d, k, biases):
    env = parameters(f"{name}{d}", d, k)
    velocity = variants.lookup(name).velocity(x, mu, biases=biases)
    direct = by_hand(name, env, env[mu], biases)
    assert close(evaluate(velocity, env, mpf), direct, TOLERANCE)
    assert any(abs(entry) > 1e-6 for (entry,) in direct)


@pytest.mark.parametrize("name", NAMES)
def test_score_matrix_replaces_query_and_key(name):
    env = parameters(name, 3, 2)
    variant = variants.lookup(name)
    if name == "l2":
        with pytest.raises(ValueError, match="l2 attention is not a function of A alone"):
            variant.velocity(x, mu, form="A")
        return
    scaled = {**env, beta: mpf(3) / 7, A_: times(mpf(3) / 7, env[A_])}
    with_a = evaluate(variant.velocity(x, mu, form="A"), scaled, mpf)
    assert close(with_a, evaluate(with_scale(variant.velocity(x, mu)), scaled, mpf), TOLERANCE)
    assert not close(with_a, evaluate(variant.velocity(x, mu), env, mpf), mpf(10) ** -6)


def test_biases_need_query_and_key():
    with pytest.raises(ValueError, match="need Q and K"):
        variants.lookup("softmax").velocity(x, mu, form="A", biases=True)


@pytest.mark.parametrize("name", NAMES)
def test_cancelling_biases_are_exactly_those_declared(name):
    env = parameters(name, 2, 2)
    variant = variants.lookup(name)
    velocity = variant.velocity(x, mu, biases=True)
    before = evaluate(velocity, env, mpf)
    for bias in (bq_, bk_, bv_):
        after = evaluate(velocity, {**env, bias: times(mpf(2), env[bias])}, mpf)
        assert close(before, after, mpf(10) ** -20) == (bias.name in variant.cancelling_biases)


@pytest.mark.parametrize("name", NAMES)
def test_multihead_is_the_sum_over_heads(name):
    heads = [parameters(f"{name}{h}", 2, 1) for h in (1, 2)]
    shared = {mu: heads[0][mu], x: heads[0][x], H: 2}
    env = dict(shared)
    for h, head in enumerate(heads, 1):
        env |= {indexed(letter, h): head[letter] for letter in (Q_, K_, V_, bq_, bk_, bv_)}
    velocity = variants.lookup(f"multihead-{name}").velocity(x, mu, biases=True)
    first, second = (by_hand(name, {**head, **shared}, shared[mu], True) for head in heads)
    assert close(evaluate(velocity, env, mpf), add(first, second), TOLERANCE)


@pytest.mark.parametrize("prefix", ["masked", "masked-multihead"])
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"sinkhorn"}))
def test_masked_sees_positions_up_to_its_own(name, prefix):
    env = parameters(name, 2, 1)
    env |= {H: 1} | {indexed(letter, 1): env[letter] for letter in (Q_, K_, V_)}
    velocity = variants.lookup(f"{prefix}-{name}").velocity(x, mu)
    values = []
    for position, seen in ((Fraction(0), 1), (Fraction(1, 3), 2), (Fraction(1, 2), 2), (1, 3)):
        values.append(evaluate(velocity, {**env, s: position}, mpf))
        assert close(values[-1], by_hand(name, env, env[mu][:seen], False), TOLERANCE)
    assert values[0] != values[1] != values[3]


def test_scale_reaches_into_the_heads():
    scaled = with_scale(variants.lookup("multihead-softmax").velocity(x, mu))
    assert isinstance(scaled, HeadSum)
    assert scaled.args[0] == with_scale(variants.lookup("softmax").velocity(x, mu))
    assert beta in scaled.free_symbols


def test_names():
    assert variants.names() == NAMES
    assert variants.lookup("masked-multihead-l2").name == "masked-multihead-l2"
    for name in NAMES:
        assert variants.lookup(name).name == name
        assert variants.lookup(f"multihead-{name}").name == f"multihead-{name}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sofmax", r"'sofmax' \(did you mean 'softmax'\?\); known: exponential, l2, linear"),
        ("masked-linaer", r"did you mean 'masked-linear'\?"),
        ("zzz", r"unknown attention variant 'zzz'; known"),
        ("", r"unknown attention variant ''"),
        ("multihead-multihead-l2", "unknown attention variant"),
        ("masked-sinkhorn", "not defined: a causal kernel is triangular"),
        ("masked-multihead-sinkhorn", "not defined: a causal kernel is triangular"),
    ],
)
def test_lookup_errors(name, message):
    with pytest.raises(ValueError, match=message):
        variants.lookup(name)


def test_a_new_file_is_a_new_variant(tmp_path, monkeypatch):
    (tmp_path / "quadratic.py").write_text(
        "from symbolic.variants.base import Attention\n"
        "ATTENTION = Attention('quadratic', 'Quadratic attention', '.', lambda z: z**2)\n"
    )
    monkeypatch.setattr(variants, "__path__", [*variants.__path__, str(tmp_path)])
    variants.table.cache_clear()
    try:
        assert "quadratic" in variants.names()
        assert variants.lookup("masked-quadratic").title == "Masked quadratic attention"
    finally:
        variants.table.cache_clear()
        variants.lookup.cache_clear()


def test_masked_sinkhorn_reason_is_true():
    """Alternating normalisation of a triangular kernel with equal masses tends to the identity."""
    kernel = [[mpf(2), 0, 0], [mpf(1), mpf(3), 0], [mpf(5), mpf(1), mpf(1)]]
    rescaled = sinkhorn(lambda a, b: kernel[a][b], [(mpf(1), i) for i in range(3)], rounds=3000)
    assert all(rescaled(i, j) < 1e-2 for i in range(3) for j in range(3) if i != j)
