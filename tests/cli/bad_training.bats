# SPDX-License-Identifier: Apache-2.0
# Training on degenerate data or with wrong options: one clear error line, or a model that scores.
load common

train() {
    gradus train -q "$@"
}

# A set of Q queries of 4 documents, grades 0 to 2, with one informative feature and one of noise.
make_set() {
    awk -v queries="$1" 'BEGIN { for (q = 1; q <= queries; q++) for (d = 0; d < 4; d++)
        printf "%d qid:%d 1:%g 2:%g\n", d % 3, q, d % 3 + (q % 7) / 10, (q * 7 + d * 3) % 5 }'
}

all_methods="lambdamart regression cocr mcrank mcrank-ordinal"

# Every method trains on the file, and the model scores every row.
trains() {
    for method in $all_methods; do
        train --method "$method" --train "$1" -o a.model --rounds 5 "${@:2}" > out 2> err ||
            { echo "$method: $(cat err)"; return 1; }
        [ "$(gradus score a.model "$1" -q | wc -l)" -eq "$(grep -c qid "$1")" ]
    done
}

@test "missing options" {
    make_set 5 > a.txt
    refuses 2 "gradus train needs data: --train FILE" train -o a.model
    refuses 2 "gradus train needs an output file: -o MODEL" train --train a.txt
    refuses 2 "gradus train takes options only, not 'a.txt'" train a.txt -o a.model
    refuses 2 "cannot be written to standard output" train --train a.txt -o -
}

@test "files that do not exist or cannot be written" {
    make_set 5 > a.txt
    refuses 1 "cannot open 'none.txt': no such file or directory" train --train none.txt -o a.model
    refuses 1 "cannot open 'none.txt'" train --train a.txt --valid none.txt -o a.model
    refuses 1 "cannot open 'none.txt'" train --train a.txt --test none.txt -o a.model
    refuses 1 "no such file or directory" train --train a.txt -o none/a.model
    mkdir folder
    refuses 1 "is a directory" train --train a.txt -o folder
    refuses 1 "none.model" train --train a.txt -o a.model --start none.model
    if [ "$(id -u)" -ne 0 ]; then
        mkdir locked && chmod 555 locked
        refuses 1 "permission denied" train --train a.txt -o locked/a.model
    fi
    [ ! -e a.model ]
}

@test "unknown names, with suggestions" {
    make_set 5 > a.txt
    refuses 2 "did you mean 'lambdamart'?" train --train a.txt -o a.model --method lambdamrat
    refuses 2 "ndgc" train --train a.txt -o a.model --metric ndgc@10
    refuses 2 "did you mean" train --train a.txt -o a.model --metric ndgc@10
    refuses 2 "did you mean 'squared'?" train --train a.txt -o a.model --method cocr --cost sqared
    refuses 2 "did you mean 'paper-ltrc'?" train --train a.txt -o a.model --preset paper-ltc
    refuses 2 "did you mean '--leaves'?" train --train a.txt -o a.model --laeves 5
    refuses 2 "'rounds'" train --train a.txt -o a.model --rounds 0
    refuses 2 "'learning-rate'" train --train a.txt -o a.model --learning-rate -1
    refuses 2 "'scoring expected-grade' is not for 'lambdamart'" train --train a.txt -o a.model --scoring expected-grade
    refuses 2 "'cost' is for cocr and pairrank, not 'mcrank'" train --train a.txt -o a.model --method mcrank --cost squared
}

@test "all rows of one grade" {
    make_set 5 | sed 's/^[0-9]*/1/' > one.txt
    train --method regression --train one.txt -o a.model --rounds 5 > out
    [ "$(gradus score a.model one.txt | sort -u | wc -l)" -eq 1 ]
    refuses 1 "no query has rows with different labels" train --train one.txt -o b.model
    for method in cocr mcrank mcrank-ordinal; do
        refuses 1 "grade" train --method $method --train one.txt -o b.model
        [ ! -e b.model ]
    done
}

@test "one query" {
    make_set 1 > one.txt
    trains one.txt --min-rows 1
}

@test "one row" {
    printf '1 qid:1 1:2 2:3\n' > one.txt
    train --method regression --train one.txt -o a.model --rounds 5 > out
    [ "$(gradus score a.model one.txt | wc -l)" -eq 1 ]
    refuses 1 "no query has rows with different labels" train --train one.txt -o b.model
    refuses 1 "grade" train --method mcrank --train one.txt -o b.model
}

