"""The logic: what a proof is, and what makes it one.

A proof is a list of steps.  A step names a rule and the earlier steps that it uses; the kernel
runs the rule and obtains a sequent  H_1, ..., H_n |- C  whose free variables are universally
quantified.  Assumptions stay in the sequent until a step discharges them, the facts of analysis
that were used are recorded, and a step that nothing uses is an error.  :class:`Theorem` and
:class:`Refutation` can be made only here.

Only integers, rationals and the checkers beside this file are used: no floating point, no
computer algebra system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from proofs.checkers import calculus, entries, evaluation, positivity, rational, univariate
from proofs.checkers.constants import Constants
from proofs.checkers.words import WordAlgebra
from proofs.facts.base import Fact, fact_named
from proofs.terms import (
    DIM,
    PROP,
    REAL,
    Literal,
    Term,
    TermError,
    abstraction,
    application,
    check_instance,
    free_variables,
    index,
    sort_of,
    substitute,
    term_is_closed,
    variable,
)

_KEY = object()
#: what malformed arguments can raise inside a rule
_MALFORMED = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    ArithmeticError,
    RecursionError,
)


class KernelError(ValueError):
    """A rejected proof: the step (counted from 0; from 1 in the message), its rule, the reason."""

    def __init__(self, rule: str, reason: str, step: int | None = None) -> None:
        self.rule, self.reason, self.step = rule, reason, step
        where = "" if step is None else f"step {step + 1}, "
        super().__init__(f"{where}rule {rule}: {reason}")


@dataclass(frozen=True, slots=True)
class Statement:
    """For all values of the free variables: the hypotheses imply the conclusion."""

    hypotheses: tuple[Term, ...]
    conclusion: Term

    def variables(self) -> dict[str, Term]:
        """Name -> variable, in order of first occurrence."""
        return free_variables(Term("statement", (*self.hypotheses, self.conclusion)))

    def check(self) -> None:
        """Raise TermError unless every part is a well-formed proposition."""
        self.variables()
        for part in (*self.hypotheses, self.conclusion):
            if not term_is_closed(part) or sort_of(part) != PROP:
                raise TermError("a statement is made of closed propositions")


@dataclass(frozen=True, slots=True)
class Step:
    """One inference: a rule, the indices of earlier steps, and the rule's own arguments."""

    rule: str
    uses: tuple[int, ...] = ()
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proof:
    """Steps, and the named lemmas that ``lemma`` steps refer to."""

    steps: tuple[Step, ...]
    lemmas: Mapping[str, Lemma] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lemma:
    """A statement together with its proof, for use inside other proofs."""

    statement: Statement
    proof: Proof


@dataclass(frozen=True, slots=True)
class Theorem:
    """A proved sequent and the facts that it rests on.  Made only by the kernel."""

    hypotheses: tuple[Term, ...]
    conclusion: Term
    facts: frozenset[str]
    key: InitVar[object] = None

    def __post_init__(self, key: object) -> None:
        if key is not _KEY:
            raise TypeError("theorems are made by the kernel only")

    @property
    def statement(self) -> Statement:
        return Statement(self.hypotheses, self.conclusion)


@dataclass(frozen=True, slots=True)
class Refutation:
    """A counterexample: values for which the hypotheses hold and the conclusion fails."""

    statement: Statement
    instance: Mapping[str, Term]
    facts: frozenset[str]
    key: InitVar[object] = None

    def __post_init__(self, key: object) -> None:
        if key is not _KEY:
            raise TypeError("refutations are made by the kernel only")


# Entry points --------------------------------------------------------------------------------


