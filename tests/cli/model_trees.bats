# SPDX-License-Identifier: Apache-2.0
# Model trees and bagged model trees on the command line: train, show, score, identical bytes.
load common

# One feature with a step and slopes, one of noise: 4 documents per query.
make_steps() {
    awk -v queries="${1:-60}" 'BEGIN { for (q = 1; q <= queries; q++) for (d = 0; d < 4; d++) {
        x = (q * 7 + d * 31) % 101 / 10; z = (q * 13 + d * 5) % 17
        y = x > 5 ? 2 + (x > 8) : (x > 2.5)
        printf "%d qid:%d 1:%g 2:%g\n", y, q, x, z } }'
}

# tree OUTPUT OPTIONS...
tree() {
    local output=$1
    shift
    with_default --method regression "$@"
    gradus train --learner m5p --train train.txt -o "$output" -q "${words[@]}"
}

bag() {
    local output=$1
    shift
    with_default --rounds 6 "$@"
    gradus train --learner bagged-m5p --method cocr --cost oerr --train train.txt -o "$output" -q \
        "${words[@]}"
}

@test "a model tree is trained, shown and scored" {
    make_steps > train.txt
    tree a.model --unpruned > out
    grep -q "^size         1 tree, 4 leaves$" out
    gradus show a.model | grep -q "^recipe       gradus train --method regression --train TRAIN --learner m5p --unpruned \\\\$"
    gradus show a.model --tree 1 > shown
    grep -q "^x1 <= 2.55  (240 rows, gain 174.7)$" shown
    grep -q "^└─ no   x1 <= 5.1  (175 rows" shown
    grep -q "      └─ no   LM4  (46 rows)$" shown
    [ "$(grep -cE "^LM[1-4] = 0\.[0-9]+\*x1 [+-] [0-9.]+$" shown)" -eq 4 ]
    [ "$(gradus score a.model train.txt | wc -l)" -eq 240 ]
}

# Scores by following the tree and the equation of its leaf, from the JSON.
@test "scores match the tree as shown" {
    make_steps > train.txt
    tree a.model --unpruned > /dev/null
    gradus show a.model --tree 1 --json | jq -c .tree > tree.json
    gradus score a.model train.txt | head -40 > scores
    head -40 train.txt | awk '{ print "[0," substr($3, 3) "," substr($4, 3) "]" }' > rows
    jq --slurpfile tree tree.json '. as $row | 0 | until($tree[0][.] | has("terms");
            $tree[0][.] as $node | if $row[$node.feature] < $node.threshold then $node.left else $node.right end) |
        $tree[0][.] | .intercept + ([.terms[] | .factor * $row[.feature]] | add // 0)' rows > worked
    [ "$(wc -l < worked)" -eq 40 ]
    paste scores worked | awk '{ d = $1 - $2 } d * d > 1e-10 { print; exit 1 }'
}

@test "a linear model is one leaf, the regression tree many" {
    awk 'BEGIN { for (q = 1; q <= 40; q++) for (d = 0; d < 3; d++)
        printf "%g qid:%d 1:%d 2:%d\n", 20 + 2 * ((q + 5 * d) % 23) - ((q * 3 + d) % 11), q, (q + 5 * d) % 23, (q * 3 + d) % 11 }' > train.txt
    tree line.model --metric rmse > out
    grep -q "^size         1 tree, 1 leaf$" out
    gradus show line.model --tree 1 | grep -q "^LM1 = 2\*x1 - 1\*x2 + 20$"
    tree means.model --metric rmse --regression-tree > out
    lacks "1 leaf$" out
    gradus show means.model --tree 1 | grep -qE "^LM1 = -?[0-9.]+$"
    lacks "x" <(gradus show means.model --tree 1 | grep "^LM")
}

