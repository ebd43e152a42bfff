# What can be done here. `make demo` and `make test` set up everything that they need themselves.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SITE   := build/site-venv
READY  := $(VENV)/.ready

.PHONY: help demo check test golden picture site bench oracle mutants wheel sbom image cluster browser lock clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

demo: $(READY)  ## replay a real incident: what the controller did, what it should have done, who interfered
	@$(BIN)/hpaaudit demo

check: $(READY)  ## format, lint, types and the imports between packages, in seconds
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

test: $(READY)  ## every test; one that lacks a program says so in a line
	@$(BIN)/pytest -m "not alone" --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
	@$(BIN)/pytest -m alone

golden: $(READY)  ## rewrite the golden files, then read the diff line by line
	@$(BIN)/pytest --rewrite -q -m golden
	@git --no-pager diff --stat

picture: $(READY)  ## draw the pictures of docs/ from the demo: its chart, and its report in a browser
	@$(BIN)/python docs/demo_picture.py
	@$(BIN)/python -m tests.report.pictures

site: $(SITE)/.ready  ## build the documentation as a site: build/site/index.html
	@$(BIN)/python -m docs.site.stage build/site-source
	@$(SITE)/bin/sphinx-build --builder html --fail-on-warning --keep-going --quiet --conf-dir docs/site --doctree-dir build/site-doctrees build/site-source build/site
	@echo build/site/index.html

bench: $(READY)  ## speed and size as ratios, measured side by side; PROFILE=1: where the time goes, by stage
	@$(BIN)/python -m tests.bench $(if $(PROFILE),--profile)

oracle: $(READY)  ## decide new worlds as the real controller does: RELEASE=1.36 SEED=7 COUNT=10000 (Go; built once, 2 to 5 min)
	@$(BIN)/python -m tests.oracle --release $(or $(RELEASE),1.36) --count $(or $(COUNT),10000) $(if $(SEED),--seed $(SEED))

mutants: $(READY)  ## change the rules one token at a time: a decision or a test must notice every change
	@$(BIN)/python -m tests.mutants

wheel: $(READY)  ## build the wheel
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/uv build --wheel --no-build-isolation --python $(BIN)/python --out-dir dist --quiet
	@ls dist/*.whl

sbom: wheel  ## what the image holds of Python, from the lock: dist/*.cdx.json
	@$(BIN)/python deploy/sbom.py dist

image: sbom  ## build and push the recorder's image: BASE_DIGEST=sha256:… IMAGE=registry/hpaaudit:0.1.0 (docker buildx)
	@: $(or $(filter sha256:%,$(BASE_DIGEST)),$(error BASE_DIGEST=sha256:… is needed: deploy/README.md says where it is from))
	@: $(or $(IMAGE),$(error IMAGE=registry/hpaaudit:0.1.0 is needed))
	@docker buildx build --file deploy/Containerfile --build-arg BASE_DIGEST=$(BASE_DIGEST) --sbom=true \
	  --provenance=mode=max --metadata-file dist/image.json --tag $(IMAGE) --push .
	@$(BIN)/python -c 'import json; print(json.load(open("dist/image.json"))["containerimage.digest"])'

cluster: $(READY)  ## build etcd, kube-apiserver and what else the cluster tests need (Go; 5 to 12 min, once)
	@$(BIN)/python -m tests.cluster.build
	@$(BIN)/python -m tests.cluster.tools

browser:  ## install Chromium from Debian's packages, for the tests of the HTML page
	@command -v chromium >/dev/null || { apt-get update -q && apt-get install -y -q --no-install-recommends chromium; } >/dev/null

lock: $(READY)  ## pin the dependencies anew
	@$(BIN)/uv pip compile pyproject.toml --extra fast --extra cloud --group dev --universal --generate-hashes --no-header --no-annotate --upgrade -o requirements.lock --quiet
	@$(BIN)/uv pip compile deploy/requirements.in --constraint requirements.lock --python-version 3.11 --universal --generate-hashes --no-header --no-annotate -o deploy/requirements.lock --quiet
	@$(BIN)/uv pip compile --group site --python-version 3.11 --universal --generate-hashes --no-header --no-annotate --upgrade -o docs/site/requirements.lock --quiet

clean:  ## remove what was built here
	@rm -rf $(VENV) dist build

# uv where there is one, else pip; in both cases just what the lock names, wheels only.
$(READY): requirements.lock pyproject.toml
	@echo "setting up $(VENV) from requirements.lock" >&2
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv --quiet --allow-existing --python "$(PYTHON)" $(VENV) && \
	  uv pip sync --quiet --python $(BIN)/python --require-hashes --only-binary :all: requirements.lock && \
	  PATH="$(CURDIR)/$(BIN):$$PATH" uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable . ; \
	else \
	  "$(PYTHON)" -m venv $(VENV) && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement requirements.lock && \
	  PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . ; \
	fi
	@$(BIN)/python -m compileall -q hpaaudit
	@touch $@

# Sphinx has an environment of its own: nothing else needs it.
$(SITE)/.ready: docs/site/requirements.lock $(READY)
	@echo "setting up $(SITE) from docs/site/requirements.lock" >&2
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python $(SITE)
	@$(BIN)/uv pip sync --quiet --python $(SITE)/bin/python --require-hashes --only-binary :all: docs/site/requirements.lock
	@touch $@
