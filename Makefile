# Each target calls cargo, pytest or a script. `make help` lists those that a person types.
# System packages that a step needs are in scripts/with, which installs them when it is root.

.NOTPARALLEL:

# What is compiled once, in one go, is compiled in less time; and without the lines of what is inlined.
export CARGO_INCREMENTAL := 0
export CARGO_PROFILE_DEV_DEBUG := 0

.PHONY: help demo check test test-all format lint portable unit rustdoc python wheel go js constant-time hw
.PHONY: docs dist release approve-release sign-release bench papers pages fuzz mutants hw-syn deny clean tool publish-crates publish-python

help: ## these lines
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf '  %-14s %s\n' "$$name" "$$text"; done
	@echo
	@echo 'ONLY has some of: $(LONG)'

demo: ## the main job on a real file
	scripts/demo

check: format lint unit ## what finds most mistakes, while one works

# From the quickest to fail to the slowest.
test: format lint portable unit rustdoc python wheel go js constant-time hw ## all that a change must pass

# Before a release, and after a change of a back end, a kernel, the build or the hardware. Takes hours.
LONG = docs msrv workflows portable-all packages shipped-wheel repeatable registries c-library install recipes oss-fuzz proofs \
	supercop go-long js-long stores kms engines large mount filesystems assertions constant-time-shipped leaks frames aarch64 windows avx512 wasm fips peers \
	report fuzz hw-long hw-mutants hw-demo hw-masked hw-proofs hw-volume hw-gates
ifdef ONLY
test-all: export FUZZ_SECONDS ?= 300
test-all: $(ONLY)
else
test-all: export FUZZ_SECONDS ?= 300
test-all: test $(LONG) ## test, and all that takes minutes; ONLY='wasm stores': these alone
endif

format: ## layout, stray files, length of lines and pages
	scripts/stray
	scripts/words
	cargo fmt --all --check
	! LC_ALL=C.UTF-8 git grep -nE '^.{101}' -- '*.rs' ':!crates/polyseal/src/selftest/answers.rs' | grep -v '//! |'
	cd research/fuzz && cargo fmt --check && cargo tree --locked --quiet >/dev/null
	cd research/mutants && cargo fmt --check && cargo tree --locked --quiet >/dev/null
	cd crates/polyseal/features && cargo fmt --check && cargo tree --locked --quiet >/dev/null
	cd crates/polyseal-object-store/datafusion && cargo fmt --check && cargo tree --locked --quiet >/dev/null

lint: ## clippy on everything
	cargo clippy --locked --workspace --all-targets \
		--features polyseal/memcheck,polyseal-cli/bench,polyseal-cli/kms,polyseal-cli/long-tests,polyseal-cli/mount \
		-- -D warnings

# The core as it is shipped; without std it finds the same back ends; and where there is neither std, 64 bits
# nor an allocator.
FAMILIES = aegis,gcm,ctx,flex,omd,papers
ITS_FEATURES = --locked --manifest-path crates/polyseal/features/Cargo.toml --target-dir target/features
portable: ## the core without std, and with its default features
	cargo clippy --locked -p polyseal -- -D warnings
	cargo test $(ITS_FEATURES)
	cargo test $(ITS_FEATURES) --no-default-features --features aegis
	rustup target add thumbv7em-none-eabihf
	cargo clippy --locked -p polyseal --target thumbv7em-none-eabihf --no-default-features --features $(FAMILIES) -- -D warnings

# What can be tested only with other programs says so where they are not.
unit: ## the tests of all crates
	scripts/with --anyway age g++ openssh-client -- \
		cargo test --locked --workspace \
		--features polyseal/memcheck,polyseal-cli/bench,polyseal-cli/keyring,polyseal-object-store/remote

# For systems that are no Linux: what is not for one system alone.
tool: ## the tests of the tool and of what it is made of
	cargo test --locked -p polyseal -p polyseal-file -p polyseal-local -p polyseal-cli

