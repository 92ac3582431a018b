# SPDX-License-Identifier: Apache-2.0
# gradus report: one page from models, data and JSON files. tests/web tests the page in a browser.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$GRADUS" synth mcrank --queries 30 -o train.txt -q
    "$GRADUS" synth mcrank --queries 20 --seed 2 -o test.txt -q
    "$GRADUS" train --method lambdamart --train train.txt --valid test.txt -o a.model -q --rounds 5 > out
    "$GRADUS" train --method mcrank --train train.txt -o b.model -q --rounds 5 > out
    "$GRADUS" report a.model -o - 2>&1 > out | grep "built without Chart.js" > no-charts || rm no-charts
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR"/*.txt "$BATS_FILE_TMPDIR"/*.model .
}

needs_charts() {
    [ ! -e "$BATS_FILE_TMPDIR/no-charts" ] || skip "$(cat "$BATS_FILE_TMPDIR/no-charts")"
}

# Prints the JSON of a page.
data_of() {
    sed -n 's|.*<script type="application/json" id="data">\(.*\)</script>$|\1|p' "$1"
}

@test "a page is self-contained, and its numbers are those of eval and compare" {
    needs_charts
    gradus report --data test.txt a.model b.model random -o report.html --title 'A & B'
    [ "$(grep -c '<html' report.html)" -eq 1 ]
    lacks '<link[^>]*href="[^d]' report.html
    lacks '<script[^>]*src=' report.html
    grep -q "Chart.js Contributors" report.html
    grep -q "Permission is hereby granted" report.html
    data_of report.html > data.json
    jq -e '.title == "A & B" and (.models | length == 2) and (.sets | length == 1)' data.json
    jq -r .command data.json > command
    [ "$(cat command)" = "gradus report --data test.txt a.model b.model random -o report.html --title 'A & B'" ]
    gradus eval test.txt a.model b.model random --json > eval.json
    jq -e --slurpfile e eval.json '.sets[0] as $s | ($s.systems | map(.means[0].mean)) == ($e[0] | map(.metrics["ndcg@10"]))' data.json
    jq -e '.sets[0].systems[0] | .means[0].mean == .by_depth[9].mean and (.by_depth | length == 20) and .means[0].low < .means[0].mean' data.json
    gradus compare test.txt a.model b.model random --metric ndcg@10 --json > compare.json
    jq -e --slurpfile c compare.json '[.sets[0].contrasts[0][] | .difference, .p, .p_holm, .wins] == [$c[0].sets[0].contrasts[] | .difference, .p, .p_holm, .wins]' data.json
    gradus eval test.txt b.model --calibration --json > calibration.json
    jq -e --slurpfile c calibration.json '.sets[0].reliability | .[0] == null and .[2] == null and .[1].brier == $c[0][0].brier' data.json
    gradus show a.model --json > show.json
    jq -e --slurpfile s show.json '.models[0] | .method == "lambdamart" and (.curve | length) == ($s[0].curve | length) and .best_round == $s[0].best_round' data.json
}

@test "ranks of documents, worked by hand" {
    needs_charts
    make_small
    printf '%s\n' 5 4 3 3 1 1 2 3 4 5 0 0 > up.scores
    gradus report --data small.txt feature:1 up.scores -o report.html
    data_of report.html > data.json
    # of query 1: d1, d3, d4, d5, d2 by feature 1; d1, d2, then d3 and d4 tied, d5 by the file
    jq -e '.sets[0].opened["1"] | .of == 5 and ([.documents[] | {(.[0]): [.[1], .[2], .[4]]}] | add) ==
        {"d1": [2, 1, 1], "d2": [0, 5, 2], "d3": [1, 2, -3], "d4": [0, 3, -3], "d5": [0, 4, 5]}' data.json
    jq -e '.sets[0].query_names == ["1", "2", "3"] and .sets[0].query_values[0][0][2] == null' data.json
}

