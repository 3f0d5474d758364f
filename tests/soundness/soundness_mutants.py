"""Mutations of statements, and the replay of a proof under a rewriting rule.

A :class:`Rule` rewrites ``old`` into ``new``.  Bound variables that the pattern leaves dangling
are pattern variables, so that beta-reduced instances are found too; each binder keeps its sort.
Nothing here is trusted: a mutant counts as accepted only when the kernel's own entry points,
``establish`` or ``refute``, accept it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs import language as la
from proofs.claims.base import Claim
from proofs.kernel import (
    KernelError,
    Lemma,
    Proof,
    Refutation,
    Statement,
    Step,
    Theorem,
    establish,
    infer,
    refute,
)
from proofs.terms import (
    DIM,
    Literal,
    Term,
    TermError,
    rebuild,
    sort_of,
    substitute,
    term_is_closed,
    variable,
)

Context = tuple[Term, ...]
Path = tuple[int, ...]
SORTED = {"var": 0, "lambda": 1, "identity": 0, "zero": 0, "dimension": 0}
"""Operation -> how many of its arguments to leave out: sorts and sizes are not mutated."""


def inner(term: Term) -> range:
    """The indices of the arguments that are neither sorts nor sizes."""
    if term.op == "lambda":
        return range(1, 2)
    return range(0) if term.op in SORTED else range(len(term.args))


def positions(term: Term, context: Context = (), path: Path = ()) -> Iterator[tuple]:
    """(path, subterm, sorts of the enclosing binders, innermost first)."""
    yield path, term, context
    below = (term.args[0], *context) if term.op == "lambda" else context
    for i in inner(term):
        yield from positions(term.args[i], below, (*path, i))


# Rules ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    old: Term
    new: Term

    def at(self, instance: Mapping[str, Term]) -> Rule:
        """The rule with free variables replaced, as in the instance of a lemma."""
        return Rule(substitute(self.old, instance), substitute(self.new, instance))


def pattern(term: Term, context: Context, depth: int = 0) -> Term:
    """``term`` with dangling indices turned into pattern variables ?0, ?1, ..."""
    if term.op == "bound":
        index = int(str(term.data)) - depth
        return term if index < 0 else variable(f"?{index}", context[index])
    if term_is_closed(term, depth):
        return term
    below = depth + (term.op == "lambda")
    args = [
        a if term.op == "lambda" and i == 0 else pattern(a, context, below)
        for i, a in enumerate(term.args)
    ]
    return Term(term.op, tuple(args), term.data, term.hint)


def _move(term: Term, amount: int, depth: int = 0) -> Term | None:
    """``term`` with dangling indices shifted; None when one would become negative."""
    if term_is_closed(term, depth):
        return term
    if term.op == "bound":
        index = int(str(term.data)) + amount
        return Term("bound", data=index) if index >= depth else None
    below = depth + (term.op == "lambda")
    args = [_move(a, amount, below) for a in term.args]
    return None if None in args else Term(term.op, tuple(args), term.data, term.hint)


def _match(old: Term, term: Term, context: Context, found: dict[str, Term], depth: int) -> bool:
    if old.op == "var" and str(old.data).startswith("?"):
        value = _move(term, -depth)
        if value is None:
            return False
        try:
            if sort_of(value, context) != old.args[0]:
                return False
        except TermError:
            return False
        return found.setdefault(str(old.data), value) == value
    if old.op != term.op or old.data != term.data or len(old.args) != len(term.args):
        return False
    below = depth + (old.op == "lambda")
    return all(
        _match(a, b, context, found, below) for a, b in zip(old.args, term.args, strict=True)
    )


def _fill(new: Term, found: Mapping[str, Term], depth: int = 0) -> Term:
    if new.op == "var" and str(new.data).startswith("?"):
        moved = _move(found[str(new.data)], depth)
        assert moved is not None
        return moved
    if new.op == "var" or not new.args:
        return new
    below = depth + (new.op == "lambda")
    return rebuild(new, tuple(_fill(a, found, below) for a in new.args))


class Rewriter:
    """Applies rules everywhere, outermost first; an unchanged term is returned itself."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = list(dict.fromkeys(rules))
        self._ops = {rule.old.op for rule in self.rules}
        self._memo: dict[tuple[Term, Context], Term] = {}

    def __call__(self, term: Term, context: Context = ()) -> Term:
        key = (term, context)
        if key not in self._memo:
            self._memo[key] = self._rewrite(term, context)
        return self._memo[key]

    def _rewrite(self, term: Term, context: Context) -> Term:
        if term.op in self._ops:
            for rule in self.rules:
                found: dict[str, Term] = {}
                if _match(rule.old, term, context, found, 0):
                    return _fill(rule.new, {k: self(v, context) for k, v in found.items()})
        below = (term.args[0], *context) if term.op == "lambda" else context
        args = list(term.args)
        for i in inner(term):
            args[i] = self(args[i], below)
        same = all(a is b for a, b in zip(args, term.args, strict=True))
        return term if same else rebuild(term, tuple(args))

    def value(self, value: Any) -> Any:
        """Rewrites the terms inside a step's argument."""
        if isinstance(value, Term):
            return self(value)
        if isinstance(value, Mapping):
            return {key: self.value(x) for key, x in value.items()}
        if isinstance(value, tuple):
            return tuple(self.value(x) for x in value)
        return value

    def args(self, step: Step, args: Mapping[str, Any]) -> dict[str, Any]:
        """Rewrites a step's arguments, also as the proposition that they are meant to prove."""
        result = {key: self.value(x) for key, x in args.items()}
        if step.rule in ("positivity", "definite"):
            op = "pd" if args.get("strict") else "psd"
            new = self(Term(op, (args["matrix"],)))
            if new.op in ("psd", "pd"):
                result.update(matrix=new.args[0], strict=new.op == "pd")
        if step.rule == "algebra":
            new = self(la.eq(args["left"], args["right"]))
            if new.op == "eq":
                result.update(left=new.args[0], right=new.args[1])
        return result if result != args else dict(args)

    def statement(self, statement: Statement) -> Statement:
        return Statement(tuple(self(h) for h in statement.hypotheses), self(statement.conclusion))


