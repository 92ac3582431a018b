#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/duckdb.sh
#
# Fetches DuckDB once, with which the tests read Parquet and make Arrow streams, and prints the path of its library
# libduckdb.so. It is in the npm package `@duckdb/node-bindings-linux-x64`. Needs npm; about 70 MB. The result is in
# ${XDG_CACHE_HOME:-$HOME/.cache}/gradus/duckdb. Status 77 without network or npm, with the reason on standard error.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "${1-}"

package=@duckdb/node-bindings-linux-x64@1.5.6-r.1
folder=${XDG_CACHE_HOME:-$HOME/.cache}/gradus/duckdb

unavailable() {
    printf 'skipped: DuckDB: %s\n' "$1" >&2
    exit 77
}

if [ -f "$folder/libduckdb.so" ]; then
    echo "$folder/libduckdb.so"
    exit
fi
[ "$(uname -sm)" = "Linux x86_64" ] || unavailable "there is no package for $(uname -sm)"
command -v npm >/dev/null || unavailable "npm is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "$package" >/dev/null 2>"$work/npm.log") ||
    unavailable "npm cannot fetch $package (no network?)"
tar -xzf "$work"/*.tgz -C "$work"
mkdir -p "$folder"
mv "$work/package/libduckdb.so" "$folder/libduckdb.so.new"
mv "$folder/libduckdb.so.new" "$folder/libduckdb.so"
echo "$folder/libduckdb.so"
