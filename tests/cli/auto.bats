# SPDX-License-Identifier: Apache-2.0
# gradus auto: the model, its description, repetition, resuming, the report, and errors.
load common

make_sets() {
    gradus synth mcrank --queries 14 --documents 8 --features 5 -q -o train.txt
    gradus synth mcrank --queries 8 --documents 8 --features 5 --first-query 101 -q -o valid.txt
    gradus synth mcrank --queries 8 --documents 8 --features 5 --first-query 201 -q -o test.txt
}

train_auto() {
    gradus auto --train train.txt --valid valid.txt --methods regression,mcrank,listnet --folds 3 "$@"
}

@test "a model, what to expect of it, and nothing else" {
    make_sets
    train_auto --test test.txt --budget 5 -o best.model > out 2> err
    grep -q "^warning     only 22 queries" out
    grep -qE "^expected    ndcg@10 0\.[0-9]{4} \[" out
    grep -q "best single model: " out
    grep -qE "^test        ndcg@10 0\.[0-9]{4} \[" out
    grep -qE "^model       ensemble of [2-5] models, without grade probabilities" out
    grep -q "5/5 trials, best ndcg@10" err
    wanted=$(sed -n 's/^test        ndcg@10 \([0-9.]*\) .*/\1/p' out)
    gradus eval test.txt best.model --metric ndcg@10 | grep -q "$wanted"
    [ "$(ls)" = "$(printf '%s\n' best.model err out test.txt train.txt valid.txt)" ]
}

@test "the same bytes with any number of threads" {
    make_sets
    train_auto --budget 4 -o a.model --threads 1 -q > out
    train_auto --budget 4 -o b.model --threads 3 -q > out
    cmp a.model b.model
}

@test "a timed run prints the command that repeats it" {
    make_sets
    gradus auto --train train.txt --budget 0.4s -o a.model -q > out
    cp a.model first.model
    repeat=$(sed -n '/^repeat/,$p' out | sed 's/^repeat//' | tr -s ' \n' ' ')
    [[ $repeat == *"--budget "[0-9]*" --methods "* ]]
    eval "${repeat/gradus/\"\$GRADUS\"}" > /dev/null
    cmp a.model first.model
}

@test "a time too short for one trial limits the rounds" {
    make_sets
    gradus auto --train train.txt --methods regression,mcrank --max-rounds 9 --budget 0.000001s -o a.model -q > out
    grep -q "1 setting, 2 models each, at most 1 round, " out
    cp a.model first.model
    repeat=$(sed -n 's/^repeat *//p' out)
    [ "$repeat" = "gradus auto --train train.txt --budget 1 --methods regression --folds 2 --max-rounds 1 -o a.model -q" ]
    eval "${repeat/gradus/\"\$GRADUS\"}" > /dev/null
    cmp a.model first.model
    gradus auto --train train.txt --budget 2 --max-rounds 3 -o b.model --json -q | jq -e 'select(.event == "done").max_rounds == 3'
}

@test "models that score all documents alike do not get huge factors" {
    gradus synth mcrank --queries 20 --documents 8 --features 5 -q -o train.txt
    gradus auto --train train.txt --folds 3 --seed 3 --budget 8 --methods regression --max-rounds 3 -o a.model -q --json > out
    [ "$(jq -s '[.[] | select(.event == "member").scale] | max < 1e3' out)" = true ]
}

@test "stopped, it resumes to the same model" {
    make_sets
    train_auto --budget 5 -o whole.model -q > out
    for signal in INT KILL TERM; do
        env --default-signal=INT "$GRADUS" auto --train train.txt --valid valid.txt \
            --methods regression,mcrank,listnet --folds 3 --budget 5 -o part.model -q > part.out 2> err &
        sleep 0.2
        kill -$signal $! 2> /dev/null || true
        wait $! || true
    done
    train_auto --budget 5 -o part.model -q > out
    cmp whole.model part.model
    [ ! -e part.model.auto.jsonl ]
    [ ! -e part.model.auto.jsonl.scores ]
}

