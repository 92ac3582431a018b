# SPDX-License-Identifier: Apache-2.0
# Neural nets, RankBoost, AdaRank, coordinate ascent and exact RankSVM: training, show, errors.
load common

make_sets() {
    gradus synth mcrank --queries 30 --documents 15 --features 6 --seed 1 -o train.txt
    gradus synth mcrank --queries 20 --documents 15 --features 6 --seed 2 -o valid.txt
}

# train METHOD OPTIONS...
train() {
    local method=$1
    shift
    gradus train --method "$method" --train train.txt --valid valid.txt -o "$method.model" -q "$@"
}

metric() {
    gradus eval train.txt "$1" --metric ndcg@10 --json -q | jq '.[0].metrics["ndcg@10"]'
}

@test "all of them learn to rank, and can be shown" {
    make_sets
    chance=$(metric random)
    for method in ranknet lambdarank listnet listmle netreg; do
        train $method --rounds 30 --net-rate 0.02 --hidden 10 > out
        gradus show $method.model > shown
        grep -q "^size         neural net with 81 weights, 10 units" shown || { cat shown; return 1; }
        grep -q "^feature *size .*paths" shown
        gradus show $method.model --json | jq -e '.units == 10 and .weights == 81' > /dev/null
        awk -v a="$(metric $method.model)" -v b="$chance" 'BEGIN { exit !(a > b) }'
    done
    for method in adarank-map adarank-ndcg coordinate-ascent; do
        train $method --rounds 2 > out
        gradus show $method.model > shown
        grep -q "^size         1 equation" shown
        awk -v a="$(metric $method.model)" -v b="$chance" 'BEGIN { exit !(a > b) }'
    done
    train rankboost --rounds 20 > out
    gradus show rankboost.model --tree 1 | grep -q "= 0 "
    train ranksvm --learner linear --lambda 1,0.01 > out
    gradus show ranksvm.model | grep -q "^size         1 equation"
}

@test "a net without hidden units is linear" {
    make_sets
    train ranknet --hidden 0 --rounds 5 > out
    gradus show ranknet.model | grep -q "^size         neural net with 7 weights, linear"
    train listnet --rounds 5 > out # the only one that is linear by default
    gradus show listnet.model | grep -q "^size         neural net with 7 weights, linear"
    train lambdarank --rounds 5 > out
    gradus show lambdarank.model | grep -q "^size         neural net with 81 weights, 10 units"
}

@test "unsupported options are refused" {
    make_sets
    refuses 1 "training diverged in round 1: a smaller 'net-rate' than 1e+06" \
        gradus train --method ranknet --activation relu --net-rate 1e6 --train train.txt -o a.model -q
    [ ! -e a.model ]
    refuses 2 "'hidden' is for the learner 'net'" \
        gradus train --method lambdamart --hidden 3 --train train.txt -o a.model -q
    refuses 2 "'truncation' is for the learner 'gbrt', not for 'net' of ranknet" \
        gradus train --method ranknet --truncation 3 --train train.txt -o a.model -q
    refuses 2 "the learner 'gbrt' is not for 'rankboost', which is fitted by stumps" \
        gradus train --method rankboost --learner gbrt --train train.txt -o a.model -q
    sed 's/^[0-9]/1/' train.txt > same.txt
    for method in ranknet lambdarank listnet listmle rankboost; do
        refuses 1 "nothing to learn from" \
            gradus train --method $method --train same.txt -o a.model -q
    done
    printf '1 qid:1 1:3\n0 qid:2 1:2\n1 qid:3 1:1\n0 qid:3 1:4\n' > few.txt
    gradus train --method ranknet --train few.txt -o a.model --rounds 2 > /dev/null 2> err
    grep -q "2 of 3 queries have rows of one grade only and are skipped" err
}
