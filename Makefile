# `make` prints what there is to do.

PYTHON ?= python3
BIN := .venv/bin
SAMPLE := sample_data/garden-birds
# As many processes as cores, each with one thread of BLAS: more would only wait for each other. Each begins with a part of the
# files, so that what a file's tests share is made once, and takes tests of others at the end.
WORKERS ?= $(shell nproc 2>/dev/null || echo logical)
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS) --dist worksteal
# The tests run the command hundreds of times: it need not be compiled each time, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=
CONTAINER_PYTHON := 3.12
CONTAINER_MACHINE ?= x86_64

ON_LIBRARIES := $(patsubst %,tests/test_%.py,add_a_method alongside command_line estimators exact_numbers feature_weights files frames header learners lsdmlo \
	lsdmlo_pos neighbors new_rows package pipeline split tables)

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-quick test-kernels test-lowest lint stub docs bench bench-quick profile paper fuzz dist wheels smoke release clean
.DELETE_ON_ERROR:

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: .venv/.installed ## install the package and what the tests need into .venv (PYTHON=python3.11 picks the Python)

demo: .venv/.package ## resample the sample data into demo/ and show what changed
	@mkdir -p demo
	$(BIN)/lsdmlo resample $(SAMPLE).arff demo/garden-birds.arff --p 0.1 --provenance demo/garden-birds.parents.csv
	@$(BIN)/python sample_data/demo.py demo/garden-birds.report.json demo/garden-birds.arff

test: .venv/.installed ## run the tests (WORKERS=0: one after the other)
	$(PYTEST)

test-quick: .venv/.installed ## run the tests but those that take seconds
	$(PYTEST) -m 'not slow'

test-kernels: .venv/.installed ## run the tests that rest on BLAS under the kernels of other processors
	$(BIN)/python tests/kernels.py -n $(WORKERS) --dist worksteal

test-lowest: .venv-lowest/.installed ## run the tests that rest on libraries with the lowest versions that pyproject.toml admits
	$(subst $(BIN)/pytest,.venv-lowest/bin/python -m pytest,$(PYTEST)) -m 'not slow and not shared' --disable-warnings $(ON_LIBRARIES)

lint: .venv/.installed ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

stub: .venv/.installed ## remake what editors read of the estimators, after a sampler's options changed
	$(BIN)/python tests/stub.py

docs: .venv/.docs ## build the documentation into build/site; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'build/site/index.html'

bench: .venv/.installed ## run the benchmarks, a short selection (FULL=1: all of them)
	$(BIN)/python -m benchmarks $(if $(filter-out 0,$(FULL)),--full)

bench-quick: .venv/.installed ## compare with peers in two or three minutes, and show what changed since `make bench`
	$(BIN)/python -m benchmarks.peers

profile: .venv/.installed ## show where the time of resample goes: make profile FILE=path [ARGS='--method mlsol']
	@test -n '$(FILE)' || { echo 'profile needs a file: make profile FILE=$(SAMPLE).arff'; exit 2; }
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.profile '$(FILE)' $(ARGS)

paper: .venv/.installed ## remake the comparison of methods, benchmarks/paper.md, in an hour or two (FULL=1: all of it, days)
	$(BIN)/python -m benchmarks.paper $(if $(filter-out 0,$(FULL)),--full)

fuzz: .venv/.installed ## throw 10,000 made-up files at the reader
	LSDMLO_FUZZ=10000 $(PYTEST) tests/test_fuzz.py

# The wheel of the checkout has to have the bytes of the one that is built from the sdist, or the sdist lacks something.
dist: .venv/.installed ## build the sdist, and from it the wheel, into dist/
	rm -rf dist build/wheel
	@mkdir -p build
	$(BIN)/python -m build --outdir dist . > build/log 2>&1 || { cat build/log; exit 1; }
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheel .
	cmp dist/*.whl build/wheel/*.whl

# For the Python and the processor of the image, CONTAINER_PYTHON and CONTAINER_MACHINE, wherever this runs.
wheels: dist ## collect the wheels that Containerfile installs, the package and what it needs, in build/wheels
	rm -rf build/wheels
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --dest build/wheels --only-binary :all: \
		--python-version $(CONTAINER_PYTHON) \
		$(foreach glibc,2_28 2_27 2_17,--platform manylinux_$(glibc)_$(CONTAINER_MACHINE)) "$$(echo dist/*.whl)[tables,evaluate]"

# First the package alone, then with the extras; from the root folder, where no checkout can take the place of what is installed.
smoke: dist ## install the wheel in an empty environment and try each command
	rm -rf build/smoke
	$(BIN)/python -m venv build/smoke
	build/smoke/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd / && '$(CURDIR)/build/smoke/bin/python' -I '$(CURDIR)/release/smoke.py' '$(CURDIR)/sample_data'
	build/smoke/bin/python -m pip install --quiet --disable-pip-version-check "$$(echo dist/*.whl)[evaluate]"
	cd / && '$(CURDIR)/build/smoke/bin/python' -I '$(CURDIR)/release/smoke.py' '$(CURDIR)/sample_data'

release: .venv/.installed ## check version, changelog, citation and tag, build dist/, try it, and say how to publish it
	$(BIN)/python release/check.py
	$(MAKE) smoke
	@$(BIN)/python release/check.py --publish

clean: ## remove demo/, build/, dist/ and all caches (.venv and .venv-lowest stay)
	rm -rf demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path './.venv*' -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# The package alone is quick to install; the tools of the tests come on top. Both again when pyproject.toml changes.
.venv/.package: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lsdmlo needs Python 3.11 or newer: try make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/.installed: .venv/.package
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

.venv/.docs: .venv/.package
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

.venv-lowest/.installed: pyproject.toml release/lowest.py
	rm -rf .venv-lowest
	$(PYTHON) -m venv .venv-lowest
	$(PYTHON) release/lowest.py > .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --constraint .venv-lowest/constraints.txt --editable '.[test]'
	@touch $@