# The tool documents itself with --help, and has the library's name.
rustdoc: ## the documentation of the code
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --exclude polyseal-cli

python: ## the references, the papers and the scripts
	scripts/with ghdl python3-venv -- scripts/python -m pytest -q -n auto contrib research scripts vectors

# With the development profile, in a fresh environment with its tests. As it is shipped: ONLY=shipped-wheel.
wheel: ## the package for Python, and its tests
	scripts/with python3-venv -- scripts/wheel quick

# The tool that other programs are tried with. `unit` builds it, too.
go js go-long js-long: export POLYSEAL_TOOL := $(CURDIR)/target/debug/polyseal
$(CURDIR)/target/debug/polyseal:
	cargo build --locked -p polyseal-cli

# Where Go or Node is not installed, these say so and pass.
go: $(CURDIR)/target/debug/polyseal ## the reader for Go, and its tests
	go/test

js: $(CURDIR)/target/debug/polyseal ## the reader for TypeScript and the page, and their tests
	js/test

constant-time: ## no secret decides a branch or an address
	scripts/with valgrind -- scripts/constant-time dev

# Simulated: each hash's vectors, and once each what cores have beside them (lanes, half rounds, the buffer, stalls
# and sessions that are broken off, cycles). HW='*' for every configuration, HW=--long for every vector and long
# random runs.
HW = $(patsubst %,'*.%.packets',vectors sha512.32.stalls sha256.lanes.given blake2b.half blake2b.buffer sha512.timing \
	sha512.timing.keep sha256.masked) '*.tb_link_*' '*.tb_omd_link.*' '*.tb_omd_guard.*' '*.tb_axis_*' '*.tb_packet_fifo.*' \
	'*.tb_replay_window.*' '*.tb_reset_sync.*' '*.tb_omd_lwc.*'
hw: ## the cores in hardware, simulated; HW='*': in every configuration
	scripts/with ghdl iverilog python3-venv -- scripts/python --in hw research/hw/sim/run.py --num-threads 2 $(HW)
	scripts/with ghdl iverilog python3-venv -- scripts/python --in hw research/hw/sim/erasure.py $(filter --long,$(HW))

docs: rustdoc ## the book of all pages, by mdBook
	scripts/with python3-venv -- scripts/book

# TARGETS='x86_64-unknown-linux-musl x86_64-pc-windows-gnu': for these instead of for this machine.
dist: ## what users install, in target/dist: a static program, a tarball, a Debian package
	scripts/with binutils dpkg python3-venv zip -- scripts/dist $(TARGETS)

# All that is published, for every target: docs/releasing.md.
RELEASE = binutils debootstrap dpkg gcc-mingw-w64-x86-64 python3-venv qemu-user-static unzip wine zip
release: ## make release VERSION=1.2.3: all of it, tested, in target/release-1.2.3
	scripts/with $(RELEASE) -- scripts/release $(VERSION)

# FROM is where `release` has put it, or where it was brought to: target/approved is all of it that is taken.
FROM = target
approve-release:
	scripts/release approve $(VERSION) $(FROM)

sign-release: approve-release ## its checksums, signed with MINISIGN_SECRET_KEY
	scripts/with minisign -- scripts/release sign $(VERSION)

bench: ## the algorithms on this machine
	cargo run --locked --release -p polyseal-bench -- run --layouts 16

# The rival libraries take some minutes to build; PAPERS=--quick measures for two minutes instead of ten.
papers: ## what the four papers claim, measured: target/papers/report.html
	scripts/with cmake g++ libclang-dev perl python3-venv -- scripts/papers $(PAPERS)

pages: ## the tables and plots of the papers' pages
	scripts/with cmake g++ libclang-dev perl -- \
		cargo run --locked --release -p polyseal-bench --features aez -- papers --pages research/papers
	scripts/with python3-venv -- scripts/python research/papers/pages.py

