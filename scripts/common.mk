# What Makefile, scripts/long.mk, scripts/release/Makefile and research/Makefile have in common.

.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# What is compiled once, in one go, is compiled in less time; and without the lines of what is inlined.
export CARGO_INCREMENTAL := 0
export CARGO_PROFILE_DEV_DEBUG := 0

.DEFAULT_GOAL := help
.PHONY: help
help: ## these lines
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | while IFS='|' read -r name text; do \
		printf '  %-22s %s\n' "$$name" "$$text"; done
	@printf '%s\n' $(MORE)
