# All that is done to this repository by hand or by a machine. Needs Go, make and git; `make help` lists the targets.

SHELL := /bin/sh
.DEFAULT_GOAL := help

GO ?= go
BUILD := build
BIN := bin
TOOLS := $(BUILD)/tools

# One version each, here and nowhere else; deploy/deploy_test.go holds the manifest to the builder's.
OCB_VERSION := v0.165.0
JAEGER_VERSION := v1.76.0
VICTORIALOGS_VERSION := v1.52.1
VICTORIAMETRICS_VERSION := v1.151.0

OCB := $(TOOLS)/builder-$(OCB_VERSION)
PEER := $(BUILD)/otelcol-peer/otelcol-peer
JAEGER_BIN := $(TOOLS)/jaeger-$(JAEGER_VERSION)
VICTORIALOGS_BIN := $(TOOLS)/victoria-logs-$(VICTORIALOGS_VERSION)
VICTORIAMETRICS_BIN := $(TOOLS)/victoria-metrics-$(VICTORIAMETRICS_VERSION)
VMALERT_BIN := $(TOOLS)/vmalert-$(VICTORIAMETRICS_VERSION)
PROMETHEUS := $(CURDIR)/$(TOOLS)/prometheus/usr/bin

# What `tailspan --version` prints: the version of the collector beside it, and the commit where there is one.
VERSION ?= $(shell sed -n 's/^  version: //p' deploy/otelcol-builder.yaml)$(addprefix +,$(shell git describe --always --dirty --exclude '*' 2>/dev/null))
STAMP := -ldflags "-X github.com/tailspan/tailspan/cmd/tailspan/internal/cli.version=$(VERSION)"

# The race detector needs a C compiler. Compiling the runtime's own cgo part shows whether there is a working one;
# what that costs the tests would pay anyway. `make test RACE=` leaves it out.
RACE ?= $(shell $(GO) build -race runtime/cgo >/dev/null 2>&1 && echo -race)

FUZZTIME ?= 10s
# How long the fuzzer makes an input smaller that reaches new code. Go's default, a minute, is longer than FUZZTIME: with inputs
# of some KiB nothing else is executed then.
FUZZMINIMIZE ?= 10x
BENCHTIME ?= 1s
TESTTIMEOUT ?= 15m
SHARED ?= ../shared
KILLS ?= 10
ONLY ?= *
FOR ?= 1m
JOBS ?= 4
# How `make live` keeps the CLIs on this machine; empty where no namespaces can be made.
ISOLATE ?= ./isolated
CLIS = $(BUILD)/clis$(if $(LATEST),-latest)
SEED ?=
WHOLE ?=
PART ?=
MB ?= 300
PAIRS ?= 5

# What the tests of the built programs need to know; see tools/trial/doc.go.
TRIAL = TAILSPAN_COLLECTOR=$(CURDIR)/$(BIN)/otelcol-tailspan TAILSPAN_COMMAND=$(CURDIR)/$(BIN)/tailspan TAILSPAN_WHOLE=$(WHOLE)

# Source files that decide whether the two programs are stale.
SOURCES = $(shell find . \( -path ./$(BUILD) -o -path ./$(BIN) -o -path './.*' -o -path ./tools -o -path ./deploy/stack -o -name testdata \) -prune -o \( -name '*.go' -o -name '*.s' -o -path './redact/*.txt' \) -not -name '*_test.go' -print) go.mod go.sum

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' Makefile

.PHONY: build
build: $(BIN)/tailspan $(BIN)/otelcol-tailspan ## build both programs into bin/

# The linker writes its output page by page, and Linux keeps it in memory like that: it takes half a millisecond longer to start
# than a copy, as an installed program is one.
$(BIN)/tailspan: $(SOURCES)
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -trimpath $(STAMP) -o $@.linked ./cmd/tailspan
	@cp $@.linked $@.new && mv $@.new $@ && rm $@.linked

# The builder writes its sources and the program into build/otelcol-tailspan; only the program leaves it.
$(BIN)/otelcol-tailspan: deploy/otelcol-builder.yaml $(OCB) $(SOURCES)
	@mkdir -p $(BIN) $(BUILD)
	CGO_ENABLED=0 $(OCB) --config deploy/otelcol-builder.yaml --skip-strict-versioning=false
	@cp $(BUILD)/otelcol-tailspan/otelcol-tailspan $@.new && mv $@.new $@ # not into a program that runs

# Tools are built for the machine that runs them, whatever the target of the build is.
$(OCB):
	@mkdir -p $(TOOLS)
	GOOS= GOARCH= CGO_ENABLED=0 GOBIN=$(CURDIR)/$(TOOLS) $(GO) install -trimpath go.opentelemetry.io/collector/cmd/builder@$(OCB_VERSION)
	@mv $(TOOLS)/builder $@