class Session:
    """Theorems of lemmas that were met before: what several proofs share runs once."""

    def __init__(self) -> None:
        # lemmas by identity; they are kept alive, so that no other object takes their place
        self._proved: dict[int, tuple[Lemma, Theorem]] = {}

    def theorem(self, lemma: Lemma) -> Theorem:
        """The theorem that a lemma states.

        Raises:
            KernelError: its proof is rejected.
        """
        if id(lemma) not in self._proved:
            self._proved[id(lemma)] = lemma, self.establish(lemma.statement, lemma.proof)
        return self._proved[id(lemma)][1]

    def know(self, lemma: Lemma, theorem: Theorem) -> None:
        """Take a theorem that the kernel made as that of a lemma, without running its proof.

        Raises:
            KernelError: it is not what the lemma states.
        """
        if type(theorem) is not Theorem:
            raise KernelError("lemma", "only theorems are known")
        _check_statement(lemma.statement)
        self._proved[id(lemma)] = lemma, _stated(lemma.statement, theorem)

    def trace(self, proof: Proof) -> list[Theorem]:
        """Run a proof and return the sequent of every step."""
        if not proof.steps:
            raise KernelError("proof", "there are no steps")
        called = {str(step.args.get("name")) for step in proof.steps if step.rule == "lemma"}
        if unused := set(proof.lemmas) - called:
            raise KernelError("lemma", f"lemmas that no step uses: {', '.join(sorted(unused))}")
        lemmas = {name: self.theorem(item) for name, item in proof.lemmas.items()}
        results: list[Theorem] = []
        for step in proof.steps:
            results.append(infer(step, results, lemmas))
        used = {i for step in proof.steps for i in step.uses}
        if idle := set(range(len(proof.steps) - 1)) - used:
            raise KernelError("proof", f"steps that nothing uses: {sorted(idle)}")
        return results

    def establish(self, statement: Statement, proof: Proof) -> Theorem:
        """The theorem ``statement``, if ``proof`` ends in exactly its conclusion.

        Raises:
            KernelError: the proof fails, proves something else, or rests on another hypothesis.
        """
        _check_statement(statement)
        return _stated(statement, self.trace(proof)[-1])

    def refute(
        self, statement: Statement, instance: Mapping[str, Term], proof: Proof
    ) -> Refutation:
        """A refutation of ``statement`` by the values ``instance``.

        The proof must end, without assumptions, in the conjunction of the hypotheses and the
        negated conclusion at those values.

        Raises:
            KernelError: the proof fails or proves something else.
        """
        _check_statement(statement)
        variables, values = statement.variables(), dict(instance)
        try:
            if missing := set(variables) - set(values):
                raise TermError(f"no value for {', '.join(sorted(missing))}")
            check_instance(variables, values)
        except _MALFORMED as error:
            raise KernelError("refute", str(error)) from None
        result = self.trace(proof)[-1]
        parts = [substitute(h, values) for h in statement.hypotheses]
        parts.append(Term("not", (substitute(statement.conclusion, values),)))
        expected = parts[0] if len(parts) == 1 else Term("and", tuple(parts))
        if result.hypotheses:
            raise KernelError("refute", "the counterexample rests on assumptions")
        if result.conclusion != expected:
            raise KernelError("refute", "the last conclusion is not a counterexample to the claim")
        stated = Statement(tuple(statement.hypotheses), statement.conclusion)
        return Refutation(stated, MappingProxyType(values), result.facts, _KEY)


def check(proof: Proof) -> Theorem:
    """Run a proof and return its last sequent.

    Raises:
        KernelError: a step does not follow, or is used by no later step.
    """
    return trace(proof)[-1]


def trace(proof: Proof) -> list[Theorem]:
    """Run a proof and return the sequent of every step (for printing)."""
    return Session().trace(proof)


def establish(statement: Statement, proof: Proof) -> Theorem:
    """The theorem ``statement``, with everything run anew; see :meth:`Session.establish`.

    >>> from proofs.builder import Builder
    >>> from proofs.language import add, dim, eq, mat, mul
    >>> A, B = mat("A", dim("d"), dim("d")), mat("B", dim("d"), dim("d"))
    >>> claim = Statement((), eq(mul(A, add(A, B)), add(mul(A, A), mul(A, B))))
    >>> p = Builder()
    >>> _ = p.algebra(*claim.conclusion.args)
    >>> establish(claim, p.proof()).statement == claim
    True
    """
    return Session().establish(statement, proof)


def _stated(statement: Statement, result: Theorem) -> Theorem:
    """The theorem ``statement`` from a sequent that says at least that."""
    if result.conclusion != statement.conclusion:
        raise KernelError("statement", "the last conclusion is not the claim's")
    hypotheses = tuple(statement.hypotheses)
    extra = [h for h in result.hypotheses if h not in hypotheses]
    if extra:
        raise KernelError("statement", f"{len(extra)} assumptions are not the claim's hypotheses")
    return Theorem(hypotheses, statement.conclusion, result.facts, _KEY)


