# Two commands: `make demo` and `make test`. Both build what they need from a clean clone, and are quick the second time.
# People without make: see README.md for the plain lines.

PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest

.PHONY: demo test check bench evaluate coverage format types clean help

help: ## say what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

demo: $(VENV)/.run ## see Regla at work on the samples
	@sh .ci/needs run $(BIN)/python
	@$(BIN)/python samples/demo.py

test: $(VENV)/.dev ## install what the tests need, then run them all
	@sh .ci/needs test $(BIN)/python
	@echo "Running the tests (two at a time)…"
	@$(PYTEST) -n 2 --dist loadfile -q tests

check: $(VENV)/.dev types ## style, types, doctests and the README's examples
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy -p regla.rules -p regla.calibration
	@$(BIN)/mypy -p regla.vision -p regla.models -p regla.service
	@$(PYTEST) -q -n 0 tests/test_doctests.py tests/test_readme.py

coverage: $(VENV)/.dev ## the tests again, with the lines they reach
	@sh .ci/needs test $(BIN)/python
	@$(PYTEST) -n 2 --dist loadfile -q --cov --cov-report=term:skip-covered tests

bench: $(VENV)/.dev ## how fast it is: ratios measured in one run
	@$(PYTEST) -n 0 -q --benchmark-only --benchmark-columns=median,iqr,rounds tests/benchmarks

evaluate: $(VENV)/.dev ## how good the eyes are, on rendered truth (takes a while)
	@$(BIN)/python -m regla.models.evaluate

format: $(VENV)/.dev ## put the code into its usual shape
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

# mypy and editors do not follow setuptools' package-dir: give them the namespace as a folder of links.
types:
	@mkdir -p build/types/regla
	@for room in rules calibration vision models service; do ln -sfn ../../../$$room build/types/regla/$$room; done

$(VENV)/.run: pyproject.toml constraints.txt
	@echo "Building $(VENV) and installing Regla…"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Regla needs Python 3.11 or newer: PYTHON=/path/to/python3.11 make …")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@echo "Installing what the tests need…"
	@$(PIP) --editable ".[dev,synth]"
	@touch $@

clean: ## remove what was built
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .coverage