# Jaeger's go.mod has a replace, which `go install` refuses: it is built as the tool of a module of its own.
$(JAEGER_BIN):
	@mkdir -p $(TOOLS)/jaeger
	@echo "building Jaeger $(JAEGER_VERSION) from its Go module; this takes some minutes, once"
	cd $(TOOLS)/jaeger && rm -f go.mod go.sum && $(GO) mod init jaeger.invalid/tool && \
		$(GO) get -tool github.com/jaegertracing/jaeger/cmd/jaeger@$(JAEGER_VERSION) && \
		CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o jaeger github.com/jaegertracing/jaeger/cmd/jaeger
	@mv $(TOOLS)/jaeger/jaeger $@

# The servers of the stack, likewise: as tools of modules of their own.
$(VICTORIALOGS_BIN):
	@mkdir -p $(TOOLS)/victorialogs
	cd $(TOOLS)/victorialogs && rm -f go.mod go.sum && $(GO) mod init victorialogs.invalid/tool && \
		$(GO) get -tool github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs@$(VICTORIALOGS_VERSION) && \
		CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o . github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs
	@mv $(TOOLS)/victorialogs/victoria-logs $@

$(VICTORIAMETRICS_BIN) $(VMALERT_BIN) &:
	@mkdir -p $(TOOLS)/victoriametrics
	cd $(TOOLS)/victoriametrics && rm -f go.mod go.sum && $(GO) mod init victoriametrics.invalid/tool && \
		$(GO) get -tool github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics@$(VICTORIAMETRICS_VERSION) && \
		$(GO) get -tool github.com/VictoriaMetrics/VictoriaMetrics/app/vmalert@$(VICTORIAMETRICS_VERSION) && \
		CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o . github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics github.com/VictoriaMetrics/VictoriaMetrics/app/vmalert
	@mv $(TOOLS)/victoriametrics/victoria-metrics $(VICTORIAMETRICS_BIN); mv $(TOOLS)/victoriametrics/vmalert $(VMALERT_BIN)

# Prometheus and promtool of Debian, unpacked rather than installed, which would start a service. On other systems there is
# none: what needs it is left out.
.PHONY: prometheus
prometheus:
	@[ -x $(PROMETHEUS)/promtool ] || ! command -v apt-get >/dev/null 2>&1 || { mkdir -p $(TOOLS)/prometheus && cd $(TOOLS)/prometheus && \
		{ apt-get -q -q download prometheus || { apt-get -q -q update && apt-get -q -q download prometheus; }; } && dpkg -x prometheus_*.deb . && rm prometheus_*.deb; } || \
		echo "Debian's package prometheus is not available: the rules are tested without promtool"

.PHONY: test
test: prometheus ## vet and all tests, with the race detector if there is a C compiler
	@race='$(RACE)'; [ -n "$$race" ] || { echo "no C compiler that works, or RACE is empty: testing without the race detector"; export CGO_ENABLED=0; }; \
	set -ex; for module in . tools; do $(GO) vet -C $$module ./...; $(GO) test -C $$module $$race -timeout $(TESTTIMEOUT) ./...; done; \
	cd deploy/stack; $(GO) vet ./...; PATH="$$PATH:$(PROMETHEUS)" $(GO) test -timeout $(TESTTIMEOUT) ./...

.PHONY: demo
demo: $(BIN)/otelcol-tailspan $(if $(JAEGER),$(JAEGER_BIN)) ## run the collector over the sample sessions; JAEGER=1 shows the spans in a Jaeger (JAEGER_WAIT=0: check and stop)
	@mkdir -p $(TOOLS) && $(GO) build -C tools -o $(CURDIR)/$(TOOLS)/demo ./demo
	@$(TOOLS)/demo -collector $(BIN)/otelcol-tailspan -out $(BUILD)/demo \
		$(if $(JAEGER),-jaeger $(JAEGER_BIN) -jaeger-wait=$(if $(filter 0,$(JAEGER_WAIT)),false,true))

STACK_PROGRAMS = -collector $(CURDIR)/$(BIN)/otelcol-tailspan -jaeger $(CURDIR)/$(JAEGER_BIN) -victorialogs $(CURDIR)/$(VICTORIALOGS_BIN) \
	-victoriametrics $(CURDIR)/$(VICTORIAMETRICS_BIN) -vmalert $(CURDIR)/$(VMALERT_BIN) $$([ ! -x $(PROMETHEUS)/prometheus ] || echo -prometheus $(PROMETHEUS)/prometheus)

