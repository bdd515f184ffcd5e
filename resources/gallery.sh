#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws resources/screenshot.png and resources/gallery anew: resources/gallery.sh [BUILD [MODEL]].
# Needs a build (app/run.sh makes one) and the default model, but no display.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
model=${2:-${XDG_CACHE_HOME:-$HOME/.cache}/headscope/models/SmolLM2-135M-Instruct.Q4_1.gguf}

cmake --build "$build" --target headscope gallery
mkdir -p resources/gallery
CUDA_VISIBLE_DEVICES=-1 GOMP_SPINCOUNT=1000 "$build/bin/gallery" "$model" resources
draw() {
    "$build/bin/headscope" export "$model" --prompt-file resources/prompts/indirect_object.txt \
        --device cpu --out "resources/gallery/$1" --view "$2"
}
draw figure.png L23.H3,L29.H1
draw bars.png bars:L29
