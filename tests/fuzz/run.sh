#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes each reader for so many seconds (600 unless said), from the test data and from seeds/,
# where the input of every fault that was found stays.
#
#   tests/fuzz/run.sh [SECONDS [TARGET…]]
#
# Build and corpus lie in build/fuzz, or in $HEADSCOPE_FUZZ_DIR. Stops at the first fault, whose
# input is named. Needs clang with libFuzzer.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd -- "$here/../.." && pwd -P)
work=${HEADSCOPE_FUZZ_DIR:-$root/build/fuzz}
seconds=${1:-600}
shift || true
targets=("$@")
((${#targets[@]})) ||
    targets=(safetensors gguf tokenizer_json tokenizer_model chat_template encode)

cmake -G Ninja -S "$here" -B "$work" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER=clang++ >/dev/null
ninja -C "$work" "${targets[@]/#/fuzz_}"

data=$root/tests/data
seed() { # TARGET FILE…: beginnings of files, as a reader has little use of megabytes of weights
    local target=$1 file
    shift
    for file in "$@"; do
        head -c 65536 "$file" >"$work/corpus/$target/$(cksum <"$file" | tr ' ' _)"
    done
}
for target in "${targets[@]}"; do
    mkdir -p "$work/corpus/$target"
    seed "$target" "$here"/seeds/"$target"*
done
for target in "${targets[@]}"; do
    case $target in
        safetensors) seed safetensors "$data"/tiny_*/m*.safetensors ;;
        gguf) seed gguf "$data"/tiny_*/*.gguf "$data"/formats/blocks.gguf ;;
        tokenizer_json) seed tokenizer_json "$data"/{tiny_llama,tokenizer/gpt2}/tokenizer.json ;;
        tokenizer_model) seed tokenizer_model "$data"/tokenizer/spm_bpe/tokenizer.model ;;
        chat_template) seed chat_template "$data"/tokenizer/templates/*.jinja ;;
        encode) seed encode "$data"/tokenizer/corpus.py ;;
    esac
done
for target in "${targets[@]}"; do
    "$work/fuzz_$target" "$work/corpus/$target" -max_total_time="$seconds" -timeout=20 \
        -rss_limit_mb=2048 -max_len=70000 -print_final_stats=1 -artifact_prefix="$work/$target-"
done
