# SPDX-License-Identifier: Apache-2.0
# gradus tune: searches, tournaments, folds, resuming, and errors.
load common

make_sets() {
    gradus synth mcrank --queries 14 --documents 8 --features 5 -q -o train.txt
    gradus synth mcrank --queries 8 --documents 8 --features 5 --first-query 101 -q -o valid.txt
    gradus synth mcrank --queries 8 --documents 8 --features 5 --first-query 201 -q -o test.txt
}

# Results without times.
without_times() {
    sed -E 's/"seconds": [0-9.e-]+/"seconds": 0/g; s/"command": .*//' "$1"
}

cup() {
    gradus tune --method regression,lambdamart,coordinate-ascent --train train.txt --folds 3 \
        --budget 4 --space 'rounds=8' "$@"
}

@test "one method: the best settings and their model" {
    make_sets
    gradus tune --method lambdamart --train train.txt --valid valid.txt --test test.txt \
        --space 'rounds=9, leaves=2..8, learning-rate=0.05..0.5:log' -o best.model > out 2> err
    [ "$(grep -c ' 1/9 ' out)" -eq 6 ]
    # The defaults are trained to the end, even if others survive the halving.
    [ $(($(grep -c ' 1/3 ' out) + $(grep -c ' all ' out))) -eq 3 ]
    [ "$(grep -c ' all ' out)" -ge 1 ]
    grep -q "all trials: rounds=9" out
    grep -qE "(13/13|14/14) training runs, best ndcg@10" err
    wanted=$(sed -n 's/^ndcg@10 on 8 test queries: \([0-9.]*\),.*/\1/p' out)
    gradus eval test.txt best.model --metric ndcg@10 | grep -q "$wanted"
}

@test "a tournament gives the same results again, and with any number of threads" {
    make_sets
    cup --json --threads 1 -o a.model > a.jsonl
    cup --json --threads 3 -o a.model > b.jsonl
    cup --json -o a.model > c.jsonl
    cmp <(without_times a.jsonl) <(without_times b.jsonl)
    cmp <(without_times a.jsonl) <(without_times c.jsonl)
    [ "$(grep -c '"event": "place"' a.jsonl)" -eq 3 ]
    [ "$(grep -c '"event": "trial"' a.jsonl)" -eq 12 ]
    [ "$(grep -c '"event": "done"' a.jsonl)" -eq 1 ]
    grep '"event": "place"' a.jsonl | grep '"rank": 2' | grep -q '"p_adjusted": [0-9]'
    [ "$(grep -c seconds a.jsonl)" -eq 15 ]
    cup > out 2> err
    grep -q "95% interval" out
    grep -q "Holm's correction" out
    grep -q "Best settings of each method" out
}

@test "how certain the winner is" {
    make_sets
    gradus synth mcrank --queries 40 --documents 8 --features 5 --first-query 201 -q -o test.txt
    pair() {
        gradus tune --train train.txt --valid valid.txt --space 'rounds=20' --budget 1 -q "$@"
    }
    pair --method regression,rankboost --test test.txt > out
    grep -q ' P(best) ' out
    tr '\n' ' ' < out | grep -qE "Clear winner: regression is the best in 99\.[0-9]% of 10,000 bootstrap resamples of the 40 test queries\. "
    [ "$(grep -c "gradus ensemble" out)" -eq 0 ]
    pair --method regression,adarank-map --test test.txt > out
    tr '\n' ' ' < out > line
    grep -qE "No clear winner: adarank-map is the best in [0-9.]+% of .* and is not clearly better than regression\. " line
    grep -q "'gradus auto'" line
    grep -q "'gradus ensemble'" line
    # Without test data the validation queries are resampled.
    pair --method regression,adarank-map > out
    tr '\n' ' ' < out | grep -qE "of the [78] validation queries \(which also selected the settings\)"
    pair --method regression,rankboost --test test.txt --json > out
    grep '"rank": 1' out | grep -qE '"prob_best": 0\.99[0-9]*, "contender": true'
    grep '"rank": 2' out | grep -qE '"prob_best": 0\.00[0-9]*, "contender": false'
    grep -q '"best_on": "test", "best_queries": 40' out
    pair --method regression --test test.txt --json > out
    grep '"event": "place"' out | grep -q '"prob_best": null, "contender": false'
    pair --method regression --test test.txt > out
    [ "$(grep -ciE 'clear winner|P\(best\)' out)" -eq 0 ]
}