def infer(step: Step, earlier: Sequence[Theorem], lemmas: Mapping[str, Theorem]) -> Theorem:
    """The sequent that one step adds to the ``earlier`` ones.

    Raises:
        KernelError: the step does not follow.
    """
    index = len(earlier)
    if not isinstance(step.rule, str) or step.rule not in RULES:
        raise KernelError(str(step.rule), "there is no such rule", index)
    if any(type(i) is not int or not 0 <= i < index for i in step.uses):
        raise KernelError(step.rule, "a step may use only earlier steps", index)
    uses = tuple(earlier[i] for i in step.uses)
    if any(type(known) is not Theorem for known in (*uses, *lemmas.values())):
        raise KernelError(step.rule, "earlier steps and lemmas must be theorems", index)
    rule = RULES[step.rule]
    try:
        sequent = rule(_Context(uses, step.args, lemmas))
        for part in (*sequent.hypotheses, sequent.conclusion):
            if not term_is_closed(part) or sort_of(part) != PROP:
                raise TermError("the conclusion is not a proposition")
    except _MALFORMED as error:
        raise KernelError(step.rule, f"{error}", index) from None
    return sequent


def refute(statement: Statement, instance: Mapping[str, Term], proof: Proof) -> Refutation:
    """A refutation of ``statement``, with everything run anew; see :meth:`Session.refute`.

    >>> from proofs.claims.base import claim_named
    >>> claim = claim_named("seed.softmax-clustering")
    >>> refutation = refute(claim.statement, claim.counterexample, claim.proof)
    >>> sorted(refutation.instance)
    ['A', 'Sigma', 'Sigma0', 'T', 'V', 'd']
    """
    return Session().refute(statement, instance, proof)


def _check_statement(statement: Statement) -> None:
    try:
        statement.check()
    except _MALFORMED as error:
        raise KernelError("statement", str(error)) from None


# Rules ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Context:
    """What a rule gets: the sequents it uses, its arguments, and the proved lemmas."""

    uses: tuple[Theorem, ...]
    args: Mapping[str, Any]
    lemmas: Mapping[str, Theorem]

    def term(self, name: str) -> Term:
        value = self.args[name]
        if not isinstance(value, Term) or not term_is_closed(value):
            raise TermError(f"{name} must be a closed term")
        sort_of(value)
        return value

    def expect_uses(self, count: int) -> tuple[Theorem, ...]:
        if len(self.uses) != count:
            raise TermError(f"expects {count} earlier steps, not {len(self.uses)}")
        return self.uses

    def conclude(self, conclusion: Term, without: Term | None = None, *facts: str) -> Theorem:
        """The sequent with the assumptions and facts of all uses, ``without`` discharged."""
        hypotheses = dict.fromkeys(h for use in self.uses for h in use.hypotheses if h != without)
        names = frozenset(facts).union(*(use.facts for use in self.uses))
        return Theorem(tuple(hypotheses), conclusion, names, _KEY)


def _assume(context: _Context) -> Theorem:
    """{P} |- P."""
    context.expect_uses(0)
    proposition = context.term("proposition")
    if sort_of(proposition) != PROP:
        raise TermError("only a proposition can be assumed")
    return Theorem((proposition,), proposition, frozenset(), _KEY)


def _instantiated(context: _Context, premises: Sequence[Term], conclusion: Term) -> Term:
    """Match the premises of a schema against the uses; the conclusion at the instance."""
    instance = dict(context.args["instance"])
    variables = free_variables(Term("schema", (*premises, conclusion)))
    if missing := set(variables) - set(instance):
        raise TermError(f"no value for {', '.join(sorted(missing))}")
    check_instance(variables, instance)
    for use, premise in zip(context.expect_uses(len(premises)), premises, strict=True):
        if use.conclusion != substitute(premise, instance):
            raise TermError("a premise does not match the step that should discharge it")
    return substitute(conclusion, instance)


def _fact(context: _Context) -> Theorem:
    """An instance of a named fact, its premises discharged by earlier steps."""
    fact: Fact = fact_named(str(context.args["name"]))
    conclusion = _instantiated(context, fact.premises, fact.conclusion)
    return context.conclude(conclusion, None, fact.name)


def _lemma(context: _Context) -> Theorem:
    """An instance of a lemma, its hypotheses discharged by earlier steps."""
    name = str(context.args["name"])
    if name not in context.lemmas:
        raise TermError(f"there is no lemma {name}")
    lemma = context.lemmas[name]
    conclusion = _instantiated(context, lemma.hypotheses, lemma.conclusion)
    return context.conclude(conclusion, None, *lemma.facts)


