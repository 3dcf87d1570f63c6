# Entry points only; what they do is in scripts. Needs Rust (rustup), and for the embedded cluster Go, Linux and root.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help build test e2e bench image push lint fmt generate demo try \
	cluster-up cluster-down cluster-restart-apiserver cluster-node shell

# Static programs, which run in an empty image.
ifeq ($(shell uname -s),Linux)
export CARGO_BUILD_TARGET ?= $(shell uname -m)-unknown-linux-musl
endif
with := e2e/cluster/with.sh

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-26s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

try: ## an agent without a cluster; BASE_URL=… MODEL=… [API_KEY=…]: with a model, else it posts each change
	@e2e/try.sh

demo: ## a cluster, the operator, an agent that is woken by a ConfigMap
	@e2e/demo.sh

test: ## all tests, those on a real cluster included (Linux and root, or KUBECONFIG)
	@e2e/test.sh

build: ## the programs
	@e2e/cluster/install.sh build
	cargo build --workspace --bins

lint: ## format and lints of Rust, scripts and charts
	@e2e/lint.sh

fmt: ## format the Rust code
	cargo fmt --all

generate: ## the files that are generated from the Rust types
	cargo run --bin crdgen

image: ## the image, loaded into the cluster if one is up; PROFILE=release: small, takes long
	@e2e/cluster/image.sh

push: ## push the image: IMAGE=registry/name:tag
	@e2e/cluster/push.sh "$(IMAGE)"

e2e: ## the stories on a real cluster; STORY=name for some of them
	@$(with) e2e/cluster/image.sh
	@$(with) cargo test --workspace --test stories $(STORY)

bench: ## the benchmarks: a table of the whole, one of the Python worker
	@AUDIT=1 $(with) env PROFILE=release e2e/cluster/image.sh
	@cd e2e/benches/client-go && CGO_ENABLED=0 GOTOOLCHAIN=local go build -o $(CURDIR)/out/bin/client-go .
	@AUDIT=1 $(with) cargo bench --workspace --bench bench
	@cargo bench -p asyncai-repl --bench python

cluster-up: ## boot the embedded cluster; AUDIT=1: audit log, EGRESS=1: pods reach the outside
	@e2e/cluster/up.sh

cluster-down: ## end it, keep its state; WIPE=1: forget that too
	@e2e/cluster/down.sh $(if $(WIPE),--wipe)

cluster-restart-apiserver: ## restart its API server; SIGNAL=KILL: as in a crash
	@e2e/cluster/restart-apiserver.sh $(SIGNAL)

cluster-node: ## add node N (2 to 9), or remove it with DOWN=1
	@e2e/cluster/node.sh $(if $(DOWN),down,up) $(N)

shell: ## a shell with kubectl and helm for the cluster
	@$(with) bash