@test "features without information" {
    awk '{ $3 = "1:7"; $4 = "2:0"; print }' <(make_set 10) > constant.txt
    trains constant.txt
    gradus show a.model | grep -q "0 of 2 features are used"
}

@test "a feature that is always missing, and NAN here and there" {
    printf 'label,qid,a,b\n' > missing.csv
    awk 'BEGIN { for (q = 1; q <= 10; q++) for (d = 0; d < 4; d++)
        printf "%d,%d,%s,%s\n", d % 3, q, (q + d) % 5 ? d % 3 : "", "" }' >> missing.csv
    for method in $all_methods; do
        train --method $method --train missing.csv -o a.model --rounds 5 --min-rows 1 > out
        [ "$(gradus score a.model missing.csv | grep -cE '^-?[0-9]')" -eq 40 ]
    done
    make_set 10 | sed '3s/1:[^ ]*/1:nan/; 7s/2:[^ ]*/2:nan/' > nan.txt
    trains nan.txt --min-rows 1
}

@test "more leaves than rows" {
    make_set 2 > small.txt
    trains small.txt --leaves 1000 --min-rows 1
    [ "$(gradus show a.model --json | jq '.leaves <= .trees * 8')" = true ]
}

@test "validation and test sets with other features" {
    make_set 5 > a.txt
    sed 's/ 2:[^ ]*//' a.txt > narrow.txt
    sed 's/$/ 3:1/' a.txt > wide.txt
    refuses 2 "narrow.txt has 1 features, a.txt has 2" train --train a.txt --test narrow.txt -o a.model
    refuses 2 "narrow.txt has 1 features, a.txt has 2" train --train a.txt --valid narrow.txt -o a.model
    [ ! -e a.model ]
    train --train a.txt --test narrow.txt --features 2 -o a.model --rounds 2 > out
    gradus train --train a.txt --test wide.txt --valid wide.txt -o a.model --rounds 2 > out 2> err
    grep -qE "^metric +train +valid +test" out
}

@test "a model and data with fewer features, or more" {
    gradus synth web --queries 12 -o web.txt
    train --train web.txt -o web.model --rounds 3 > out
    sed 's/ 136:[^ ]*//' web.txt > narrow.txt
    refuses 2 "136" gradus score web.model narrow.txt
    grep -q 135 err
    refuses 2 "136" gradus eval narrow.txt web.model
    gradus score web.model narrow.txt --features 136 > scores
    sed 's/ #.*//; s/$/ 137:1 138:2/' web.txt > wide.txt
    gradus score web.model wide.txt > wide.scores 2> err
    gradus score web.model web.txt > web.scores
    cmp web.scores wide.scores
    grep -q "^note: the model has 136 features, the data 138: the last 2 are ignored" err
}

@test "weights of zero, and negative ones" {
    make_set 10 > a.txt
    yes 0 | head -40 > zeros
    { yes 0 | head -20; yes 1 | head -20; } > half
    { echo -1; yes 1 | head -39; } > negative
    refuses 1 "expected a finite, non-negative weight, found '-1'" \
        train --train a.txt --row-weights negative -o a.model
    for method in $all_methods; do
        train --method $method --train a.txt --row-weights half -o a.model --rounds 5 > out
        [ "$(gradus score a.model a.txt | grep -cE '^-?[0-9]')" -eq 40 ]
    done
    refuses 1 "weight" train --train a.txt --row-weights zeros -o b.model
    [ ! -e b.model ]
}

@test "labels that are not grades" {
    make_set 10 | sed 's/^1/0.5/' > real.txt
    refuses 1 "0.5" train --method mcrank --train real.txt -o a.model
    train --method regression --metric rmse --train real.txt -o a.model --rounds 5 > out
    grep -qE "^rmse " out
}

