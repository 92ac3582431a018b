# SPDX-License-Identifier: Apache-2.0
# reproduce all, and the claims of the papers by a folder of results.
load common

@test "the claims of the papers, with their status by a folder of results" {
    gradus reproduce --claims > out
    grep -q "^crr-both: not run$" out
    grep -q "^mcrank-web: cannot be tested here$" out
    grep -q "^  because the web data are proprietary$" out
    grep -qE "^0 confirmed, 0 not confirmed, 0 inconclusive, [0-9]+ not run, [0-9]+ not tested, [0-9]+ cannot" out
    gradus reproduce --claims --json > list
    jq -e '([.[].paper] | unique | length == 6) and all(.[]; .id != "" and .claim != "")' list
    # the names of experiments, and every check occurs in a source file
    gradus reproduce --list --json | jq -r '.[].name' | sort > names
    jq -r '.[].experiment | split(" ")[]' list | sort -u | comm -23 - names > unknown
    [ ! -s unknown ]
    mkdir results
    gradus reproduce cocr-figure2 --scale 0.01 -q --json -o results/cocr-figure2.json
    gradus reproduce --claims --results results > out
    gradus reproduce crr-table1 --scale 0.001 -q --json -o results/crr-table1.json
    gradus reproduce --claims --results results > out
    grep -qE "^cocr-bagging-(rounds|trees): inconclusive$" out # a trial run
    grep -qE "^crr-rare: inconclusive \([0-9] of 3 checks\)$" out
    sed 's/"scale":0.01/"scale":1/; s/"held":true/"held":false/g; s/"verdict":"inconclusive"/"verdict":"not confirmed"/g' results/cocr-figure2.json > a
    mv a results/cocr-figure2.json
    gradus reproduce --claims --results results --json > out
    jq -e '.[] | select(.id == "cocr-bagging-rounds") | .status == "not confirmed" and .checks == 1 and (.found | test("^above at"))' out
    jq -e '.[] | select(.id == "cocr-linear-err") | .status == "not run"' out
    sed -i 's/"experiment":"cocr-figure2"/"experiment":"cocr-table1"/' results/cocr-figure2.json
    refuses 1 "results/cocr-figure2.json: not the results of 'cocr-figure2'" gradus reproduce --claims --results results
    refuses 1 "no folder 'nowhere'" gradus reproduce --claims --results nowhere
    refuses 2 "takes no experiment" gradus reproduce --claims cocr-figure2
    refuses 2 "an option of --claims" gradus reproduce cocr-figure2 --results results
}

@test "every check of a claim occurs in the experiments" {
    # strings of C code, joined over lines; those composed of parts are tested above
    cat "$SOURCE"/experiments/papers/*.c | tr '\n' ' ' | sed 's/" *"//g; s/%%/%/g' > strings
    cut -f4 "$SOURCE"/experiments/claims/*.tsv | sed 's/ | /\n/g' | grep -vE '^(check|#.*)?$|with the same|CRR has a lower|PROPODDS with' > checks
    [ "$(wc -l < checks)" -gt 25 ]
    while IFS= read -r check; do
        grep -qF "$check" strings || echo "no check: $check"
    done < checks > missing
    cat missing
    [ ! -s missing ]
}

@test "all: in order of cost, within a time, resumed, with a page and a summary" {
    printf '## opening\n\nThe first words.\n\n## multipartite-figure2\n\nWhy it differs.\n' > notes.md
    gradus reproduce all --quick --scale 0.001 --time 0s -o some -q # no time at all
    jq -e 'all(.experiments[]; .state == "not run" or .state == "no data")' some/summary.json
    gradus reproduce all --quick --scale 0.001 -o some --notes notes.md > out 2> err
    grep "about" err | head -1 | grep -q "multipartite-figure2 (about 1 s"
    grep -q "^crr-table2: no data: needs mq2008 in --data$" out
    jq -e '.experiments | map(select(.state == "done")) | length > 5 and
        all(.[]; .seeds == 2 and .scale == 0.001 and (.build | test("^gradus ")) and (.date | test("^20"))
                 and (.command | test("^gradus reproduce [a-z]+-[a-z]+[0-9]* --scale 0.001 --seeds 2$")))' some/summary.json
    jq -e '.experiments[] | select(.name == "crr-table2") | .state == "no data"' some/summary.json
    jq -e '(.claims | length > 50) and any(.claims[]; .status == "inconclusive")' some/summary.json
    # the page: opening, comments, and for each experiment its build, command, date and figures
    [ "$(sed -n 3p some/page.md)" = "The first words." ]
    grep -q "^Why it differs\.$" some/page.md
    grep -qE "^Run: 20.*, by gradus .*, .gradus reproduce cocr-table1 --scale 0.001 --seeds 2." some/page.md
    grep -q "^!\[.*\](cocr-figure2.svg)$" some/page.md
    grep -q "<svg" some/cocr-figure2.svg
    grep -q "crr-table2 |  |  |  |  |  |  |  |  | no data: needs mq2008" some/page.md
    # a second call runs nothing; one without a result runs it again
    gradus reproduce all --quick --scale 0.001 -o some --page page.md 2> err
    ! grep -q "about" err
    grep -q "](some/cocr-figure2.svg)$" page.md
    # drawings are made from results if they are missing
    mv some/cocr-figure2.svg before.svg
    gradus reproduce all --quick --scale 0.001 -o some -q
    cmp before.svg some/cocr-figure2.svg
    rm some/cocr-table1.json
    gradus reproduce all --quick --scale 0.001 -o some 2> err
    [ "$(grep -c about err)" = 1 ]
    # results with other seeds stay until there is time for others
    gradus reproduce all --quick --scale 0.001 --seeds 3 --time 0s -o some -q
    jq -e '.experiments[] | select(.name == "cocr-table1") | .state == "done" and .seeds == 2' some/summary.json
    grep -qE "^Run: 20.*, .gradus reproduce cocr-table1 --scale 0.001 --seeds 2." some/page.md
    gradus reproduce all --quick --scale 0.001 --seeds 3 --time 1s -o some -q
    jq -e '.experiments[] | select(.name == "multipartite-figure2") | .state == "done" and .seeds == 3' some/summary.json
    refuses 2 "such as 90s" gradus reproduce all --time 9
    refuses 2 "options of 'all'" gradus reproduce cocr-table1 --quick
    refuses 2 "omit --journal" gradus reproduce all --journal a.jsonl
}
