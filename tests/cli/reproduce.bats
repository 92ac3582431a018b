# SPDX-License-Identifier: Apache-2.0
# Experiments of the papers: output, resuming, and errors.
load common

small() {
    gradus reproduce cocr-table1 --scale 0.01 -q "$@"
}

# A folder of five parts in the layout of LETOR.
make_letor() {
    mkdir -p data/mq2008
    for part in 1 2 3 4 5; do
        gradus synth mcrank --queries 6 --documents 12 --first-query $((part * 10)) -o data/mq2008/S$part.txt
    done
}

@test "an experiment prints results beside the paper's, and whether its claims are confirmed" {
    small > out
    grep -q "^cocr-table1: ERR of COCR's costs, linear regression" out
    grep -qE "^LTRC1 +direct +0.4470" out
    grep -qE "^synth web +direct +0\.[0-9]{4} +0\.[0-9]{4}" out
    grep -q "^inconclusive: COCR with the oerr cost" out # a trial run
    grep -q "^A trial run at scale 0.01, .*every verdict is" out
    grep -q "^Rule: the paper's data, folds and queries: values agree within 0.005\.$" out
}

@test "data sets that the paper lacks are shown without comparison" {
    make_letor
    small --data data --json | jq -e '.tables[0].cells | map(select(.row == "MQ2008")) | length == 4'
    small --data data --json | jq -e 'all(.tables[0].cells[] | select(.row == "MQ2008"); .paper == null and .verdict == "" and .ours > 0)'
    # fold folders of the same parts give the same numbers
    mkdir -p folds/mq2008
    for fold in 1 2 3 4 5; do
        mkdir folds/mq2008/Fold$fold
        part() { echo data/mq2008/S$((($1 - 1) % 5 + 1)).txt; }
        cat "$(part $fold)" "$(part $((fold + 1)))" "$(part $((fold + 2)))" > folds/mq2008/Fold$fold/train.txt
        cp "$(part $((fold + 3)))" folds/mq2008/Fold$fold/vali.txt
        cp "$(part $((fold + 4)))" folds/mq2008/Fold$fold/test.txt
    done
    small --data data --json > parts.json
    small --data folds --json --journal other.jsonl > folds.json
    cmp parts.json folds.json
}

