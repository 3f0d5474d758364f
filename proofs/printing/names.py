"""Names of variables: Greek letters, subscripts, and names that are not yet taken."""

from __future__ import annotations

import re
from collections.abc import Collection

#: the size of a family whose members are called particles; the members of others are heads
PARTICLES = "n"

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "iota": "ι",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "upsilon": "υ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Upsilon": "Υ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}

_INDEXED = re.compile(r"([A-Za-z]+)([0-9]*)")
_SUBSCRIPTED = re.compile(r"([A-Za-z]+)(?:([0-9]+)|_([A-Za-z][A-Za-z0-9]*))?")
_RESERVED = re.compile(r"I(_\w*|[0-9]*)|tr|exp|rank|div|lambda_max")


def is_reserved(name: str) -> bool:
    """Whether a variable of this name would read like the identity or an operator."""
    return _RESERVED.fullmatch(name) is not None


def split_index(name: str) -> tuple[str, str] | None:
    """The letters and the digits of a name such as Sigma0; None for names of another form."""
    match = _INDEXED.fullmatch(name)
    return None if match is None else (match[1], match[2])


def split_subscript(name: str) -> tuple[str, str]:
    """The letter of a name and its subscript, ("b", "q") for b_q; ("", "") for other names."""
    match = None if is_reserved(name) and name != "I" else _SUBSCRIPTED.fullmatch(name)
    return ("", "") if match is None else (match[1], match[2] or match[3] or "")


def clashes(name: str, family: str) -> bool:
    """Whether a name, or a member of what it names, is printed like a member of the family.

    >>> [name for name in ("V_h", "V1", "V", "Vh") if clashes(name, "V")]
    ['V_h', 'V1', 'V']
    >>> [name for name in ("b_q_1", "b", "b_k") if clashes(name, "b_q")]
    ['b_q_1', 'b']
    """
    letter, subscript = split_subscript(family)
    other = split_subscript(name)
    if name.startswith(f"{family}_") or other == (letter, subscript):
        return True
    return other == (letter, "") or (not subscript and other[0] == letter)


def fresh_name(hint: str, taken: Collection[str]) -> str:
    """``hint``, or ``hint`` with the first number that makes it new."""
    if hint not in taken:
        return hint
    letters = (split_index(hint) or (f"{hint}_", ""))[0]
    count = 1
    while f"{letters}{count}" in taken:
        count += 1
    return f"{letters}{count}"
