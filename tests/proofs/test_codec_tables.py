"""JSON of matrices that are repeated: written once, in a table, and referred to by number."""

import base64
import copy
import json
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs import codec
from proofs import language as la
from proofs.builder import Builder
from proofs.codec import Arrays, CodecError
from proofs.codec.literals import LONG
from proofs.kernel import KernelError, Lemma, Proof, Statement, Step, Theorem, check
from proofs.terms import Literal, Term, size


def matrix(rows: int, columns: int, *values: Fraction | float) -> Term:
    """A new object every time: these values, the last one repeated."""
    exact = [Fraction(value) for value in values][: rows * columns]
    entries = exact + exact[-1:] * (rows * columns - len(exact))
    return Term("literal", data=Literal(rows, columns, tuple(entries)))


def digits(rows: int, columns: int, *values: str) -> list[object]:
    """The JSON of the same matrix in digits."""
    flat = [*values, *values[-1:] * (rows * columns - len(values))]
    return ["matrix", [flat[i : i + columns] for i in range(0, rows * columns, columns)]]


def tenths() -> Term:
    return matrix(4, 4, Fraction(1, 10), 0)


def ones() -> Term:
    return matrix(4, 4, 1)


TENTHS, ONES = digits(4, 4, "1/10", "0"), digits(4, 4, "1")


def statement() -> Statement:
    return Statement((la.psd(ones()),), la.eq(la.add(tenths(), ones()), la.add(ones(), tenths())))


def steps() -> tuple[Step, ...]:
    return (
        Step("rule", (), {"a": tenths(), "b": (ones(), {"c": la.tp(tenths())})}),
        Step("rule", (), {"a": la.mul(ones(), la.identity(size(4)))}),
    )


def through_json(data: object) -> object:
    """As in a file, where the keys of objects are sorted."""
    return codec.read_json(json.dumps(data, sort_keys=True))


