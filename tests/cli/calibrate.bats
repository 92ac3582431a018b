# SPDX-License-Identifier: Apache-2.0
# AdaBoost.MH, calibration and ensembles on the command line.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$GRADUS" synth mcrank --queries 12 --documents 20 --features 8 --seed 1 -o train.txt
    "$GRADUS" synth mcrank --queries 8 --documents 20 --features 8 --seed 1 --first-query 100 -o other.txt
    "$GRADUS" train -q --method adaboost-mh --train train.txt --leaves 6 --rounds 8 -o tree.model > out
    "$GRADUS" train -q --method adaboost-mh --train train.txt --base product --terms 3 --rounds 8 \
        -o product.model > out
    "$GRADUS" train -q --method lambdamart --train train.txt --rounds 8 -o lambda.model > out
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_FILE_TMPDIR" || exit 1
}

@test "probabilities sum to one, and a truncated model equals one of fewer rounds" {
    gradus score tree.model other.txt --probabilities -o p
    awk '/^#/ { next } { s = 0; for (i = 1; i <= NF; i++) { if ($i < 0) exit 1; s += $i }
        if (s < 0.999999 || s > 1.000001) exit 1 }' p
    gradus score tree.model other.txt --rounds 3 -o prefix
    gradus train -q --method adaboost-mh --train train.txt --leaves 6 --rounds 3 -o short.model > out
    gradus score short.model other.txt -o whole
    cmp prefix whole
}

@test "resuming from a checkpoint gives the same model" {
    gradus train -q --method adaboost-mh --train train.txt --leaves 6 --rounds 8 --threads 3 -o again.model > out
    cmp tree.model again.model
    gradus train -q --method adaboost-mh --train train.txt --leaves 6 --rounds 3 -o first.model > out
    gradus train -q --method adaboost-mh --train train.txt --leaves 6 --rounds 5 --start first.model \
        -o second.model > out
    gradus score tree.model other.txt -o a
    gradus score second.model other.txt -o b
    cmp a b
}

@test "votes are shown, round by round" {
    gradus show tree.model --tree 2 > shown
    head -1 shown | grep -qF "tree 2 of 8: round 2; votes on 5 grades"
    [ "$(grep -cE "= ([+-]1 ?){5}$" shown)" -eq 6 ]
    gradus show product.model --tree 1 > shown
    head -1 shown | grep -qF "product 1 of 8: round 1; votes on 5 grades, negated below an odd number of thresholds"
    [ "$(grep -cE "= ([+-]1 ?){5}$" shown)" -eq 1 ]
    gradus show tree.model --tree 1 --json | jq -e '[.tree[] | select(.votes)] | length == 6'
    refuses 2 "trees 1 to 8" gradus show tree.model --tree 9
    gradus ensemble tree.model product.model --valid other.txt -o e.model
    refuses 2 "it is an ensemble" gradus show e.model --tree 1
    gradus show e.model | grep -q "16 voting trees and products"
}

@test "options that cannot be combined" {
    refuses 2 "'real-leaves' is for 'base tree'" gradus train -q --method adaboost-mh --base product \
        --real-leaves --train train.txt -o x.model
    refuses 2 "not for" gradus train -q --method adaboost-mh --learning-rate 0.5 --train train.txt -o x.model
    refuses 2 "'terms' is for" gradus train -q --method lambdamart --terms 3 --train train.txt -o x.model
    refuses 2 "'leaves' is for 'base tree', not for 'product'" gradus train -q --method adaboost-mh \
        --base product --leaves 4 --train train.txt -o x.model
    refuses 2 "'terms' is for 'base product', not for 'tree'" gradus train -q --method adaboost-mh \
        --terms 4 --train train.txt -o x.model
    refuses 2 "'terms' is for 'base product', not for 'stump'" gradus train -q --method adaboost-mh \
        --base stump --terms 4 --train train.txt -o x.model
    refuses 2 "'leaves' of at least 2" gradus train -q --method adaboost-mh --leaves 1 --train train.txt -o x.model
}

@test "every calibration gives a model that scores, and can be read back" {
    for how in ls ewls el ell sn platt isotonic beta temperature linear polynomial ordinal network \
        gaussian-process; do
        gradus calibrate tree.model other.txt --how $how --points 20 -o c.model > out 2> err ||
            { echo "$how: $(cat err)"; return 1; }
        [ "$(gradus score c.model other.txt | wc -l)" -eq 160 ]
        gradus show c.model | grep -qF "calibrated   by $how"
    done
    for how in platt isotonic ordinal; do
        gradus calibrate lambda.model other.txt --how $how -o c.model
        [ "$(gradus score c.model other.txt --probabilities | grep -vc '#')" -eq 160 ]
    done
}

