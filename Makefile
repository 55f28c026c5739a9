# Each target does its own set-up in a fresh clone and is quick the second time. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PYTEST_ARGS ?=
WORKERS ?= 4

.DEFAULT_GOAL := help
.PHONY: help install system demo test check docs constraints

help:
	@echo "make install      create $(VENV) with agentgym and what its tests and benchmarks need"
	@echo "make demo         train an agent from nothing, evaluate it on held-out tasks, write runs/demo (5 minutes of an idle machine)"
	@echo "make test         run the tests, WORKERS=4 files at once; PYTEST_ARGS=tests/cli runs one folder, without make system"
	@echo "make check        lint, formatting, types and layout"
	@echo "make docs         build the documentation as a site in build/site; a warning or a broken link fails it"
	@echo "make system       what some tests need: Debian packages, a container engine, images; where that may be done"
	@echo "make constraints  write the installed versions to constraints.txt"

install: $(INSTALLED)

# torch goes first and alone, so that a CPU build that pip can find is taken before anything asks for another one.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "agentgym needs Python 3.11 or later, but $(PYTHON) is $$($(PYTHON) --version); try: make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 1; }
	@echo "== install: creating $(VENV) (a few minutes the first time) =="
	$(PYTHON) -m venv $(VENV)
	@echo "== install: torch (the largest part; pip shows nothing meanwhile) =="
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch hatchling editables
	@echo "== install: agentgym and its dependencies =="
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@
	@echo "== install: ready; try $(BIN)/agentgym list =="

system: install
	@sh scripts/install_system.sh

demo: install
	@echo "== demo: clone imperfect demonstrations, then GRPO, then held-out tasks; writes runs/demo =="
	OMP_NUM_THREADS=1 $(BIN)/agentgym train trainers/agentgym_rl/configs/lookup.toml --run runs/demo --overwrite
	@echo "== demo: which turn earned what, by three methods, in the run's report =="
	OMP_NUM_THREADS=1 $(BIN)/agentgym attribute runs/demo --method episode_groups+anchors potential judged
	$(BIN)/agentgym report runs/demo

# Some tests wait for containers and sockets, hence more workers than cores. Bytecode is written even where the
# environment forbids it: without it, each worker compiles torch and the tests anew.
TEST := OMP_NUM_THREADS=1 env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest

test: install $(if $(PYTEST_ARGS),,system)
ifeq ($(PYTEST_ARGS),)
	@echo "== test: pytest, $(WORKERS) files at once =="
	$(TEST) --cache-clear --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 40 \
		|| OMP_NUM_THREADS=1 $(BIN)/python -m scripts.run_again $$?
else
	$(TEST) $(PYTEST_ARGS)
endif

check: install
	@echo "== check: lint =="
	$(BIN)/ruff check .
	@echo "== check: formatting =="
	$(BIN)/ruff format --check .
	@echo "== check: types =="
	$(BIN)/mypy
	@echo "== check: layout =="
	$(BIN)/python -m scripts.check_layout

docs: install
	@echo "== docs: the site, in build/site =="
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

constraints:
	@head -n 2 constraints.txt > constraints.new
	@$(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu$$//' >> constraints.new
	@mv constraints.new constraints.txt
	@echo "wrote constraints.txt"
