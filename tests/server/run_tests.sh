#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the server; status 77 if they cannot run here.
set -u
here=$(dirname "${BASH_SOURCE[0]}")

if ! command -v node >/dev/null; then
    echo "skipped: node is not installed (Debian: nodejs)"
    exit 77
fi
if "$GRADUS" serve /dev/null --listen unix:/nonexistent/socket 2>&1 | grep -q 'built without libmicrohttpd'; then
    echo "skipped: built without libmicrohttpd (Debian: libmicrohttpd-dev)"
    exit 77
fi
exec node "$here/serve.test.mjs"