@test "variants differ as they should" {
    make_sets
    tree pruned.model > /dev/null
    tree unpruned.model --unpruned > /dev/null
    tree rough.model --unpruned --unsmoothed > /dev/null
    tree large.model --unpruned --min-leaf 100 > /dev/null
    leaves() { gradus show "$1" --json | jq .leaves; }
    [ "$(leaves unpruned.model)" -gt "$(leaves pruned.model)" ]
    [ "$(leaves unpruned.model)" -gt "$(leaves large.model)" ]
    [ "$(leaves unpruned.model)" -eq "$(leaves rough.model)" ]
    # without smoothing and pruning a leaf is the mean of its rows
    gradus show rough.model --tree 1 --json | jq -e '[.tree[] | select(has("terms")) | .terms | length] | max == 0'
    gradus show unpruned.model --tree 1 --json | jq -e '[.tree[] | select(has("terms")) | .terms | length] | max > 0'
}

@test "the same bytes on 1, 2, 3 and 8 threads" {
    make_sets
    for kind in "tree x.model" "tree x.model --unpruned" "tree x.model --split-search binned" \
        "tree x.model --method cocr --cost squared" "bag x.model" "bag x.model --bag queries --bag-fraction 0.4"; do
        # shellcheck disable=SC2086
        $kind --threads 1 > /dev/null
        mv x.model 1.model
        for threads in 2 3 8; do
            # shellcheck disable=SC2086
            $kind --threads $threads > /dev/null
            cmp 1.model x.model || { echo "$kind $threads"; return 1; }
        done
    done
}

@test "bins of single values give the splits of values" {
    make_steps > train.txt
    tree exact.model --split-search exact --unpruned > /dev/null
    tree binned.model --split-search binned --unpruned > /dev/null
    gradus show exact.model --tree 1 | sed -n '2,/^$/s/ (.*//p' > a
    gradus show binned.model --tree 1 | sed -n '2,/^$/s/ (.*//p' > b
    [ "$(grep -c '<=' a)" -eq 3 ]
    [ "$(grep -o 'x[12] <=' a)" = "$(grep -o 'x[12] <=' b)" ]
    make_sets
    gradus synth mcrank --queries 2500 -o large.gradus
    gradus train --learner m5p --method regression --train large.gradus -o large.model --valid valid.txt \
        --json -q > out
    gradus train --learner m5p --method regression --train large.gradus -o same.model --valid valid.txt \
        --split-search binned -q > /dev/null
    gradus score large.model valid.txt > a
    gradus score same.model valid.txt > b
    cmp a b # above 100,000 rows bins are the default
}

@test "missing values count as the mean of their feature" {
    make_steps > whole.txt
    mean=$(awk 'NR > 10 { split($3, a, ":"); s += a[2]; n++ } END { printf "%.9g", s / n }' whole.txt)
    sed '1,10s/1:[^ ]*/1:nan/' whole.txt > train.txt
    tree a.model > /dev/null
    sed "1,10s/1:[^ ]*/1:$mean/" whole.txt > train.txt
    tree b.model > /dev/null
    gradus score a.model train.txt > a
    gradus score b.model train.txt > b
    paste a b | awk '{ d = $1 - $2 } d * d > 1e-8 { print; exit 1 }'
    sed '1,10s/1:[^ ]*/1:nan/' whole.txt > missing.txt
    gradus score a.model missing.txt > c
    paste a c | awk '{ d = $1 - $2 } d * d > 1e-8 { print; exit 1 }'
}

@test "a weight of n counts as n rows" {
    make_steps 40 > rows.txt
    awk '{ print NR % 3 }' rows.txt > weights
    awk '{ for (i = 0; i < NR % 3; i++) print }' rows.txt > train.txt
    tree repeated.model > /dev/null
    cp rows.txt train.txt
    tree weighted.model --row-weights weights > /dev/null
    gradus score repeated.model rows.txt > a
    gradus score weighted.model rows.txt > b
    paste a b | awk '{ d = $1 - $2 } d * d > 1e-18 { print; exit 1 }'
    tree plain.model > /dev/null
    gradus score plain.model rows.txt > c
    differ a c
}