def _discharge(context: _Context) -> Theorem:
    """From G, P |- C: G |- P => C."""
    (use,) = context.expect_uses(1)
    proposition = context.term("proposition")
    return context.conclude(Term("implies", (proposition, use.conclusion)), proposition)


def _modus_ponens(context: _Context) -> Theorem:
    """From P => C and P: C."""
    implication, premise = context.expect_uses(2)
    _expect(implication.conclusion, "implies")
    if implication.conclusion.args[0] != premise.conclusion:
        raise TermError("the premise of the implication is not what the second step proves")
    return context.conclude(implication.conclusion.args[1])


def _fresh(variable: Term, terms: Sequence[Term]) -> None:
    if variable.op != "var" or variable.args[0] == DIM:
        raise TermError("expects a variable that is not a size")
    if any(calculus.depends_on(term, variable) for term in terms):
        raise TermError(f"{variable.data} occurs in an assumption or in the result")


def _generalise(context: _Context) -> Theorem:
    """From G |- C with x not in G: G |- for all x, C."""
    (use,) = context.expect_uses(1)
    variable = context.term("variable")
    _fresh(variable, use.hypotheses)
    return context.conclude(Term("forall", (abstraction(variable, use.conclusion),)))


def _specialise(context: _Context) -> Theorem:
    """From for all x, C: C at a value of x."""
    (use,) = context.expect_uses(1)
    _expect(use.conclusion, "forall")
    return context.conclude(_applied(use.conclusion.args[0], context.term("value")))


def _applied(function: Term, value: Term) -> Term:
    if sort_of(function).args[0] != sort_of(value):
        raise TermError("a value of the wrong sort")
    return application(function, value)


def _conjunction(context: _Context) -> Theorem:
    """From C_1, ..., C_n (n >= 2): their conjunction."""
    return context.conclude(Term("and", tuple(use.conclusion for use in context.uses)))


def _part(context: _Context) -> Theorem:
    """From a conjunction: one of its parts."""
    (use,) = context.expect_uses(1)
    _expect(use.conclusion, "and")
    index = context.args["index"]
    if not isinstance(index, int) or not 0 <= index < len(use.conclusion.args):
        raise TermError("there is no such part")
    return context.conclude(use.conclusion.args[index])


def _cases(context: _Context) -> Theorem:
    """From P(1), ..., P(n): for all i in 1, ..., n, P(i)."""
    predicate = context.term("predicate")
    _expect(predicate, "lambda")
    indices = predicate.args[0]
    if indices.op != "Index" or indices.args[0].op != "size":
        raise TermError("expects a predicate on the indices 1, ..., n")
    count = int(str(indices.args[0].data))
    for i, use in enumerate(context.expect_uses(count)):
        if use.conclusion != application(predicate, index(i + 1, count)):
            raise TermError(f"step {i + 1} of the cases does not prove its case")
    return context.conclude(Term("forall", (predicate,)))


def _exhibit(context: _Context) -> Theorem:
    """From P at a value: there is an x with P."""
    (use,) = context.expect_uses(1)
    predicate = context.term("predicate")
    conclusion = Term("exists", (predicate,))
    if _applied(predicate, context.term("value")) != use.conclusion:
        raise TermError("the value does not satisfy the predicate")
    return context.conclude(conclusion)


def _obtain(context: _Context) -> Theorem:
    """From (there is an x with P) and G, P(x) |- C with x not in G, C: G |- C."""
    existence, use = context.expect_uses(2)
    _expect(existence.conclusion, "exists")
    variable = context.term("variable")
    assumption = _applied(existence.conclusion.args[0], variable)
    rest = [h for h in use.hypotheses if h != assumption]
    _fresh(variable, [*rest, *existence.hypotheses, existence.conclusion, use.conclusion])
    hypotheses = dict.fromkeys((*existence.hypotheses, *rest))
    return Theorem(tuple(hypotheses), use.conclusion, existence.facts | use.facts, _KEY)


def _contradiction(context: _Context) -> Theorem:
    """From G, P |- C and G, P |- not C: G |- not P."""
    use, negation = context.expect_uses(2)
    if negation.conclusion != Term("not", (use.conclusion,)):
        raise TermError("the second step does not negate the first")
    proposition = context.term("proposition")
    return context.conclude(Term("not", (proposition,)), proposition)