@test "a journal is kept, and a larger budget reuses it" {
    make_sets
    train_auto --budget 3 --journal j.jsonl -o a.model -q > out
    [ "$(grep -c '"key"' j.jsonl)" -eq 3 ]
    train_auto --budget 4 --journal j.jsonl -o a.model -q > out
    [ "$(grep -c '"key"' j.jsonl)" -eq 4 ]
    train_auto --budget 4 -o b.model -q > out
    cmp a.model b.model
    run gradus auto --train train.txt --folds 3 --budget 3 --journal j.jsonl -o a.model -q
    [ "$status" -eq 2 ]
    [[ $output == *"'j.jsonl' is the journal of a different run"* ]]
}

@test "events in JSON, and a report" {
    make_sets
    train_auto --test test.txt --budget 4 -o a.model --json --report page.html > out
    [ "$(jq -r .event out | sort | uniq -c | tr -s ' \n' ' ')" = " 1 done 4 member 1 warning " ]
    jq -e 'select(.event == "done") | .expected.low < .expected.mean and .trials == 4' out
    [ "$(jq -s '[.[] | select(.event == "member") | .weight] | add | . * 1000 | round' out)" -eq 1000 ]
    grep -q "<title>" page.html
    grep -q "held-out queries" page.html
    grep -q '"event": "member"' page.html
    [ "$(ls)" = "$(printf '%s\n' a.model out page.html test.txt train.txt valid.txt)" ]
}

@test "probabilities that can be scored by any cost" {
    make_sets
    gradus auto --train train.txt --valid valid.txt --folds 3 --probabilities --budget 3 -o p.model -q > out
    grep -q "with grade probabilities" out
    gradus score p.model test.txt --probabilities -q -o - | sed -n 2p | grep -qE "^0\.[0-9]+ "
}

@test "queries that are nearly the same: held out together, and leaks into the test data" {
    gradus synth web --queries 30 --documents 12 -q -o train.txt
    gradus synth web --queries 30 --documents 12 --first-query 101 -q -o test.txt
    one() {
        gradus auto --methods regression --max-rounds 20 --budget 1 --json -q -o a.model "$@"
    }
    one --train train.txt > out
    [ "$(grep -c "most of their documents" out)" -eq 0 ]
    # Every query twice, with other ids, one document changed, and the documents in reverse order.
    sed -E 's/ qid:/ qid:9/' train.txt | awk '$2 != q { q = $2; $3 = "1:0.5" } 1' | tac > again.txt
    cat train.txt again.txt > twice.txt
    one --train twice.txt > twice
    grep -qE '"[0-9]+ of 60 queries share most of their documents with another one and are held out together with it"' twice
    value() { jq 'select(.event == "done").expected.mean' "$1"; }
    jq -n "$(value out) > $(value twice) - 0.05" | grep -q true
    # The test queries, one document of each changed; stored sparse.
    sed -E 's/ qid:/ qid:9/' test.txt | awk '$2 != q { q = $2; $3 = "1:0.5" } 1' > changed.txt
    cat train.txt changed.txt > leak.txt
    one --train leak.txt --test test.txt > out
    grep -qE '"[0-9]+ of 30 test queries share most of their documents with training queries \([0-9]+% of the test documents\): results on them are optimistic"' out
    cat train.txt test.txt | sed -E 's/ qid:/ qid:9/' > whole.txt
    one --train whole.txt --test test.txt > out
    grep -q '"30 of 30 test queries, with the same documents and labels, are also training queries: results on them are optimistic"' out
    # All queries are the same one: they cannot be held out together.
    for i in 1 2 3 4; do grep "qid:1 " train.txt | sed "s/qid:1/qid:$i/"; done > same.txt
    one --train same.txt > out
    grep -q '"4 of 4 queries share most of their documents with another one: results on held-out queries are optimistic"' out
}