@test "log loss is lower after calibration, on the data it was fitted on" {
    gradus calibrate tree.model other.txt --how ls -o ls.model
    gradus eval other.txt tree.model ls.model --calibration --svg r.svg > table
    awk '/^log loss/ { l[++n] = $3 } END { exit !(n == 2 && l[2] < l[1]) }' table
    grep -q "^Brier score" table
    grep -q "<svg" r.svg
    gradus eval other.txt ls.model --calibration --json | grep -q '"calibration_error"'
}

@test "calibrations that are refused" {
    refuses 2 "gives a score" gradus calibrate lambda.model other.txt --how beta -o c.model
    refuses 2 "gives a score" gradus calibrate lambda.model other.txt --how ls -o c.model
    sed 's/^[0-9]/9/' other.txt > nine.txt
    refuses 2 "not one of the model's grades" gradus calibrate tree.model nine.txt -o c.model
    refuses 2 "needs a model, data and an output file" gradus calibrate tree.model other.txt
    grep -v '^4' other.txt > four.txt
    gradus calibrate tree.model four.txt --how ls -o c.model 2> err
    gradus score c.model other.txt > scores
    gradus calibrate tree.model other.txt --how platt -o c.model
    refuses 2 "calibrated with all rounds" gradus score c.model other.txt --rounds 2
    refuses 2 "gives a score" gradus eval other.txt lambda.model --calibration
}

@test "rankings are combined query by query" {
    printf '1 qid:1 1:3 2:1\n0 qid:1 1:2 2:3\n0 qid:1 1:1 2:2\n0 qid:2 1:1 2:1\n' > small.txt
    # members that rank by one feature each: linear functions of it
    sed 's/^[0-9]* \(qid:[12]\) 1:\([0-9]\)/\2 \1 1:\2/' small.txt > first.txt
    awk '{ split($4, v, ":"); $1 = v[2]; print }' small.txt > second.txt
    for member in first second; do
        gradus train -q --method regression --learner linear --train $member.txt --metric rmse \
            -o $member.model > out
    done
    gradus ensemble first.model second.model --way borda -o borda.model
    # ranks 1 2 3 by the first and 3 1 2 by the second: (1 + 0) / 2, (.5 + 1) / 2, (0 + .5) / 2
    gradus score borda.model small.txt > scores
    printf '0.5\n0.75\n0.25\n0.5\n' | cmp - scores
    gradus ensemble first.model second.model --way reciprocal-rank --rank-constant 0 -o rrf.model
    gradus score rrf.model small.txt | awk '{ want[1] = (1 + 1 / 3) / 2; want[2] = 3 / 4
        want[3] = 5 / 12; want[4] = 1; d = $1 - want[NR]; if (d > 1e-12 || d < -1e-12) exit 1 }'
    gradus show borda.model | grep -qF "ensemble     of 2 models"
    refuses 2 "combined with all rounds" gradus score borda.model small.txt --rounds 1
}

@test "combined rankings do not depend on threads or blocks" {
    gradus ensemble tree.model product.model lambda.model --way reciprocal-rank -o rrf.model
    gradus score rrf.model train.txt --threads 1 > one
    gradus score rrf.model train.txt --threads 3 > three
    cmp one three
    grep 'qid:5 ' train.txt > five.txt
    gradus score rrf.model five.txt > alone
    grep -n 'qid:5 ' train.txt | cut -d: -f1 | while read -r line; do sed -n "${line}p" one; done | cmp - alone
}

@test "ensembles" {
    gradus ensemble tree.model product.model --valid other.txt -o e.model
    gradus score e.model other.txt --probabilities > p
    gradus show e.model | grep -qF "ensemble     of 2 models"
    gradus ensemble tree.model product.model --valid other.txt --rates 1e300 -o big.model
    gradus score big.model other.txt > scores
    gradus show big.model | grep -qF "ensemble     of 1 model"
    # a member with constant scores has no weight
    sed 's/ 1:.*//; s/$/ 1:1 8:1/' train.txt > level.txt
    gradus train -q --method regression --learner linear --train level.txt -o level.model > out 2>&1
    gradus ensemble lambda.model level.model --valid other.txt -o e.model 2> err
    grep -q "1 of 2 members has weight 0 and is left out" err
    for way in mean stacking stacking-nonnegative; do
        gradus ensemble tree.model lambda.model --way $way --valid other.txt -o e.model
        [ "$(gradus score e.model other.txt | wc -l)" -eq 160 ]
    done
    gradus ensemble tree.model tree.model --way mean -o same.model
    gradus score same.model other.txt --probabilities > a
    gradus score tree.model other.txt --probabilities > b
    paste a b | awk '/#/ { next } { for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2)
        if (d < -1e-12 || d > 1e-12) exit 1 } }'
    gradus synth mcrank --queries 5 --features 5 --seed 1 -o narrow.txt
    gradus train -q --method adaboost-mh --train narrow.txt --rounds 2 -o narrow.model > out
    refuses 2 "must be trained on the same features" gradus ensemble tree.model narrow.model \
        --valid other.txt -o e.model
    refuses 2 "this ensemble needs validation data: --valid FILE" gradus ensemble tree.model product.model -o e.model
}
