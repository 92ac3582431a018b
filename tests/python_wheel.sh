#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/python_wheel.sh BUILD PYTHON
#
# Builds the wheel of the Python package from a build folder, checks its name and content, and installs
# it into a virtual environment with the extras that this system has, all without network.
set -euo pipefail

build=$1
python=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
unset PYTHONPATH

fail() {
    printf 'python_wheel: %s\n' "$*" >&2
    exit 1
}

version=$(sed -n 's/.*GRADUS_VERSION "\(.*\)".*/\1/p' "$root/include/gradus.h")
GRADUS_BUILD=$build "$python" -m pip wheel -q --no-build-isolation --no-deps -w "$folder" \
    "$root/python" >"$folder/log" 2>&1 || fail "$(cat "$folder/log")"
wheel=$folder/gradus-$version-cp311-abi3-linux_$(uname -m).whl
[ -f "$wheel" ] || fail "expected $(basename "$wheel"), found $(cd "$folder" && echo *.whl)"
[ -z "$(cd "$root" && find python -name '*.egg-info' -o -name build)" ] ||
    fail "building the wheel wrote into python/"

# Every module and stub, the marker of typed packages and the licence, and no test, source or cache.
expected() {
    (cd "$root/python" && find gradus -name '*.py' -o -name '*.pyi')
    (cd "$build/python" && find gradus -name '*.pyi')
    printf '%s\n' gradus/_core.abi3.so gradus/py.typed
    for name in LICENSE METADATA RECORD WHEEL top_level.txt; do
        echo "gradus-$version.dist-info/$name"
    done
}
diff <(expected | sort -u) <("$python" -m zipfile -l "$wheel" | awk 'NR > 1 { print $1 }' | sort) ||
    fail "the wheel has other files than expected (< expected, > found)"
size=$(stat -c %s "$wheel")
[ "$size" -lt 6000000 ] || fail "the wheel has $size bytes; is the extension stripped?"

"$python" -m venv --system-site-packages "$folder/venv"
"$folder/venv/bin/pip" install -q "gradus[sklearn,pandas,plot,all] @ file://$wheel" >"$folder/log" 2>&1 ||
    fail "$(cat "$folder/log")"
cd "$folder"
found=$("$folder/venv/bin/python" -c '
import gradus, importlib.metadata, os, sys
assert gradus.__file__.startswith(sys.prefix), gradus.__file__
assert importlib.metadata.version("gradus") == gradus.__version__
data = gradus.synth.web(queries=10)
ranker = gradus.Ranker("lambdamart", rounds=5).fit(data)
assert len(ranker.predict(data)) == len(data)
print(gradus.__version__)') || fail "the installed package does not work"
[ "$found" = "$version" ] || fail "the installed package has version $found, not $version"

# Without the C sources beside it, the build says what is missing.
cp -r "$root/python" "$folder/python"
if "$python" -m pip wheel --no-build-isolation --no-deps -w "$folder" "$folder/python" \
    >"$folder/log" 2>&1; then
    fail "a wheel was built without the C sources"
fi
grep -q 'the C sources are not in the folder above python/' "$folder/log" || fail "$(cat "$folder/log")"
echo "python_wheel: $(basename "$wheel"), $size bytes, can be installed and used"
