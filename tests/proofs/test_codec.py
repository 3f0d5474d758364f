"""JSON of terms, statements and proofs: round trips, and strictness against hostile input."""

import copy
import hashlib
import json
import random
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs import codec
from proofs import language as la
from proofs.builder import Builder, Summand
from proofs.claims.base import ledger
from proofs.codec import CodecError
from proofs.facts.base import all_facts
from proofs.kernel import KernelError, Lemma, Proof, Statement, Step, Theorem, check
from proofs.terms import (
    ONE,
    REAL,
    Term,
    free_variables,
    function_sort,
    index,
    index_sort,
    measure_sort,
    size,
    variable,
)

d = la.dim("d")
A, B, V = (la.mat(name, d, d) for name in ("A", "B", "V"))
c, t = la.real("c"), la.real("t")
T, Sigma = la.lifetime("T"), la.time_to("Sigma", d, d)
H, h = la.dim("H"), la.head("h", la.dim("H"))
x, y = la.vec("x", d), la.vec("y", d)
theta, nu = variable("theta", measure_sort(ONE)), variable("nu", measure_sort(d))
SCORES = la.lam(x, la.lam(y, la.exp(la.mul(la.tp(x), A, y))))
SCORES_DATA = [
    "lambda",
    "x",
    ["Mat", "d", 1],
    ["lambda", "y", ["Mat", "d", 1], ["exp", ["mul", ["transpose", "x"], "A", "y"]]],
]
X, Y = la.family("X", H, d, d), la.family("Y", size(2), d, d)
TABLE = {"d": d, "A": A, "B": B, "V": V, "c": c, "t": t, "T": T, "Sigma": Sigma}
TABLE |= {"H": H, "h": h, "X": X, "Y": Y, "theta": theta, "nu": nu}


def congruence_lemma() -> Lemma:
    """M >= 0 implies Z^T M Z >= 0."""
    M, Z = la.mat("M", d, d), la.mat("Z", d, d)
    p = Builder()
    p.positive(la.mul(la.tp(Z), M, Z), Summand(Z, core=p.assume(la.psd(M))))
    return Lemma(Statement((la.psd(M),), la.psd(la.mul(la.tp(Z), M, Z))), p.proof())


def small_proof() -> Proof:
    """Uses a lemma, a fact, rationals, contexts, an integer, and a name with two sorts."""
    n = la.dim("n")
    p = Builder({"congruence": congruence_lemma()})
    inner = p.lemma("congruence", p.assume(la.psd(A)), Z=B)
    half = p.positive(
        la.scale(Fraction(1, 2), la.mul(la.tp(B), A, B)),
        Summand(la.identity(d), core=inner, coefficient=Fraction(1, 2)),
    )
    root = p.part(p.fact("square-root", half), 1)
    point = la.mat("Z", n, n)
    smooth = [p.polynomial(la.lam(z, la.mul(z, z))) for z in (la.mat("Y", d, d), point)]
    twice = p.algebra(
        la.scale(2, p[root].args[1]), la.mul(la.tp(B), A, B), (root, lambda h: la.scale(0, h))
    )
    p.conjunction(twice, root, *smooth)
    return p.proof()


def through_json(data: codec.Json) -> object:
    return codec.read_json(json.dumps(data))


