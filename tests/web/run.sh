#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/web/run.sh GRADUS FOLDER
#
# Writes reports with the command GRADUS and tests them in a headless browser with Playwright, which npm
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
"$gradus" synth web --queries 60 --seed 5 -q -o web.txt
"$gradus" split web.txt --fractions 50,20,30 -o parts >made
for method in lambdamart cocr; do
    "$gradus" train --method $method --rounds 30 --train parts/train.txt --valid parts/valid.txt \
        -o $method.model -q >made
done
"$gradus" eval parts/test.txt lambdamart.model cocr.model feature:110 --json >eval.json
if ! "$gradus" report --data parts/test.txt lambdamart.model cocr.model feature:110 -o report.html 2>said; then
    grep -q "built without Chart.js" said && skip "gradus was built without Chart.js (Debian: libjs-chart.js)"
    cat said
    exit 1
fi
"$gradus" report lambdamart.model -o model.html
"$gradus" report --data parts/test.txt lambdamart.model -o alone.html
"$gradus" report --data web.txt lambdamart.model random -o star.html
"$gradus" train --rounds 3 --transform query --train parts/train.txt -o query.model -q >made
"$gradus" report --data parts/test.txt query.model -o query.html

# Names that would end the script element if they were not escaped.
cat >hostile.txt <<'END'
1 qid:</script><b>q</b> 1:1 # docid = </script><script>document.title='caught'</script>
0 qid:</script><b>q</b> 1:2 # docid = <!--<script>
1 qid:2 1:2 # docid = "&amp;
0 qid:2 1:1 # docid = b
END
printf '%s\n' 1 0 1 0 >a.scores
printf '%s\n' 0 1 1 0 >b.scores
"$gradus" report --data hostile.txt a.scores b.scores --title '</script><i>title</i>' -o hostile.html
printf '0 qid:1 1:1\n0 qid:1 1:2\n' >none.txt
printf '1 qid:1 1:1 2:1\n0 qid:1 1:2 2:1\n' >one.txt
"$gradus" report --data none.txt,one.txt feature:1 random -o few.html
three=(lambdamart.model cocr.model feature:110)
"$gradus" compare parts/test.txt "${three[@]}" + parts/valid.txt "${three[@]}" --metric ndcg@10 \
    --combine fisher --json >compare.json
"$gradus" compare parts/test.txt lambdamart.model cocr.model --metric rmse --json >rmse.json
"$gradus" report compare.json rmse.json -o compare.html
cp "$here"/*.jsonl "$here/reproduction.json" .
"$gradus" report events.jsonl -o events.html
"$gradus" auto --train parts/train.txt --test parts/test.txt --methods regression,rankboost --folds 3 \
    --budget 3 -o auto.model --report auto.html -q >made
for number in {1..12}; do
    printf '{"key":"m%d | method=m%d leaves=%d | fold 1","value":{"valid":0.%d,"rounds":3,"seconds":1}}\n' \
        "$number" "$number" "$number" $((10 + number))
done >many.jsonl
"$gradus" report many.jsonl -o many.html
"$gradus" report tune.jsonl reproduction.json eval.json -o runs.html

PLAYWRIGHT=$folder/node_modules/playwright-core/index.mjs BROWSER=$browser GRADUS=$gradus \
    node "$here/report.mjs" "$make"