def literals(value: object):
    """The literal terms of a proof, a statement or an argument of a step."""
    if isinstance(value, Proof):
        for step in value.steps:
            yield from literals(step.args)
        for lemma in value.lemmas.values():
            yield from literals((lemma.statement, lemma.proof))
    elif isinstance(value, Statement):
        yield from literals((*value.hypotheses, value.conclusion))
    elif isinstance(value, Term):
        yield from (node for node in value.walk() if node.op == "literal")
    elif isinstance(value, tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from literals(item)


def written(node: object):
    """The JSON of the literals inside other JSON."""
    if isinstance(node, list) and node and node[0] in ("number", "matrix", "floats", "listed"):
        yield node
    elif isinstance(node, dict | list):
        for item in node.values() if isinstance(node, dict) else node:
            yield from written(item)


# Form ----------------------------------------------------------------------------------------


def test_a_statement_has_this_table():
    data = codec.encode_statement(statement())
    assert data == {
        "variables": {},
        "matrices": [ONES, TENTHS],
        "hypotheses": [["psd", ["listed", 0]]],
        "conclusion": [
            "eq",
            ["add", ["listed", 1], ["listed", 0]],
            ["add", ["listed", 0], ["listed", 1]],
        ],
    }
    assert codec.decode_statement(through_json(data)) == statement()


def test_a_proof_and_its_lemmas_share_one_table():
    """A lemma by itself would need no table: it has each matrix once."""
    inner = Lemma(Statement((), la.psd(ones())), Proof(steps()[1:]))
    outer = Lemma(Statement((), la.psd(tenths())), Proof((), {"inner": inner}))
    proof = Proof((), {"outer": outer, "again": outer})
    data = codec.encode_proof(proof)
    assert data["matrices"] == [ONES, TENTHS]
    assert [node for node in written(data["lemmas"]) if node[0] != "listed"] == []
    assert json.dumps(data).count('"matrices"') == 1
    assert codec.decode_proof(through_json(data)) == proof


def test_a_term_has_no_table():
    value = la.add(tenths(), ones(), tenths())
    data = codec.encode_term(value, {})
    assert data == ["add", TENTHS, ONES, TENTHS]
    assert data[1] is not data[3]
    assert data[1][1] is not data[3][1]
    assert codec.decode_term(data, {}) == value
    with pytest.raises(CodecError, match="no entry 0"):
        codec.decode_term(["listed", 0], {})


def test_what_occurs_once_is_written_where_it_stands():
    data = codec.encode_proof(Proof(steps()[:1]))
    assert data["matrices"] == [TENTHS]
    assert data["steps"][0]["args"]["b"][0] == {"term": ONES}
    assert "matrices" not in codec.encode_proof(Proof(steps()[1:]))


@pytest.mark.parametrize("spare", [0, 1])
def test_what_is_short_is_written_where_it_stands(spare):
    number = la.number(10 ** (LONG - len('["number",""]') - 1 + spare))
    data = codec.encode_statement(Statement((), la.eq(number, number)))
    assert ("matrices" in data) is bool(spare)
    assert codec.decode_statement(data) == Statement((), la.eq(number, number))


def test_matrices_of_the_parameters_are_not_listed():
    large = matrix(33, 32, Fraction(1, 3), 2)
    arrays = Arrays({"Q": large.data})
    value = Statement((), la.eq(large, la.add(large, large)))
    data = codec.encode_statement(value, arrays)
    assert "matrices" not in data
    assert codec.decode_statement(data, arrays) == value
    listed = codec.encode_statement(value)
    assert len(listed["matrices"]) == 1
    assert codec.decode_statement(listed) == value
    with pytest.raises(CodecError, match=r"entry 0 .* another form"):
        codec.decode_statement(listed, arrays)


def test_the_table_does_not_depend_on_the_order_of_the_steps():
    lemmas = {name: Lemma(statement(), Proof(steps())) for name in ("a", "b")}
    proof = Proof(steps(), lemmas)
    turned = Proof(steps()[::-1], dict(reversed(lemmas.items())))
    tables = [codec.encode_proof(value)["matrices"] for value in (proof, turned)]
    assert tables == [[ONES, TENTHS]] * 2


# Round trips ---------------------------------------------------------------------------------


@st.composite
def pools(draw: st.DrawFn) -> list[tuple[int, int, list[Fraction]]]:
    """Shapes and first entries of matrices: short, long, floats or not, large or not."""
    entries = st.one_of(
        st.fractions(max_denominator=10**9),
        st.floats(allow_nan=False, allow_infinity=False).map(Fraction),
        st.floats(allow_nan=False, allow_infinity=False, width=32).map(Fraction),
    )
    shapes = st.sampled_from([(1, 1), (1, 2), (3, 3), (8, 16), (33, 32)])
    some = st.lists(entries, min_size=1, max_size=3)
    shaped = st.tuples(shapes, some).map(lambda pair: (*pair[0], pair[1]))
    return draw(st.lists(shaped, min_size=1, max_size=4))


@st.composite
def proofs(draw: st.DrawFn, pool: list[tuple[int, int, list[Fraction]]], depth: int = 0) -> Proof:
    """Steps and lemmas that prove nothing, about matrices of the pool."""

    def some() -> Term:
        rows, columns, values = draw(st.sampled_from(pool))
        return matrix(rows, columns, *values)

    def equation() -> Term:
        rows, columns, values = draw(st.sampled_from(pool))
        return la.eq(matrix(rows, columns, *values), matrix(rows, columns, *values))

    names = draw(st.lists(st.sampled_from("ab"), unique=True, max_size=2 if depth < 2 else 0))
    lemmas = {
        name: Lemma(Statement((equation(),), equation()), draw(proofs(pool, depth + 1)))
        for name in names
    }
    arguments = st.sampled_from([some, lambda: (la.tp(some()), 1), equation])
    args = [{"a": draw(arguments)(), "b": some()} for _ in range(draw(st.integers(0, 2)))]
    return Proof(tuple(Step("rule", (), values) for values in args), lemmas)


@settings(deadline=None)
@given(pools().flatmap(proofs))
def test_proofs_survive(proof):
    data = codec.encode_proof(proof)
    decoded = codec.decode_proof(through_json(data))
    assert decoded == proof
    assert codec.encode_proof(decoded) == data
    texts = [json.dumps(node, separators=(",", ":")) for node in written(data)]
    long = [text for text in texts if len(text) > LONG]
    assert len(set(long)) == len(long)
    seen: dict[Literal, Term] = {}
    for node in literals(decoded):
        text = json.dumps(codec.encode_term(node, {}), separators=(",", ":"))
        if len(text) > LONG:
            assert seen.setdefault(node.data, node) is node


@settings(deadline=None)
@given(pools().flatmap(proofs))
def test_statements_survive(proof):
    for lemma in proof.lemmas.values():
        data = codec.encode_statement(lemma.statement)
        assert codec.decode_statement(through_json(data)) == lemma.statement


# Strictness ----------------------------------------------------------------------------------

PROOF = Proof(steps(), {"lemma": Lemma(statement(), Proof(steps()))})


def refused(change, match: str) -> None:
    """The change of the JSON of a proof, and of its statement, is refused with one line."""
    for value, encode, decode in (
        (PROOF, codec.encode_proof, codec.decode_proof),
        (statement(), codec.encode_statement, codec.decode_statement),
    ):
        data = encode(value)
        change(data)
        with pytest.raises(CodecError, match=match) as caught:
            decode(data)
        message = str(caught.value)
        assert message.isprintable()
        assert len(message) < 200


def reference(data: dict) -> list[object]:
    return next(node for node in written({**data, "matrices": []}) if node[0] == "listed")


@pytest.mark.parametrize(
    "number",
    [
        2,
        -1,
        10**9,
        10**30,
        10**5000,
        True,
        False,
        0.0,
        1.5,
        "0",
        None,
        [0],
        {"0": 0},
        ["listed", 0],
    ],
    ids=range(14),
)
def test_numbers_of_no_entry(number):
    def change(data):
        reference(data)[1] = number

    refused(change, "the table of matrices has no entry")


@pytest.mark.parametrize("items", [[], [0, 0], [0, 1, 2]], ids=range(3))
def test_references_have_one_number(items):
    def change(data):
        reference(data)[1:] = items

    refused(change, "listed is followed by 1 items")


LONG_NUMBER = ["number", "1" * LONG]


@pytest.mark.parametrize(
    ("entry", "match"),
    [
        (["listed", 0], "written out"),
        (["listed", 2], "written out"),
        (["parameter", "Q"], "written out"),
        (["transpose", ONES], "written out"),
        (["identity", 4], "written out"),
        (["matrices"], "written out"),
        ("A", "written out"),
        (7, "written out"),
        (None, "written out"),
        ([], "written out"),
        ([None], "written out"),
        ([[]], "written out"),
        ([ONES], "written out"),
        ({"term": ONES}, "written out"),
        (["matrix"], "followed by"),
        (["matrix", [["1", "2"], ["3"]]], "one positive length"),
        (["number", "2/" + "4" * LONG], "lowest terms"),
        (["floats", "float32", 10**9, 10**9, "A" * LONG], "a size is between"),
        (["floats", "float32", 4096, 4096, "A" * LONG], "do not fit"),
        (["number", "1"], "at most 60 characters"),
        (digits(3, 3, "1"), "at most 60 characters"),
        (["matrix", [["1" * LONG]]], "another form"),
        (digits(33, 32, "1"), "another form"),
        (["floats", "float32", 4, 4, base64.b64encode(b"\0\0\x80?" * 16).decode()], "another form"),
    ],
    ids=range(24),
)
def test_entries_that_are_none(entry, match):
    def change(data):
        data["matrices"].append(entry)

    refused(change, f"entry 2 of the table of matrices: .*{match}")


def test_entries_in_another_order():
    refused(lambda data: data["matrices"].reverse(), "not in order")


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("entry", [ONES, TENTHS], ids=["ones", "tenths"])
def test_equal_entries(entry, place):
    refused(lambda data: data["matrices"].insert(place, copy.deepcopy(entry)), "not in order")


def test_entries_that_nothing_refers_to():
    refused(lambda data: data["matrices"].append(LONG_NUMBER), "nothing refers to entry 2")


@pytest.mark.parametrize("table", [None, {}, "", 0, True, {"0": ONES}], ids=range(6))
def test_tables_are_lists(table):
    refused(lambda data: data.update(matrices=table), "expected a list")


def test_no_table_is_left_out():
    refused(lambda data: data.update(matrices=[]), "left out when it is empty")
    refused(lambda data: data.pop("matrices"), "no entry")


@pytest.mark.parametrize("part", ["statement", "proof"])
def test_lemmas_have_no_table(part):
    data = codec.encode_proof(PROOF)
    data["lemmas"]["lemma"][part]["matrices"] = data["matrices"]
    with pytest.raises(CodecError, match="has no field 'matrices'"):
        codec.decode_proof(data)


def test_sorts_do_not_refer_to_the_table():
    data = codec.encode_proof(PROOF)
    data["variables"]["x"] = ["Mat", ["listed", 0], 1]
    with pytest.raises(CodecError, match="no entry 0"):
        codec.decode_proof(data)


def test_references_cost_no_memory():
    """A short document with many references holds one matrix."""
    data = codec.encode_statement(statement())
    data["hypotheses"] *= 1000
    decoded = codec.decode_statement(data)
    assert len({id(node) for node in literals(decoded)}) == 2


# Changes -------------------------------------------------------------------------------------


def commuting(*pair: Term) -> Proof:
    """Of a + b = b + a, for two matrices."""
    first, second = pair
    p = Builder()
    p.algebra(la.add(first, second), la.add(second, first))
    return p.proof()


def test_changed_references_prove_what_they_say_or_nothing():
    """Each reference to the other entry: refused; all of them: the changed statement."""
    original = codec.encode_proof(commuting(tenths(), ones()))
    count = sum(node[0] == "listed" for node in written(original))
    assert count == 4
    for change in range(1, 2**count):
        data = copy.deepcopy(original)
        nodes = [node for node in written(data) if node[0] == "listed"]
        for place, node in enumerate(nodes):
            if change >> place & 1:
                node[1] = 1 - node[1]
        try:
            conclusion = check(codec.decode_proof(data)).conclusion
        except (CodecError, KernelError):
            assert change != 2**count - 1
        else:
            left, right = (set(side.args) for side in conclusion.args)
            assert left == right


def test_every_mutation_is_rejected_cleanly_or_still_a_proof():
    original = codec.encode_proof(
        Proof(commuting(tenths(), ones()).steps, {"lemma": Lemma(statement(), Proof(steps()))})
    )
    generator = random.Random(0)
    accepted = 0
    for _ in range(1000):
        data = copy.deepcopy(original)
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


def mutate(data: object, generator: random.Random) -> None:
    """Replace, remove or repeat one place of the JSON, or exchange it for another."""
    places: list[tuple[dict | list, object]] = []

    def walk(node: object) -> None:
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            places.append((node, key))
            if isinstance(value, dict | list):
                walk(value)

    walk(data)
    node, key = generator.choice(places)
    other, place = generator.choice(places)
    kind = generator.randrange(4)
    if kind == 0:
        node[key] = generator.choice([0, 1, 2, -1, True, None, "1", ["listed", 0], ["listed", 1]])
    elif kind == 1:
        del node[key]
    elif kind == 2 and isinstance(node, list):
        node.insert(key, copy.deepcopy(node[key]))
    else:
        node[key] = copy.deepcopy(other[place])
