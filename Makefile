# The commands of the project. `make demo` and `make test` need Python 3.11 or later, Node 20 and apt,
# and install everything else themselves; CI calls the same targets.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMPS := $(VENV)/stamps
NODE := widgets/node_modules/.stamp
INSTALL = $(BIN)/uv pip install --quiet --python $(PY)

# Jupyter refuses to run as root, as in a container, unless it is told to.
LAB_OPTIONS ?= $(if $(filter 0,$(shell id -u)),--allow-root)

WIDGETS := $(if $(wildcard widgets/package.json),yes)
WORKERS ?= 2
PYTEST = $(PY) -m pytest
# Kernels, pages, servers and the pace of the machine are real here: a test that fails is run once more, and
# listed with what went wrong. One that fails twice fails.
AGAIN = --reruns 1 --rerun-show-tracebacks
# In the order of the folders: the files with many small tests come last, so that both workers end together.
PARALLEL = -n $(WORKERS) --dist loadfile --no-loadscope-reorder

.PHONY: help demo lab test lint conformance conformance-client notebooks bench clean
.PHONY: lint-style lint-format lint-types lint-imports
.PHONY: test-widgets test-python test-serial test-browser test-notebooks
.NOTPARALLEL:

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

demo: $(STAMPS)/demo ## run the quickstart notebook without a person and tell what happened
	@$(PY) scripts/demo.py notebooks/01_quickstart.ipynb build/demo

lab: $(STAMPS)/lab ## open JupyterLab on the quickstart
	@$(BIN)/jupyter-lab $(LAB_OPTIONS) notebooks/01_quickstart.ipynb

# --keep-going: one failing part hides none of the others, and the whole fails all the same.
test: $(STAMPS)/test $(STAMPS)/chromium $(STAMPS)/sandbox $(STAMPS)/ocr ## run everything that CI runs; goes on after a failure, then fails
	@$(MAKE) --keep-going lint test-widgets test-python test-serial test-browser test-notebooks conformance conformance-client demo

lint: lint-style lint-format lint-types lint-imports ## check style, types and what may import what

lint-style: $(STAMPS)/test
	$(BIN)/ruff check --output-format concise .

lint-format: $(STAMPS)/test
	$(BIN)/ruff format --check .

lint-types: $(STAMPS)/test
	$(BIN)/basedpyright

lint-imports: $(STAMPS)/test
	$(BIN)/lint-imports --no-logo

test-widgets: $(if $(WIDGETS),$(NODE)) ## types and tests of the front-end modules
ifeq ($(WIDGETS),yes)
	cd widgets && npm run check && npm test
else
	@echo "widgets/package.json is missing: no front-end tests"
endif

test-python: $(STAMPS)/test $(STAMPS)/chromium $(STAMPS)/sandbox $(STAMPS)/ocr $(STAMPS)/servers ## all Python tests but those of front ends
	$(PYTEST) $(AGAIN) $(PARALLEL) -m "not browser and not serial"

# pytest ends with 5 when it found no test, which is no fault here.
test-serial: $(STAMPS)/test $(STAMPS)/sandbox ## tests that measure time, one after another
	$(PYTEST) $(AGAIN) -m "serial and not browser" || [ $$? -eq 5 ]

test-browser: $(STAMPS)/test $(STAMPS)/chromium ## tests in Chromium
	$(PYTEST) $(AGAIN) $(PARALLEL) -m browser

test-notebooks: $(STAMPS)/test ## the notebooks give the outputs that they store
	$(PYTEST) --nbval notebooks

conformance: $(STAMPS)/test $(STAMPS)/conformance ## the official suite of MCP against a served deck
	@scripts/conformance.sh .cache/conformance $(PY)

conformance-client: $(STAMPS)/test $(STAMPS)/conformance ## the same suite against the deck's own client
	@scripts/conformance_client.sh .cache/conformance $(PY)

notebooks: $(STAMPS)/test ## run the notebooks and store what they show
	$(PY) scripts/store_notebooks.py notebooks/*.ipynb

bench: $(STAMPS)/test ## print the benchmark ratios
	$(PY) -m benchmarks

clean: ## remove everything that these commands made
	rm -rf $(VENV) .cache build dist widgets/node_modules
	rm -rf .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each stamp lies inside what it vouches for, so that a second run starts at once and a removed folder is
# made again.

$(STAMPS)/venv: scripts/make_venv.sh
	@scripts/make_venv.sh $(VENV)
	@mkdir -p $(@D) && touch $@

$(STAMPS)/demo: $(STAMPS)/venv pyproject.toml
	$(INSTALL) --editable '.[nbval]' --group demo
	@touch $@

$(STAMPS)/lab: $(STAMPS)/venv pyproject.toml
	$(INSTALL) --editable '.[nbval,lab]'
	@touch $@

$(STAMPS)/test: $(STAMPS)/venv pyproject.toml
	$(INSTALL) --editable '.[nbval,lab]' --group test --group lint
	@touch $@

$(STAMPS)/chromium: scripts/install_chromium.sh
	@scripts/install_chromium.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/sandbox: scripts/install_sandbox.sh
	@scripts/install_sandbox.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/ocr: scripts/install_ocr.sh
	@scripts/install_ocr.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/servers: scripts/install_servers.sh $(STAMPS)/venv
	@scripts/install_servers.sh .cache/servers $(BIN)/uv
	@mkdir -p $(@D) && touch $@

$(STAMPS)/conformance: scripts/install_conformance.sh
	@scripts/install_conformance.sh .cache/conformance
	@mkdir -p $(@D) && touch $@

$(NODE): widgets/package.json widgets/package-lock.json
	cd widgets && npm ci --no-audit --no-fund
	@touch $@
