# The whole project by name: `make demo` and `make test` set everything up on a machine with Python 3.11+ alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Three to two cores: tests with real processes mostly wait, and four hold each other up.
WORKERS = $(shell $(PYTHON) -c 'import os; print(3 * (os.cpu_count() or 1) // 2 or 1)')
PIN = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --exclude-newer "1 week"

export PYTHONDONTWRITEBYTECODE =
export UV_COMPILE_BYTECODE = 1

.DEFAULT_GOAL := help
.PHONY: help setup demo up test soak stress check bench schemas lock format clean

help: ## list these targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(STAMP) ## make .venv and install the hash-pinned requirements into it

$(STAMP): requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"keyfleet needs Python 3.11 or newer, this is {v.major}.{v.minor}: run make PYTHON=python3.11 …")'
	@echo "setting up $(VENV): about half a minute the first time"
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

demo: $(STAMP) ## run the main job on the embedded cloud and say what happened
	@$(BIN)/keyfleet demo

up: $(STAMP) ## run the embedded fleet in the foreground
	@$(BIN)/keyfleet up

test: $(STAMP) ## every test but the long ones and the gates of check, within its budget
	KEYFLEET_TEST_TIER=test $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not soak" --ignore tests/architecture

soak: $(STAMP) ## the long ones: ten thousand schedules, every kill, every power cut
	KEYFLEET_TEST_TIER=soak $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "soak and not stress"

stress: $(STAMP) ## a thousand bookings on bad days, from outside, and the start of every function
	$(BIN)/python -m pytest -s -m stress tests/soak

check: $(STAMP) ## every gate: format, lint, types, layers, generated files, terraform's files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m infra.codegen --check
	@if command -v terraform >/dev/null; then terraform fmt -check -recursive terraform; else echo "skipped: terraform fmt (terraform is not installed)"; fi
	$(BIN)/python -m pytest -n auto tests/architecture

format: $(STAMP) ## format and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP) ## measure, beside the raw limits of this machine, as JSON
	@$(BIN)/python -m infra.bench

schemas: $(STAMP) ## write every generated file anew (schemas, diagrams)
	$(BIN)/python -m infra.codegen

# Nothing younger than a week: what is taken over at its source is mostly found by then.
lock: ## pin the newest versions that are a week old, with hashes and without addresses (needs uv)
	$(PIN) pyproject.toml -o requirements.txt --upgrade
	$(PIN) --all-extras pyproject.toml --group dev -o requirements-dev.txt --upgrade

clean: ## remove what the other targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