.PHONY: stack
stack: build prometheus $(JAEGER_BIN) $(VICTORIALOGS_BIN) $(VICTORIAMETRICS_BIN) $(VMALERT_BIN) ## run docker-compose.yaml's servers and sample agents as local processes, until Ctrl-C
	@$(GO) build -C tools -o $(CURDIR)/$(TOOLS)/agent ./agent && cd deploy/stack && $(GO) build -o $(CURDIR)/$(TOOLS)/stack .
	@$(TOOLS)/stack $(STACK_PROGRAMS) -root . -out $(BUILD)/stack -agent $(TOOLS)/agent -command $(CURDIR)/$(BIN)/tailspan

.PHONY: stack-test
stack-test: build prometheus $(OCB) $(JAEGER_BIN) $(VICTORIALOGS_BIN) $(VICTORIAMETRICS_BIN) $(VMALERT_BIN) ## play all recordings to the running stack, execute every query and compare with the truth; and run sampling.yaml and kubernetes.yaml of deploy/stack/config with processors of contrib
	@$(GO) build -C tools -o $(CURDIR)/$(TOOLS)/agent ./agent
	cd deploy/stack && TAILSPAN_STACK="$(STACK_PROGRAMS)" TAILSPAN_COMMAND=$(CURDIR)/$(BIN)/tailspan TAILSPAN_AGENT=$(CURDIR)/$(TOOLS)/agent TAILSPAN_BUILDER=$(CURDIR)/$(OCB) \
		$(GO) test -count 1 -timeout 30m -run '^TestStack' -v ./stacktest

.PHONY: dashboards
dashboards: ## write the dashboards from deploy/stack/dashboards
	cd deploy/stack/dashboards && $(GO) generate

.PHONY: bench
bench: bench-micro bench-collector ## run all benchmarks: of the packages, and of the whole programs

.PHONY: bench-micro
bench-micro: ## run the benchmarks of the packages (BENCHTIME=1s)
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -timeout 60m ./...

# What is measured, how, and what came out: docs/performance.md. PART is empty for all, or some of the parts that
# `cd tools && go doc ./bench` lists.
.PHONY: bench-collector
bench-collector: $(BIN)/tailspan $(BIN)/otelcol-tailspan $(PEER) ## measure the collector beside file_log and json_parser (PART=throughput MB=300 PAIRS=5)
	@mkdir -p $(TOOLS) && $(GO) build -C tools -o $(CURDIR)/$(TOOLS)/bench ./bench
	@$(TOOLS)/bench -command $(BIN)/tailspan -collector $(BIN)/otelcol-tailspan -peer $(PEER) -builder $(OCB) -out $(BUILD)/bench -part '$(PART)' -mb $(MB) -pairs $(PAIRS)

$(PEER): tools/bench/peer-builder.yaml $(OCB)
	@mkdir -p $(BUILD)
	CGO_ENABLED=0 $(OCB) --config tools/bench/peer-builder.yaml --skip-strict-versioning=false

# Go refuses a flag that a test binary does not know, so -update goes only to the packages that use the helper.
.PHONY: golden
golden: ## rewrite the golden files of all packages
	$(GO) test $$(grep -rlE --include='*_test.go' 'internal/(goldentest|parsertest)"' . | xargs -n1 dirname | sort -u) -update