# Round trips ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "data"),
    [
        (
            la.psd(la.add(A, la.scale(Fraction(-1, 2), la.tp(B)))),
            ["psd", ["add", "A", ["scale", ["number", "-1/2"], ["transpose", "B"]]]],
        ),
        (la.literal([[1, 2], [3, 4]]), ["matrix", [["1", "2"], ["3", "4"]]]),
        (la.identity(size(3)), ["identity", 3]),
        (la.zero(size(4096), size(1)), ["zero", 4096, 1]),
        (la.at_most(la.finite(c), la.INFINITY), ["at_most", ["finite", "c"], ["infinity"]]),
        (
            la.on_lifetime(T, lambda s: la.psd(la.at(Sigma, s)), "s"),
            [
                "forall",
                [
                    "lambda",
                    "s",
                    "Real",
                    ["implies", ["within", "s", "T"], ["psd", ["apply", "Sigma", "s"]]],
                ],
            ],
        ),
        (la.vec("A", d), ["var", "A", ["Mat", "d", 1]]),
        (la.pd(la.det(A)), ["pd", ["det", "A"]]),
        (
            la.integral(la.past(theta, c), t, la.at(Sigma, t)),
            [
                "integral",
                ["past", "theta", "c"],
                ["lambda", "t", "Real", ["apply", "Sigma", "t"]],
            ],
        ),
        (la.balanced(nu, SCORES), ["balanced", "nu", SCORES_DATA]),
        (
            la.integrable(la.past(theta, c), t, la.at(Sigma, t)),
            [
                "integrable",
                ["past", "theta", "c"],
                ["lambda", "t", "Real", ["apply", "Sigma", "t"]],
            ],
        ),
        (la.continuous(Sigma), ["continuous", "Sigma"]),
        (
            la.total(h, la.mul(la.at(X, h), A)),
            ["sum", ["lambda", "h", ["Index", "H"], ["mul", ["apply", "X", "h"], "A"]]],
        ),
        (la.at(Y, index(2, 2)), ["apply", "Y", ["index", 2, 2]]),
        (Term("sum", (Y,)), ["sum", "Y"]),
        (Term("family", (A, B)), ["family", "A", "B"]),
        (
            la.at(Term("family", (A, B)), la.head("i", size(2))),
            ["apply", ["family", "A", "B"], ["var", "i", ["Index", 2]]],
        ),
        (index(1024, 1024), ["index", 1024, 1024]),
        (
            la.forall(la.family("Z", H, d, d), la.psd(A)),
            [
                "forall",
                ["lambda", "Z", ["Fun", ["Index", "H"], ["Mat", "d", "d"]], ["psd", "A"]],
            ],
        ),
    ],
)
def test_terms_have_this_form(term, data):
    assert codec.encode_term(term, TABLE) == data
    assert codec.decode_term(data, TABLE) == term


def test_statement_has_this_form():
    statement = Statement((la.psd(A),), la.continuity(T, la.measures("mu", d), velocity()))
    assert codec.encode_statement(statement) == {
        "variables": {
            "A": ["Mat", "d", "d"],
            "d": "Dim",
            "T": "Ext",
            "mu": ["Fun", "Real", ["Measure", "d"]],
            "v": ["Fun", "Real", ["Fun", ["Mat", "d", 1], ["Mat", "d", 1]]],
        },
        "hypotheses": [["psd", "A"]],
        "conclusion": ["continuity", "T", "mu", "v"],
    }


def velocity() -> Term:
    point = la.vec("x", d).args[0]
    return variable("v", function_sort(REAL, function_sort(point, point)))


def test_step_arguments_have_this_form():
    step = Step("rule", (0, 2), {"a": (c, None, True, 3, "x"), "b": {"term": Fraction(1, 2)}})
    (data,) = codec.encode_proof(Proof((step,)))["steps"]
    assert data == {
        "rule": "rule",
        "uses": [0, 2],
        "args": {
            "a": [{"term": "c"}, None, True, 3, "x"],
            "b": {"map": {"term": {"rational": "1/2"}}},
        },
    }


@pytest.mark.parametrize("order", [sorted, reversed])
def test_the_order_of_declarations_does_not_matter(order):
    statement = Statement((la.psd(A),), la.eq(A, B))
    data = codec.encode_statement(statement)
    data["variables"] = {name: data["variables"][name] for name in order([*data["variables"]])}
    assert codec.decode_statement(data) == statement


