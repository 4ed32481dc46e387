# A thin front: each target is a line or two that calls cargo, pytest or a script.
# System packages that a step needs are in scripts/with, which installs them when it is root.

.PHONY: demo check test test-all bench peers papers report pages fips fuzz fuzz-corpus mutants docs deny hw hw-long hw-mutants hw-demo hw-masked hw-proofs hw-volume hw-syn hw-syn-link hw-gates clean
.PHONY: format lint unit portable portable-all large mount assertions rustdoc python
.PHONY: constant-time constant-time-shipped c-library proofs supercop
.PHONY: aarch64 avx512 frames wasm wasm-speed msrv dist packages stores wheel wheel-quick engines
.NOTPARALLEL:

# What is compiled once, in one go, is compiled in less time; and without the lines of what is inlined.
export CARGO_INCREMENTAL := 0
export CARGO_PROFILE_DEV_DEBUG := 0

demo:
	scripts/demo

# While one works: what finds most mistakes.
check: format lint unit

# From the quickest to fail to the slowest.
test: format lint portable unit rustdoc python wheel-quick constant-time hw

# Everything: before a release, and after a change of a back end, a kernel, the build or the hardware.
test-all: export FUZZ_SECONDS ?= 300
test-all: test docs msrv portable-all packages wheel c-library proofs supercop stores engines large mount assertions constant-time-shipped frames aarch64 avx512 wasm report fuzz hw-long hw-mutants hw-demo hw-masked hw-proofs hw-volume hw-gates

format:
	scripts/stray
	cargo fmt --all --check
	! LC_ALL=C.UTF-8 git grep -nE '^.{101}' -- '*.rs' ':!crates/polyseal/src/selftest/answers.rs' | grep -v '//! |'
	cd fuzz && cargo fmt --check && cargo tree --locked --quiet >/dev/null
	cd mutants && cargo fmt --check && cargo tree --locked --quiet >/dev/null
	cd crates/polyseal-object-store/datafusion && cargo fmt --check && cargo tree --locked --quiet >/dev/null

lint:
	cargo clippy --locked --workspace --all-targets --features polyseal/memcheck,polyseal-cli/long-tests,polyseal-cli/mount -- -D warnings

FAMILIES = aegis,gcm,ctx,flex,omd

# The core as it is shipped; without std it finds the same back ends; and where there is neither std, 64 bits
# nor an allocator.
portable:
	cargo clippy --locked -p polyseal -- -D warnings
	cargo test --locked -p polyseal --no-default-features --features aegis --test backends
	rustup target add thumbv7em-none-eabihf
	cargo clippy --locked -p polyseal --target thumbv7em-none-eabihf --no-default-features --features $(FAMILIES) -- -D warnings

# The libraries with the oldest Rust that the manifests promise.
MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv:
	rustup toolchain install $(MSRV) --profile minimal
	cargo +$(MSRV) check --locked -p polyseal -p polyseal-file -p polyseal-local -p polyseal-object-store -p polyseal-c

# The same with an allocator; each family of algorithms and each feature of the file format by
# itself; the file format where there is no Unix; and all that users install where Unix is macOS.
portable-all: portable
	cargo clippy --locked -p polyseal --target thumbv7em-none-eabihf --no-default-features --features alloc,$(FAMILIES) -- -D warnings
	for family in aegis gcm ctx,aegis ctx,gcm flex omd; do \
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
	cargo clippy --locked -p polyseal-file --target x86_64-pc-windows-gnu -- -D warnings
	cargo clippy --locked -p polyseal -p polyseal-file -p polyseal-cli --target aarch64-apple-darwin -- -D warnings

# What users install, in target/dist: the tool as a static program, in a tarball and as a Debian package.
dist:
	scripts/with binutils dpkg musl-tools -- scripts/dist

# The same, installed and run in an empty root; and what would be published, tested as it is unpacked.
packages:
	scripts/with binutils dpkg musl-tools -- scripts/dist check
	scripts/published

# What can be tested only with other programs says so where they are not.
unit:
	scripts/with --anyway age g++ openssh-client -- cargo test --locked --workspace --features polyseal/memcheck

