#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up what is missing, builds and starts Headscope. Arguments are Headscope's own; without any
# the window opens with the default model and an example prompt.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=app/setup.sh
source "$here/setup.sh"

set_up
build release headscope
exec 8>&- # the program must not hold the build's lock

if (($# == 0)); then
    set -- "$default_model" --prompt "$(<"$root/resources/prompts/indirect_object.txt")"
fi
exec "$root/build/release/bin/headscope" "$@"
