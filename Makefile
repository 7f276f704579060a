# Two commands matter: `make demo` and `make test`. Each sets up what it needs and can be run again at any time.
.DEFAULT_GOAL := help
.PHONY: help build install demo demo-kernel test sanitize fuzz tidy format bench bench-docker soak clean docker-up docker-down images

help: ## lists the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## builds the programs into build/release/bin
	@scripts/setup.sh build
	@scripts/build.sh release programs installed

PREFIX ?= /usr/local
install: ## builds and installs programs, libraries, headers and packages below PREFIX (/usr/local)
	@scripts/setup.sh build
	@scripts/build.sh release programs installed
	@cmake --install build/release --prefix $(abspath $(PREFIX))

demo: ## sets up, builds, and runs a snippet with no daemon, account or network
	@scripts/setup.sh build
	@scripts/build.sh release programs plimsoll plimsolld plimsoll-wasm-worker minimal
	@build/release/bin/minimal
	@echo && echo "\$$ echo 'console.log(6 * 7)' | plimsoll run -"
	@echo 'console.log(6 * 7)' | build/release/bin/plimsoll run -

demo-kernel: ## starts an engine of its own, builds the images, and runs a snippet behind gVisor: tier kernel
	@scripts/setup.sh build
	@scripts/setup.sh docker
	@scripts/build.sh release programs plimsoll plimsoll-guest plimsoll-wasm-worker
	@scripts/with-engine.sh scripts/demo-kernel.sh

test: ## sets up what the tests need and runs all of them
	@scripts/setup.sh test
	@scripts/build.sh release tests
	@scripts/test.sh release

sanitize: ## runs the tests under AddressSanitizer with UBSan, then under ThreadSanitizer
	@scripts/setup.sh ci
	@scripts/build.sh asan tests && scripts/test.sh asan -LE docker
	@scripts/build.sh tsan tests && scripts/test.sh tsan -LE docker

fuzz: ## runs every fuzz target for FUZZ_SECONDS (10) each
	@scripts/setup.sh ci
	@scripts/build.sh fuzz tests fuzzers
	@scripts/fuzz.sh

tidy: ## checks the format of every file and runs clang-tidy over what changed
	@scripts/setup.sh ci
	@scripts/tidy.sh

format: ## formats every C++ file
	@scripts/format.sh

bench: ## prints one table, each row measured side by side on this machine
	@scripts/setup.sh bench
	@scripts/build.sh release tests
	@bench/run.sh

bench-docker: ## the same for the docker walls, beside docker run of the same image and runtime
	@scripts/setup.sh test
	@scripts/build.sh release tests
	@BENCH_COMMAND='make bench-docker' scripts/with-engine.sh python3 -B bench/docker_bench.py build/release/bin --page docs/reference/performance.md

soak: ## the long runs: a million runs, ten thousand with kills, a million inputs a fuzz target
	@scripts/setup.sh ci
	@scripts/build.sh release tests
	@scripts/soak.sh

docker-up: ## starts a private docker engine with runc and runsc, and prints the DOCKER_HOST= line that reaches it
	@scripts/setup.sh docker
	@scripts/docker-up.sh

docker-down: ## stops that engine, and no other
	@scripts/docker-down.sh

images: ## builds the sandbox images and loads them into the engine of DOCKER_HOST, or else of docker-up
	@scripts/setup.sh docker
	@scripts/images.sh

clean: ## removes the build trees
	@rm -rf build