# Each target runs by itself: Go fuzzes one at a time.
.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (10s)
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sort | while IFS=: read -r file func; do \
		name=$${func#func }; echo "== $$name in $$(dirname $$file)"; \
		$(GO) test -C "$$(dirname $$file)" -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime $(FUZZMINIMIZE) . </dev/null || exit 1; \
	done

.PHONY: fuzz-pipeline
fuzz-pipeline: ## fuzz the whole receiver with folders of sessions, until FOR is over or something is found (FOR=1m SEED=random)
	TAILSPAN_FUZZ_FOR=$(FOR) TAILSPAN_SEED=$(SEED) $(GO) test -C tools -count 1 -timeout 0 -run '^TestPipelineForAWhile$$' -v ./pipelinefuzz | grep -v '^ *\(=== RUN\|--- PASS\)'

.PHONY: lint
lint: ## golangci-lint if it is installed, else go vet and gofmt
	@if command -v golangci-lint >/dev/null 2>&1; then set -x; for module in . tools; do (cd $$module && golangci-lint run) || exit 1; done; else \
		echo "golangci-lint is not installed: go vet and gofmt only"; \
		for module in . tools deploy/stack; do $(GO) vet -C $$module ./... || exit 1; done; \
		bad=$$(git ls-files '*.go' | xargs "$$($(GO) env GOROOT)/bin/gofmt" -l); \
		[ -z "$$bad" ] || { echo "not formatted by gofmt:"; echo "$$bad"; exit 1; }; \
	fi

.PHONY: drift
drift: ## compare the known types with the newest published ones; needs npm and a network
	cd tools && $(GO) run ./drift

.PHONY: generate
generate: ## write metadata, documentation.md and tests from metadata.yaml, and config.schema.yaml and docs/configuration.md from the settings
	cd tools && for component in receiver/agentstreamreceiver exporter/agentrenderexporter; do $(GO) tool mdatagen ../$$component/metadata.yaml || exit 1; done
	cd tools && $(GO) run ./configdoc

.PHONY: conformance
conformance: $(BIN)/tailspan ## compare the events with captures and cases kept outside of this repository (SHARED=../shared)
	@GO='$(GO)' SHARED='$(SHARED)' .ci/conformance $(BIN)/tailspan

.PHONY: cases
cases: $(BIN)/tailspan $(BIN)/otelcol-tailspan ## play the cases that need a running collector, kept outside of this repository (SHARED=../shared WHOLE=)
	@if [ ! -d '$(SHARED)/cases' ]; then echo "cases: no cases in $(SHARED), nothing to play"; exit 0; fi; set -x; \
	$(TRIAL) TAILSPAN_CASES="$$(cd '$(SHARED)' && pwd)/cases" $(GO) test -C tools -count 1 -timeout 30m -run '^Test(Child)?Cases?' -v ./trial

.PHONY: spans
spans: $(BIN)/otelcol-tailspan ## compare the spans, metrics and records of recorded runs with the truth beside them (ONLY=glob JOBS=4)
	@command -v python3 >/dev/null 2>&1 || { echo "spans: the checker needs python3" >&2; exit 1; }
	python3 testdata/spans/check.py --collector $(BIN)/otelcol-tailspan --only '$(ONLY)' --jobs $(JOBS) testdata/spans

.PHONY: live
live: $(BIN)/tailspan $(BIN)/otelcol-tailspan ## run the real CLIs against our model server; installs them from npm (ONLY=claude/ok LATEST=1 KEEP=folder ISOLATE=)
	@LATEST='$(LATEST)' tools/live/install $(CLIS)
	$(GO) test -C tools -c -o $(CURDIR)/$(BUILD)/live.test ./live
	cd tools/live && $(TRIAL) TAILSPAN_CLIS=$(CURDIR)/$(CLIS) TAILSPAN_KEEP='$(abspath $(KEEP))' $(ISOLATE) $(CURDIR)/$(BUILD)/live.test \
		-test.timeout 60m -test.parallel 100 -test.v -test.run 'TestLive/$(if $(filter *,$(ONLY)),,$(ONLY))'

.PHONY: capture
capture: ## the same, and keep the files of the runs, for fixtures (KEEP=$(BUILD)/captures ONLY=claude/ok LATEST=1)
	@$(MAKE) live KEEP='$(or $(KEEP),$(BUILD)/captures)'

# The mapper that Arize Phoenix reads GenAI spans with.
OPENINFERENCE := @arizeai/openinference-genai@0.3.10

.PHONY: openinference
openinference: ## read our spans with the GenAI mapper of OpenInference; installs it from npm
	@command -v npm >/dev/null 2>&1 || { echo "openinference: the mapper is installed by npm, which is not there" >&2; exit 1; }
	@mkdir -p $(BUILD)/openinference && cd $(BUILD)/openinference && { [ -f package.json ] || npm init -y >/dev/null; } && \
		npm install --no-audit --no-fund --loglevel error '$(OPENINFERENCE)'
	TAILSPAN_OPENINFERENCE=$(CURDIR)/$(BUILD)/openinference $(GO) test -C tools -count 1 -v ./viewers

.PHONY: torture
torture: $(BIN)/otelcol-tailspan ## kill the collector at random moments and check that nothing is lost (KILLS=10 SEED=random)
	$(TRIAL) TAILSPAN_KILLS=$(KILLS) TAILSPAN_SEED=$(SEED) \
		$(GO) test -C tools -count 1 -timeout 60m -run '^TestTorture$$' -v ./trial

.PHONY: endurance
endurance: $(BIN)/tailspan $(BIN)/otelcol-tailspan ## refusing consumers, refused sizes, rotation under load, full disks, and a command that outlives its collector (SEED=random WHOLE=1: in full)
	$(TRIAL) TAILSPAN_SEED=$(SEED) $(GO) test -C tools -count 1 -timeout 60m -run '^Test(RefusingConsumer|BatchSize|Rotation|DiskFullFor.*|PipeOverKills|CommandOutlivesTheCollector)$$' -v ./trial

.PHONY: scale
scale: $(BIN)/otelcol-tailspan ## check the limits for 10,000 files with ulimit -n 256, a large transcript and a line of 1 GiB (WHOLE=1: 500 MB)
	$(TRIAL) $(GO) test -C tools -count 1 -timeout 30m -run '^TestScaleOf' -v ./trial

.PHONY: validate
validate: $(BIN)/otelcol-tailspan ## check each configuration in deploy/config with the collector
	@.ci/validate $(BIN)/otelcol-tailspan

.PHONY: clean
clean: ## remove build output
	rm -rf $(BIN) $(BUILD)
