# The two commands: `make demo` shows rdfcrawl at work, `make test` checks it.
# Both create .venv and install what they need; a second call is fast.

PYTHON ?= python3
BIN := .venv/bin

# Keep compiled files even if the environment says otherwise: the tests start many processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all lint style tests browser lowest bench wheel clean

demo: .venv/runtime
	@scripts/demo

# `make test` with every kill point and every example instead of a sample of them.
test-all:
	@$(MAKE) --no-print-directory test ARGS="--all $(ARGS)"

# Like `make lint tests`, but types are checked in parallel with the tests and reported after them.
test: style browser
	@$(BIN)/mypy >.venv/types.txt 2>&1 & types=$$!; \
	$(MAKE) --no-print-directory tests; tests=$$?; \
	wait $$types; types=$$?; \
	echo $(BIN)/mypy; cat .venv/types.txt; \
	exit $$((tests ? tests : types))

lint: style
	$(BIN)/mypy

style: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

tests: .venv/dev browser
	$(BIN)/pytest -n 6 $(ARGS)

browser: .venv/dev
	@scripts/install-node-clients & clients=$$!; \
	scripts/install-browser && scripts/install-postgres && scripts/install-virtuoso; done=$$?; \
	wait $$clients; exit $$done

# The security tests with the lowest versions that pyproject.toml allows.
lowest: .venv-lowest/dev browser
	.venv-lowest/bin/pytest -n 2 tests/security $(ARGS)

# Compares rdfcrawl with the usual alternatives; ARGS='--lane static --objects 1000' measures one lane.
bench: .venv/dev browser
	$(BIN)/python benchmarks/lanes.py $(ARGS)

# Builds the package, with the rich SPARQL editor if npm can install it.
wheel: .venv/dev
	@scripts/get-yasgui
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean:
	rm -rf .venv .venv-lowest build dist demo-data .mypy_cache .ruff_cache .pytest_cache

.venv/bin/python:
	@scripts/make-venv $(PYTHON)

.venv/runtime: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --no-compile --disable-pip-version-check --editable .
	@touch $@

.venv/dev: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --no-compile --disable-pip-version-check --editable '.[dev]'
	@touch $@ .venv/runtime

.venv-lowest/bin/python:
	@scripts/make-venv $(PYTHON) .venv-lowest

.venv-lowest/dev: pyproject.toml scripts/lowest-versions | .venv-lowest/bin/python
	$(PYTHON) scripts/lowest-versions >.venv-lowest/versions.txt
	.venv-lowest/bin/pip install --quiet --no-compile --disable-pip-version-check \
		--constraint .venv-lowest/versions.txt --editable '.[dev]'
	@touch $@