# Replay --------------------------------------------------------------------------------------


_KNOWN: dict[int, tuple[Proof, tuple[Theorem, ...]]] = {}
_LEMMAS: dict[int, tuple[Lemma, Theorem]] = {}


def sequents(proof: Proof) -> tuple[Theorem, ...]:
    """What the steps of a correct proof prove; proofs of the ledger run once."""
    if id(proof) not in _KNOWN:
        proved = {name: theorem(lemma) for name, lemma in proof.lemmas.items()}
        results: list[Theorem] = []
        for step in proof.steps:
            results.append(infer(step, results, proved))
        _KNOWN[id(proof)] = proof, tuple(results)
    return _KNOWN[id(proof)][1]


def theorem(lemma: Lemma) -> Theorem:
    """A lemma of the ledger, established once."""
    key = id(lemma.proof)
    if key not in _LEMMAS:
        _LEMMAS[key] = lemma, establish(lemma.statement, lemma.proof)
    return _LEMMAS[key][1]


def rerun(proof: Proof, steps: Sequence[tuple[Step, int | None]]) -> list[Theorem]:
    """What changed steps prove; each comes with the number of the step that it was.

    A step keeps its sequent when neither it nor what it uses has changed.

    Raises:
        KernelError: a step does not follow, or the conclusion is another one.
    """
    known = sequents(proof)
    proved = {name: theorem(lemma) for name, lemma in proof.lemmas.items()}
    results: list[Theorem] = []
    for step, origin in steps:
        old = None if origin is None else proof.steps[origin]
        if old is not None and step.rule == old.rule and step.args is old.args:
            now = [results[i] if i < len(results) else None for i in step.uses]
            if [id(x) for x in now] == [id(known[i]) for i in old.uses]:
                results.append(known[origin])
                continue
        results.append(infer(step, results, proved))
    if results[-1].conclusion != known[-1].conclusion:
        raise KernelError("statement", "the last conclusion is not the claim's")
    used = {i for step, _ in steps for i in step.uses}
    if idle := set(range(len(steps) - 1)) - used:
        raise KernelError("proof", f"steps that nothing uses: {sorted(idle)}")
    return results