@test "the same page twice, and on any number of threads" {
    needs_charts
    gradus report --data test.txt a.model random -o one.html --threads 1
    gradus report --data test.txt a.model random -o one.html.2 --threads 3
    data_of one.html | jq 'del(.command)' > one.json
    data_of one.html.2 | jq 'del(.command)' > two.json
    cmp one.json two.json
}

@test "several sets, other metrics and conventions, lower is better" {
    needs_charts
    gradus report --data train.txt,test.txt b.model random --metric err@5,push -o r.html
    data_of r.html > data.json
    jq -e '[.sets[].data] == ["train.txt", "test.txt"]' data.json
    jq -e '.sets[0].metrics | length == 2 and (map(.lower_is_better) == [false, true])' data.json
    gradus report --data test.txt a.model --convention letor4 -o r.html
    data_of r.html | jq -e '.sets[0].convention == "letor4" and .sets[0].contrasts == []'
}

@test "many queries are thinned, few are kept completely" {
    needs_charts
    awk 'BEGIN { for (q = 1; q <= 4100; q++) printf "1 qid:%d 1:%d\n0 qid:%d 1:2\n", q, q % 5, q }' > many.txt
    gradus report --data many.txt feature:1 random -o r.html
    data_of r.html > data.json
    jq -e '.sets[0] | .queries == 4100 and (.query_names | length) >= 1360 and (.query_names | length) < 1500' data.json
    jq -e '.sets[0] | (.query_names | length) == (.query_values[0][1] | length) and (.opened | length) <= 96' data.json
    [ "$(stat -c %s r.html)" -lt 3000000 ]
}

@test "a truncated journal; values by query are left out" {
    needs_charts
    gradus report "$SOURCE/tests/web/tune.jsonl" "$SOURCE/tests/web/reproduction.json" -o runs.html
    data_of runs.html > /dev/null # of several lines
    sed -n '/id="data">/,/<\/script>$/p' runs.html | sed 's/.*id="data">//; s/<\/script>$//' > data.json
    jq -e '.runs[0].cut and (.runs[0].values | length == 9) and .runs[0].values[1].value.values == null' data.json
    jq -e '.runs[0].values[1].value.valid == 0.41 and (.runs[1].cut | not)' data.json
}

@test "the explained model is in the page, as gradus export writes it" {
    needs_charts
    gradus report --data train.txt,test.txt random a.model -o r.html
    gradus export a.model --format javascript --name gradus_model_1 -o a.js > out
    sed -n '/^\/\* A ranking model/,/^<\/script>/p' r.html | sed '$d' | head -c "$(stat -c %s a.js)" | cmp - a.js
    [ "$(grep -c '^var gradus_model_' r.html)" -eq 1 ]
    data_of r.html > data.json
    jq -e '.sets[1] | .reasons_model == {variable: "gradus_model_1"} and (.reasons | length > 0)' data.json
    jq -e 'all(.sets[1].reasons[].inputs; length == 3 and all(.[]; length > 10) and (map(length) | unique | length == 1))' data.json
}

@test "a model that JavaScript cannot hold, or a large one, is not in the page" {
    needs_charts
    gradus train --train train.txt --transform query --rounds 3 -o query.model -q > out
    gradus train --train train.txt --rounds 700 --leaves 31 --min-rows 1 -o large.model -q > out
    for model in query large; do
        gradus report --data test.txt $model.model -o r.html
        lacks '^var gradus_model_' r.html
        data_of r.html > $model.json
        jq -e '(.sets[0].reasons | length > 0) and all(.sets[0].reasons[]; has("inputs") | not)' $model.json
    done
    jq -e '.sets[0].reasons_model.missing | test("depends on the other documents of the query$")' query.json
    jq -e '.sets[0].reasons_model.missing | test("too large for the page \\([0-9]+ KiB as JavaScript, at most 512\\)$")' large.json
}

