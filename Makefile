# `make` lists the targets. Everything runs in .venv, which is made on first use.

PYTHON ?= python3
# Processes that run tests side by side.
WORKERS ?= 2

BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest -n $(WORKERS)
INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt
# A stamp for each set of extras: make installs again when a version changes.
DEV := .venv/.installed-dev
BENCH := .venv/.installed-bench

.PHONY: help venv demo test test-full check format golden bench docs clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

venv: $(DEV) ## make .venv with the package and its development tools

$(DEV): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) --editable ".[dev,eval,train]"
	@touch $@

$(BENCH): $(DEV)
	$(INSTALL) --editable ".[dev,eval,train,bench]"
	@touch $@

demo: $(DEV) ## train an agent for three minutes, then measure it
	$(BIN)/python train.py --minutes 3 --out runs/demo
	$(BIN)/python evaluate.py runs/demo random greedy expert --deals 1000

test: $(DEV) ## run the tests, then some with the compiler off and some with bounds checks
	$(PYTEST)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "nojit and not full"
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m "boundscheck and not full"

test-full: $(DEV) ## run every test, then those for it with the compiler off and the coverage gate, then with bounds checks
	$(PYTEST) -m ""
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "nojit and not full" --cov
	NUMBA_BOUNDSCHECK=1 $(PYTEST)

check: $(DEV) ## check formatting, lint and types
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: $(DEV) ## format, and fix what ruff can fix
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

golden: $(DEV) ## regenerate the golden playthroughs
	$(BIN)/python -m tests.make_golden

bench: $(BENCH) ## measure the engine beside RLCard and OpenSpiel, the AEC loop beside PettingZoo's
	$(BIN)/python -m benchmarks.throughput
	$(BIN)/python -m benchmarks.aec
	$(BIN)/python -m benchmarks.vec_env
	$(BIN)/python -m benchmarks.matches

docs: $(DEV) ## regenerate the tables that the documentation takes from the code
	$(BIN)/python -m agents.documentation

clean: ## remove all that make and the tools left behind, except .venv
	rm -rf build dist htmlcov .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache
	find . -path ./.venv -prune -o -type d -name __pycache__ -exec rm -rf {} +
