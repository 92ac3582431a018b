#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds a browser, and installs Playwright into $folder. Sourced by the tests of pages; ends them with status 77 if
# something is missing.
# shellcheck disable=SC2034,SC2154 # variables of the script that sources this file
version=1.56.1 # of playwright-core: any node from 18 on, any Chromium of these years

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "no browser (Debian: chromium)"
command -v node >/dev/null || skip "no node (Debian: nodejs)"
mkdir -p "$folder"
exec 9>"$folder/lock" # tests run at the same time
flock 9
if ! grep -qs "\"version\": \"$version\"" "$folder/node_modules/playwright-core/package.json"; then
    command -v npm >/dev/null || skip "no npm (Debian: npm)"
    npm install --prefix "$folder" --no-audit --no-fund --no-save --loglevel error \
        "playwright-core@$version" >/dev/null || skip "npm cannot install playwright-core (no network?)"
fi
exec 9>&-