@test "queries without a value are not an error" {
    needs_charts
    printf '0 qid:1 1:1 2:1\n0 qid:1 1:2 2:1\n0 qid:2 1:3 2:2\n' > none.txt
    gradus report --data none.txt feature:1 feature:2 -o r.html
    data_of r.html | jq -e '.sets[0] | .systems[0].means[0].mean == null and .contrasts[0] == [] and .opened == {}'
    printf '1 qid:1 1:1 2:1\n0 qid:1 1:2 2:1\n' > one.txt
    gradus report --data one.txt feature:1 feature:2 -o r.html
    data_of r.html | jq -e '.sets[0] | .systems[0].means[0].low == null and .contrasts[0][0].p == null'
}

@test "names cannot end the script element" {
    needs_charts
    printf '1 qid:</script> 1:1 # docid = <!--\n0 qid:</script> 1:2\n' > evil.txt
    gradus report --data evil.txt feature:1 random -o r.html
    [ "$(grep -c '</script>' r.html)" -eq "$(grep -c '</script>$' r.html)" ]
    data_of r.html | jq -e '.sets[0].query_names == ["</script>"]'
}

@test "errors" {
    needs_charts
    refuses 2 "gradus report needs models" gradus report
    refuses 2 "--data needs models or scores to evaluate on 'test.txt'" gradus report --data test.txt
    refuses 2 "no such file: 'none.model'" gradus report none.model
    refuses 2 "'feature:1' is not a model and needs data" gradus report feature:1
    refuses 1 "cannot open 'none.txt'" gradus report --data none.txt a.model
    refuses 1 "none.scores" gradus report --data test.txt none.scores
    refuses 2 "--data needs the name of a file" gradus report --data , a.model
    refuses 2 "unknown metric" gradus report --data test.txt a.model --metric nix
    refuses 2 "at most 8 models and scores" gradus report --data test.txt random random random random random random random random random
    printf '{"a": 1}\n{"a": nix}\n{"a": 2}\n' > bad.jsonl
    refuses 1 "bad.jsonl:2: expected JSON" gradus report bad.jsonl
    for value in 01 1. .5 +1 1e - nan truth '"a\u12"' '"\x"' "'a'" '[1,]' '{"b"}' '{b:1}' '[1 2]' '"	"'; do
        printf '%s' "{\"a\": $value}" > bad.json
        refuses 1 "bad.json:1: expected JSON" gradus report bad.json
    done
    printf '{"a": [-0.5e+10, 1E-3, 0, "\\u00e9\\n", {}, [], null, true, false]}' > good.json
    gradus report good.json -o good.html
    rm good.html
    printf '{"a": 1}\n{"a": 2} nix' > bad.json
    refuses 1 "bad.json:2: expected JSON" gradus report bad.json
    printf '%0100d' 0 | tr 0 '[' > deep.json
    refuses 1 "deep.json:1: expected JSON" gradus report deep.json
    printf '{"a": ' > bad.json
    refuses 1 "bad.json:1: expected JSON" gradus report bad.json
    [ ! -e report.html ]
}

@test "a model with other features" {
    needs_charts
    make_small
    refuses 2 "a.model on small.txt: the model has 50 features, the data 2" gradus report --data small.txt a.model
}

@test "a damaged model" {
    needs_charts
    head -c 2000 a.model > cut.model
    refuses 1 "cut.model" gradus report cut.model
}

@test "an output that cannot be written" {
    needs_charts
    refuses 1 "none/report.html" gradus report a.model -o none/report.html
    gradus report a.model -o - > page
    cmp <(sed 's/ -o -//' page) <(gradus report a.model -o - | sed 's/ -o -//')
}

@test "without Chart.js the error names the package to install" {
    [ -n "${WITHOUT_CHARTS-}" ] || skip "WITHOUT_CHARTS names no command"
    refuses 1 "apt-get install libjs-chart.js" "$WITHOUT_CHARTS" report a.model
    "$WITHOUT_CHARTS" show a.model > out
}
