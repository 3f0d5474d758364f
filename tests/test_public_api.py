"""What the package docstrings list as public is there, says what it takes, and has an example."""

from __future__ import annotations

import doctest
import inspect
import re
from importlib import import_module

import pytest

import numeric
import proofs
import symbolic

_LISTED = re.compile(r"^- ``(?P<name>[\w.]+)``", re.MULTILINE)
PACKAGES = (symbolic, numeric, proofs)
PUBLIC = [name for package in PACKAGES for name in _LISTED.findall(package.__doc__ or "")]


def faults(public: object) -> list[str]:
    """What the docstring of a public object lacks."""
    text = inspect.getdoc(public) or ""
    examples = doctest.DocTestParser().get_examples(text)
    words = text.partition(">>>")[0]
    found = []
    if not words.strip():
        found.append("words")
    if not any(example.want for example in examples):
        found.append("an example that prints")
    if any("doctest: +SKIP" in example.source for example in examples):
        found.append("an example that runs")
    if inspect.isfunction(inspect.unwrap(public)):
        found += [p for p in inspect.signature(public).parameters if not _named(p, text)]
    return found


def _named(parameter: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(parameter)}(?!\w)", text) is not None


def test_every_package_lists_something():
    assert {name.split(".")[0] for name in PUBLIC} == {p.__name__ for p in PACKAGES}
    assert len(PUBLIC) == len(set(PUBLIC))


@pytest.mark.parametrize("name", PUBLIC)
def test_public_objects_are_documented(name):
    module, _, attribute = name.rpartition(".")
    assert not faults(getattr(import_module(module), attribute))


def test_faults_are_found():
    def nothing(x): ...

    def silent(x):
        """Takes x.

        >>> y = 1
        """

    def unnamed(x):
        """Takes something.

        >>> 1
        1
        """

    def good(x):
        """Takes x.

        >>> 1
        1
        """

    assert faults(nothing) == ["words", "an example that prints", "x"]
    assert faults(silent) == ["an example that prints"]
    assert faults(unnamed) == ["x"]
    assert faults(good) == []