def _replace(context: _Context) -> Theorem:
    """From a = b and P(a): P(b)."""
    equation, use = context.expect_uses(2)
    _expect(equation.conclusion, "eq")
    template = context.term("template")
    left, right = equation.conclusion.args
    if _applied(template, left) != use.conclusion:
        raise TermError("the template does not give the second step")
    return context.conclude(_applied(template, right))


def _extensionality(context: _Context) -> Theorem:
    """From G |- a = b with x not in G: G |- (x -> a) = (x -> b)."""
    (use,) = context.expect_uses(1)
    _expect(use.conclusion, "eq")
    variable = context.term("variable")
    _fresh(variable, use.hypotheses)
    sides = tuple(abstraction(variable, side) for side in use.conclusion.args)
    return context.conclude(Term("eq", sides))


def _reflexivity(context: _Context) -> Theorem:
    """a = a."""
    context.expect_uses(0)
    term = context.term("term")
    return context.conclude(Term("eq", (term, term)))


def _algebra(context: _Context) -> Theorem:
    """L = R, when L - R = sum of C_i[a_i] - C_i[b_i] over the equations a_i = b_i used.

    The identity is one of noncommutative polynomials: word algebra finds it, and exact evaluation
    at random matrices confirms it.  Uses without a context declare symmetric letters.
    """
    left, right = context.term("left"), context.term("right")
    _vanish(context, [(left, 1), (right, -1)], context.uses, context.args.get("contexts", ()))
    return context.conclude(Term("eq", (left, right)))


def _entries(context: _Context) -> Theorem:
    """L = R for matrices of known sizes, when the entries are equal polynomials.

    The polynomials are multiplied out, and exact evaluation at random matrices confirms it.  The
    uses declare symmetric subterms.
    """
    left, right = context.term("left"), context.term("right")
    if sort_of(left).op != "Mat" or sort_of(left) != sort_of(right):
        raise TermError("the two sides are matrices of one shape")
    symmetric = [_symmetric_letter(use.conclusion) for use in context.uses]
    opposite = Term("scale", (positivity.number(Fraction(-1)), right))
    difference = Term("add", (left, opposite))
    if not entries.is_zero(difference, symmetric):
        raise TermError("the two sides differ as polynomials in the entries")
    if not evaluation.vanishes(difference, symmetric):
        raise TermError("the two sides differ at a random point")
    return context.conclude(Term("eq", (left, right)))


def _nonnegative(context: _Context) -> Theorem:
    """For all t in [0, r]: M(t) >= 0, for a polynomial M in t with rational coefficients.

    The coefficients are multiplied out, and exact evaluation at a random t confirms them.
    """
    context.expect_uses(0)
    value, time, end = context.term("value"), context.term("time"), context.term("end")
    if time.op != "var" or time.args[0] != REAL:
        raise TermError("the time is a real variable")
    _fresh(time, [end])
    listed = univariate.coefficients(value, time)
    if not evaluation.has_coefficients(value, time, listed):
        raise TermError("the polynomial differs from its coefficients at a random time")
    if not univariate.is_semidefinite(listed, _literal(end).entries[0]):
        raise TermError("the polynomial was not seen to be nonnegative on the interval")
    remaining = Term("add", (end, Term("scale", (positivity.number(Fraction(-1)), time))))
    inside = Term("and", (Term("psd", (time,)), Term("psd", (remaining,))))
    body = Term("implies", (inside, Term("psd", (value,))))
    return context.conclude(Term("forall", (abstraction(time, body),)))


def _vanish(
    context: _Context,
    parts: Sequence[tuple[Term, int]],
    uses: Sequence[Theorem],
    contexts: Sequence[Term | None],
) -> None:
    """Raise unless the signed sum of ``parts`` is 0 by the equations, used in their contexts."""
    parts, symmetric = list(parts), []
    for use, template in zip(uses, contexts, strict=True):
        conclusion = use.conclusion
        if template is None:
            symmetric.append(_symmetric_letter(conclusion))
            continue
        _expect(conclusion, "eq")
        parts.append((_applied(template, conclusion.args[0]), -1))
        parts.append((_applied(template, conclusion.args[1]), 1))
    sort = sort_of(parts[0][0])
    if sort.op != "Mat" or any(sort_of(part) != sort for part, _ in parts):
        raise TermError("algebra relates matrices of one shape")
    signed = [Term("scale", (positivity.number(Fraction(sign)), part)) for part, sign in parts]
    total = Term("add", tuple(signed)) if len(signed) > 1 else signed[0]
    if not WordAlgebra(symmetric).is_zero(total):
        raise TermError("the two sides do not have the same normal form")
    if not evaluation.vanishes(total, symmetric):
        raise TermError("the two sides differ at a random point")


