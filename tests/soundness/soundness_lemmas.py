"""Lemmas that are no claims, as claims, so that they can be attacked like those."""

from collections.abc import Callable

from proofs.claims import l2_velocity
from proofs.claims.base import Claim
from proofs.kernel import Lemma
from proofs.verdicts.factored import low_rank


def _claim(make: Callable[[], Lemma], name: str) -> Claim:
    lemma = make()
    return Claim(
        id=name,
        title=str(make.__doc__),
        source="",
        statement=lemma.statement,
        hypotheses=tuple(f"premise {i + 1}" for i in range(len(lemma.statement.hypotheses))),
        prove=lambda: lemma.proof,
    )


LOW_RANK: dict[str, Claim] = {
    make.__name__: _claim(make, make.__name__)
    for make in (
        low_rank.value_norm,
        low_rank.score_norm,
        low_rank.drift,
        low_rank.dense_drift,
        low_rank.plain_drift,
    )
}
LEMMAS: dict[str, Claim] = {
    **LOW_RANK,
    l2_velocity.NAME: _claim(l2_velocity.lemma, l2_velocity.NAME),
}