# The C library as it is installed, and what tests it that `unit` has not: clang, valgrind, sanitizers, libaegis.
# cargo-c takes minutes to build: so it is no part of `test`.
c-library:
	scripts/with binutils clang cmake g++ pkg-config valgrind -- scripts/c-library

# The libraries for SUPERCOP, and its test with them. They take minutes to build: so it is no part of `test`.
supercop:
	scripts/with binutils -- scripts/supercop --check

# Theorem 1 of the KC-XAES paper, by Coq, which is large: so it is no part of `test`.
proofs:
	scripts/with coq libcoq-mathcomp-algebra -- scripts/proofs

# Objects of real servers, which run on this machine, and of odd and hostile ones; and DataFusion on an encrypted
# Parquet file. Servers and clients take minutes to build: so it is no part of `test`.
stores:
	scripts/with fuse3 golang-go nodejs npm sqlite3 -- scripts/stores

# Files of gigabytes.
large:
	cargo test --locked --workspace --features polyseal-cli/long-tests --test large

# `mount`, on a real /dev/fuse.
mount:
	scripts/with fuse3 sqlite3 -- cargo test --locked -p polyseal-cli --features mount --test mount

# The core's with debug assertions.
assertions:
	cargo test --locked -p polyseal --config profile.dev.package.polyseal.debug-assertions=true

# Documentation: the code's, and the book of all pages, which mdBook makes. It takes minutes to build once.
docs: rustdoc
	scripts/with python3-venv -- scripts/book

# The tool documents itself with --help, and has the library's name.
rustdoc:
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --exclude polyseal-cli

python:
	scripts/with ghdl python3-venv -- scripts/python -m pytest -q -n auto contrib hw reference papers scripts vectors

# The package for Python, with the development profile, in a fresh environment with its tests.
wheel-quick:
	scripts/with python3-venv -- scripts/wheel quick

# The same as it is shipped: an sdist and a manylinux wheel, in target/wheels/shipped. It takes minutes to
# build.
wheel:
	scripts/with python3-venv -- scripts/wheel

# Under what data sets are read and worked at with, on a real S3 server.
engines:
	scripts/with default-jre-headless golang-go python3-venv -- scripts/engines

constant-time:
	scripts/with valgrind -- scripts/constant-time dev

# The same, and what is left in memory, in the profile that is shipped.
constant-time-shipped:
	scripts/with valgrind -- scripts/constant-time release

# Whether every wipe of the stack is long enough, in the machine code that is shipped.
frames:
	scripts/with binutils -- scripts/frames

aarch64:
	scripts/with gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user -- scripts/aarch64

avx512:
	scripts/avx512 native || \
		scripts/with bochs bochsbios busybox-static cpio grub-pc-bin vgabios xorriso -- scripts/avx512

wasm:
	scripts/with nodejs -- scripts/wasm

# What AEGIS-128L and AES-256-GCM reach there, by Node.
wasm-speed:
	scripts/with nodejs -- scripts/wasm speed

# The cores in hardware, simulated: each hash's vectors, and once each what cores have beside them (lanes,
# half rounds, the buffer, stalls and sessions that are broken off, cycles). HW='*' for every
# configuration, HW=--long for every vector and long random runs.
HW = $(patsubst %,'*.%.packets',vectors sha512.32.stalls sha256.lanes.given blake2b.half blake2b.buffer sha512.timing \
	sha512.timing.keep sha256.masked) '*.tb_link_*' '*.tb_omd_link.*' '*.tb_omd_guard.*' '*.tb_axis_*' '*.tb_packet_fifo.*' \
	'*.tb_replay_window.*' '*.tb_reset_sync.*' '*.tb_omd_lwc.*'
hw:
	scripts/with ghdl iverilog python3-venv -- scripts/hw hw/sim/run.py --num-threads 2 $(HW)
	scripts/with ghdl iverilog python3-venv -- scripts/hw hw/sim/erasure.py $(filter --long,$(HW))

hw-long:
	$(MAKE) hw HW=--long

# Whether the link's benches notice the mistakes of hw/sim/mutants.toml (minutes).
hw-mutants:
	scripts/with ghdl python3-venv -- scripts/hw hw/sim/mutants.py