def _symmetric_letter(conclusion: Term) -> Term:
    """The term that psd(a), pd(a) or a^T = a declare symmetric.

    For all i, psd(f(i)) (and the like) declares the members of the family f.
    """
    if conclusion.op == "forall":
        predicate = conclusion.args[0]
        _expect(predicate, "lambda")
        member = variable("member", predicate.args[0])
        _fresh(member, [predicate])
        if member.args[0].op != "Index":
            raise TermError("only finite families are declared symmetric together")
        declared = _symmetric_letter(_applied(predicate, member))
        if declared.op != "apply" or declared.args[1] != member:
            raise TermError("expects a statement about the members of a family")
        _fresh(member, [declared.args[0]])
        return declared.args[0]
    if conclusion.op in ("psd", "pd"):
        return conclusion.args[0]
    _expect(conclusion, "eq")
    left, right = conclusion.args
    if left != Term("transpose", (right,)):
        raise TermError("expects psd(a), pd(a) or an equation transpose(a) = a")
    return right


def _positivity(context: _Context) -> Theorem:
    """psd(M) or pd(M), when M is the sum of the certificate's summands modulo equations."""
    matrix = context.term("matrix")
    strict = bool(context.args.get("strict", False))
    contexts = context.args.get("contexts", ())
    uses = context.uses
    summands = []
    for item in context.args["summands"]:
        coefficient = item["coefficient"]
        if not isinstance(coefficient, Fraction):
            raise TermError("a coefficient must be rational")
        scalars = tuple(uses[i].conclusion for i in item["scalars"])
        core = None if item["core"] is None else uses[item["core"]].conclusion
        summands.append(positivity.Summand(coefficient, scalars, core, item["factor"]))
    if strict and not positivity.is_strict(summands):
        raise TermError("no summand is positive definite")
    parts = [(matrix, 1), *((positivity.value(summand), -1) for summand in summands)]
    for part, _ in parts:
        if not term_is_closed(part):
            raise TermError("a summand has an unbound index")
        sort_of(part)
    equations = context.args.get("equations", ())
    _vanish(context, parts, [uses[i] for i in equations], contexts)
    return context.conclude(Term("pd" if strict else "psd", (matrix,)))


def _literal(term: Term) -> Literal:
    if term.op != "literal" or not isinstance(term.data, Literal):
        raise TermError("expects a literal matrix")
    return term.data


def _definite(context: _Context) -> Theorem:
    """psd(M) or pd(M) for an expression M of literals, by exact LDL^T or by a congruence."""
    context.expect_uses(0)
    matrix, strict = context.term("matrix"), bool(context.args.get("strict", False))
    value = _constant(matrix)
    if "congruence" in context.args:
        holds = rational.is_definite_by(value, _literal(context.term("congruence")))
    else:
        holds = rational.is_semidefinite(value, strict)
    if not holds:
        raise TermError("the matrix is not positive " + ("definite" if strict else "semidefinite"))
    return context.conclude(Term("pd" if strict else "psd", (matrix,)))


def _constant(term: Term) -> Literal:
    """The exact value of an expression of literals, confirmed modulo a prime."""
    if term.op == "literal":
        return _literal(term)
    value = Constants().value(term)
    if value is None:
        raise TermError("expects an expression of literal matrices")
    opposite = Term("scale", (positivity.number(Fraction(-1)), Term("literal", data=value)))
    if not evaluation.vanishes(Term("add", (term, opposite))):
        raise TermError("the value of an expression differs from its value modulo a prime")
    return value


def _indefinite(context: _Context) -> Theorem:
    """not psd(M) for a literal M, by a vector u with u^T M u < 0."""
    context.expect_uses(0)
    matrix, vector = context.term("matrix"), _literal(context.term("witness"))
    image = rational.product(rational.transposed(vector), _literal(matrix))
    value = rational.product(image, vector)
    if (value.rows, value.columns) != (1, 1) or not value.entries[0] < 0:
        raise TermError("the witness does not give a negative value")
    return context.conclude(Term("not", (Term("psd", (matrix,)),)))


