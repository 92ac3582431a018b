# SPDX-License-Identifier: Apache-2.0
# The losses of regression: train --method regression --loss NAME.
load common

@test "quantile regression puts the chosen fraction of the labels below the scores" {
    gradus synth web --queries 60 -o data.txt -q
    for q in 0.2 0.8; do
        gradus train --method regression --loss quantile --quantile $q --rounds 200 --train data.txt -o q.model -q > out
        gradus score q.model data.txt -q > scores
        # Grades are whole numbers, so that the fraction strictly below is at most q, up to and with the score at least q.
        paste -d' ' scores data.txt | awk -v q=$q '
            { below += $2 < $1 - 0.5; upto += $2 <= $1 + 0.5 }
            END { exit !(below / NR <= q + 0.02 && upto / NR >= q - 0.02) }'
    done
}

@test "models of every regression loss are the same for any number of threads" {
    gradus synth web --queries 30 -o data.txt -q
    for loss in squared absolute huber quantile; do
        for threads in 1 2 3 8; do
            gradus train --method regression --loss $loss --rounds 5 --threads $threads --train data.txt -o $threads.model -q > out
            cmp 1.model $threads.model
        done
        gradus show 1.model > shown
        [ $loss = squared ] || grep -q -- "--loss $loss" shown
    done
    gradus train --method regression --loss huber --rounds 5 --huber_slope 0.5 --train data.txt -o a.model -q > out
    gradus train --method regression --loss huber --rounds 5 --delta 0.5 --train data.txt -o b.model -q > out
    cmp a.model b.model
    cmp a.model 1.model && return 1
    gradus show a.model | grep -q -- '--delta 0.5'
}

@test "losses and their options are refused where they do not apply" {
    gradus synth web --queries 5 -o data.txt -q
    t() { refuses 2 "$1" gradus train "${@:2}" --train data.txt -o x.model; }
    t "'loss huber' is for regression, not 'lambdamart'" --loss huber
    t "'loss quantile' is for regression, not 'crr'" --method crr --loss quantile
    t "'delta' is for regression, not for 'lambdamart'" --delta 2
    t "'delta' is for 'loss huber', not 'loss squared'" --method regression --delta 2
    t "'quantile' is for 'loss quantile', not 'loss huber'" --method regression --loss huber --quantile 0.5
    t "with that loss" --method regression --loss huber --learner linear
    t "'quantile' takes a number from" --method regression --loss quantile --quantile 1
    t "did you mean 'huber'?" --method regression --loss hubber
    [ ! -e x.model ]
}
