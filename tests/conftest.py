"""Set-up shared by all tests. The markers are declared in pyproject.toml."""

import os

# pytest-xdist already keeps every core busy: one thread each for linear algebra, set before
# anything imports NumPy.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import settings

# The same examples on every run and machine, however slow.
settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")
