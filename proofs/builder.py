"""Writing proofs: a :class:`Builder` appends steps and shows what each of them proves.

Nothing here is trusted.  The kernel runs every step when it is appended, so that a mistake is
reported where it is made, and runs the finished proof again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs import language as la
from proofs.checkers.calculus import regular_where
from proofs.facts.base import fact_named
from proofs.kernel import Lemma, Proof, Session, Statement, Step, Theorem, infer
from proofs.terms import (
    Term,
    TermError,
    abstraction,
    free_variables,
    rebuild,
    sort_of,
    substitute,
    variable,
)

Context = Callable[[Term], Term]
Use = int | tuple[int, Context]
"""An earlier step: alone it declares a symmetric letter, with a context it is an equation."""


@dataclass(frozen=True, slots=True)
class Summand:
    """coefficient * scalars * factor^T core factor; scalars and core are step indices."""

    factor: Term
    core: int | None = None
    scalars: tuple[int, ...] = ()
    coefficient: int | Fraction = 1


#: lemmas of the proofs that are being built, each established once
SESSION = Session()


def itself(term: Term) -> Term:
    """The empty context: an equation used as it stands."""
    return term


def replaced(term: Term, old: Term, new: Term) -> Term:
    """The term with a closed subterm replaced wherever it occurs."""
    if term == old:
        return new
    args = tuple(replaced(part, old, new) for part in term.args)
    return term if args == term.args else rebuild(term, args)


class Builder:
    """A proof under construction.  Methods append a step and return its index.

    >>> from proofs.kernel import check
    >>> from proofs.language import add, dim, mat, mul
    >>> from proofs.printing.text import text
    >>> A, B = mat("A", dim("d"), dim("d")), mat("B", dim("d"), dim("d"))
    >>> p = Builder()
    >>> p.algebra(mul(A, add(A, B)), add(mul(A, A), mul(A, B)))
    0
    >>> print(text(check(p.proof()).conclusion))
    A (A + B) = A² + A B
    """

    def __init__(self, lemmas: Mapping[str, Lemma] | None = None) -> None:
        self._steps: list[Step] = []
        self._results: list[Theorem] = []
        self._lemmas = dict(lemmas or {})
        self._proved = {name: SESSION.theorem(lemma) for name, lemma in self._lemmas.items()}

    def __getitem__(self, index: int) -> Term:
        """What step ``index`` proves."""
        return self._results[index].conclusion

    def proof(self, last: int | None = None) -> Proof:
        """The proof that ends in a step, by default the last one, with all that it rests on."""
        end = len(self._steps) - 1 if last is None else last
        needed = {end}
        for index in range(end, -1, -1):
            if index in needed:
                needed.update(self._steps[index].uses)
        number = {old: new for new, old in enumerate(sorted(needed))}
        steps = tuple(
            Step(step.rule, tuple(number[i] for i in step.uses), step.args)
            for step in (self._steps[old] for old in number)
        )
        called = {step.args.get("name") for step in steps if step.rule == "lemma"}
        return Proof(steps, {name: item for name, item in self._lemmas.items() if name in called})

    def theorem(self, index: int) -> Theorem:
        """What the kernel made of a step."""
        return self._results[index]

    def as_lemma(self, last: int, hypotheses: tuple[Term, ...]) -> Lemma:
        """What a step proves, for use in other proofs; its steps have run already."""
        lemma = Lemma(Statement(hypotheses, self[last]), self.proof(last))
        SESSION.know(lemma, self._results[last])
        return lemma

    def _append(self, rule: str, uses: Sequence[int] = (), **args: Any) -> int:
        step = Step(rule, tuple(uses), args)
        self._results.append(infer(step, self._results, self._proved))
        self._steps.append(step)
        return len(self._steps) - 1

    # Logic

    def assume(self, proposition: Term) -> int:
        return self._append("assume", proposition=proposition)

    def fact(self, name: str, *premises: int, **instance: Term) -> int:
        fact = fact_named(name)
        return self._schema("fact", name, fact.premises, fact.conclusion, premises, instance)

    def lemma(self, name: str, *premises: int, **instance: Term) -> int:
        theorem = self._proved[name]
        return self._schema(
            "lemma", name, theorem.hypotheses, theorem.conclusion, premises, instance
        )

    def _schema(
        self,
        rule: str,
        name: str,
        hypotheses: Sequence[Term],
        conclusion: Term,
        premises: Sequence[int],
        instance: Mapping[str, Term],
    ) -> int:
        """Values that are not given are read off the premises: sorts and whole variables."""
        variables = free_variables(Term("schema", (*hypotheses, conclusion)))
        full = dict(instance)
        for hypothesis, premise in zip(hypotheses, premises, strict=False):
            _match(hypothesis, self[premise], full)
        for key in list(full):
            if key in variables:
                _match(variables[key].args[0], sort_of(full[key]), full)
        full = {key: full[key] for key in variables if key in full}
        return self._append(rule, premises, name=name, instance=full)

    def discharge(self, proposition: Term, use: int) -> int:
        return self._append("discharge", [use], proposition=proposition)

    def modus_ponens(self, implication: int, premise: int) -> int:
        return self._append("modus_ponens", [implication, premise])

    def generalise(self, var: Term, use: int) -> int:
        return self._append("generalise", [use], variable=var)

    def specialise(self, use: int, value: Term) -> int:
        return self._append("specialise", [use], value=value)

    def cases(self, predicate: Term, uses: Sequence[int]) -> int:
        """For all i in 1, ..., n: the predicate, from one step for each i."""
        return self._append("cases", uses, predicate=predicate)

    def for_all(self, var: Term, hypothesis: Term, use: int) -> int:
        """For all ``var`` with ``hypothesis``: what ``use`` proves."""
        return self.generalise(var, self.discharge(hypothesis, use))

    def at(self, use: int, value: Term, premise: int) -> int:
        """A statement 'for all x with H: C' at a value for which ``premise`` proves H."""
        return self.modus_ponens(self.specialise(use, value), premise)

    def conjunction(self, *uses: int) -> int:
        return self._append("conjunction", uses)

    def part(self, use: int, index: int) -> int:
        return self._append("part", [use], index=index)

    def exhibit(self, var: Term, predicate: Term, value: Term, use: int) -> int:
        """There is a ``var`` with ``predicate``, because ``value`` is one."""
        return self._append("exhibit", [use], predicate=abstraction(var, predicate), value=value)

    def exhibit_all(
        self, variables: Sequence[Term], body: Term, values: Sequence[Term], use: int
    ) -> int:
        """There are ``variables`` with ``body``, because ``use`` proves it at ``values``."""
        for i in range(len(variables) - 1, -1, -1):
            predicate = body
            for inner in reversed(variables[i + 1 :]):
                predicate = la.exists(inner, predicate)
            outer = {str(v.data): x for v, x in zip(variables[:i], values[:i], strict=True)}
            use = self.exhibit(variables[i], substitute(predicate, outer), values[i], use)
        return use

    def deny(self, variables: Sequence[Term], body: Term, use: int, negation: int) -> int:
        """There are no ``variables`` with ``body``, as it implies both ``use`` and its negation."""
        levels = [body]
        for var in reversed(variables):
            levels.append(la.exists(var, levels[-1]))
        denied = self.contradiction(levels[-1], use, negation)
        for var, level in zip(reversed(variables), levels[1:], strict=True):
            denied = self.obtain(self.assume(level), var, denied)
        return self.contradiction(levels[-1], self.assume(levels[-1]), denied)

    def obtain(self, existence: int, var: Term, use: int) -> int:
        return self._append("obtain", [existence, use], variable=var)

    def contradiction(self, proposition: Term, use: int, negation: int) -> int:
        return self._append("contradiction", [use, negation], proposition=proposition)

    # Equations

    def replace(self, equation: int, use: int, template: Context) -> int:
        """Rewrite by an equation inside a proposition."""
        return self._append("replace", [equation, use], template=self._template(equation, template))

    def extensionality(self, var: Term, use: int) -> int:
        return self._append("extensionality", [use], variable=var)

    def reflexivity(self, term: Term) -> int:
        return self._append("reflexivity", term=term)

    def algebra(self, left: Term, right: Term, *uses: Use) -> int:
        """left = right by noncommutative algebra from earlier equations."""
        indices, contexts = self._contexts(uses)
        return self._append("algebra", indices, left=left, right=right, contexts=contexts)

    def entries(self, left: Term, right: Term, *symmetric: int) -> int:
        """left = right for matrices of known sizes, by multiplying out their entries."""
        return self._append("entries", symmetric, left=left, right=right)

    def nonnegative(self, value: Term, time: Term, end: Term) -> int:
        """For all times in [0, end]: value >= 0, a polynomial, its coefficients rational."""
        return self._append("nonnegative", value=value, time=time, end=end)

    def positive(
        self, matrix: Term, *summands: Summand, by: Sequence[Use] = (), strict: bool = False
    ) -> int:
        """psd(matrix), or pd when ``strict``, as a sum of ``summands`` modulo the equations."""
        indices, contexts = self._contexts(by)
        uses = list(indices)
        items = []
        for summand in summands:
            references: list[int] = []
            for index in (*summand.scalars, *([] if summand.core is None else [summand.core])):
                references.append(len(uses))
                uses.append(index)
            count = len(summand.scalars)
            items.append(
                {
                    "coefficient": Fraction(summand.coefficient),
                    "scalars": tuple(references[:count]),
                    "core": None if summand.core is None else references[count],
                    "factor": summand.factor,
                }
            )
        return self._append(
            "positivity",
            uses,
            matrix=matrix,
            strict=strict,
            summands=tuple(items),
            equations=tuple(range(len(indices))),
            contexts=contexts,
        )

    def _contexts(self, uses: Sequence[Use]) -> tuple[list[int], tuple[Term | None, ...]]:
        indices: list[int] = []
        contexts: list[Term | None] = []
        for use in uses:
            if isinstance(use, int):
                indices.append(use)
                contexts.append(None)
            else:
                indices.append(use[0])
                contexts.append(self._template(*use))
        return indices, tuple(contexts)

    def _template(self, equation: int, context: Context) -> Term:
        hole = variable("_", sort_of(self[equation].args[0]))
        return abstraction(hole, context(hole))

    # Literals and calculus

    def definite(self, matrix: Term, strict: bool = False, congruence: Term | None = None) -> int:
        """psd(matrix), or pd when ``strict``, of a literal; R^T M R dominant for a congruence R."""
        if congruence is None:
            return self._append("definite", matrix=matrix, strict=strict)
        return self._append("definite", matrix=matrix, strict=strict, congruence=congruence)

    def indefinite(self, matrix: Term, witness: Term) -> int:
        return self._append("indefinite", matrix=matrix, witness=witness)

    def unequal(self, left: Term, right: Term) -> int:
        return self._append("unequal", left=left, right=right)

    def rank(self, matrix: Term) -> int:
        return self._append("rank", matrix=matrix)

    def differentiate(self, lifetime: Term, curve: Term, *invertible: int) -> int:
        return self._append(
            "differentiate", invertible, lifetime=lifetime, curve=curve, time=la.real("t")
        )

    def polynomial(self, field: Term) -> int:
        state = variable("Z", sort_of(field).args[0])
        return self._append("polynomial", field=field, state=state)

    def smooth_at(self, function: Term, point: Term, *regular: int) -> int:
        """smooth_at(function, point), from steps that prove what it inverts invertible there.

        They come in any order, each of them once.
        """
        proved = {self[step]: step for step in regular}
        conditions = regular_where(la.at(function, point), point)
        uses = [proved[condition] for condition in conditions if condition in proved]
        return self._append("smooth_at", uses, function=function, point=point)

    def smooth_on_cone(
        self, function: Term, regular: Callable[[int], Sequence[int]] = lambda positive: ()
    ) -> int:
        """The function is smooth near each Z >= 0.

        ``regular`` makes the steps for :meth:`smooth_at` from one that proves psd(Z).
        """
        Z = variable("Z", sort_of(function).args[0])
        regular_steps = regular(self.assume(la.psd(Z)))
        return self.for_all(Z, la.psd(Z), self.smooth_at(function, Z, *regular_steps))

    def smooth_along(self, field: Term, end: Term, curve: Term) -> int:
        """A polynomial field is smooth near curve(t) for each t in [0, end)."""
        Z, t = variable("Z", sort_of(field).args[0]), la.real("t")
        everywhere = self.generalise(Z, self.smooth_at(field, Z))
        now = self.specialise(everywhere, la.at(curve, t))
        return self.for_all(t, la.within(t, end), now)

    def continuous(self, function: Term, *invertible: int) -> int:
        """continuous(function), from steps that prove what it inverts invertible everywhere."""
        point = variable("z", sort_of(function).args[0])
        return self._append("continuous", invertible, function=function, point=point)


def _match(pattern: Term, term: Term, instance: dict[str, Term]) -> None:
    """Extend ``instance`` by first-order matching; what does not match is left to the kernel."""
    if pattern.op == "var":
        instance.setdefault(str(pattern.data), term)
        return
    if pattern.op != term.op or len(pattern.args) != len(term.args):
        return
    for inner, value in zip(pattern.args, term.args, strict=True):
        if inner.op == "var" and not _closed(value):
            continue
        _match(inner, value, instance)


def _closed(term: Term) -> bool:
    try:
        sort_of(term)
    except TermError:
        return False
    return True
