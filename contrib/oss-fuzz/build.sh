#!/bin/bash -eu
# The build that OSS-Fuzz runs: every fuzz target in $OUT, and beside it the inputs that it begins with. Run here by
# `make -C research oss-fuzz`. The toolchain is the image's, which sets RUSTUP_TOOLCHAIN.
cd "$SRC/polyseal"

cargo fuzz build --fuzz-dir research/fuzz --target-dir "$WORK/target" -O --debug-assertions

for source in research/fuzz/fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    cp "$WORK"/target/*/release/"$target" "$OUT/"
    seeds=(research/fuzz/corpus/"$target"/*)
    # Complete files have the most to refuse.
    if [ "$target" = header ]; then
        seeds+=(vectors/file-format/*.polyseal)
    fi
    zip -jq "$OUT/${target}_seed_corpus.zip" "${seeds[@]}"
done