def _unequal(context: _Context) -> Theorem:
    """not L = R for literals that differ."""
    context.expect_uses(0)
    left, right = context.term("left"), context.term("right")
    if _literal(left) == _literal(right):
        raise TermError("the two literals are equal")
    return context.conclude(Term("not", (Term("eq", (left, right)),)))


def _rank(context: _Context) -> Theorem:
    """rank(M) = r for a literal M."""
    context.expect_uses(0)
    matrix = context.term("matrix")
    rank = positivity.number(Fraction(rational.rank(_literal(matrix))))
    return context.conclude(Term("eq", (Term("rank", (matrix,)), rank)))


def _differentiate(context: _Context) -> Theorem:
    """ode(T, X, X') for a rational expression X in t, invertible where it must be on [0, T)."""
    lifetime, curve = context.term("lifetime"), context.term("curve")
    time = context.term("time")
    if time.op != "var" or time.args[0] != REAL:
        raise TermError("the time is a real variable")
    _fresh(time, [lifetime, curve])
    velocity, inverted = calculus.derivative(_applied(curve, time), time)
    within = Term("within", (time, lifetime))
    for use, matrix in zip(context.expect_uses(len(inverted)), inverted, strict=True):
        condition = Term("implies", (within, Term("invertible", (matrix,))))
        if use.conclusion != Term("forall", (abstraction(time, condition),)):
            raise TermError("an inverse is differentiated without proof that it exists")
    return context.conclude(Term("ode", (lifetime, curve, abstraction(time, velocity))))


def _polynomial(context: _Context) -> Theorem:
    """smooth(F) for a vector field F with polynomial entries."""
    context.expect_uses(0)
    field_term, state = context.term("field"), context.term("state")
    if state.op != "var":
        raise TermError("the state is a variable")
    _fresh(state, [field_term])
    if not calculus.is_polynomial(_applied(field_term, state), state):
        raise TermError("the field is not a polynomial in the state")
    return context.conclude(Term("smooth", (field_term,)))


def _smooth_at(context: _Context) -> Theorem:
    """smooth_at(F, X) for a variable X, when what F inverts is invertible at X (and the like)."""
    function, point = context.term("function"), context.term("point")
    if point.op != "var":
        raise TermError("the point is a variable")
    _fresh(point, [function])
    conditions = calculus.regular_where(_applied(function, point), point)
    for use, condition in zip(context.expect_uses(len(conditions)), conditions, strict=True):
        if use.conclusion != condition:
            raise TermError("an inverse or a root is taken without proof that it is regular")
    return context.conclude(Term("smooth_at", (function, point)))


def _continuous(context: _Context) -> Theorem:
    """continuous(f) for sums, products, exponentials and inverses that exist everywhere."""
    function, point = context.term("function"), context.term("point")
    if point.op != "var":
        raise TermError("the point is a variable")
    _fresh(point, [function])
    inverted = calculus.inverted_in(_applied(function, point), point)
    for use, matrix in zip(context.expect_uses(len(inverted)), inverted, strict=True):
        exists = Term("invertible", (matrix,))
        if use.conclusion != Term("forall", (abstraction(point, exists),)):
            raise TermError("an inverse is taken without proof that it exists")
    return context.conclude(Term("continuous", (function,)))


def _expect(term: Term, op: str) -> None:
    if term.op != op:
        raise TermError(f"expects a step that proves {op}, not {term.op}")


RULES: Mapping[str, Callable[[_Context], Theorem]] = {
    "assume": _assume,
    "fact": _fact,
    "lemma": _lemma,
    "discharge": _discharge,
    "modus_ponens": _modus_ponens,
    "generalise": _generalise,
    "specialise": _specialise,
    "cases": _cases,
    "conjunction": _conjunction,
    "part": _part,
    "exhibit": _exhibit,
    "obtain": _obtain,
    "contradiction": _contradiction,
    "replace": _replace,
    "extensionality": _extensionality,
    "reflexivity": _reflexivity,
    "algebra": _algebra,
    "entries": _entries,
    "nonnegative": _nonnegative,
    "positivity": _positivity,
    "definite": _definite,
    "indefinite": _indefinite,
    "unequal": _unequal,
    "rank": _rank,
    "differentiate": _differentiate,
    "polynomial": _polynomial,
    "smooth_at": _smooth_at,
    "continuous": _continuous,
}