# What they have found goes into research/fuzz/corpus with FUZZ=--corpus, without the inputs that add little.
fuzz: ## the fuzz targets, for FUZZ_SECONDS each
	scripts/with g++ python3-venv -- scripts/fuzz $(FUZZ)

# Those that no test notices are explained in research/mutants/survivors.md.
mutants: ## whether the tests notice a change of what is critical; MUTANTS='word…': some of them
	cargo clippy --locked --manifest-path research/mutants/Cargo.toml --target-dir target/mutants-program -- -D warnings
	cargo run --locked --manifest-path research/mutants/Cargo.toml --target-dir target/mutants-program -- $(MUTANTS)

# Their netlists simulated, too. Takes hours; DESIGN=name for one. OF=link: the link's area by entity, and its clocks.
OF = run
hw-syn: ## area and clock of the cores in hardware
	scripts/with g++ ghdl python3-venv -- scripts/python --in hw-syn research/hw/syn/$(OF).py $(DESIGN)

# Needs cargo-deny, which takes minutes to build, and the network.
deny: ## licences, sources and advisories of the dependencies
	cargo deny --locked --features polyseal-cli/kms,polyseal-cli/mount,polyseal-cli/stores check
	cargo deny --locked --config deny.toml --manifest-path research/fuzz/Cargo.toml check

# For the workflow of a release: nothing is compiled where there is the right to publish.
publish-crates:
	cargo publish --workspace --locked --no-verify

# -P, --no-config: no module and no setting of the folder in which this runs.
publish-python: approve-release
	scripts/with python3-venv -- scripts/python --in publish -P -m uv --no-config publish --trusted-publishing always \
		target/approved/polyseal-*.whl target/approved/polyseal-$(VERSION).tar.gz

clean: ## removes what was built
	cargo clean
	rm -rf research/fuzz/target

# ── The long ones: make test-all ONLY=… ────────────────────────────────────────────────────────────────────────────

.PHONY: $(LONG)

# The libraries, and what the sdist for Python has, with the oldest Rust that the manifests promise.
MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv:
	rustup toolchain install $(MSRV) --profile minimal
	cargo +$(MSRV) check --locked -p polyseal -p polyseal-file -p polyseal-local -p polyseal-kms -p polyseal-object-store \
		-p polyseal-c
	cargo +$(MSRV) check --locked -p polyseal-py --features polyseal-py/services

# `portable` with an allocator; each family of algorithms and each feature of the file format by itself; the file
# format where there is no Unix; and all that users install where Unix is macOS, both without the C of the crate blake3,
# for which there is no compiler here (CARGO_FEATURE_PURE).
portable-all: portable
	cargo clippy --locked -p polyseal --target thumbv7em-none-eabihf --no-default-features --features alloc,$(FAMILIES) -- -D warnings
	for family in aegis gcm ctx,aegis ctx,gcm ctx,flex ctx,omd flex omd aegis,papers gcm,papers omd,papers; do \
		cargo clippy --locked -p polyseal --no-default-features --features std,getrandom,$$family -- -D warnings && \
		cargo clippy --locked -p polyseal --no-default-features --features $$family -- -D warnings || exit; \
	done
	for feature in '' age ssh plugin passphrase; do \
		cargo clippy --locked -p polyseal-file --no-default-features --features "$$feature" -- -D warnings || exit; \
	done
	cargo clippy --locked -p polyseal-cli -p polyseal-object-store --all-targets \
		--features polyseal-cli/stores-tests,polyseal-object-store/s3-tests,polyseal-object-store/trees -- -D warnings
	cargo test --locked -p polyseal-file --no-default-features --lib
	cargo test --locked -p polyseal-file --no-default-features --features age --lib
	rustup target add x86_64-pc-windows-gnu aarch64-apple-darwin
	CARGO_FEATURE_PURE=1 cargo clippy --locked -p polyseal-file --target x86_64-pc-windows-gnu -- -D warnings
	CARGO_FEATURE_PURE=1 cargo clippy --locked -p polyseal -p polyseal-file -p polyseal-cli --target aarch64-apple-darwin \
		-- -D warnings

