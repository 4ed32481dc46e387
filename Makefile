# The targets of daily work: each calls cargo, pytest or a script. scripts/long.mk has what takes minutes, research/Makefile
# and scripts/release/Makefile what only those need. A step's system packages are in scripts/with, which installs them when
# it is root.

include scripts/common.mk

.PHONY: demo check test test-all format lint portable unit rustdoc python wheel go js constant-time hw docs dist bench clean

LONG = $(shell sed -n 's/^\([a-z][a-z0-9-]*\):.*\#\# .*/\1/p' scripts/long.mk)
MORE = '' 'make test-all ONLY=…: $(LONG)' 'make -C research: papers, proofs, benchmarks, fuzzing, hardware' \
	'make -C scripts/release: what is published'

demo: ## the main job on a real file
	scripts/demo

check: format lint unit ## what finds most mistakes, while one works

# From the quickest to fail to the slowest.
TEST = format lint portable unit rustdoc python wheel go js constant-time hw
test: ## all that a change must pass
	@MAKE='$(MAKE)' scripts/timed $(TEST)

# Before a release, and after a change of a back end, a kernel, the build or the hardware. Takes hours.
OF_LONG = $(filter $(LONG),$(ONLY))
OF_RELEASE = $(filter-out $(LONG),$(ONLY))
ifdef ONLY
test-all:
	$(if $(OF_LONG),$(MAKE) -f scripts/long.mk $(OF_LONG))
	$(if $(OF_RELEASE),$(MAKE) -C scripts/release test-all ONLY='$(OF_RELEASE)')
else
test-all: test docs ## test, and all that takes minutes; ONLY='wasm recipes': these alone
	$(MAKE) -f scripts/long.mk test-all
	$(MAKE) -C scripts/release test-all
	$(MAKE) -C research test-all
endif

format: ## layout, stray files, length of lines and pages, blocks of code that nothing runs
	scripts/stray
	scripts/words
	scripts/pages
	cargo fmt --all --check
	! LC_ALL=C.UTF-8 git grep -nE '^.{101}' -- '*.rs' ':!crates/polyseal/src/selftest/answers.rs' | grep -v '//! |'
	cd research/fuzz && cargo fmt --check && cargo tree --locked --quiet >/dev/null
	cd research/mutants && cargo fmt --check && cargo tree --locked --quiet >/dev/null
	cd crates/polyseal/features && cargo fmt --check && cargo tree --locked --quiet >/dev/null
	cd crates/polyseal-object-store/datafusion && cargo fmt --check && cargo tree --locked --quiet >/dev/null

# What lint and rustdoc look at, compiled once for both: everything but the benchmark, which is `make -C research bench-tests`.
LOOKED_AT = --locked --workspace --exclude polyseal-bench \
	--features polyseal/memcheck,polyseal/long-tests,polyseal-kms/kms,polyseal-object-store/sign,polyseal-object-store/trees
LINTED = polyseal-c/kms,polyseal-cli/kms-tests,polyseal-cli/long-tests,polyseal-cli/mount,polyseal-cli/stores-tests,polyseal-kms/kms-tests
lint: ## clippy on everything
	cargo clippy $(LOOKED_AT),$(LINTED) --all-targets -- -D warnings

# The core as it is shipped; without std it finds the same back ends; and where there is neither std, 64 bits
# nor an allocator.
FAMILIES = aegis,gcm,ctx,flex,omd,papers
ITS_FEATURES = --locked --manifest-path crates/polyseal/features/Cargo.toml --target-dir target/features
portable: ## the core without std, and with its default features; the file format with one family
	cargo clippy --locked -p polyseal -- -D warnings
	cargo test $(ITS_FEATURES)
	cargo test $(ITS_FEATURES) --no-default-features --features aegis
	cargo test $(ITS_FEATURES) --no-default-features --features files --test files
	cargo check --locked -p polyseal-file --no-default-features --features gcm
	rustup target add thumbv7em-none-eabihf
	cargo clippy --locked -p polyseal --target thumbv7em-none-eabihf --no-default-features --features $(FAMILIES) -- -D warnings

# What can be tested only with other programs says so where they are not.
unit: ## the tests of all crates
	scripts/with --anyway age g++ openssh-client systemd -- \
		cargo test --locked --workspace --exclude polyseal-bench \
		--features polyseal/memcheck,polyseal-cli/keyring,polyseal-object-store/remote,polyseal-object-store/sign

# The tool documents itself with --help, and has the library's name.
rustdoc: ## the documentation of the code
	RUSTDOCFLAGS="-D warnings" cargo doc --exclude polyseal-cli $(LOOKED_AT) --no-deps

python: ## the references, the papers and the scripts
	scripts/with ghdl python3-venv -- scripts/python -m pytest -q -n auto contrib research scripts vectors

# With the development profile, in a fresh environment with its tests. As it is shipped: make -C scripts/release wheel.
wheel: ## the package for Python, and its tests
	scripts/with python3-venv -- scripts/wheel quick

# The tool that other programs are tried with. `unit` builds it, too.
go js docs: export POLYSEAL_TOOL := $(CURDIR)/target/debug/polyseal
TOOL_CRATES = polyseal polyseal-file polyseal-local polyseal-http polyseal-object-store polyseal-kms polyseal-cli
$(CURDIR)/target/debug/polyseal: Cargo.lock $(shell find $(TOOL_CRATES:%=crates/%/src) -name '*.rs')
	cargo build --locked -p polyseal-cli
	touch $@

# Where Go or Node is not installed, these say so and pass.
go: $(CURDIR)/target/debug/polyseal ## the reader for Go, and its tests
	go/polyseal/test

js: $(CURDIR)/target/debug/polyseal ## the reader for TypeScript and the page, and their tests
	js/test

constant-time: ## no secret decides a branch or an address
	scripts/with valgrind -- scripts/constant-time dev

hw: ## the cores in hardware, simulated; HW='*': in every configuration
	$(MAKE) -C research hw

docs: rustdoc $(CURDIR)/target/debug/polyseal ## the site of all pages, by mdBook, looked at in Chromium
	scripts/with chromium nodejs npm python3-venv -- scripts/book

dist: ## what users install, in target/dist: a static program, a tarball, a Debian package
	$(MAKE) -C scripts/release dist

bench: ## the algorithms on this machine
	$(MAKE) -C research bench

clean: ## removes what was built
	cargo clean
	rm -rf research/fuzz/target
