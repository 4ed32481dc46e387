# The tests that take minutes, or other programs. `make test-all ONLY='wasm stores'` runs these two, in the root.

include scripts/common.mk

LONG = msrv portable-all go-long js-long workflows stores kms engines models large mount filesystems assertions \
	constant-time-shipped leaks frames aarch64 windows avx512 wasm fips
.PHONY: test-all unit tool $(LONG)

test-all: $(LONG)

tool: ## the tests of the tool and of what it is made of, on systems that are no Linux
	cargo test --locked -p polyseal -p polyseal-file -p polyseal-local -p polyseal-cli

# And what the sdist for Python has.
MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv: ## the libraries with the oldest Rust that the manifests promise
	rustup toolchain install $(MSRV) --profile minimal
	cargo +$(MSRV) check --locked -p polyseal -p polyseal-file -p polyseal-local -p polyseal-kms -p polyseal-object-store \
		-p polyseal-c
	cargo +$(MSRV) check --locked -p polyseal-py --features polyseal-py/services

# The core where there is neither std nor 64 bits, with an allocator; each family of algorithms and each feature of the
# file format by itself; the file format where there is no Unix; and all that users install where Unix is macOS, both
# without the C of the crate blake3, for which there is no compiler here (CARGO_FEATURE_PURE).
FAMILIES = aegis,gcm,ctx,flex,omd,papers
portable-all: ## every family and every feature by itself, without std, for macOS and Windows
	rustup target add thumbv7em-none-eabihf
	cargo clippy --locked -p polyseal --target thumbv7em-none-eabihf --no-default-features --features alloc,$(FAMILIES) -- -D warnings
	for family in aegis gcm ctx,aegis ctx,gcm ctx,flex ctx,omd flex omd aegis,papers gcm,papers omd,papers; do \
		cargo clippy --locked -p polyseal --no-default-features --features std,getrandom,$$family -- -D warnings && \
		cargo clippy --locked -p polyseal --no-default-features --features $$family -- -D warnings || exit; \
	done
	for features in aegis gcm flex omd gcm,ctx gcm,age gcm,ssh gcm,plugin gcm,passphrase; do \
		cargo clippy --locked -p polyseal-file --no-default-features --features "$$features" -- -D warnings || exit; \
	done
	cargo clippy --locked -p polyseal-cli -p polyseal-object-store --all-targets \
		--features polyseal-cli/stores-tests,polyseal-object-store/s3-tests,polyseal-object-store/trees -- -D warnings
	cargo test --locked -p polyseal-file --no-default-features --features aegis,gcm,ctx,flex,omd --lib
	cargo test --locked -p polyseal-file --no-default-features --features aegis,gcm,ctx,flex,omd,age --lib
	rustup target add x86_64-pc-windows-gnu aarch64-apple-darwin
	CARGO_FEATURE_PURE=1 cargo clippy --locked -p polyseal-file --target x86_64-pc-windows-gnu -- -D warnings
	CARGO_FEATURE_PURE=1 cargo clippy --locked -p polyseal -p polyseal-file -p polyseal-cli --target aarch64-apple-darwin \
		-- -D warnings

# It builds the tool that the readers are compared with.
go-long js-long: export POLYSEAL_TOOL := $(CURDIR)/target/debug/polyseal
unit:
	$(MAKE) -f Makefile unit

go-long: unit ## the reader for Go: race detector, staticcheck, fuzzing, 10^5 altered files that the tool reads as well
	go/polyseal/test long

js-long: unit ## the same for TypeScript; kit and page in browsers, with large files; every suite by WebAssembly
	scripts/with chromium firefox-esr webkit2gtk-driver xauth xvfb -- js/test long

workflows: ## the workflows of .github, by actionlint and zizmor
	scripts/with golang-go python3-venv shellcheck -- scripts/workflows

