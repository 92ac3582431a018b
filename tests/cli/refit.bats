# SPDX-License-Identifier: Apache-2.0
# The data and number of rounds with which `gradus tune -o` trains the best settings again.
load common

# The number of rounds of a model.
rounds_of() {
    gradus show "$1" --json | grep -o '"rounds": [0-9]*' | head -1 | cut -d ' ' -f 2
}

@test "after folds in folders the model is trained on every query once" {
    gradus synth mcrank --queries 20 --documents 8 --features 5 -q -o all.txt
    gradus split all.txt --letor -q -o letor
    mkdir parts
    cp letor/S?.txt parts
    for from in letor parts letor/Fold1,letor/Fold2; do
        gradus tune --method regression --fold-dirs "$from" --budget 2 -q --json \
            --space 'rounds=20, leaves=4..8' -o m.model > out
        grep '"event": "done"' out | grep -q '"trained_on_queries": 20'
        gradus show m.model | grep -q "160 rows"
        # rounds: the mean of the folds, without early stopping
        found=$(jq -r 'select(.event == "place") | .rounds' out)
        [ "$(rounds_of m.model)" -eq "$(awk -v r="$found" 'BEGIN { print int(r + 0.5) }')" ]
    done
    gradus tune --method regression --fold-dirs letor --budget 1 --space 'rounds=3, patience=0' \
        -o m.model -q | grep -q "trained on 20 queries for [1-3] rounds\? (mean of the folds)"
}

# Two folds of 12 queries of 4 rows: the first has 8 queries, the second 7 and a half.
join_two() {
    sed -n '1,16p' "$1" > a.txt
    sed -n '17,32p' "$1" > b.txt
    sed -n '33,48p' "$1" > c.txt
    mkdir -p one two
    cp a.txt one/train.txt && cp b.txt one/vali.txt && cp b.txt one/test.txt
    cat <(sed -n '3,16p' a.txt) c.txt > two/train.txt
    cp b.txt two/vali.txt && cp b.txt two/test.txt
    gradus tune --method regression --fold-dirs one,two --budget 1 --space 'rounds=2' -q \
        -o m.model > out
    grep -q "trained on 12 queries" out
    # rows that occur twice in a fold still do
    gradus show m.model | grep -q "64 rows"
    # the same rows in one file give the same model
    cat a.txt b.txt b.txt c.txt > joined.txt
    gradus train --method regression --train joined.txt --rounds "$(rounds_of m.model)" -q \
        --min-rows 20 -o n.model
    cmp <(gradus score m.model joined.txt) <(gradus score n.model joined.txt)
}

@test "folds that have only some rows in common are joined" {
    gradus synth mcrank --queries 12 --documents 4 --features 3 -q -o all.txt
    join_two all.txt
    awk '{ sub(/3:/, "3000:"); print $0 " # docid = d" NR }' all.txt > sparse.txt
    join_two sparse.txt
}

@test "one folder is like --train, --valid and --test" {
    gradus synth mcrank --queries 20 --documents 8 --features 5 -q -o all.txt
    gradus split all.txt --letor -q -o letor
    fold=letor/Fold1
    sets=(--train $fold/train.txt --valid $fold/vali.txt --test $fold/test.txt)
    for refit in train all; do
        common=(tune --method regression --budget 2 --space 'rounds=9, leaves=4..8' -q
            --refit $refit)
        gradus "${common[@]}" --fold-dirs $fold -o a.model | sed 's/a.model//' > a
        gradus "${common[@]}" "${sets[@]}" -o b.model | sed 's/b.model//' > b
        diff <(sed 's/ [0-9.]*$//' a) <(sed 's/ [0-9.]*$//' b)
        cmp a.model b.model
    done
    grep -q "trained on 16 queries" a
}
