"""The trusted base stands alone."""

import subprocess
import sys

PROGRAM = """
import importlib, pkgutil, sys
import proofs.kernel, proofs.checkers, proofs.facts
for package in (proofs.checkers, proofs.facts):
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
from proofs.facts.base import all_facts
assert all_facts()
heavy = {"sympy", "numpy", "scipy", "mpmath", "cvxpy", "symbolic", "numeric"}
print(sorted(heavy & {name.split(".")[0] for name in sys.modules}))
print(sorted(n for n in sys.modules if n.startswith("proofs.")))
"""


def test_kernel_checkers_and_facts_import_no_computer_algebra():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    heavy, loaded = done.stdout.splitlines()
    assert heavy == "[]"
    for module in ("kernel", "terms", "checkers.words", "checkers.evaluation", "facts.probability"):
        assert f"proofs.{module}" in loaded
    for module in ("claims", "builder", "bridge", "printing", "codec"):
        assert f"proofs.{module}" not in loaded
