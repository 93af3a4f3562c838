# Each target sets up what it needs: on a fresh machine with Python 3.11 or newer and make,
# `make demo` and `make test` work as they are.
#
#   make demo        install into .venv and run the demonstration
#   make test        lint, check formatting and types, run the tests: each law on each engine, over a sample of programs
#   make test-wide   run the other cases of the same tests: all programs, engines and schedules but those of test-long
#   make test-long   run all tests, those that take minutes too, with all samples and with new random examples
#   make test-torch  the tests of PyTorch's tensors, of graphs of ONNX and of JAX; installs these: PyTorch brings
#                    3 GB of CUDA's libraries
#   make test-workers  workers of Ray and of Dask, as clusters on this machine; installs these
#   make test-cuda   programs and records on a device of CUDA's, with PyTorch and CuPy; installs these
#   make test-hostile  the same tests of the C engine with sanitizers of memory and of threads, failing allocations,
#                    and valgrind
#   make docs        build the site of the documents into site/, with every link checked
#   make format      rewrite the sources as `make test` wants them
#   make clean       remove .venv and everything built
#
# A stamp in .venv stands for a set-up step that succeeded; it is made again when what it depends on is newer.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check
SOURCES := $(wildcard setup.py checkpoint tensorlib tests experiments docs)
C_SOURCES := $(wildcard ctemplates/*/*) checkpoint/ctarget/build.py
# Those that need PyTorch, ONNX or JAX, which take seconds to import: test-torch runs them.
OF_TORCH := tests/pytorch tests/cuda tests/graphs tests/jax
PYTEST := $(PY) -m pytest -n auto --dist worksteal

# Tests start many processes, each of which would compile all modules anew if the environment has Python keep no bytecode.
test test-wide test-long test-torch test-workers test-cuda test-hostile: export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo docs test test-wide test-long test-torch test-workers test-cuda test-hostile strict lint format clean
.DELETE_ON_ERROR:

demo: $(VENV)/.built
	@$(PY) -m checkpoint demo

test: lint
	$(PYTEST) $(OF_TORCH:%=--ignore=%) -m "not long and not wide"

test-wide: $(VENV)/.tools strict
	$(PYTEST) $(OF_TORCH:%=--ignore=%) -m "wide and not long"

test-long: $(VENV)/.tools strict
	CHECKPOINT_THOROUGH=1 $(PYTEST) -m "long or not long"

test-torch: $(VENV)/.torch strict
	$(PYTEST) $(OF_TORCH) tests/experiments tests/tensorlib/test_training.py

# In one process, which begins each cluster once.
test-workers: $(VENV)/.workers strict
	$(PY) -m pytest tests/clusters

test-cuda: $(VENV)/.cuda strict
	$(PY) -m tests.cuda

test-hostile: $(VENV)/.tools
	$(PY) -m tests.hostile

docs: $(VENV)/.docs
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

# The C engine's module, with every warning an error; without a compiler it says that there is none.
strict: $(VENV)/.installed
	@$(PY) -m checkpoint.ctarget.build --strict

lint: $(VENV)/.tools strict
	$(PY) -m ruff check $(SOURCES)
	$(PY) -m ruff format --check $(SOURCES)
	$(PY) -m mypy

format: $(VENV)/.tools
	$(PY) -m ruff check --fix $(SOURCES)
	$(PY) -m ruff format $(SOURCES)

clean:
	rm -f checkpoint/ctarget/_runtime*.so
	rm -rf $(VENV) build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "checkpoint needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { \
	  echo "python -m venv failed; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@touch $@

# The module in C is not built here but in place, so that an edited file alone is compiled again.
$(VENV)/.installed: $(VENV)/.made pyproject.toml setup.py
	@echo "installing checkpoint into $(VENV)"
	@CHECKPOINT_WITHOUT_C=1 $(PIP) install --editable .
	@touch $@

# What does not compile is no reason to show nothing: the demonstration then runs on another engine.
$(VENV)/.built: $(VENV)/.installed $(C_SOURCES)
	@$(PY) -m checkpoint.ctarget.build || echo "engine c is not built"
	@touch $@

$(VENV)/.tools: $(VENV)/.installed
	@echo "installing the test tools into $(VENV)"
	@CHECKPOINT_WITHOUT_C=1 $(PIP) install --editable '.[test]'
	@touch $@

$(VENV)/.torch: $(VENV)/.tools
	@echo "installing PyTorch, ONNX, JAX and scikit-learn into $(VENV)"
	@CHECKPOINT_WITHOUT_C=1 $(PIP) install --editable '.[test,torch,onnx,jax,data]' onnxscript
	@touch $@

$(VENV)/.workers: $(VENV)/.tools
	@echo "installing Ray and Dask into $(VENV)"
	@CHECKPOINT_WITHOUT_C=1 $(PIP) install --editable '.[test,ray,dask]'
	@touch $@

$(VENV)/.cuda: $(VENV)/.torch
	@echo "installing CuPy into $(VENV)"
	@CHECKPOINT_WITHOUT_C=1 $(PIP) install --editable '.[test,torch,cuda]'
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	@echo "installing the tools of the documents into $(VENV)"
	@CHECKPOINT_WITHOUT_C=1 $(PIP) install --editable '.[arrays,docs,pictures]'
	@touch $@
