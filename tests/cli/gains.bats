# SPDX-License-Identifier: Apache-2.0
# Gains of labels: --gain, --label-gain, and labels that are not whole numbers.
load common

make_sets() {
    gradus synth mcrank --queries 20 --documents 8 --features 5 -q -o train.txt
    gradus synth mcrank --queries 10 --documents 8 --features 5 --first-query 101 -q -o valid.txt
    # labels 0, 0.5, 1, ..., which are not grades
    for set in train valid; do
        awk '{ $1 = $1 / 2; print }' $set.txt > half_$set.txt
    done
    grep -q '^0.5 ' half_valid.txt
}

@test "lambdamart with a table of exponential gains equals the default" {
    make_sets
    both=(train --train train.txt --valid valid.txt --rounds 20 -q)
    gradus "${both[@]}" -o a.model > a
    gradus "${both[@]}" --label-gain 0,1,3,7,15 -o b.model > b
    gradus "${both[@]}" --gain exp -o c.model > c
    gradus "${both[@]}" --gain linear -o d.model > d
    gradus score a.model valid.txt > a.scores
    cmp a.scores <(gradus score b.model valid.txt)
    cmp a.scores <(gradus score c.model valid.txt)
    [ "$(gradus score d.model valid.txt | cmp - a.scores 2>&1 | wc -l)" -eq 1 ]
    # the recipe and the validation metric use them, too
    gradus show b.model --json | grep -q '"label-gain": "0,1,3,7,15"'
    gradus show d.model --json | grep -q '"convention": "gradus, gain linear"'
    gradus show b.model --json | grep -q '"convention": "gradus, label-gain 0,1,3,7,15"'
    [ "$(gradus show a.model --json | grep -c '"gain": "\|"label-gain"')" -eq 0 ]
}

@test "training and eval use the same gains" {
    make_sets
    for gains in "--gain linear" "--label-gain 0,1,2,10,11"; do
        for method in lambdamart lambdarank listnet regression; do
            # shellcheck disable=SC2086
            gradus train --method $method --train train.txt --valid valid.txt --rounds 5 -q \
                $gains -o m.model > out
            # shellcheck disable=SC2086
            value=$(gradus eval valid.txt m.model --metric ndcg@10 $gains | sed -n 's/^ndcg@10 *//p')
            [ -n "$value" ]
            grep "^ndcg@10 " out | grep -q "${value%% *}"
        done
    done
    # listnet with gains differs from listnet with labels
    gradus train --method listnet --train train.txt --rounds 5 -q -o a.model > out
    gradus train --method listnet --train train.txt --rounds 5 -q --gain exp -o b.model > out
    run cmp <(gradus score a.model valid.txt) <(gradus score b.model valid.txt)
    [ "$status" -eq 1 ]
}

@test "gains that cannot be used are refused" {
    make_sets
    both=(train --train train.txt --valid valid.txt --rounds 5 -q -o m.model)
    refuses 2 "exclude each other" gradus "${both[@]}" --gain exp --label-gain 0,1
    refuses 2 "--label-gain takes the gains" gradus "${both[@]}" --label-gain 0,3,1
    refuses 2 "--label-gain takes the gains" gradus "${both[@]}" --label-gain 0,1,
    refuses 2 "--label-gain takes the gains" gradus "${both[@]}" --label-gain 0,-1
    refuses 2 "--label-gain takes the gains" gradus "${both[@]}" --label-gain 0,0
    refuses 1 "has no gain: --label-gain gives those of the whole numbers from 0 to 1" \
        gradus "${both[@]}" --label-gain 0,1
    refuses 2 "neither 'regression' nor map uses them" \
        gradus "${both[@]}" --method regression --metric map --gain linear
    refuses 2 "neither 'listmle' nor map uses them" \
        gradus "${both[@]}" --method listmle --metric map --label-gain 0,1,3
    refuses 2 "cannot be tuned" gradus tune --train train.txt --valid valid.txt --space 'gain=exp|linear'
    refuses 2 "not to 'map'" gradus tune --train train.txt --valid valid.txt --metric map --gain linear
    gradus "${both[@]}" > out
    refuses 1 "whole numbers from 0 to 1" gradus eval valid.txt m.model --label-gain 0,1
    refuses 2 "exclude each other" gradus eval valid.txt m.model --label-gain 0,1 --gain exp
}

@test "labels that are not whole numbers have linear gains" {
    make_sets
    gradus train --train half_train.txt --valid half_valid.txt --rounds 9 -o m.model > out 2> err
    [ "$(grep -c "gains are linear in ndcg@10" err)" -eq 1 ]
    gradus show m.model --json | grep -q '"convention": "gradus, gain linear"'
    gradus show m.model --json | grep -q '"gain": "linear"'
    gradus eval half_valid.txt m.model > evaluated 2> err
    [ "$(grep -c "gains are linear, and err is left out" err)" -eq 1 ]
    value=$(sed -n 's/^ndcg@10 *\([0-9.]*\).*/\1/p' evaluated)
    grep "^ndcg@10 " out | grep -q "$value"
    # the same as linear gains of whole labels that are twice as large
    gradus train --train train.txt --valid valid.txt --rounds 9 --gain linear -q -o n.model > out
    cmp <(gradus score m.model valid.txt) <(gradus score n.model valid.txt)
    # an explicit option has precedence
    refuses 1 "is not a grade" gradus eval half_valid.txt m.model --convention gradus -q
    refuses 1 "is not a grade" gradus train --train half_train.txt --gain exp -q -o x.model
    gradus train --train half_train.txt --valid half_valid.txt --metric rmse --method regression \
        -o x.model 2> err > out
    [ "$(grep -c linear err)" -eq 0 ]
}

@test "all methods that support such labels accept them" {
    make_sets
    for method in lambdamart lambdarank ranknet listnet listmle rankboost coordinate-ascent \
        adarank-map adarank-ndcg ranksvm crr regression netreg; do
        gradus train --method $method --train half_train.txt --valid half_valid.txt --rounds 3 -q \
            -o m.model > out
    done
    gradus tune --method all --train half_train.txt --valid half_valid.txt --budget 1 \
        --space 'rounds=3' --json > out 2> err
    grep -q "left out: .*cocr.*mcrank" err
    [ "$(grep "left out" err | grep -c lambdamart)" -eq 0 ]
    [ "$(grep -c "'all' leaves out 'calibrated'" err)" -eq 1 ]
    [ "$(grep -c '"method": "calibrated"' out)" -eq 0 ]
    [ "$(grep -c "gains are linear in ndcg@10" err)" -eq 1 ]
    [ "$(grep '"event": "place"' out | grep -c '"failed"')" -eq 0 ]
    [ "$(grep -c '"event": "place"' out)" -ge 12 ]
    grep '"event": "done"' out | grep -q '"convention": "gradus, gain linear"'
}

@test "tune evaluates and trains with the given gains" {
    make_sets
    gradus tune --method lambdamart,regression --train train.txt --valid valid.txt --test valid.txt \
        --label-gain 0,1,2,10,11 --budget 1 --space 'rounds=5' -q --json -o m.model > out
    grep '"event": "done"' out | grep -q '"convention": "gradus, label-gain 0,1,2,10,11"'
    value=$(grep '"rank": 1' out | sed -n 's/.*"event": "place".*"test": \([0-9.]*\).*/\1/p')
    gradus eval valid.txt m.model --metric ndcg@10 --label-gain 0,1,2,10,11 --json |
        grep -q "${value:0:12}"
}

@test "eval takes the discounts of ranks" {
    printf '2 qid:1 1:3\n0 qid:1 1:2\n1 qid:1 1:1\n' > three.txt
    printf '3\n2\n1\n' > three.scores
    gradus eval three.txt three.scores --metric dcg --rank-discounts 1,.5,.25 > out
    grep -q 'rank-discounts 1,.5,.25' out
    grep -q '3\.25' out
    refuses 2 "exclude each other" gradus eval three.txt three.scores --discount log2 --rank-discounts 1
    refuses 2 "rank-discounts takes" gradus eval three.txt three.scores --rank-discounts 1,2
    refuses 2 "--rank-discounts takes a list, not ''" gradus eval three.txt three.scores --rank-discounts ""
    refuses 2 "--label-gain takes a list, not ''" gradus eval three.txt three.scores --label-gain=
}