def test_bound_names_differ_from_names_in_use():
    """t -> (s -> s + t), where both are called t and the outer t is free elsewhere."""
    inner = la.lam(la.real("t"), la.add(la.real("t"), la.real("s")))
    term = la.lam(la.real("s"), la.at(la.lam(la.real("u"), inner), c))
    twisted = la.lam(la.real("t"), Term("apply", (variable("G", REAL_TO_MAP), la.real("t"))))
    nested = Term(
        "lambda", (REAL, Term("lambda", (REAL, Term("bound", data=1)), hint="t")), hint="t"
    )
    for value in (term, nested, twisted, la.eq(la.at(Sigma, t), la.at(Sigma, c))):
        table = free_variables(value)
        assert codec.decode_term(codec.encode_term(value, table), table) == value
    assert codec.encode_term(nested, {}) == ["lambda", "t", "Real", ["lambda", "t1", "Real", "t"]]


REAL_TO_MAP = function_sort(REAL, function_sort(REAL, REAL))


def matrices(names: st.SearchStrategy[str]) -> st.SearchStrategy[Term]:
    """Square matrices of size d with binders whose names clash with free ones."""
    fractions = st.fractions(max_denominator=10**6)

    def extend(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        binder = names.map(la.real)
        return st.one_of(
            st.tuples(inner, inner).map(lambda pair: la.add(*pair)),
            st.tuples(inner, inner, inner).map(lambda three: la.mul(*three)),
            st.tuples(fractions, inner).map(lambda pair: la.scale(*pair)),
            st.tuples(names.map(la.real), inner).map(lambda pair: la.scale(*pair)),
            inner.map(la.tp),
            inner.map(la.inv),
            st.tuples(inner, inner).map(lambda pair: la.scale(la.tr(pair[0]), pair[1])),
            st.tuples(names, inner, binder).map(curve_value),
            st.tuples(heads, inner).map(lambda pair: la.total(*pair)),
            st.tuples(inner, inner, heads).map(member_of_two),
        )

    heads = names.map(lambda name: la.head(f"{name}h", H))
    members = st.tuples(st.sampled_from([X, la.family("W", H, d, d)]), heads).map(
        lambda pair: la.at(*pair)
    )
    leaves = st.sampled_from([A, B, la.identity(d), la.zero(d, d), la.at(Y, index(1, 2))])
    return st.recursive(leaves | members, extend)


def member_of_two(parts: tuple[Term, Term, Term]) -> Term:
    """Members of a literal family that depends on a head, summed over the head."""
    first, second, head = parts
    pair = Term("family", (la.mul(first, la.at(X, head)), second))
    choice = variable("i", index_sort(size(2)))
    return la.total(head, la.add(la.at(pair, choice), Term("sum", (pair,))))


def curve_value(parts: tuple[str, Term, Term]) -> Term:
    """The value of a functional F at the curve (name -> matrix)."""
    name, matrix, binder = parts
    curve = la.lam(binder, la.add(matrix, la.scale(la.real(name), A)))
    functional = variable("F", function_sort(Sigma.args[0], A.args[0]))
    return la.at(functional, curve)


@given(matrices(st.sampled_from(["t", "t1", "x", "c", "_"])))
def test_generated_terms_survive(term):
    table = free_variables(term)
    data = codec.encode_term(term, table)
    decoded = codec.decode_term(through_json(data), table)
    assert decoded == term
    assert codec.encode_term(decoded, table) == data


@given(matrices(st.sampled_from(["t", "t1", "c"])), matrices(st.just("t")))
def test_generated_statements_survive(left, right):
    statement = Statement((la.psd(left),), la.exists(t, la.eq(left, right)))
    assert codec.decode_statement(through_json(codec.encode_statement(statement))) == statement


@pytest.mark.parametrize("fact", all_facts().values(), ids=lambda fact: fact.name)
def test_facts_survive(fact):
    statement = Statement(fact.premises, fact.conclusion)
    assert codec.decode_statement(through_json(codec.encode_statement(statement))) == statement


def test_cases_survive():
    i = la.head("i", size(2))
    steps = (
        *(Step("assume", (), {"proposition": la.psd(la.at(Y, index(n, 2)))}) for n in (1, 2)),
        Step("cases", (0, 1), {"predicate": la.lam(i, la.psd(la.at(Y, i)))}),
    )
    proof = Proof(steps)
    decoded = codec.decode_proof(through_json(codec.encode_proof(proof)))
    assert decoded == proof
    assert check(decoded).conclusion == la.forall(i, la.psd(la.at(Y, i)))


def test_the_ledger_has_claims_on_several_heads():
    """So that the round trip above is one of families too."""
    operations = {
        node.op
        for name, claim in ledger().items()
        if "multihead" in name
        for part in (*claim.statement.hypotheses, claim.statement.conclusion)
        for node in part.walk()
    }
    assert {"sum", "Index"} <= operations


def test_small_proof_survives():
    proof = small_proof()
    data = codec.encode_proof(proof)
    decoded = codec.decode_proof(through_json(data))
    assert decoded == proof
    assert check(decoded) == check(proof)
    assert codec.encode_proof(decoded) == data


@pytest.mark.parametrize("name", ledger())
def test_ledger_survives(name):
    claim = ledger()[name]
    data = codec.encode_proof(claim.proof)
    decoded = codec.decode_proof(through_json(data))
    assert decoded == claim.proof
    assert codec.encode_proof(decoded) == data
    statement = codec.encode_statement(claim.statement)
    assert codec.decode_statement(through_json(statement)) == claim.statement
    for value in (claim.counterexample or {}).values():
        table = free_variables(value)
        assert codec.decode_term(through_json(codec.encode_term(value, table)), table) == value


# Strictness ----------------------------------------------------------------------------------


def nested(depth: int, leaf: object) -> object:
    for _ in range(depth):
        leaf = ["transpose", leaf]
    return leaf


@pytest.mark.parametrize(
    "data",
    [
        None,
        True,
        1.5,
        float("nan"),
        0,
        -1,
        10**30,
        {10**5000: 1},
        [10**5000],
        "Z",
        "",
        [],
        [[]],
        {},
        {"term": "A"},
        ["A"],
        ["transpose"],
        ["transpose", "A", "A"],
        ["transpose", True],
        ["no such", "A"],
        ["bound", 0],
        ["size", 2],
        ["schema", "A"],
        ["add", "A", "c"],
        ["number", 1],
        ["number", "1", "2"],
        ["number", "2/4"],
        ["number", "1/0"],
        ["number", "-0"],
        ["number", "1/1"],
        ["number", " 1"],
        ["number", "1_0"],
        ["number", "١"],
        ["number", "1e3"],
        ["number", "nan"],
        ["number", "9" * 10**5],
        ["matrix", []],
        ["matrix", [[]]],
        ["matrix", [["1"], ["1", "2"]]],
        ["matrix", [[1]]],
        ["matrix", ["1"]],
        ["lambda", "x", "Real"],
        ["lambda", "x y", "Real", "c"],
        ["lambda", "x", "Dim", "c"],
        ["lambda", "x", ["Mat", "c", 1], "c"],
        ["lambda", "x", ["Mat", ["number", "1"], 1], "c"],
        ["lambda", "x", ["Fun", "Real"], "c"],
        ["lambda", "x", "Integer", "c"],
        ["lambda", "d", "Real", ["identity", "d"]],
        ["apply", ["lambda", "x", "Real", "x"], "c"],
        ["var", "x\x1b[2J", "Real"],
        ["var", "x", "Real", "Real"],
        ["identity", 10**9],
        ["index", 0, 2],
        ["index", 3, 2],
        ["index", -1, 2],
        ["index", True, 2],
        ["index", 1, True],
        ["index", 1.0, 2],
        ["index", "1", 2],
        ["index", 1, "H"],
        ["index", 1, ["size", 2]],
        ["index", 1, None],
        ["index", 1],
        ["index"],
        ["index", 1, 2, 2],
        ["index", 1, 1025],
        ["index", 10**30, 10**30],
        ["index", 10**5000, 2],
        ["apply", ["family", "A", "B"], ["index", 1, 2]],
        ["apply", "X", ["index", 1, 2]],
        ["apply", "Y", ["index", 1, 3]],
        ["apply", "Y", "h"],
        ["family"],
        ["family", "A", "c"],
        ["family", *["c"] * 1025],
        ["sum", "A"],
        ["sum", "Sigma"],
        ["sum", "X", "X"],
        ["sum", ["lambda", "i", ["Index", "H"], "i"]],
        ["sum", ["lambda", "i", ["Index", "h"], "A"]],
        ["lambda", "i", ["Index"], "c"],
        ["lambda", "i", ["Index", "H", "H"], "c"],
        ["lambda", "i", ["Index", 0], "c"],
        ["lambda", "i", ["Index", 1025], "c"],
        ["lambda", "i", ["Index", "c"], "c"],
        ["lambda", "i", ["Index", "Real"], "c"],
        ["lambda", "i", "Index", "c"],
        ["var", "#1", ["Index", "H"]],
        ["var", "@new1", ["Index", "H"]],
        ["lambda", "#1", ["Index", "H"], "A"],
        nested(149, ["no such"]),
        nested(200, "A"),
        nested(900, "A"),
    ],
)
def test_malformed_terms_are_codec_errors(data):
    with pytest.raises(CodecError) as caught:
        codec.decode_term(data, TABLE)
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 200


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"steps": {}},
        {"steps": [{"rule": 1}]},
        {"steps": [{"rule": "assume", "uses": [True]}]},
        {"steps": [{"rule": "assume", "uses": [0.0]}]},
        {"steps": [{"rule": "assume", "uses": [-1]}]},
        {"steps": [{"rule": "assume", "args": [1]}]},
        {"steps": [{"rule": "assume", "args": {"a": 1.0}}]},
        {"steps": [{"rule": "assume", "args": {"a": {"rational": 1}}}]},
        {"steps": [{"rule": "assume", "args": {"a": {"term": ["psd"]}}}]},
        {"steps": [{"rule": "assume", "args": {"a": {"map": []}}}]},
        {"steps": [{"rule": "assume", "args": {"a": 10**20}}]},
        {"steps": [{"rule": "assume", "args": {"a": "x" * 1000}}]},
        {"steps": [{"rule": "assume", "args": {"a": "\x1b[2J"}}]},
        {"steps": [{"rule": "assume", "uses": [], "why": ""}]},
        {"variables": []},
        {"variables": {"A": ["Mat", "k", 1]}},
        {"variables": {"A": "Mat"}},
        {"variables": {"a b": "Real"}},
        {"lemmas": {"x": {"variables": {}, "steps": []}}},
        {"lemmas": {"x": {"statement": {}, "proof": {}}}},
    ],
)
def test_malformed_proofs_are_codec_errors(change):
    with pytest.raises(CodecError):
        codec.decode_proof({"variables": {}, "steps": []} | change)