# Frames through two ends of a link, in simulation: captures of what goes in, across and out, in target/hw/demo.
hw-demo:
	cargo build --locked -p polyseal-cli -p polyseal-omd-link --bin polyseal --example session
	scripts/with ghdl python3-venv -- scripts/hw hw/demo/demo.py target/debug/polyseal target/debug/examples/session

# What the masked parts show to probes; and whether the masked core's toggles, simulated with glitches, depend on what it
# computes (half an hour; TRACES=10000 for minutes).
hw-masked:
	scripts/with ghdl python3-venv -- scripts/hw hw/formal/masking.py
	scripts/with g++ ghdl python3-venv -- scripts/hw hw/sim/leakage.py $(TRACES)

# What is proved of the link's parts; what crosses between its clocks; and thousands of frames through two of them.
hw-proofs:
	scripts/with berkeley-abc ghdl python3-venv -- scripts/hw hw/formal/run.py
	scripts/with ghdl python3-venv -- scripts/hw hw/syn/cdc.py

hw-volume:
	scripts/with g++ ghdl python3-venv verilator -- scripts/hw hw/sim/volume.py

# Their area and clock, and their netlists simulated; DESIGN=name for one of them. Takes hours: so it is
# no part of `test`.
hw-syn:
	scripts/with g++ ghdl python3-venv -- scripts/hw hw/syn/run.py $(DESIGN)

# The same of the link: area by entity, and its three clocks (an hour).
hw-syn-link:
	scripts/with ghdl python3-venv -- scripts/hw hw/syn/link.py $(DESIGN)

# Every combination of generics as gates of no device, simulated; DESIGN=part of a name for some of them.
hw-gates:
	scripts/with g++ ghdl python3-venv -- scripts/hw hw/syn/combinations.py $(DESIGN)

fuzz:
	scripts/with g++ python3-venv -- scripts/fuzz

# What they have found goes into the tree (fuzz/corpus), without the inputs that add little.
fuzz-corpus:
	scripts/with g++ python3-venv -- scripts/fuzz --corpus

# Whether the tests notice a change of the files in which a mistake costs most; those that none notices are
# explained in mutants/survivors.md. Of MUTANTS='word…', only those that have these words.
mutants:
	cargo clippy --locked --manifest-path mutants/Cargo.toml --target-dir target/mutants-program -- -D warnings
	cargo run --locked --manifest-path mutants/Cargo.toml --target-dir target/mutants-program -- $(MUTANTS)

bench:
	cargo run --locked --release -p polyseal-bench -- run

# The benchmark's own tests with the rival libraries in it, which must do the same work as ours. They
# take some minutes to build: so it is no part of `test`.
peers:
	scripts/with cmake g++ libclang-dev perl -- cargo test --locked --release -p polyseal-bench --features peers

# What the four papers claim, measured: target/papers/report.html, and the same as JSON. The rival libraries
# take some minutes to build; PAPERS=--quick measures for two minutes instead of ten.
PAPERS ?=
papers:
	scripts/with cmake g++ libclang-dev perl python3-venv -- scripts/papers $(PAPERS)

# The report from a quick run, looked at in a browser.
report:
	scripts/with chromium cmake g++ libclang-dev perl python3-venv -- scripts/report-check

# The tables and plots that the pages of papers/ show, in their directories.
pages:
	scripts/with cmake g++ libclang-dev perl -- cargo run --locked --release -p polyseal-bench --features aez -- papers --pages papers

# XAES and KC-XAES on the AWS-LC FIPS module, which takes some minutes to build: so it is no part of `test`.
fips:
	scripts/with cmake g++ golang-go perl -- scripts/fips

# Licences, sources and bans of the dependencies of what is shipped; their advisories, which have to be fetched. Needs
# cargo-deny, which takes minutes to build, and the network: so it is no part of `test`.
deny:
	cargo deny --locked --features polyseal-cli/mount,polyseal-cli/stores check
	cargo deny --locked --config deny.toml --manifest-path fuzz/Cargo.toml check

clean:
	cargo clean
	rm -rf fuzz/target .venv
