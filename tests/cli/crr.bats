# SPDX-License-Identifier: Apache-2.0
# Combined regression and ranking (crr) on the command line.
load common

# train OUTPUT OPTIONS...: a short, quiet training run
train() {
    local output=$1
    shift
    gradus train --train train.txt -o "$output" -q --steps 20000 "$@"
}

@test "both methods learn to rank, and regression fits the labels" {
    make_sets
    chance=$(metric train.txt random ndcg@10)
    train crr.model --method crr > /dev/null
    train svm.model --method ranksvm > /dev/null
    train single.model --method crr --alpha 1 > /dev/null
    train pairs.model --method crr --alpha 0 > /dev/null
    above "$(metric train.txt crr.model ndcg@10)" "$chance"
    above "$(metric train.txt svm.model ndcg@10)" "$chance"
    above "$(metric train.txt pairs.model mse)" "$(metric train.txt single.model mse)"
}

@test "a grid reports its models and keeps one of them" {
    make_sets
    gradus train --method crr --train train.txt --valid valid.txt --steps 5000 --alpha 0,1 \
        --lambda 1e-1,1e-3 --keep last --transform none -o grid.model 2> notes > out
    [ "$(grep -cE '^note: alpha [01], lambda 0\.[01]+: ndcg@10 0\.[0-9]+ on valid$' notes)" -eq 4 ]
    best=$(grep -oE 'ndcg@10 [0-9.]+' notes | sort -k2 -g | tail -1 | cut -d' ' -f2)
    awk -v a="$best" -v b="$(metric valid.txt grid.model ndcg@10)" \
        'BEGIN { exit !(a - b < 1e-5 && b - a < 1e-5) }'
    grep -qE '^fit          alpha [01], lambda 0\.[01]+$' out
    grep -qE '^speed .*, [0-9,]+ steps per second$' out
    fit=$(grep '^fit ' out)
    gradus show grid.model | grep -qxF "$fit"
    gradus train --method crr --train train.txt --valid valid.txt --steps 5000 --alpha 0,1 \
        --lambda 1e-1,1e-3 --keep last --transform none -o again.model -q --json | tail -1 > done
    [ "$(jq -r '"fit          alpha \(.results.alpha), lambda \(.results.lambda)"' done)" = "$fit" ]
    [ "$(jq .steps done)" -eq 20000 ]
    refuses 2 "validation data select one" gradus train --method crr --train train.txt --alpha 0,1 \
        -o none.model
    [ ! -e none.model ]
}

@test "threads, storage and checkpoints change no byte" {
    make_sets
    gradus convert train.txt train.gradus 2> /dev/null
    train one.model --method crr --average --shards 3 --threads 1 > /dev/null
    train two.model --method crr --average --shards 3 --threads 2 > /dev/null
    cmp one.model two.model
    gradus train --method crr --train train.gradus --average --shards 3 --steps 20000 -o three.model \
        -q > /dev/null
    cmp one.model three.model
}

@test "show prints the largest weights" {
    make_sets
    train a.model --method crr > /dev/null
    gradus show a.model > out
    grep -q "^size         1 equation" out
    grep -q "^(intercept)" out
    train h.model --method crr --hash-bits 10 > /dev/null
    gradus show h.model > out
    grep -q "^size         1,024 weights of hashed features" out
    train l.model --method crr --landmarks 30 --kernel gaussian > /dev/null
    gradus show l.model > out
    grep -q "^size         30 support rows" out
}

@test "invalid settings are refused, and leave no model" {
    make_sets
    sed 's/^[0-9]*/1/' train.txt > same.txt
    refuses 1 "no query has rows with different labels" gradus train --method crr --train same.txt \
        -o a.model -q
    refuses 2 "a lambda above 0" gradus train --method crr --lambda 0 --step-rule pegasos \
        --train train.txt -o a.model -q
    refuses 1 "training diverged" gradus train --method crr --no-projection --step-rule constant \
        --step-size 1e6 --train train.txt -o a.model -q
    refuses 2 "'steps' takes a whole number from 1" gradus train --method crr --steps 0 \
        --train train.txt -o a.model -q
    refuses 2 "is not for 'regression'" gradus train --method regression --learner sgd \
        --train train.txt -o a.model -q
    refuses 2 "'kernel' is for kernels with landmarks" gradus train --method crr --kernel polynomial \
        --train train.txt -o a.model -q
    [ ! -e a.model ]
}

@test "a lambda that shrinks everything to 0, and mapped labels, are noted" {
    make_sets
    gradus train --method crr --train train.txt --steps 100 --lambda 1e9 -o a.model 2> notes > /dev/null
    grep -q "^note: lambda 1e+09 is far above the mean squared norm of the rows" notes
    gradus train --method crr --train train.txt --steps 100 --lambda 1 --loss logistic -o a.model \
        2> notes > /dev/null
    ! grep -q "far above" notes
    grep -q "^note: labels from 0 to 4 become targets from 0 to 1 for the logistic loss" notes
    refuses 2 "'lambda' takes a number from 0 to 1e+12" gradus train --method crr --lambda 1e13 \
        --train train.txt -o b.model -q
    [ ! -e b.model ]
}

@test "very different scales are noted" {
    printf '%s\n' "0 qid:1 1:0.5 2:100000 3:1" "1 qid:1 1:1 2:5 3:2" "2 qid:1 1:0.1 2:7 3:1" > far.txt
    gradus train --method crr --train far.txt --transform none --step-rule pegasos --steps 100 \
        -o a.model 2> notes > /dev/null
    grep -q "^note: features have different scales" notes
    gradus train --method crr --train far.txt --transform standardise --step-rule pegasos \
        --steps 100 -o a.model 2> notes > /dev/null
    ! grep -q "scales" notes
}
