# SPDX-License-Identifier: Apache-2.0
# Experiments of the papers, scaled down: their tables, claims and figures.
load common

# A folder of five parts in the layout of LETOR.
make_letor() {
    mkdir -p data/mq2008
    for part in 1 2 3 4 5; do
        gradus synth mcrank --queries 6 --documents 12 --first-query $((part * 10)) -o data/mq2008/S$part.txt
    done
}

@test "COCR by size and noise" {
    # twelve trainings of up to 2,000 rounds take a minute with sanitizers
    nm "$GRADUS" 2> /dev/null | grep -q -E "__(asan|tsan|gcov)_" && skip "an instrumented program"
    gradus reproduce cocr-size --scale 0.01 -q --json > one
    jq -e '(.tables[0].cells | length == 12) and (.claims | length == 2)' one
    # other noise, other values
    jq -e '[.tables[1].cells[] | select(.column == "direct") | .ours] | unique | length == 8' one
}

@test "COCR by sampling, and with all rounds of boosted trees" {
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
    jq -e '(.tables[0].cells | length == 9 and ([.[].ours] | unique | length == 9)) and (.tables[1].cells | length == 4) and (.claims | length == 2)' two
    jq -e '.tables[1] | .rule == "none" and .cells[2].paper == 82.9' two
}

@test "CRR's tables run scaled down, on substitutes and on given data" {
    for name in crr-table1 crr-table3 crr-figure1 crr-balanced crr-passes; do
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
    jq -e '.tables[0].cells | length == 11 and all(.[]; .ours > 0) and ([.[] | select(.paper)] | length == 3)' one
    jq -e '.tables[0].cells | .[3].column == "ensemble CPC, the first seed" and .[3].ours == .[0].ours' one
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
