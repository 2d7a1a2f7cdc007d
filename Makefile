# make        install what running needs into .venv, then run the main job
# make test   install what the tests need into .venv, then run them; LAB=papers: those of one laboratory
# make test-slow   the long ones, which CI adds; make test-all   everything, before a release or a change of the pages
#                 (with Debian's chromium, chromium-driver, apertium and texlive-latex-recommended, AXE_CORE, the extras
#                 that load models and the real data beside the checkout, or skipping, loudly, what needs them)
# make fuzz   50,000 hostile files and configurations; FUZZ=N for another number, SEED=N to make a failure again
#
# Nothing is needed beforehand but Python 3.11, 3.12 or 3.13. Choose one with `make PYTHON=/path/to/python`.
# Packages come from requirements.lock, each checked against its sha256. The lock names no index: yours is used.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null && echo $$p && break; done)
ARGS ?=
PYTEST_ARGS ?=

# Compiled modules are kept: where they are not, each start of the program compiles its libraries for two seconds more.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
BASE := $(VENV)/.runs
STAMP := $(VENV)/.installed
LOCK := requirements.lock
RUN_LOCK := requirements-run.lock

.DEFAULT_GOAL := run
.DELETE_ON_ERROR:
.PHONY: run test test-slow test-all fuzz lint ruff mypy format install docs lock wheel clean

run: $(BASE)
	$(BIN)/python -m clirbench $(ARGS)

# A worker without a test takes one of another's; the long tests wait for processes, so one more worker is no load.
test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not release" $(LAB:%=tests/labs/%) $(PYTEST_ARGS)

test-slow: $(STAMP)
	$(BIN)/python -m pytest -n $$(( $$($(BIN)/python -c 'import os; print(os.cpu_count() or 1)') + 1 )) --dist worksteal -m "slow and not release" $(LAB:%=tests/labs/%) $(PYTEST_ARGS)

test-all: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST_ARGS)

FUZZ ?= 50000
SEED ?= $(shell date +%s)
fuzz: $(STAMP)
	@echo "CLIRBENCH_FUZZ_SEED=$(SEED)"
	CLIRBENCH_FUZZ=$(FUZZ) CLIRBENCH_FUZZ_SEED=$(SEED) $(BIN)/python -m pytest -n auto -o timeout=7200 tests/fuzz $(PYTEST_ARGS)

lint: ruff mypy

ruff: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

mypy: $(STAMP)
	$(BIN)/mypy --strict clirbench

format: $(STAMP)
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format

install: $(STAMP)

# The documentation as a site in runs/site; opens from disk.
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# The lock pins uv too; pip brings it, then uv installs the rest (and itself, when the pin moves).
$(UV):
	@test -n "$(PYTHON)" || { echo "clirbench needs Python 3.11, 3.12 or 3.13: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	sed -n '/^uv==/,/[^\\]$$/p' $(LOCK) > $(VENV)/uv.lock.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $(VENV)/uv.lock.txt
	$(UV) pip uninstall --quiet --python $(BIN)/python setuptools  # Python 3.11 brings it: 10 MB that nothing here uses

# To run, a fifth of the lock is enough; what tests and documentation need comes with the first target that needs it.
$(BASE): $(LOCK) pyproject.toml hatch_build.py $(wildcard clirbench/native/*.[ch]) | $(UV)
	$(UV) pip install --quiet --python $(BIN)/python --constraints $(LOCK) --build-constraints $(LOCK) --refresh-package clirbench --editable .
	touch $(BASE)

$(STAMP): $(LOCK) pyproject.toml hatch_build.py $(wildcard clirbench/native/*.[ch]) | $(UV)
	$(UV) pip sync --quiet --python $(BIN)/python --require-hashes --build-constraints $(LOCK) $(LOCK)
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --refresh-package clirbench --editable .
	touch $(BASE) $(STAMP)

# What `make install` brings; the translators' frameworks (ctranslate2, transformers with torch) are too heavy for that.
EXTRAS := bm25s dense lucene ir_datasets dask parquet plot ray sentences subwords tensorboard

# $(RUN_LOCK): what running alone needs, of the same versions; containers and releases install it.
# Keeps the versions that are pinned already; `make lock UPGRADE=--upgrade` takes the newest ones.
# The lock must not name the place its packages came from: no option line, no address, no path.
lock: | $(UV)
	$(UV) pip compile --quiet --universal --python-version 3.11 $(EXTRAS:%=--extra %) --group dev $(UPGRADE) \
		--generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
		pyproject.toml --output-file $(LOCK)
	$(UV) pip compile --quiet --universal --python-version 3.11 --constraints $(LOCK) --no-header \
		--generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
		pyproject.toml --output-file $(RUN_LOCK)
	@! grep -nE '^-|@|/' $(LOCK) $(RUN_LOCK)

wheel: $(STAMP)
	$(BIN)/hatchling build --target wheel --directory dist

clean:
	rm -rf $(VENV) dist .mypy_cache .pytest_cache .ruff_cache
	find clirbench tests -name __pycache__ -type d -prune -exec rm -rf {} +