def test_a_statement_declares_what_it_uses():
    data = codec.encode_statement(Statement((), la.eq(A, B)))
    data["variables"]["C"] = "Real"
    with pytest.raises(CodecError, match="nothing uses: C"):
        codec.decode_statement(data)


def test_a_statement_gives_a_name_one_meaning():
    data = {
        "variables": {"x": "Real"},
        "hypotheses": [["psd", "x"]],
        "conclusion": ["eq", ["var", "x", "Ext"], ["infinity"]],
    }
    with pytest.raises(CodecError, match="two different variables"):
        codec.decode_statement(data)


def test_deep_lemmas_are_codec_errors():
    data = {"variables": {}, "steps": []}
    for _ in range(30):
        statement = {"variables": {}, "hypotheses": [], "conclusion": ["eq", 1, 1]}
        data = {
            "variables": {},
            "steps": [],
            "lemmas": {"x": {"statement": statement, "proof": data}},
        }
    with pytest.raises(CodecError, match="nested"):
        codec.decode_proof(data)


@pytest.mark.parametrize(
    "value",
    [
        *(1.0, [1], {1: 2}, Fraction(10**5000), 10**10, object(), Term("add", (A,)), "a\nb"),
        index(3, 2),
        index(0, 2),
        index(1, 1025),
        Term("index", (H,), 1),
        Term("apply", (Term("family", (A, B)), index(1, 2))),
        Term("family", (c,) * 1025),
        variable("#1", index_sort(H)),
    ],
    ids=range(15),
)
def test_what_cannot_come_back_is_not_encoded(value):
    with pytest.raises(CodecError):
        codec.encode_proof(Proof((Step("rule", (), {"a": value}),)))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1, NaN]", "-Infinity", "1e999", '{"a": 1, "a": 2}', "[" * 10**5, "9" * 10**5],
    ids=range(8),
)
def test_documents_that_are_not_strict_json(text):
    with pytest.raises(CodecError):
        codec.read_json(text)


