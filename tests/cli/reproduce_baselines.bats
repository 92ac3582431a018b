# SPDX-License-Identifier: Apache-2.0
# The experiments of LETOR's baselines and of McRank, scaled down.
load common

make_letor() {
    mkdir -p data/ohsumed
    for part in 1 2 3 4 5; do
        gradus synth mcrank --queries 5 --documents 10 --features 5 --first-query $((part * 10)) \
            -o data/ohsumed/S$part.txt
    done
}

@test "the table of baselines has every trained method, and only the given set" {
    make_letor
    gradus reproduce letor-baselines --scale 0.001 --data data -q --json > out
    jq -e '.tables | length == 1' out
    jq -r '.tables[0].cells[].row' out > rows
    for method in $(gradus help methods | awk '/^  [a-z]/ { print $1 }'); do
        case $method in
            regression | cocr | lambdamart | mcrank* | propodds | orboost | pairrank | svor-* | crr | ranksvm | \
                ranknet | lambdarank | listnet | listmle | netreg | adaboost-mh | rankboost | adarank-* | coordinate-ascent)
                grep -q "^$method" rows || { echo "$method is not in the table"; return 1; } ;;
        esac
    done
    # one is the best, and all others are compared with it
    jq -e '[.tables[0].cells[] | select(.column == "best")] | length == 1 and .[0].p == null' out
    jq -e 'all(.tables[0].cells[] | select(.column != "best"); .p > 0 and .p <= 1)' out
    jq -e '[.tables[0].cells[].ours] | max == ([$cells[0].tables[0].cells[] | select(.column == "best").ours] | .[0])' \
        --slurpfile cells out out
    jq -e '.tables[0].cells[] | select(.row == "listnet") | .paper == 0.441' out
    jq -e '.claims | length == 2 and (.[0].claim | test("AdaRank and ListNet rank better than CRR on OHSUMED"))' out
}

@test "without data the error names what is needed" {
    mkdir empty
    run gradus reproduce letor-baselines -q --data empty
    [ "$status" -eq 1 ]
    [[ "$output" == *"'empty/ohsumed/"* ]]
}

@test "McRank's table has three sizes, and the paper's numbers beside the largest" {
    gradus reproduce mcrank-table1 --scale 0.002 -q --json > out
    jq -e '[.tables[0].cells[].row] | unique | length == 3' out
    jq -e '[.tables[0].cells[] | select(.paper != null)] | length == 4 and all(.row == "64 queries")' out
    jq -e '(.claims | length == 3) and (.notes | length == 3)' out
    # the figure reuses its trials
    lines=$(wc -l < mcrank.jsonl)
    gradus reproduce mcrank-figure1 --scale 0.002 -q --svg figure.svg > text
    [ "$(wc -l < mcrank.jsonl)" = "$lines" ]
    grep -q "^inconclusive: the order of Table 1" text
    grep -q "<svg" figure.svg
}

@test "finer bins are more bins, and both rules have curves" {
    gradus reproduce mcrank-figure3 --scale 0.005 -q --json > out
    jq -e '[.tables[0].cells[] | select(.column != "NDCG@10").ours] | . == sort and .[-1] == 100' out
    jq -e '.figures | length == 3 and (.[2].series | length == 4)' out
    jq -e 'all(.figures[2].series[]; .y | length == 5)' out
}