@test "stopped at any moment, it resumes to the same results" {
    make_sets
    cup --json -o whole.model > whole.jsonl
    for signal in KILL INT KILL TERM KILL INT KILL; do
        delay=0.0$((RANDOM % 9))$((RANDOM % 10))
        # background jobs of a shell ignore SIGINT
        env --default-signal=INT "$GRADUS" tune --method regression,lambdamart,coordinate-ascent --train train.txt --folds 3 \
            --budget 4 --space 'rounds=8' --json -o part.model --journal j.jsonl > part.jsonl 2> err &
        sleep "$delay"
        kill -s $signal $! 2> /dev/null || true
        wait $! || true
    done
    [ ! -s j.jsonl ] || printf '{"key":"torn' >> j.jsonl # without a complete line it would not be a journal
    cup --json -o part.model --journal j.jsonl > part.jsonl
    cmp <(without_times whole.jsonl | sed 's/whole.model//') \
        <(without_times part.jsonl | sed 's/part.model//')
    cmp whole.model part.model
    [ ! -e j.jsonl.checkpoints ]
}

@test "killed between rungs, promoted trials are not trained from scratch" {
    gradus synth web --queries 60 -q -o web.txt
    rungs=(tune --method regression --train web.txt --folds 3 --budget 9 --threads 1 -q --json
        --space 'rounds=90, patience=0, leaves=4..31' --journal)
    gradus "${rungs[@]}" whole.jsonl > whole
    [ ! -e whole.jsonl.checkpoints ]
    "$GRADUS" "${rungs[@]}" j.jsonl > part &
    for _ in $(seq 400); do
        grep -qs '| 1/3"' j.jsonl && break
        sleep 0.02
    done
    kill -s KILL $!
    wait $! || true
    [ "$(ls j.jsonl.checkpoints/*.checkpoint | wc -l)" -ge 9 ]
    gradus "${rungs[@]}" j.jsonl > part
    cmp <(without_times whole | grep -v '"done"') <(without_times part | grep -v '"done"')
    [ ! -e j.jsonl.checkpoints ]
}

@test "Ctrl-C saves finished work and prints how to resume" {
    make_sets
    gradus synth web --queries 120 -q -o web.txt
    # background jobs of a shell ignore SIGINT; SIGTERM has the same effect
    "$GRADUS" tune --method lambdamart --train web.txt --folds 3 --budget 9 --journal j.jsonl \
        > out 2> err &
    for _ in $(seq 100); do
        [ -s j.jsonl ] && [ "$(wc -l < j.jsonl)" -ge 3 ] && break
        sleep 0.1
    done
    kill -s TERM $!
    got=0
    wait $! || got=$?
    [ "$got" -eq 143 ]
    grep -q "saved in 'j.jsonl'. To resume, run the same command again" err
    [ "$(wc -l < j.jsonl)" -ge 3 ]
}

@test "folds from folders" {
    make_sets
    gradus synth mcrank --queries 20 --documents 8 --features 5 -q -o all.txt
    gradus split all.txt --letor -q -o letor
    gradus tune --method regression --fold-dirs letor --budget 2 --space 'rounds=5' --json > a
    gradus tune --method regression --budget 2 --space 'rounds=5' --json \
        --fold-dirs letor/Fold1,letor/Fold2,letor/Fold3,letor/Fold4,letor/Fold5 > b
    cmp <(without_times a) <(without_times b)
    grep -q '"folds": 5' a
    grep -q '"test_queries": 20' a
    mkdir parts
    cp letor/S?.txt parts
    gradus tune --method regression --fold-dirs parts --budget 2 --space 'rounds=5' --json > c
    cmp <(without_times a) <(without_times c)
    gradus tune --method regression --fold-dirs letor --budget 2 --space 'rounds=5' --refit all \
        -o all.model | grep -q "trained on 20 queries"
}

@test "the final training uses the transform that most folds chose" {
    gradus synth web --queries 30 --documents 12 --seed 2 -q -o web.txt
    gradus tune --method listnet --train web.txt --folds 4 --budget 1 --space 'rounds=20' --journal web.jsonl \
        --refit all -q -o web.model > out
    [ "$(grep -c '"chosen":"transform=none"' web.jsonl)" -eq 3 ]
    [ "$(grep -c '"chosen":"transform=minmax"' web.jsonl)" -eq 1 ]
    gradus show web.model --json | jq -e '.recipe.transform == "none"'
    # which it would not be without validation data
    gradus train --method listnet --train web.txt --rounds 20 -q -o alone.model > out
    gradus show alone.model --json | jq -e '.recipe.transform == "minmax"'
}