@test "costs in another unit give the same trees" {
    make_sets
    printf '0 1 4 9 16\n1 0 1 4 9\n4 1 0 1 4\n9 4 1 0 1\n16 9 4 1 0\n' > squares
    awk '{ for (i = 1; i <= NF; i++) printf "%g ", 64 * $i; print "" }' squares > larger
    for cost in squared squares larger; do
        tree $cost.model --method cocr --cost $cost > /dev/null
        gradus score $cost.model valid.txt > $cost.scores
    done
    cmp squared.scores squares.scores
    cmp squared.scores larger.scores
}

@test "bags average trees, and the first rounds are those of a shorter bagging" {
    make_sets
    bag six.model > /dev/null
    bag two.model --rounds 2 > /dev/null
    gradus score six.model valid.txt --rounds 2 > a
    gradus score two.model valid.txt > b
    cmp a b
    bag more.model --rounds 4 --start two.model > /dev/null
    gradus score six.model valid.txt > a
    gradus score more.model valid.txt > b
    cmp a b
    bag queries.model --bag queries > /dev/null
    differ six.model queries.model
    bag seed.model --seed 5 > /dev/null
    differ six.model seed.model
    gradus show six.model --json | jq -e '.trees == 24 and .rounds == 6 and .probabilities'
}

@test "one training run gives the curve by round" {
    make_sets
    bag a.model --valid valid.txt --metric err --patience 0 --keep last --json > events
    jq -se '[.[] | select(.event == "round") | .valid] | length == 6' events
    for round in 1 4 6; do
        gradus score a.model valid.txt --rounds $round -o scores
        value=$(gradus eval valid.txt scores --metric err --json -q | jq .[0].metrics.err)
        jq -se --argjson value "$value" --argjson round $round \
            '.[] | select(.event == "round" and .round == $round) | .valid - $value | fabs < 1e-12' events
    done
    gradus show a.model --json | jq -e '[.curve[].round] == [1, 2, 3, 4, 5, 6]'
}

@test "sparse rows give the trees of dense ones" {
    # features 1 and 2 are nearly always given, 30 others rarely
    awk 'BEGIN { for (q = 1; q <= 50; q++) for (d = 0; d < 5; d++) {
        x = (q * 7 + d * 31) % 101 / 10; z = (q * 13 + d * 5) % 17 - 8
        printf "%d qid:%d 1:%g 2:%g %d:%d\n", (x > 5) + (z > 0), q, x, z, 3 + (q * 3 + d) % 30, 1 + d } }' > train.txt
    for storage in dense sparse; do
        tree $storage.model --unpruned --storage $storage > /dev/null
        gradus score $storage.model train.txt > $storage.scores
        bag bagged.model --storage $storage > /dev/null
        gradus score bagged.model train.txt > $storage.bagged
    done
    cmp dense.scores sparse.scores
    cmp dense.bagged sparse.bagged
    [ "$(sort -u dense.scores | wc -l)" -gt 20 ]
    gradus train --learner m5p --method regression --train train.txt --storage sparse --split-search binned \
        -o x.model 2>&1 > /dev/null | grep -q "^note: .split-search binned. needs dense rows"
}

@test "many sparse features need little memory" {
    awk 'BEGIN { for (r = 0; r < 4000; r++) {
        printf "%d qid:%d", r % 3 == 0, r / 10
        for (i = 1; i <= 5; i++) printf " %d:%d", i * 200000 - (r * i * 31) % 1000, 1 + r % 3 == 1
        print "" } }' > wide.txt
    gradus train --learner m5p --method regression --train wide.txt -o a.model --json -q > events
    # dense rows would take 16 GB
    tail -1 events | jq -e '.peak_bytes < 300000000'
    [ "$(gradus score a.model wide.txt | wc -l)" -eq 4000 ]
}