def test_every_mutation_is_rejected_cleanly_or_still_an_object():
    """Whatever is done to the JSON of a proof, only CodecError and KernelError come out."""
    original = codec.encode_proof(small_proof())
    generator = random.Random(0)
    accepted = 0
    for _ in range(1000):
        data = copy.deepcopy(original)
        for _ in range(generator.randint(1, 2)):
            mutate(data, generator)
        try:
            proof = codec.decode_proof(data)
        except CodecError:
            continue
        assert codec.decode_proof(codec.encode_proof(proof)) == proof
        try:
            assert isinstance(check(proof), Theorem)
        except KernelError:
            continue
        accepted += 1
    assert accepted > 0


LEAVES = [None, True, 0, 1, -1, 1.5, "A", "d", "Real", "1/2", [], {}, ["psd", "A"], {"term": "B"}]


def mutate(data: object, generator: random.Random) -> None:
    """Change one place of the JSON data: replace, remove, repeat or exchange."""
    places: list[tuple[dict | list, object]] = []

    def walk(node: object) -> None:
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            places.append((node, key))
            if isinstance(value, (dict, list)):
                walk(value)

    walk(data)
    node, key = generator.choice(places)
    kind = generator.randrange(4)
    if kind == 0:
        node[key] = copy.deepcopy(generator.choice(LEAVES))
    elif kind == 1:
        del node[key]
    elif kind == 2 and isinstance(node, list):
        node.insert(key, copy.deepcopy(node[key]))
    else:
        other, place = generator.choice(places)
        if not isinstance(other, dict) or place in other:
            node[key] = copy.deepcopy(other[place])


# Digest and imports --------------------------------------------------------------------------


def test_digest_covers_everything_but_itself():
    document = {"b": [1, {"é": None}], "a": "x"}
    value = codec.digest(document)
    canonical = '{"a":"x","b":[1,{"é":null}]}'
    assert value == "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()
    assert codec.digest({"a": "x", "digest": value, "b": [1, {"é": None}]}) == value
    assert codec.digest(document | {"a": "y"}) != value
    assert codec.digest(document | {"inner": {"digest": 1}}) != codec.digest(
        document | {"inner": {}}
    )


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud800", Fraction(1, 2)], ids=repr)
def test_digest_of_what_is_not_json(value):
    with pytest.raises(CodecError):
        codec.digest({"a": value})


def test_codec_and_printing_import_no_computer_algebra():
    modules = "proofs.codec, proofs.printing.statement, proofs.printing.derivation"
    forbidden = "{'sympy', 'numpy', 'mpmath', 'scipy', 'symbolic', 'numeric', 'proofs.claims'}"
    program = f"import sys, {modules}\nprint(*sorted({forbidden} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == ""