@dataclass
class Mutant:
    """A claim rewritten by a rule, and what the kernel says."""

    claim: Claim
    kind: str
    rule: Rule | None
    statement: Statement
    error: KernelError | None = None
    result: Theorem | Refutation | None = None
    instance: Mapping[str, Term] | None = None
    note: str = ""


def _instances(proof: Proof, rule: Rule) -> list[Rule]:
    """The rule, and its instances at the lemma steps of the proof."""
    rules = [rule]
    for step in proof.steps:
        if step.rule == "lemma":
            rules.append(rule.at(step.args["instance"]))
    return rules


Replayed = tuple[Proof, list[Theorem]]
Memo = dict[int, tuple[Lemma, Theorem]]


def _replay(original: Proof, rules: list[Rule], memo: Memo) -> Replayed:
    """The rewritten proof; steps that the rules do not reach keep their sequents.

    Raises:
        KernelError: a step of the rewritten proof does not follow.
    """
    known = sequents(original)
    lemmas: dict[str, Lemma] = {}
    proved: dict[str, Theorem] = {}
    for name, lemma in original.lemmas.items():
        if id(lemma.proof) not in memo:
            statement = Rewriter(rules).statement(lemma.statement)
            proof, _ = _replay(lemma.proof, rules, memo)
            if statement == lemma.statement and proof is lemma.proof:
                memo[id(lemma.proof)] = lemma, theorem(lemma)
            else:
                changed = Lemma(statement, proof)
                memo[id(lemma.proof)] = changed, establish(statement, proof)
        lemmas[name], proved[name] = memo[id(lemma.proof)]
        if proved[name] is theorem(lemma):
            lemmas[name] = lemma
    for base in tuple(rules):
        rules = [*rules, *_instances(original, base)[1:]]
    rewriters = [Rewriter(rules)]
    steps: list[Step] = []
    results: list[Theorem] = []
    for number, (step, expected) in enumerate(zip(original.steps, known, strict=True)):
        args: Any = dict(step.args)
        for rewriter in rewriters:
            args = rewriter.args(step, args)
        changed = args != step.args
        same_uses = all(results[i] is known[i] for i in step.uses)
        lemma = step.args.get("name") if step.rule == "lemma" else None
        same_lemma = lemma is None or lemmas[lemma] is original.lemmas[lemma]
        steps.append(Step(step.rule, step.uses, args) if changed else step)
        if not changed and same_uses and same_lemma:
            results.append(expected)
            continue
        if step.rule == "conjunction":
            wanted = expected.conclusion
            for rewriter in rewriters:
                wanted = rewriter(wanted)
            steps[number] = Step(step.rule, _parts(wanted, step.uses, results), args)
        results.append(infer(steps[number], results, proved))
        if step.rule == "differentiate":
            # the kernel computes this velocity: later steps speak of the new one
            old = expected.conclusion.args[2]
            for rewriter in rewriters:
                old = rewriter(old)
            new = results[number].conclusion.args[2]
            if new != old:
                time = (old.args[0],)
                inside = Rule(pattern(old.args[1], time), pattern(new.args[1], time))
                rewriters.append(Rewriter([Rule(old, new), inside]))
    if all(a is b for a, b in zip(steps, original.steps, strict=True)) and all(
        lemmas[name] is original.lemmas[name] for name in lemmas
    ):
        return original, results
    return pruned(steps, lemmas), results