@test "constant and duplicate features, and few informative queries" {
    make_sets
    sed -E 's/ 1:([^ ]*)/ 1:\1 6:3 7:\1/' train.txt > odd.txt
    sed -Ei 's/^(.*) 6:3 (7:[^ ]*)(.*)$/\1\3 6:3 \2/' odd.txt
    gradus auto --train odd.txt --methods regression --budget 1 -o a.model -q > out
    grep -q "^warning     1 of 7 features is constant and carries no information" out
    grep -q "^warning     1 of 7 features duplicates another feature" out
    awk '{ split($2, q, ":"); if (q[2] > 2) $1 = 0 } 1' train.txt > two.txt
    gradus auto --train two.txt --methods regression,mcrank --budget 2 -o a.model -q --json > out
    grep -q '"12 of 14 queries have only one label and do not affect the metric"' out
    grep -q '"only 2 queries with several labels: ' out
    jq -e 'select(.event == "done") | .expected.low >= 0 and .expected.high <= 1' out
    awk '{ split($2, q, ":"); if (q[2] > 1) $1 = 0 } 1' train.txt > one.txt
    gradus auto --train one.txt --methods regression --budget 1 -o a.model -q > out
    tr -s ' \n' ' ' < out | grep -q "from 1 held-out query)"
}

@test "a journal of few folds is continued with as many" {
    make_sets
    gradus auto --train train.txt --methods regression --budget 0.000001s --journal j.jsonl -o a.model -q > out
    grep -q ", 2 folds," j.jsonl
    gradus auto --train train.txt --methods rankboost --budget 3min --max-rounds 2 --journal j.jsonl -o a.model -q > out
    grep -q "1 setting, 2 models each" out
    grep -q "^repeat .* --budget 1 --methods rankboost --folds 2 --max-rounds 2 " out
    gradus auto --train train.txt --methods rankboost --budget 3min --max-rounds 2 -o a.model -q > out
    grep -q "1 setting, 5 models each" out
}

@test "the repeat command keeps quoted text" {
    make_sets
    gradus auto --train train.txt --methods regression --title "my --budget 3 --methods title" --budget=1e-6s \
        -o a.model -q > out
    grep -qx "repeat      gradus auto --train train.txt --title 'my --budget 3 --methods title' --budget 1 --methods regression --folds 2 --max-rounds 1 -o a.model -q" out
}

@test "progress counts one trial" {
    make_sets
    gradus auto --train train.txt --methods regression --budget 1e-6s -o a.model > out 2> err
    grep -q "^1 trial, best ndcg@10" err
}

@test "support vectors are tried on up to 10,000 rows, unless they are named" {
    gradus synth mcrank --queries 101 --documents 100 --features 3 -q -o large.txt
    head -n 10000 large.txt > small.txt
    for set in small large; do
        gradus auto --train $set.txt --folds 2 --max-rounds 1 --budget 1 -o a.model -q > $set.out
    done
    sed -n '/^not tried/,/defaults/p' small.out | grep -q svor-imc
    [[ $(< large.out) != *svor-imc* ]]
    head -n 500 large.txt > train.txt
    gradus auto --train train.txt --folds 2 --methods svor-imc --budget 1 -o a.model -q | grep -q "^svor-imc"
}

@test "wrong command lines" {
    make_sets
    for trials in foo -1; do
        refuses 2 "--trials takes a count, not '$trials'" gradus auto --train train.txt -o a.model --trials=$trials
    done
    refuses 2 "unknown method ''" gradus auto --train train.txt -o a.model --methods lambdamart,
    sed 's/^[0-9]*/0/' test.txt > flat.txt
    refuses 2 "no query of the test data has a value of ndcg@10" \
        gradus auto --train train.txt --test flat.txt --budget 3 -o a.model
    echo "not a journal" > j.txt
    refuses 1 "'j.txt' is not a journal; choose another file" gradus auto --train train.txt --journal j.txt -o a.model
    [ -z "$(find . -name '*.auto.jsonl*')" ]
    run gradus auto -o a.model
    [ "$status" -eq 2 ]
    [[ $output == *"--train FILE"* ]]
    run gradus auto --train train.txt
    [ "$status" -eq 2 ]
    [[ $output == *"-o MODEL"* ]]
    run gradus auto --train train.txt -o train.txt
    [ "$status" -eq 2 ]
    run gradus auto --train train.txt --budget 0 -o a.model
    [ "$status" -ne 0 ]
    [[ $output == *"'budget' takes a number"* ]]
    cut -d' ' -f1,3- train.txt > flat.txt
    run gradus auto --train flat.txt -o a.model
    [ "$status" -eq 2 ]
    [[ $output == *"no query ids"* ]]
    [ ! -e a.model ]
}