# Keys in services, tokens, TPMs and keyrings, with programs that keep them here.
kms:
	scripts/with dbus gnome-keyring golang-go libsecret-tools softhsm2 swtpm tpm2-tools -- scripts/kms

# What users install, installed and run in an empty root; and what would be published, tested as it is unpacked.
packages:
	scripts/with $(RELEASE) -- scripts/dist check $(TARGETS)
	scripts/published

# The commands of docs/install.md, in roots without network (as root), with what `make release`, or `make dist`,
# `shipped-wheel` and `c-library`, have built.
install:
	scripts/with binutils gcc-mingw-w64-x86-64 libarchive-tools minisign mmdebstrap podman python3-venv runc wine -- \
		scripts/python scripts/install.py

# What Homebrew, Nix and conda build from, as far as that can be had here.
recipes:
	scripts/with nix-bin patchelf python3-venv ruby -- scripts/python --in recipes scripts/recipes.py check

# What OSS-Fuzz runs, built and run for a second each.
oss-fuzz:
	scripts/with g++ python3-venv zip -- scripts/oss-fuzz

# The workflows of .github.
workflows:
	scripts/with golang-go python3-venv shellcheck -- scripts/workflows

# The reader for Go with the race detector, staticcheck, fuzzing, and 10^5 altered files that the tool reads as well.
go-long: unit
	go/test long

# The same for TypeScript; the kit and the page in Chromium, with large files; every suite by WebAssembly.
js-long: unit
	scripts/with chromium firefox-esr webkit2gtk-driver xauth xvfb -- js/test long

# An sdist and wheels, in target/wheels/shipped; each in a root with nothing but Python.
shipped-wheel:
	scripts/with $(RELEASE) -- scripts/wheel $(TARGETS)

# Two builds in two places give the same bytes (as root). PARTS='dist wheel c-library': some of them.
repeatable:
	scripts/with $(RELEASE) -- scripts/repeatable $(PARTS)

# What crates.io, PyPI and npm would refuse; and whether every crate that is shipped is of an owner that is named.
registries:
	cargo publish --workspace --locked --dry-run --allow-dirty --no-verify
	scripts/with $(RELEASE) -- scripts/wheel build
	scripts/with python3-venv -- scripts/python scripts/trusted >target/trusted
	cd js && npm ci && npm pack --dry-run && cd core && npm pack --dry-run

# The C library as it is installed, and what tests it that `unit` has not: clang, valgrind, sanitizers, libaegis.
c-library:
	scripts/with binutils clang cmake g++ pkg-config valgrind -- scripts/c-library

# Theorem 1 of the KC-XAES paper, by Coq.
proofs:
	scripts/with coq libcoq-mathcomp-algebra -- scripts/proofs

# The libraries for SUPERCOP, and its test with them.
supercop:
	scripts/with binutils -- scripts/supercop --check

# Objects of real servers, which run on this machine, and of odd and hostile ones; and DataFusion on an encrypted
# Parquet file.
stores:
	scripts/with fuse3 golang-go nodejs npm sqlite3 -- scripts/stores

# The wheel under what data sets are read and worked at with, on a real S3 server.
engines:
	scripts/with default-jre-headless golang-go python3-venv softhsm2 -- scripts/engines

# Files of gigabytes.
large:
	cargo test --locked --workspace --features polyseal-cli/long-tests --test large

# `mount`, on a real /dev/fuse.
mount:
	scripts/with fuse3 sqlite3 -- cargo test --locked -p polyseal-cli --features mount --test mount

