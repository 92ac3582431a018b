#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/server/conformance.sh GRADUS FOLDER
#
# Tests `GRADUS serve` against OpenAPI descriptions with Prism, which npm installs into FOLDER (90 MB, half a
# minute; the test takes ten seconds). That is too much for CI, so scripts/soak.sh runs it. Status 77: skipped,
# with a line that names what is missing.
set -euo pipefail

gradus=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
version=5.14.2 # of prism-cli
specification=$here/../../../shared/specs/open_inference_rest.yaml # not part of the sources

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

command -v node >/dev/null || skip "no node (Debian: nodejs)"
mkdir -p "$folder"
prism=$folder/node_modules/@stoplight/prism-cli
if ! grep -qs "\"version\": \"$version\"" "$prism/package.json"; then
    command -v npm >/dev/null || skip "no npm (Debian: npm)"
    npm install --prefix "$folder" --no-audit --no-fund --no-save --loglevel error \
        "@stoplight/prism-cli@$version" >/dev/null || skip "npm cannot install prism-cli (no network?)"
fi
[ -f "$specification" ] || specification=
GRADUS=$gradus PRISM=$prism/dist/index.js SPECIFICATION=$specification node "$here/conformance.mjs"