@test "data sets of the paper are compared with its numbers" {
    mkdir -p data/ltrc1 data/mslr-web10k/Fold1
    gradus synth web --queries 12 -q -o data/ltrc1/set1.train.txt
    gradus synth web --queries 6 --first-query 101 -q -o data/ltrc1/set1.valid.txt
    gradus synth web --queries 6 --first-query 201 -q -o data/ltrc1/set1.test.txt
    for part in train:train valid:vali test:test; do
        cp data/ltrc1/set1.${part%:*}.txt data/mslr-web10k/Fold1/${part#*:}.txt
    done
    for fold in 2 3 4 5; do cp -r data/mslr-web10k/Fold1 data/mslr-web10k/Fold$fold; done
    small --data data --json > out
    for row in LTRC1 MS10K; do
        jq -e --arg row $row '[.tables[0].cells[] | select(.row == $row)] |
            length == 4 and all(.[]; .ours > 0 and .paper > 0 and .verdict == "inconclusive")' out
    done
    jq -e '.tables[0] | .rule == "same data" and .tolerance == 0.005' out
    small --data data | grep -q "^0 of 8 values agree with the paper, 0 better, 0 differ, 8 inconclusive$"
    gradus reproduce --list | grep -q "ltrc1 ltrc2 mslr-web10k .* by cocr-table1 "
}

@test "the same results on any number of threads, and from the journal" {
    small --threads 1 --journal one.jsonl --json > one
    small --threads 3 --journal three.jsonl --json > three
    cmp one three
    before=$(wc -l < one.jsonl)
    small --journal one.jsonl --json > again
    cmp one again
    [ "$(wc -l < one.jsonl)" = "$before" ]
}

@test "killed at any moment, it resumes and loses only what was running" {
    gradus reproduce cocr-table5 --scale 0.02 -q --journal whole.jsonl --json > whole
    for stop in KILL:0.02 INT:0.05 KILL:0.1 INT:0.2; do
        # background jobs of a shell ignore SIGINT
        env --default-signal=INT "$GRADUS" reproduce cocr-table5 --scale 0.02 -q \
            --journal part.jsonl --json > part &
        sleep ${stop#*:}
        kill -s ${stop%:*} $! && wait $! || true
    done
    # as if killed while writing; before the header it would not be a journal
    [ ! -s part.jsonl ] || printf '{"key":"half of a li' >> part.jsonl
    gradus reproduce cocr-table5 --scale 0.02 -q --journal part.jsonl --json > part
    cmp whole part
    jq -s 'length' part.jsonl > /dev/null
}

@test "interrupted, it prints how to resume" {
    "$GRADUS" reproduce cocr-table7 --scale 0.1 --journal a.jsonl > out 2> err &
    running=$!
    for _ in $(seq 100); do
        [ -s a.jsonl ] && break
        sleep 0.1
    done
    sleep 0.2
    kill -TERM $running
    status=0
    wait $running || status=$?
    [ "$status" -eq 143 ]
    grep -q "finished work is saved in 'a.jsonl'" err
    [ ! -s out ]
}

@test "a figure is drawn" {
    gradus reproduce cocr-figure2 --scale 0.01 -q --svg figure.svg > out
    grep -q "<svg" figure.svg
    [ "$(grep -c "<path" figure.svg)" = 4 ]
    ! grep -q nan figure.svg
}

@test "a journal with values of fewer queries for one method is refused" {
    gradus reproduce cocr-figure2 --scale 0.001 -q --journal whole > /dev/null
    sed '/^{"key":"COCR/s/"same trees":\[[^,]*,/"same trees":[/' whole > short
    differ whole short
    refuses 1 "values of 'same trees' for 'direct regression' and" \
        gradus reproduce cocr-figure2 --scale 0.001 -q --journal short
}

@test "COCR by size, noise and sampling, and with all rounds of boosted trees" {
    gradus reproduce cocr-size --scale 0.01 -q --json > one
    jq -e '(.tables[0].cells | length == 12) and (.claims | length == 2)' one
    # other noise, other values
    jq -e '[.tables[1].cells[] | select(.column == "direct") | .ours] | unique | length == 8' one
    gradus reproduce cocr-sampling --scale 0.05 -q --json --journal two.jsonl > two
    jq -e '.tables[1].cells[0] | .ours > 0 and .error > 0' two
    gradus reproduce cocr-table8 --scale 0.001 -q --json > three
    jq -e '(.tables | length == 2) and (.claims | length == 4)' three
    gradus reproduce cocr-table4 --scale 0.01 -q --json | jq -e '.claims | length == 2'
    gradus reproduce cocr-figure1 --scale 0.01 -q --json | jq -e '.claims | length == 2'
}

@test "McRank's settings and grade fractions run scaled down" {
    gradus reproduce mcrank-settings --scale 0.01 -q --json --journal m.jsonl > one
    jq -e '(.tables[0].cells | length == 10) and (.claims | length == 3)' one
    gradus reproduce mcrank-fractions --scale 0.004 -q --json --journal f.jsonl > two
    jq -e '(.tables[0].cells | length == 8 and ([.[].ours] | unique | length == 8)) and (.tables[1].cells | length == 4) and (.claims | length == 2)' two
    jq -e '.tables[1] | .rule == "none" and .cells[2].paper == 82.9' two
}

@test "CRR's tables run scaled down, on substitutes and on given data" {
    for name in crr-table1 crr-table3 crr-figure1; do
        gradus reproduce $name --scale 0.001 -q --journal crr.jsonl --json > one
        jq -e '.tables[0].cells | length > 8 and all(.[]; .ours >= 0)' one
        jq -e '.claims | length > 1' one
        lines=$(wc -l < crr.jsonl)
        gradus reproduce $name --scale 0.001 -q --journal crr.jsonl --json | cmp - one
        [ "$(wc -l < crr.jsonl)" = "$lines" ] # CRR's experiments share a journal
    done
    gradus reproduce crr-table1 --scale 0.001 -q --journal crr.jsonl | grep -q "generated texts"
    make_letor
    gradus reproduce crr-table2 --scale 0.001 -q --data data --json > two
    jq -e '.tables | length == 2 and all(.[].cells[]; .ours >= 0)' two
    jq -e '.tables[0].cells | map(select(.row == "MQ2008, CRR" and .column == "MAP")) | .[0].paper == 0.479' two
    run gradus reproduce crr-table2 --scale 0.001 -q --data nowhere
    [ "$status" -eq 1 ]
    [[ "$output" == *"nowhere/mq2008"* ]]
}

@test "the simulation is counted once, and theory is no published value" {
    for name in simulation figure1; do
        gradus reproduce multipartite-$name --scale 0.05 -q --journal m.jsonl --json > $name
    done
    jq -e 'all(.tables[].cells[]; .verdict == "" and .paper == null) and (.claims | length == 0)' figure1
    jq -e '(.figures | length == 4) and (.tables[0].cells | any(.column == "PAIRRANK, theory"))' figure1
    jq -e '(.claims | length == 3) and (.figures | length == 0)' simulation
    jq -e '.tables[0] | .rule == "none" and any(.cells[]; .paper == -2.06) and all(.cells[]; .verdict == "")' simulation
    jq -e 'all(.tables[1].cells[]; .paper == null)' simulation
}

@test "the list shows the data and time that each experiment needs" {
    gradus reproduce --list > out
    grep -qE "^cocr-table1 +[0-9]+ (s|min) +- +ERR of COCR" out
    gradus reproduce --list --json | jq -e 'all(.[]; .takes != "" and .family != "" and .seconds > 0)'
}

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

@test "errors" {
    run gradus reproduce cocr-table99
    [ "$status" -eq 2 ]
    [[ "$output" == *"unknown experiment 'cocr-table99'; did you mean 'cocr-table"* ]]
    run gradus reproduce
    [ "$status" -eq 2 ]
    run small --svg figure.svg
    [ "$status" -eq 2 ]
    [ ! -e figure.svg ]
    mkdir -p data/mq2008
    echo "1 qid:1 1:2" > data/mq2008/S1.txt
    run small --data data --journal b.jsonl
    [ "$status" -eq 1 ]
    [[ "$output" == *"no 'data/mq2008/S2.txt'"* ]]
    echo "no journal" > text
    run small --journal text
    [ "$status" -eq 1 ]
    [[ "$output" == *"text:1: "* ]]
    [ "$(cat text)" = "no journal" ]
    small --journal c.jsonl > /dev/null
    run gradus reproduce cocr-table1 --scale 0.02 -q --journal c.jsonl
    [ "$status" -eq 2 ]
    [[ "$output" == *"is the journal of other work"* ]]
    sed -i '3s/.*/{"key":3}/' c.jsonl
    run small --journal c.jsonl
    [ "$status" -eq 1 ]
    [[ "$output" == *"c.jsonl:3: "* ]]
    run small --journal nowhere/d.jsonl
    [ "$status" -eq 1 ]
}

@test "calibrated AdaBoost.MH: scaled down, with and without data" {
    mkdir -p data/mq2008
    for part in 1 2 3 4 5; do
        gradus synth mcrank --queries 6 --documents 12 --grade-fractions 60,25,15 --first-query $((part * 10)) \
            -o data/mq2008/S$part.txt
    done
    gradus reproduce calibrated-table2 --scale 0.01 -q --data data > out
    grep -qE "^MQ2008, mean NDCG +AdaBoost.MH, trees +0\.[0-9]{4} +0\.[0-9]{4} +0.4843" out
    grep -q "^inconclusive: ensembles of calibrated models" out
    # compared in letor-baselines and calibrated-paper: one published value, one of gradus
    grep -q "^Together: 5 beside published values without a verdict" out
    gradus reproduce calibrated-paper --scale 0.01 -q --data data --json > one
    jq -e '.tables[0].cells | length == 8 and all(.[]; .ours > 0) and ([.[] | select(.paper)] | length == 3)' one
    jq -e '[.tables[0].cells[] | .verdict] | map(select(. == "inconclusive")) | length == 3' one
    gradus reproduce calibrated-paper --scale 0.01 -q --data data --json --threads 1 --journal other.jsonl | cmp - one
    gradus reproduce calibrated-contest --scale 0.01 -q --data data --json > one
    jq -e '(.tables[1].cells | length == 15) and (.figures[0].series | length == 8) and (.claims | length == 4)' one
    gradus reproduce calibrated-grid --scale 0.01 -q --data data --json | jq -e '.tables[0].cells | length == 3'
    gradus reproduce calibrated-overfit --scale 0.01 -q --data data --json > one
    jq -e '(.tables[0].cells | length == 18 and all(.[]; .ours > 0)) and (.figures | length == 2) and (.claims | length == 1)' one
    rm other.jsonl
    gradus reproduce calibrated-figure2 --scale 0.01 -q --data data --json |
        jq -e '.figures[0].series | length == 5'
    gradus reproduce calibrated-figure3 --scale 0.01 -q --data data > out
    grep -q "Welch's t-test" out
    gradus reproduce calibrated-losses --scale 0.01 -q --data data > out
    grep -qE "^standard +[0-9.]+ +[0-9.]+ +[0-9.]+" out
    gradus reproduce calibrated-choice --scale 0.01 -q --data data --journal choice.jsonl > out
    grep -qE "^MQ2008, mean NDCG( +0\.[0-9]{4}){5}$" out
    grep -qE "^MQ2008, mean NDCG: training and validation parts( +0\.[0-9]{4}){4}$" out
    gradus reproduce calibrated-choice --scale 0.01 -q --data data --journal choice.jsonl --threads 1 | diff out -
    gradus reproduce calibrated-choice-paper --scale 0.01 -q --data data --journal choice.jsonl --json |
        jq -e '.tables[0].cells | length == 5'
    sed 's/"seen":\[[^,]*,/"seen":[/' choice.jsonl > other.jsonl
    refuses 1 "a different set of choices" gradus reproduce calibrated-choice --scale 0.01 -q --data data --journal other.jsonl
    refuses 1 "ohsumed" gradus reproduce calibrated-figure3 -q --data nowhere --journal nowhere.jsonl
}
