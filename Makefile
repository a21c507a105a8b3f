# Two commands on a fresh machine with python3, make and a compiler: `make demo` and `make test`.
# `make setup` alone makes .venv/ with propsync in it.

PYTHON ?= python3
BIN := .venv/bin
# these have no wheels for Python 3.14, which skips their tests
OLDEST := $(if $(shell $(PYTHON) -c 'import sys; sys.version_info < (3, 14) and print("yes")'),duckdb-1.2.2 duckdb-1.3.2 duckdb-1.4.1)
CLIENTS := $(addprefix .cache/,$(OLDEST) duckdb-1.5.5 duckdb-extension-delta-1.5.5 polars-2.1.0 kubernetes-validate-1.37.0)
KINDS ?= plain rich
WORKERS ?= 3
SEEDS ?= 200

# tests start hundreds of programs: Python compiles each module once, not each time, whatever the environment says
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test test-long test-debian13 spark soak lint lint-product lint-tests bench bench-peers bench-million docs picture lock clean
.DELETE_ON_ERROR:

setup: .venv/.ready

# pip writes the whole path of this folder into the .pth file. Python before 3.13 reads it in the encoding of the locale.
# With LC_ALL=C it cannot start if the path has a letter such as ü
.venv/.ready: requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	cd .venv/lib/python3.*/site-packages && printf '../../../../src\n' > _editable_impl_propsync.pth
	touch $@

demo: setup
	$(BIN)/propsync demo

# programs for tests, each in its own folder: old DuckDB clients and polars read published files; the checker of
# deploy/kubernetes/ has large schemas
.cache/%: tests/clients/%.lock | setup
	rm -rf $@
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps --target $@ -r $<

# axe-core looks for faults of accessibility in the pages, from npm by the hashes of its lock; without npm those tests skip
AXE := .cache/axe/node_modules/axe-core/axe.min.js

$(AXE): tests/axe/package.json tests/axe/package-lock.json
	rm -rf .cache/axe
	mkdir -p .cache/axe
	cp $^ .cache/axe/
	cd .cache/axe && npm ci --silent --ignore-scripts --no-audit --no-fund

# object stores for the tests of storage: Azurite and s3rver, in the same way. Azurite asks for a later Node than Debian has,
# and runs on that
STORES := .cache/stores/.ready

$(STORES): tests/stores/package.json tests/stores/package-lock.json
	rm -rf .cache/stores
	mkdir -p .cache/stores
	cp $^ .cache/stores/
	cd .cache/stores && npm ci --silent --ignore-scripts --no-audit --no-fund
	touch $@

# Spark and Delta's jars, for a test before a release: pyspark by its lock, the jars by Maven, from its usual place. Needs Java
# and mvn. S3=1 brings Hadoop's client for s3a:// too, which is large
SPARK := .cache/spark/.ready

$(SPARK): tests/spark/requirements.lock tests/spark/pom.xml | setup
	rm -rf .cache/spark
	$(BIN)/python -m pip install --quiet --no-compile --require-hashes --no-deps --target .cache/spark/python -r $<
	mvn -q -B $(if $(S3),-P s3) -f tests/spark/pom.xml dependency:copy-dependencies -DincludeScope=runtime \
	  -DoutputDirectory=$(CURDIR)/.cache/spark/jars
	touch $@

# OPTIONS are pytest's own; VARIANTS=all in the environment takes every variant of the costly tests, not a spread of them
OPTIONS ?=
test: setup $(CLIENTS)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not slow" $(OPTIONS)

# what takes longest: whole services with their workers, many nights, millions of rows, the image. Services mostly wait,
# so there is one worker more; tests that share a service stay together
LONG_WORKERS ?= 4
test-long: setup $(if $(shell command -v npm),$(AXE) $(STORES)) $(if $(VARIANTS),$(SPARK))
	$(BIN)/python -m pytest -n $(LONG_WORKERS) --dist loadfile --no-loadscope-reorder -m slow $(OPTIONS)

# the same in a fresh Debian 13, with its Python 3.13 and only the packages that README.md names; needs root and
# debootstrap. The first time makes the Debian, in a minute or two
DEBIAN13 ?= make demo && make test && make test-long
test-debian13:
	tests/deploy/debian13.sh "$(DEBIAN13)"

# a master and two workers read the Delta tables of a small home (docs/delta.md)
spark: setup $(SPARK)
	VARIANTS=all $(BIN)/python -m pytest tests/spark $(OPTIONS)

# seeded worlds, trouble and kills: SEEDS seeds in-process, a tenth as many with real kills (docs/decisions/0009)
soak: setup
	$(BIN)/python -m tests.simulation.soak --kind both --seeds $(SEEDS) --workers $(WORKERS)

# two at once, as mypy uses one core; each has a cache of its own
lint: setup
	$(MAKE) --no-print-directory --jobs 2 lint-product lint-tests

lint-product: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy flows deploy/scripts
	$(BIN)/lint-imports
	$(BIN)/python -m tests.faces.english
	$(BIN)/hadolint Dockerfile

lint-tests: setup
	$(BIN)/mypy --config-file tests/mypy.ini --cache-dir .mypy_cache/tests tests benchmarks

# needs nginx; dlt takes part if bench-peers has made its environment; `make bench KINDS=rich` leaves the other data out
bench: setup
	$(BIN)/python -m benchmarks --kinds $(KINDS)

bench-million: setup
	$(BIN)/python -m benchmarks --only growth --million --kinds $(KINDS)

bench-peers: .venv-dlt/.ready

.venv-dlt/.ready: benchmarks/dlt/requirements.lock
	test -x .venv-dlt/bin/python || $(PYTHON) -m venv .venv-dlt
	.venv-dlt/bin/python -m pip install --quiet --require-hashes --no-deps -r $<
	touch $@

# writes the generated pages under docs/, then the site to site/; a test fails when a page is out of date
docs: setup
	$(BIN)/python -m propsync.publish.dictionary > docs/tables.md
	$(BIN)/python -m propsync.settings.page > docs/settings.md
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# writes docs/images/demo.svg, the picture of README.md, from a demo that it runs
picture: setup
	$(BIN)/python docs/picture.py

# writes the locks from pyproject.toml, for every Python that it names; needs uv
lock:
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.11 \
	  --all-extras --group dev pyproject.toml -o requirements.lock
	uv pip compile --quiet --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.11 \
	  benchmarks/dlt/requirements.in -o benchmarks/dlt/requirements.lock
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.11 \
	  tests/spark/requirements.in -o tests/spark/requirements.lock
	for client in $(notdir $(CLIENTS)); do echo "$${client%-*}==$${client##*-}" | uv pip compile --quiet --universal --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header --python-version 3.11 - -o tests/clients/$$client.lock; done

clean:
	rm -rf .venv .venv-dlt .cache site .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
