#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/web/playground.sh GRADUS FOLDER
#
# Tests the playground of the command GRADUS, served and offline, in a headless browser with Playwright, which npm
# installs into FOLDER. Status 77: skipped, with a line that names what is not installed.
set -euo pipefail

gradus=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=browser.sh
source "$here/browser.sh"

make=$(mktemp -d)
trap 'rm -rf "$make"' EXIT
cd "$make"
"$gradus" serve /dev/null --listen unix:none >said 2>&1 || true
grep -q 'built without libmicrohttpd' said && skip "gradus was built without libmicrohttpd (Debian: libmicrohttpd-dev)"
"$gradus" synth web --queries 40 --seed 5 -q -o web.txt
"$gradus" split web.txt --fractions 50,20,30 -o parts >made
"$gradus" train --method lambdamart --rounds 20 --train parts/train.txt --valid parts/valid.txt -o trees.model -q >made
"$gradus" train --method mcrank --rounds 6 --train parts/train.txt -o grades.model -q >made
"$gradus" report --data parts/test.txt trees.model grades.model feature:110 --playground -o playground.html >made
# Names that would end the script element if they were not escaped, and a missing value.
cat >hostile.csv <<'END'
label,qid,docid,size
1,</script><b>q</b>,</script><script>document.title='caught'</script>,1
0,</script><b>q</b>,<!--<script>,2
2,</script><b>q</b>,"""&amp;",
END
"$gradus" report --data hostile.csv feature:size --playground -o hostile.html >made
printf 'secret\n' >token

PLAYWRIGHT=$folder/node_modules/playwright-core/index.mjs BROWSER=$browser GRADUS=$gradus \
    node "$here/playground.mjs" "$make"