def _parts(wanted: Term, uses: tuple[int, ...], results: Sequence[Theorem]) -> tuple[int, ...]:
    """The uses that prove the parts of a rewritten conjunction, if all its parts are proved."""
    found = {results[i].conclusion: i for i in uses}
    if wanted.op == "and" and all(part in found for part in wanted.args):
        return tuple(found[part] for part in wanted.args)
    return uses


def pruned(steps: Sequence[Step], lemmas: Mapping[str, Lemma]) -> Proof:
    """The last step and all that it rests on."""
    needed = {len(steps) - 1}
    for i in range(len(steps) - 1, -1, -1):
        if i in needed:
            needed.update(steps[i].uses)
    number = {old: new for new, old in enumerate(sorted(needed))}
    kept = [
        Step(steps[i].rule, tuple(number[j] for j in steps[i].uses), steps[i].args) for i in number
    ]
    called = {step.args.get("name") for step in kept if step.rule == "lemma"}
    return Proof(tuple(kept), {name: x for name, x in lemmas.items() if name in called})


def run(claim: Claim, kind: str, rule: Rule) -> Mutant:
    """The claim and its whole proof rewritten by a rule, judged by the kernel."""
    rules = [rule]
    instance = claim.counterexample
    if instance is not None:
        rules.append(rule.at(instance))
        rewriter = Rewriter(rules)
        instance = {name: rewriter(value) for name, value in instance.items()}
    statement = Rewriter(rules).statement(claim.statement)
    mutant = Mutant(claim, kind, rule, statement, instance=instance)
    try:
        proof, _ = _replay(claim.proof, rules, {})
        if instance is None:
            mutant.result = establish(statement, proof)
        else:
            mutant.result = refute(statement, instance, proof)
    except KernelError as error:
        mutant.error = error
    return mutant


# Mutations -----------------------------------------------------------------------------------

Candidate = tuple[str, Term]


def _with(term: Term, index: int, value: Term) -> Term:
    return rebuild(term, (*term.args[:index], value, *term.args[index + 1 :]))


def _without(term: Term, index: int) -> Term:
    args = term.args[:index] + term.args[index + 1 :]
    return args[0] if len(args) == 1 else Term(term.op, args)


def _swapped(term: Term, i: int) -> Term:
    args = list(term.args)
    args[i], args[i + 1] = args[i + 1], args[i]
    return Term(term.op, tuple(args))


def _difference(term: Term) -> tuple[Term, Term] | None:
    """(a, b) when the term is written a - b."""
    if term.op != "add" or len(term.args) != 2:
        return None
    left, right = term.args
    if right.op != "scale" or right.args[0] != la.number(-1):
        return None
    return left, right.args[1]