# Whole jobs on file systems that are not ext4 (as root).
FILESYSTEMS = bindfs dosfstools e2fsprogs exfat-fuse exfatprogs fuse3 ntfs-3g python3-venv rclone
filesystems: $(CURDIR)/target/debug/polyseal
	scripts/with $(FILESYSTEMS) -- scripts/python scripts/filesystems.py target/debug/polyseal

# The core's with debug assertions.
assertions:
	cargo test --locked -p polyseal --config profile.dev.package.polyseal.debug-assertions=true

# In the profile that is shipped; and what is left in memory.
constant-time-shipped:
	scripts/with valgrind -- scripts/constant-time release

# By the clock, on every back end of this CPU: Valgrind knows no AVX-512.
leaks:
	cargo run --locked --release -p polyseal-bench -- leaks

# Whether every wipe of the stack is long enough, in the machine code that is shipped.
frames:
	scripts/with binutils -- scripts/frames

aarch64:
	scripts/with binfmt-support gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user qemu-user-static -- scripts/aarch64

windows:
	scripts/with gcc-mingw-w64-x86-64 wine -- scripts/windows

avx512:
	scripts/avx512 native || \
		scripts/with bochs bochsbios busybox-static cpio grub-pc-bin vgabios xorriso -- scripts/avx512

# `scripts/wasm speed`: what AEGIS-128L and AES-256-GCM reach there, by Node.
wasm:
	scripts/with nodejs -- scripts/wasm

# XAES and KC-XAES on the AWS-LC FIPS module: lints, tests and the example of its page.
FIPS = --locked -p polyseal --features fips
fips:
	scripts/with cmake g++ golang-go perl -- cargo clippy $(FIPS) --lib --test fips -- -D warnings
	cargo test $(FIPS) --test fips
	cargo test $(FIPS) --doc fips

# The benchmark's own tests with the rival libraries in it, which must do the same work as ours.
peers:
	scripts/with cmake g++ libclang-dev perl -- cargo test --locked --release -p polyseal-bench --features peers

# The report from a quick run, looked at in a browser.
report:
	scripts/with chromium cmake g++ libclang-dev perl python3-venv -- scripts/papers --quick
	scripts/with chromium -- scripts/python --in report research/papers/report/look.py target/papers/report.html

hw-long:
	$(MAKE) hw HW=--long

# Whether the link's benches notice the mistakes of research/hw/sim/mutants.toml.
hw-mutants:
	scripts/with ghdl python3-venv -- scripts/python --in hw research/hw/sim/mutants.py

# Frames through two ends of a link, in simulation: captures of what goes in, across and out, in target/hw/demo.
hw-demo:
	cargo build --locked -p polyseal-cli -p polyseal-omd-link --bin polyseal --example session
	scripts/with ghdl python3-venv -- scripts/python --in hw research/hw/demo/demo.py target/debug/polyseal target/debug/examples/session

# What the masked parts show to probes; and whether the masked core's toggles, simulated with glitches, depend on what it
# computes (half an hour; TRACES=10000 for minutes).
hw-masked:
	scripts/with ghdl python3-venv -- scripts/python --in hw-syn research/hw/formal/masking.py
	scripts/with g++ ghdl python3-venv -- scripts/python --in hw-syn research/hw/sim/leakage.py $(TRACES)

# What is proved of the link's parts; and what crosses between its clocks.
hw-proofs:
	scripts/with berkeley-abc ghdl python3-venv -- scripts/python --in hw-syn research/hw/formal/run.py
	scripts/with ghdl python3-venv -- scripts/python --in hw-syn research/hw/syn/cdc.py

# Thousands of frames through two ends of a link.
hw-volume:
	scripts/with g++ ghdl python3-venv verilator -- scripts/python --in hw research/hw/sim/volume.py

# Every combination of generics as gates of no device, simulated; DESIGN=part of a name for some of them.
hw-gates:
	scripts/with g++ ghdl python3-venv -- scripts/python --in hw-syn research/hw/syn/combinations.py $(DESIGN)