# They run on this machine. And DataFusion on an encrypted Parquet file, which takes minutes to build.
STORES = scripts/with fuse3 golang-go nodejs npm sqlite3 -- scripts/peers versitygw fake-gcs-server azurite -- cargo test --locked
stores: ## objects of real servers, and of odd and hostile ones
	$(STORES) -p polyseal-object-store --features s3-tests,trees
	$(STORES) -p polyseal-cli --features mount,stores-tests --test tests -- stores:: stored_trees:: stored_updates:: web_servers:: \
		fake_s3:: other_stores:: mounted_objects::
	$(STORES) --manifest-path crates/polyseal-object-store/datafusion/Cargo.toml --target-dir target/datafusion

# With programs that keep them here, and an age that knows key pairs on P-256.
KMS = scripts/with dbus gnome-keyring golang-go libsecret-tools softhsm2 swtpm tpm2-tools -- \
	scripts/peers local-kms age vault -- cargo test --locked
kms: ## keys in services, tokens, TPMs and keyrings
	$(KMS) -p polyseal-kms --features kms-tests
	$(KMS) -p polyseal-cli --features kms-tests --test tests -- kms:: kms_calls::
	$(KMS) -p polyseal-c --features kms,polyseal/papers

engines: ## the wheel under what data sets are read and worked at with, on a real S3 server
	scripts/with default-jre-headless golang-go python3-venv softhsm2 -- scripts/engines

models: ## a model that eight processes load through a cache which flips bytes
	$(MAKE) -f Makefile wheel
	scripts/models

large: ## files of gigabytes
	cargo test --locked -p polyseal-cli --features long-tests --test tests -- large::

mount: ## the command `mount`, on a real /dev/fuse
	scripts/with fuse3 sqlite3 -- cargo test --locked -p polyseal-cli --features mount --test tests -- mount::

FILESYSTEMS = bindfs dosfstools e2fsprogs exfat-fuse exfatprogs fuse3 ntfs-3g python3-venv rclone
filesystems: target/debug/polyseal ## whole jobs on file systems that are not ext4 (as root)
	scripts/with $(FILESYSTEMS) -- scripts/python scripts/filesystems.py target/debug/polyseal

target/debug/polyseal:
	cargo build --locked -p polyseal-cli

assertions: ## the core with debug assertions, and with the tests of its kernels that take long
	cargo test --locked -p polyseal --features long-tests --config profile.dev.package.polyseal.debug-assertions=true

constant-time-shipped: ## constant time, and what is left in memory, in the profile that is shipped
	scripts/with valgrind -- scripts/constant-time release

# Valgrind knows no AVX-512.
leaks: ## constant time by the clock, on every back end of this CPU
	cargo run --locked --release -p polyseal-bench -- leaks

frames: ## whether every wipe of the stack is long enough, in the machine code that is shipped
	scripts/with binutils -- python3 scripts/frames.py

aarch64: ## the tests of core, file format and tool, emulated
	scripts/with binfmt-support gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user qemu-user-static -- scripts/aarch64

windows: ## file format, files by name and tool, under Wine
	scripts/with gcc-mingw-w64-x86-64 wine -- scripts/windows

avx512: ## the core's quickest tests with AVX-512, in an emulator where the CPU has it not
	scripts/avx512 native || \
		scripts/with bochs bochsbios busybox-static cpio grub-pc-bin vgabios xorriso -- scripts/avx512

# `scripts/wasm speed`: what AEGIS-128L and AES-256-GCM reach there, by Node.
wasm: ## the core's tests on wasm32: without vectors, with `simd128`, and with `relaxed-simd`
	scripts/with nodejs -- scripts/wasm

# Lints, tests and the example of its page.
FIPS = --locked -p polyseal --features fips
fips: ## XAES and KC-XAES on the AWS-LC FIPS module
	scripts/with cmake g++ golang-go perl -- cargo clippy $(FIPS) --lib --test fips -- -D warnings
	cargo test $(FIPS) --test fips
	cargo test $(FIPS) --doc fips
