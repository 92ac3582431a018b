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
    grep -q "best single setting: " out
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
    grep -q "1 setting, 5 models each, at most 1 round, " out
    cp a.model first.model
    repeat=$(sed -n 's/^repeat *//p' out)
    [ "$repeat" = "gradus auto --train train.txt --budget 1 --methods regression --max-rounds 1 -o a.model -q" ]
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
    [[ $output == *"'j.jsonl' is the journal of other work"* ]]
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

@test "wrong command lines" {
    make_sets
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
