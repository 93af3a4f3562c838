# Each target sets up what it needs: on a fresh machine with Python 3.11 or newer and make,
# `make demo` and `make test` work as they are.
#
#   make demo        install into .venv and run the demonstration
#   make test        lint, check formatting and types, run the tests
#   make test-long   run the tests that take minutes
#   make format      rewrite the sources as `make test` wants them
#   make clean       remove .venv and everything built
#
# A stamp in .venv stands for a set-up step that succeeded; it is made again when what it depends on is newer.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check
SOURCES := $(wildcard checkpoint tensorlib tests experiments)

.PHONY: demo test test-long lint format clean
.DELETE_ON_ERROR:

demo: $(VENV)/.installed
	@$(PY) -m checkpoint demo

test: lint
	$(PY) -m pytest -n auto

test-long: $(VENV)/.tools
	$(PY) -m pytest -n auto -m long

lint: $(VENV)/.tools
	$(PY) -m ruff check $(SOURCES)
	$(PY) -m ruff format --check $(SOURCES)
	$(PY) -m mypy

format: $(VENV)/.tools
	$(PY) -m ruff check --fix $(SOURCES)
	$(PY) -m ruff format $(SOURCES)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "checkpoint needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { \
	  echo "python -m venv failed; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	@echo "installing checkpoint into $(VENV)"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.tools: $(VENV)/.installed
	@echo "installing the test tools into $(VENV)"
	@$(PIP) install --editable '.[test]'
	@touch $@