def candidates(term: Term, letters: Sequence[Term]) -> Iterator[Candidate]:
    """Mutations of one node; pattern variables stand for bound ones."""
    op, args = term.op, term.args
    sort = sort_of(term)
    if op == "scale" and args[0].op == "literal":
        value = args[0].data
        assert isinstance(value, Literal)
        yield "sign", _with(term, 0, la.number(-value.entries[0]))
        yield "constant", _with(term, 0, la.number(2 * value.entries[0]))
    if op in ("add", "mul"):
        for i in range(len(args)):
            yield "sign", _with(term, i, la.scale(-1, args[i]))
            yield "constant", _with(term, i, la.scale(Fraction(3, 2), args[i]))
            shape = sort_of(args[i]).args
            if shape[0] == shape[1] and shape[0] != la.number(1):
                flipped = args[i].args[0] if args[i].op == "transpose" else la.tp(args[i])
                if sort_of(args[i]) != la.REAL:
                    yield "transpose", _with(term, i, flipped)
    if op == "add":
        for i in range(len(args)):
            yield "summand dropped", _without(term, i)
    if op == "mul":
        for i in range(len(args) - 1):
            if sort_of(args[i]) == sort_of(args[i + 1]) and args[i] != args[i + 1]:
                yield "order", _swapped(term, i)
    if op in ("mul", "add", "eq", "psd", "maximal", "ode"):
        present = [x for x in letters if any(node == x for node in term.walk())]
        for i, first in enumerate(present):
            for second in present[i + 1 :]:
                if first.args == second.args:
                    swap = {str(first.data): second, str(second.data): first}
                    yield "letters swapped", substitute(term, swap)
    if op == "psd":
        yield "psd to pd", Term("pd", args)
    if op == "pd":
        yield "pd to psd", Term("psd", args)
    if op in ("psd", "pd"):
        if pair := _difference(args[0]):
            yield "sides swapped", Term(op, (la.minus(pair[1], pair[0]),))
        else:
            yield "sides swapped", Term(op, (la.scale(-1, args[0]),))
    if op == "lmax":
        yield "max to min", la.scale(-1, la.lmax(la.scale(-1, args[0])))
    if op == "inverse":
        yield "inverse dropped", args[0]
    if op == "finite":
        yield "constant", la.finite(la.scale(2, args[0]))
        yield "sides swapped", la.finite(la.scale(-1, args[0]))
    if op == "at_most":
        yield "sides swapped", Term("at_most", (args[1], args[0]))
    if op == "infinity":
        yield "constant", la.finite(la.number(1))
    if op == "eq" and sort_of(args[0]).op == "Mat":
        yield "sign", la.eq(args[0], la.scale(-1, args[1]))
        yield "constant", la.eq(args[0], la.scale(2, args[1]))
        if args[1].op == "zero" and args[1].args[0] == args[1].args[1]:
            yield "constant", la.eq(args[0], la.identity(args[1].args[0]))
    if op == "and":
        for i in range(len(args)):
            yield "part dropped", _without(term, i)
    if op == "identity" and sort != la.REAL:
        yield "constant", la.scale(2, term)
    if op == "root":
        yield "root dropped", args[0]
    if op == "pinv" and sort_of(args[0]) == sort:
        yield "inverse dropped", la.inv(args[0])


def mutations(claim: Claim) -> list[tuple[str, Rule]]:
    """All rules for a claim, in the order of the statement."""
    found: dict[Rule, str] = {}
    statement = claim.statement
    letters = [v for v in statement.variables().values() if v.args[0] != DIM]
    for part in (*statement.hypotheses, statement.conclusion):
        for _, term, context in positions(part):
            if term.op in ("bound", "lambda", "forall", "exists"):
                continue
            old = pattern(term, context)
            named = any(n.op == "var" and str(n.data)[0] != "?" for n in old.walk())
            if not named and old.op not in ("infinity", "identity"):
                continue
            try:
                for kind, new in candidates(old, letters):
                    rule = Rule(old, new)
                    if new != old and sort_of(new) == sort_of(old):
                        found.setdefault(rule, kind)
            except (TermError, AssertionError):
                continue
    for i, hypothesis in enumerate(statement.hypotheses):
        for other in (*statement.hypotheses[i + 1 :], *statement.hypotheses[:i])[:2]:
            found.setdefault(Rule(hypothesis, other), "hypothesis replaced")
        found.setdefault(Rule(hypothesis, la.eq(la.number(0), la.number(0))), "hypothesis replaced")
    return [(kind, rule) for rule, kind in found.items()]


def sample(claim: Claim, count: int, seed: int) -> list[tuple[str, Rule]]:
    """Some mutations of a claim: every kind is met before one is met again."""
    generator = random.Random(f"{claim.id}/{seed}")
    kinds: dict[str, list] = {}
    for item in mutations(claim):
        kinds.setdefault(item[0], []).append(item)
    for items in kinds.values():
        generator.shuffle(items)
    chosen: list = []
    while len(chosen) < count and any(kinds.values()):
        for items in kinds.values():
            if items and len(chosen) < count:
                chosen.append(items.pop())
    return chosen
