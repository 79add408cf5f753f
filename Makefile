.DEFAULT_GOAL := help
PY := .venv/bin/python
MANAGE := $(PY) manage.py
BOOT := $(shell command -v python3 || command -v python)

.PHONY: help setup setup-hosts setup-dev migrated demo run worker eval eval-finding bench-finding eval-reading eval-answering eval-sql bench-sql bench-answering bench-admin bench test test-api test-leaks test-models check messages screenshots lock clean

help: ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

setup: ## make .venv with the pinned dependencies
	@$(BOOT) scripts/setup.py base

setup-hosts: ## .venv with what several hosts need besides (Redis)
	@$(BOOT) scripts/setup.py hosts

setup-dev:
	@$(BOOT) scripts/setup.py dev

demo: setup ## start everything with the demo corpus; CHECK=1 walks the path headless and stops
	$(MANAGE) demo $(if $(CHECK),--check) $(if $(PORT),--port $(PORT))

run: migrated ## web alone, on PORT (8000)
	$(PY) -m daphne -b 127.0.0.1 -p $(or $(PORT),8000) polyrag_site.asgi:application

worker: setup ## worker alone
	$(MANAGE) worker

migrated: setup
	$(MANAGE) migrate --no-input -v0

eval: migrated ## ask the three question sets; RESULT lines, details in .data/eval/
	$(MANAGE) evaluate --set golden --json .data/eval/golden.json
	$(MANAGE) evaluate --set holdout --json .data/eval/holdout.json
	$(MANAGE) evaluate --set compound --json .data/eval/compound.json

eval-finding: migrated ## splitting, routing and finding on public sets; DATA=folder of the sets
	$(MANAGE) evaluate_finding $(if $(DATA),--data $(DATA)) --json .data/eval/finding.json

bench-finding: setup-dev migrated ## speed of routing, finding and the graph on made-up data
	$(MANAGE) bench_finding --json .data/eval/bench_finding.json

eval-reading: migrated ## reading of public files and tables; DATA=folder of the sets
	$(MANAGE) evaluate_reading $(if $(DATA),--data $(DATA)) --json .data/eval/reading.json

eval-answering: migrated ## own sets, answer cache, screen, planted instructions, TAT-QA; DATA=folder of the sets
	$(MANAGE) evaluate_answering --data $(DATA) --json .data/eval/answering.json

eval-sql: migrated ## text-to-SQL on Spider (English, Portuguese) and WikiTableQuestions; DATA=folder of the sets
	$(MANAGE) evaluate_sql $(if $(DATA),--data $(DATA)) --json .data/eval/sql.json

bench-sql: migrated ## speed of reading questions to tables and of looking values up, on made-up tables
	$(MANAGE) bench_sql --json .data/eval/bench_sql.json

bench-answering: setup-dev migrated ## how soon decision, first word and kept answer are seen; 50 people at once
	$(MANAGE) bench_answering --json .data/eval/bench_answering.json

bench-admin: migrated ## every page of the admin, of audit and of the corpus with 100,000 traces and 50,000 passages beside empty ones
	$(MANAGE) bench_admin --json .data/eval/bench_admin.json

bench: migrated ## server time of pages and questions, and a warm start
	$(MANAGE) benchmark --start --json .data/eval/benchmark.json

test: setup-dev check ## all checks, then the tests
	$(PY) -m pytest

test-models: setup-dev ## tests with a real llama-server; POLYRAG_TEST_LLAMA_SERVER and POLYRAG_TEST_MODEL name it and a GGUF file
	$(PY) -m pytest -m models tests

test-api: setup-dev ## thousands of made-up requests to every operation of the API, held against its schema
	$(PY) -m pytest tests/retrieval/api/test_schema.py -m slow

test-hosts: setup-dev ## the product on hosts of its own: network namespaces (root, iproute2, redis-server; nginx if there)
	$(PY) -m pytest -m hosts tests/hosts

test-leaks: setup-dev ## random operations by four people, then every road tried by everybody; 2,000 steps
	$(PY) -m pytest tests/site/test_leaks.py -m slow -s

check: setup-dev ## lint, types, import arrows, migrations, deploy check
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy .
	.venv/bin/lint-imports
	$(MANAGE) makemigrations --check --dry-run
	POLYRAG_HTTPS=1 ALLOWED_HOSTS=example.org $(MANAGE) check --deploy --fail-level WARNING --database default

messages: setup-dev ## collect the strings to translate and compile them (needs gettext)
	$(MANAGE) makemessages -l pt --no-location --no-obsolete -i .venv -i .data -v0
	msgfmt -o locale/pt/LC_MESSAGES/django.mo locale/pt/LC_MESSAGES/django.po

screenshots: setup-dev ## pictures of every page of a running demo into .data/screenshots
	$(PY) scripts/screenshots.py http://127.0.0.1:$(or $(PORT),8000) demo "$$(cat .data/demo-password)" .data/screenshots

lock: ## pin the dependencies anew (needs uv)
	cd requirements && uv pip compile -q --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header --no-annotate dev.in -o dev.txt
	cd requirements && uv pip compile -q --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header --no-annotate base.in -c dev.txt -o base.txt
	cd requirements && uv pip compile -q --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header --no-annotate hosts.in -c dev.txt -o hosts.txt

clean: ## stop the embedded PostgreSQL; remove .venv and all data of this folder
	@if [ -x $(PY) ]; then $(PY) -m polyrag_site.postgres stop; fi
	rm -rf .venv .data .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
