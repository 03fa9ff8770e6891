# Two commands: `make demo` and `make test`. Each makes the virtual environment it needs.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
JOBS ?= 4
COMMA := ,

.PHONY: demo test test-games test-web format sample-runs references calibration-page reliability-page clean

demo: $(VENV)/run.stamp
	@PLATEAU_TUI_RUNS="$${PLATEAU_TUI_RUNS:-demo-runs}" $(BIN)/plateau-tui demo

test: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n $(JOBS)

# What `make test` leaves out where the games' extra is not installed.
test-games: $(VENV)/games.stamp
	PLATEAU_TUI_RECORD_GAMES=1 $(BIN)/python -m pytest -n $(JOBS) tests/calibration/test_games.py \
		tests/calibration/test_games_published.py tests/calibration/test_controls.py

# The console in a browser. The browser is the system's (on Debian: apt install chromium); what is
# left out without one says so.
test-web: $(VENV)/web.stamp
	PLATEAU_TUI_TEST_WEB=1 $(BIN)/python -m pytest -n $(JOBS) tests/web/test_serving.py \
		tests/web/test_browser.py tests/web/test_flags.py

format: $(VENV)/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

sample-runs: $(VENV)/dev.stamp
	$(BIN)/python tests/make_sample_runs.py

references: $(VENV)/games.stamp
	$(BIN)/python tests/make_references.py

calibration-page: $(VENV)/games.stamp
	$(BIN)/python docs/make_calibration_page.py

reliability-page: $(VENV)/dev.stamp
	$(BIN)/python docs/make_reliability_page.py

clean:
	rm -rf $(VENV) demo-runs dist build

$(VENV)/python.stamp:
	@test -n "$(PYTHON)" || { echo "plateau-tui needs Python 3.11 or newer; install it, or say which: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "plateau-tui needs Python's venv module (on Debian: apt install python3-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# $(1): what to install. What pip says is kept; a person gets one line.
define install
	@echo "installing $(1) into $(VENV) ..."
	@$(BIN)/python -m pip install --disable-pip-version-check --retries 1 --timeout 20 -e "$(1)" > $(VENV)/install.log 2>&1 || { \
		echo "the packages could not be installed: is a package index reachable? pip's words are in $(VENV)/install.log" >&2; exit 1; }
	@touch $@
endef

$(VENV)/run.stamp: pyproject.toml $(VENV)/python.stamp
	$(call install,.)

$(VENV)/dev.stamp: pyproject.toml $(VENV)/python.stamp
	$(call install,.[dev])
	@touch $(VENV)/run.stamp

$(VENV)/web.stamp: pyproject.toml $(VENV)/python.stamp
	$(call install,.[dev$(COMMA)web$(COMMA)web-tests])
	@touch $(VENV)/dev.stamp $(VENV)/run.stamp

$(VENV)/games.stamp: pyproject.toml $(VENV)/python.stamp
	$(call install,.[dev$(COMMA)games])
	@touch $(VENV)/dev.stamp $(VENV)/run.stamp