@test "grids and time budgets" {
    make_sets
    gradus tune --method cocr --train train.txt --valid valid.txt --search grid --budget 9 \
        --space 'rounds=4, leaves=2..8:3, cost=absolute|squared|oerr' --json > out
    [ "$(grep -c '"event": "trial"' out)" -eq 9 ]
    gradus tune --method lambdamart --train train.txt --valid valid.txt --search random \
        --budget 1s --space 'rounds=5, learning-rate=0.01..0.5, l2=0..10, feature-fraction=0.3..1' > out 2> err
    grep -q "time budget was used up" out # there are more settings than a second has time for
}

@test "a method that was not trained to the end comes last, and is marked" {
    make_sets
    short() {
        gradus tune --method rankboost,lambdamart --train train.txt --valid valid.txt --test test.txt \
            --space 'rounds=18' --journal j.jsonl -q "$@"
    }
    short --budget 9 > out
    sed -n 2,4p out | grep -q '^lambdamart .* 9 '
    # As if the defaults of lambdamart could not be trained, and the time had ended soon after.
    jq -c 'select((.key // "" | startswith("lambdamart") and (endswith("1/9") | not) and
                  (contains("learning-rate=0.1 feature-fraction=1 ") | not)) | not) |
        if .key and (.key | startswith("lambdamart") and endswith("fold 1"))
        then .value = {"failed": "of no use"} else . end |
        if .value then .value.used = 1000 else . end' j.jsonl > k.jsonl
    mv k.jsonl j.jsonl
    short --budget 5s > out
    sed -n 4p out | grep -q '^rankboost '
    sed -n 5p out | grep -q '^lambdamart '
    grep -qE '^  lambdamart +\(1/9 of a training\) ' out
    grep -q "^Methods with no setting trained to the end come after all others" out
    grep -q '^p: paired t test' out
    [ "$(grep -c 'P(best)' out)" -eq 0 ]
    short --budget 5s --json > out
    grep '"rank": 1' out | grep -q '"event": "place".*"part": 1,'
    grep '"rank": 2' out | grep '"event": "place"' | grep -q '"part": 9,'
}

@test "a time budget that is too short for a method's defaults says so" {
    make_sets
    gradus tune --method regression,mcrank --train train.txt --valid valid.txt --space 'rounds=9' --budget 1 \
        --journal j.jsonl -q > out
    jq -c 'select(.key // "" | startswith("mcrank") | not) | if .value then .value.used = 1000 else . end' j.jsonl > k.jsonl
    mv k.jsonl j.jsonl
    gradus tune --method regression,mcrank --train train.txt --valid valid.txt --space 'rounds=9' --budget 5s \
        --journal j.jsonl -q > out
    sed -n 4p out | grep -q '^regression '
    grep -q "^  mcrank  *its defaults were not trained to the end within the time budget" out
    grep -q "time budget was used up" out
}

@test "errors" {
    make_sets
    refuses 2 "needs training data" gradus tune
    refuses 2 "validation data, or 'folds'" gradus tune --train train.txt
    refuses 2 "remove the validation data" gradus tune --train train.txt --valid valid.txt --folds 3
    refuses 2 "'folds' must be at least 3" gradus tune --train train.txt --folds 2
    refuses 2 "lambdamart" gradus tune --method lambdamrat --train train.txt --valid valid.txt
    refuses 2 "'space': " gradus tune --train train.txt --valid valid.txt --space 'leafs=3..4'
    refuses 2 "above 0" gradus tune --train train.txt --valid valid.txt --space 'l2=0..4:log'
    refuses 2 "'budget' takes" gradus tune --train train.txt --valid valid.txt --budget soon
    refuses 2 "takes options only" gradus tune train.txt
    refuses 2 "cannot be written to standard output" gradus tune --train train.txt --valid valid.txt -o -
    refuses 2 "trains no model" gradus tune --train train.txt --valid valid.txt -o m --refit none
    refuses 2 "--trials takes a count" gradus tune --train train.txt --valid valid.txt --trials x
    refuses 1 "none.txt" gradus tune --train none.txt --valid valid.txt
    refuses 1 "no folds in 'nowhere'" gradus tune --fold-dirs nowhere
    refuses 1 "no/m" gradus tune --train train.txt --valid valid.txt -o no/m
    echo hello > j.jsonl
    refuses 1 "is not a journal; choose another file" gradus tune --train train.txt --valid valid.txt --journal j.jsonl
    [ "$(cat j.jsonl)" = hello ]
    cup --journal k.jsonl -q > /dev/null
    refuses 2 "a different run" gradus tune --train train.txt --valid valid.txt --journal k.jsonl
    [ ! -e m ] && [ ! -e no ]
}
