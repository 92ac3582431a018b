#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/lightgbm.sh
#
# Builds LightGBM, with which exported and imported models are compared, once, and prints a folder to add to
# PYTHONPATH: the Python package lightgbm, with its library lightgbm/lib/lib_lightgbm.so. The source is in the npm
# package `lightgbm`, whose install script is not run. Needs npm, cmake and g++; takes two minutes on two
# cores. The result is in ${XDG_CACHE_HOME:-$HOME/.cache}/gradus/lightgbm. Status 77 without network or
# tools, with the reason on standard error.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "${1-}"

package=lightgbm@1.0.27
folder=${XDG_CACHE_HOME:-$HOME/.cache}/gradus/lightgbm

unavailable() {
    printf 'skipped: LightGBM: %s\n' "$1" >&2
    exit 77
}

mkdir -p "$folder"
exec 9>"$folder/lock" # two comparisons may need it at the same time
flock 9
if [ -f "$folder/lightgbm/lib/lib_lightgbm.so" ]; then
    echo "$folder"
    exit
fi
for tool in npm cmake g++; do
    command -v "$tool" >/dev/null || unavailable "$tool is not installed"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "$package" >/dev/null 2>"$work/npm.log") ||
    unavailable "npm cannot fetch $package (no network?)"
tar -xzf "$work"/lightgbm-*.tgz -C "$work"
source=$work/package/dependencies/LightGBM
{
    cmake -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_CLI=OFF
    cmake --build "$work/build" --parallel "$(nproc)"
} >"$work/build.log" 2>&1 || {
    tail -n 20 "$work/build.log" >&2
    unavailable "the build failed"
}
cp -r "$source/python-package/lightgbm" "$work/lightgbm"
mkdir "$work/lightgbm/lib"
cp "$source/lib_lightgbm.so" "$work/lightgbm/lib"
cp "$source/VERSION.txt" "$work/lightgbm"
rm -rf "$folder/lightgbm"
mv "$work/lightgbm" "$folder/lightgbm"
echo "$folder"
