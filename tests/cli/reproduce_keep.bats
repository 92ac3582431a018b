# SPDX-License-Identifier: Apache-2.0
# gradus reproduce all: what a folder of results keeps, and what is checked before anything runs.
load common

# results NAME SCALE SEEDS: the results of a run that found nothing.
results() {
    echo "{\"experiment\":\"$1\",\"version\":\"0.0.1\",\"scale\":$2,\"seed\":1,\"seeds\":$3,\"tables\":[],\"figures\":[]," \
        '"claims":[],"notes":[]}'
}

# A folder with results of every experiment, without their records.
make_full() {
    mkdir full
    gradus reproduce --list --json | jq -r '.[].name' > names
    while IFS= read -r name; do
        results "$name" 1 0 > "full/$name.json"
    done < names
}

@test "results without a record are used, and a reduced run replaces none of them" {
    make_full
    cp -r full before
    gradus reproduce all -o full > out 2> err
    lacks about err
    jq -e '(.experiments | length) > 40 and all(.experiments[]; .state == "done" and .seeds == 0 and .scale == 1 and
        .build == "gradus 0.0.1" and (.date | test("^20")))' full/summary.json
    cp full/summary.json whole.json
    gradus reproduce all --quick -o full > out 2> err
    lacks about err
    # those that --quick does not list stay as well, in the summary and on the page
    jq -e --slurpfile whole whole.json '.experiments == $whole[0].experiments' full/summary.json
    grep -q "^## cocr-size: " full/page.md
    grep -qE "^([0-9]+) of \1 experiments done" out
    gradus reproduce all --quick --scale 0.1 -o full -q
    while IFS= read -r name; do
        cmp "before/$name.json" "full/$name.json"
    done < names
    gradus reproduce all --time 0s -o full > out
    grep -q "^$(wc -l < names) of $(wc -l < names) experiments done" out
}

@test "results of a smaller run are replaced, also by other seeds" {
    make_full
    results multipartite-figure2 0.001 0 > full/multipartite-figure2.json
    gradus reproduce all --quick --scale 0.001 -o full 2> err
    lacks about err
    gradus reproduce all --quick --scale 0.002 -o full 2> err
    [ "$(grep about err)" = "gradus: multipartite-figure2 (about 1 s on two cores)" ]
    gradus reproduce all --quick --scale 0.002 --seed 2 -o full 2> err
    [ "$(grep -c about err)" = 1 ]
    jq -e '.experiments[] | select(.name == "multipartite-figure2") | .seed == 2 and .seeds == 2' full/summary.json
    jq -e '.scale == 0.002 and .seed == 2 and .seeds == 2' full/multipartite-figure2.json
}

@test "a damaged summary or result is an error, and nothing is overwritten" {
    make_full
    gradus reproduce all -o full -q
    printf '{"experiments": [\n{"name": }]}\n' > full/summary.json
    cp -r full before
    refuses 1 "full/summary.json:2:10: expected" gradus reproduce all -o full -q
    echo '{"date": "2026-01-01"}' > full/summary.json
    refuses 1 "full/summary.json: not a summary of 'gradus reproduce all'" gradus reproduce all -o full -q
    echo '{"experiments": [{"name": "cocr-size", "state": "done"}]}' > full/summary.json
    refuses 1 "full/summary.json: expected a scale" gradus reproduce all -o full -q
    rm full/summary.json
    echo '{"experiment":' > full/cocr-size.json
    refuses 1 "full/cocr-size.json:2:1: expected" gradus reproduce all -o full -q
    results cocr-table1 1 0 > full/cocr-size.json
    refuses 1 "full/cocr-size.json: not the results of this experiment" gradus reproduce all -o full -q
    echo '{"experiment":"cocr-size"}' > full/cocr-size.json
    refuses 1 "full/cocr-size.json: expected a scale" gradus reproduce all -o full -q
    echo '{"experiment":"cocr-size","scale":1,"seed":1}' > full/cocr-size.json # no list of claims
    refuses 1 "full/cocr-size.json: not the results" gradus reproduce all -o full -q
    cp before/cocr-size.json before/summary.json full
    diff -r before full
}

@test "notes and the page's folder are checked before anything runs" {
    mkdir some
    refuses 2 "cannot read 'nowhere.md': No such file" gradus reproduce all -o some -q --notes nowhere.md
    refuses 1 "nowhere" gradus reproduce all -o some -q --page nowhere/page.md
    [ -z "$(ls some)" ]
}
