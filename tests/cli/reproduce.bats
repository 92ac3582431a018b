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

@test "the list shows the data and time that each experiment needs" {
    gradus reproduce --list > out
    grep -qE "^cocr-table1 +[0-9]+ (s|min) +- +ERR of COCR" out
    gradus reproduce --list --json | jq -e 'all(.[]; .takes != "" and .family != "" and .seconds > 0)'
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
    [[ "$output" == *"'text' is not a journal; choose another file"* ]]
    [ "$(cat text)" = "no journal" ]
    small --journal c.jsonl > /dev/null
    run gradus reproduce cocr-table1 --scale 0.02 -q --journal c.jsonl
    [ "$status" -eq 2 ]
    [[ "$output" == *"is the journal of a different run"* ]]
    sed -i '3s/.*/{"key":3}/' c.jsonl
    run small --journal c.jsonl
    [ "$status" -eq 1 ]
    [[ "$output" == *"c.jsonl:3: "* ]]
    run small --journal nowhere/d.jsonl
    [ "$status" -eq 1 ]
}
