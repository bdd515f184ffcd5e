#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up what is missing, builds and runs every test, offscreen. Those that hand the readers files
# which are broken on purpose run under the address and undefined-behaviour sanitizers first, so
# that CTest's summary of the whole suite comes last.
#
#   tests/run.sh                all tests, and those of broken files under ASan and UBSan
#   tests/run.sh --sanitizers   instead: all tests under ASan and UBSan, and app's and ui's on an
#                               engine that is not the real one under TSan
#   tests/run.sh --gpu          instead: what runs on a GPU; the kernels again from the PTX that
#                               other cards get, and under compute-sanitizer where it is installed
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=app/setup.sh
source "$here/../app/setup.sh"

# No leak check: libtorch, Qt and fontconfig keep what they allocate until the end.
export ASAN_OPTIONS=detect_leaks=0:strict_string_checks=1:detect_stack_use_after_return=1
# The stack that stands in for the real one there is aligned to 32 bytes by GCC 12 and 13, and a
# vector of AVX-512 wants 64.
! grep -qw avx512f /proc/cpuinfo || ASAN_OPTIONS=${ASAN_OPTIONS/%1/0}
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=$root/tests/tsan.supp
export QT_QPA_PLATFORM=offscreen

# Many tests wait for a window or a program, so that one more at once than there are cores end
# sooner; each may hold a model. Those of a GPU go one by one.
parallel=$(($(nproc) < 3 ? $(nproc) + 1 : 4))
run_tests() {
    local preset=$1
    shift
    (cd "$root" && ctest --preset "$preset" --parallel "${jobs:-$parallel}" "$@")
}

case "${1-}" in
    '')
        set_up
        build release
        build asan hostile_tests
        failed=0
        run_tests asan -L '^hostile$' || failed=1
        run_tests release || failed=1
        exit $failed
        ;;
    --sanitizers)
        set_up
        build asan
        build tsan thread_tests
        failed=0
        run_tests asan || failed=1
        run_tests tsan -L '^threads$' || failed=1
        exit $failed
        ;;
    --gpu)
        jobs=1
        set_up
        build release
        kernels='^cuda_(append|attention|tile|head_table|projection|product)_test$'
        failed=0
        run_tests release -R '^cuda_' || failed=1
        say 'the kernels from their PTX'
        CUDA_FORCE_PTX_JIT=1 run_tests release -R "$kernels" || failed=1
        if checker=$(command -v compute-sanitizer); then
            for tool in memcheck racecheck; do
                for test in "$root"/build/release/tests/cuda_*_test; do
                    [[ ${test##*/} =~ $kernels ]] || continue
                    say "${test##*/} under $tool"
                    "$checker" --tool "$tool" --error-exitcode 1 "$test" >&2 || failed=1
                done
            done
        else
            say "no compute-sanitizer in PATH: that part is left out"
        fi
        exit $failed
        ;;
    *) die "unknown argument $1; tests/run.sh takes none, --sanitizers or --gpu" ;;
esac