@test "a damaged model" {
    make_set 20 > a.txt
    train --train a.txt -o a.model --rounds 5 > out
    size=$(wc -c < a.model)
    for at in 20 60 $((size / 2)) $((size - 5)); do
        cp a.model bad.model
        byte=$(od -An -tu1 -j "$at" -N 1 bad.model)
        printf "\\$(printf %o $(((byte + 1) % 256)))" | dd of=bad.model bs=1 seek="$at" conv=notrunc status=none
        refuses 1 "bad.model" gradus score bad.model a.txt
        refuses 1 "bad.model" gradus show bad.model
        refuses 1 "bad.model" gradus eval a.txt bad.model
    done
    for length in 8 40 $((size / 2)) $((size - 1)); do
        head -c "$length" a.model > cut.model
        refuses 1 "cut.model" gradus show cut.model
    done
    refuses 1 "bad.model" train --train a.txt -o b.model --start bad.model
}

@test "a model in place of data, and data in place of a model" {
    make_set 5 > a.txt
    train --train a.txt -o a.model --rounds 3 > out
    refuses 2 "'a.model' is a model, but a data file is expected here" gradus eval a.model a.txt
    refuses 2 "'a.model' is a model, but a data file is expected here" gradus describe a.model
    refuses 2 "--valid takes data, but 'a.model' is a model" train --train a.txt --valid a.model -o b.model
    refuses 1 "a.txt" gradus show a.txt
    refuses 1 "a.txt" train --train a.txt -o b.model --start a.txt
}

@test "options that apply to models only" {
    make_set 5 > a.txt
    train --train a.txt -o a.model --rounds 3 --min-rows 1 > out
    refuses 2 "--rounds applies to models, and 'feature:1' is not one" gradus score feature:1 a.txt --rounds 2
    refuses 2 "--probabilities applies to models, and 'random' is not one" gradus score random a.txt --probabilities
    refuses 2 "the model has 3 rounds, not 4" gradus score a.model a.txt --rounds 4
    refuses 2 "cannot be scored by 'expected-grade'" gradus score a.model a.txt --scoring expected-grade
    refuses 2 "omit --run-name" gradus score a.model a.txt --probabilities --run-name x
    refuses 2 "lambdamart" gradus score a.model a.txt --probabilities
}

@test "least squares on unsuitable data or methods" {
    make_set 10 > a.txt
    refuses 2 "the learner 'linear' minimises squared error" train --learner linear --train a.txt -o a.model
    refuses 2 "with that loss" train --method regression --loss absolute --learner linear --train a.txt -o a.model
    refuses 2 "initial scores" train --method regression --learner linear --train a.txt \
        --initial feature:1 -o a.model
    printf '0 1:1 10001:2\n1 1:2\n' > wide.txt
    refuses 1 "at most 10000 features" train --method regression --learner linear --train wide.txt -o a.model
    [ ! -e a.model ]
    train --method regression --learner linear --train a.txt -o a.model > out
    refuses 2 "not trained in rounds" train --method regression --learner linear --train a.txt --start a.model \
        -o b.model
}

@test "support vector machines on unsuitable data or methods" {
    make_set 10 > a.txt
    refuses 2 "'bandwidth' must be a number above 0" train --method svor-imc --bandwidth 0 --train a.txt -o a.model
    refuses 2 "'penalty'" train --method svor-imc --penalty 0 --train a.txt -o a.model
    refuses 2 "'penalty'" train --method svor-sl --penalty -2 --train a.txt -o a.model
    refuses 2 "fitted by kernel or linear" train --method svor-exc --learner gbrt --train a.txt -o a.model
    refuses 2 "the learner 'kernel' is not for 'cocr'" train --method cocr --learner kernel --train a.txt -o a.model
    refuses 2 "'kernel' is for the learner 'kernel'" train --method svor-imc --learner linear --kernel linear \
        --train a.txt -o a.model
    printf '1 1:1\n1 1:2\n' > one.txt
    refuses 1 "needs rows of at least 2 grades" train --method svor-imc --train one.txt -o a.model
    [ ! -e a.model ]
    train --method svor-imc --train a.txt -o a.model > out
    refuses 2 "not trained in rounds" train --method svor-imc --train a.txt --start a.model -o b.model
    refuses 2 "svor-imc" gradus score a.model a.txt --probabilities
}

@test "ranksvm takes only some of the settings of crr" {
    make_set 5 > a.txt
    refuses 2 "for 'alpha 0.3' use 'method crr' and 'loss hinge'" train --method ranksvm --alpha 0.3 --train a.txt -o a.model
    refuses 2 "'alpha' takes a number" train --method ranksvm --alpha much --train a.txt -o a.model
    [ ! -e a.model ]
    train --method ranksvm --alpha 0 --train a.txt -o a.model > out
}
