# SPDX-License-Identifier: Apache-2.0
# gradus train and score --device: without a plug-in, and with one that runs the kernels for CUDA as C and can be
# lost in the middle.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    mkdir with without
    for folder in with without; do
        ln "$GRADUS" $folder/gradus 2> /dev/null || cp "$GRADUS" $folder/gradus
    done
    cp "$(dirname "$GRADUS")/tests/plugins/libgradus-cuda.so" with
    awk 'BEGIN { srand(5)
        for (q = 1; q <= 40; q++) { rows = 3 + int(rand() * 20)
            for (r = 0; r < rows; r++) { a = rand(); b = rand(); c = rand()
                g = int(2.9 * a * (0.5 + b) + 0.5 * c); g = g > 4 ? 4 : g
                printf "%d qid:%d 1:%.4f 2:%s 3:%.2f 4:%d\n", g, q, a,
                    (rand() < 0.1 ? "nan" : sprintf("%.4f", b)), c, rand() < 0.1 ? 5 * a : 0 } } }' > train.txt
}

with() {
    "$BATS_FILE_TMPDIR/with/gradus" "$@"
}

without() {
    "$BATS_FILE_TMPDIR/without/gradus" "$@"
}

# 3 billion values: with two rounds, or with one output's two trees, enough for --device auto
make_wide() {
    awk 'BEGIN { srand(3); for (r = 0; r < 1000; r++) { a = rand()
        printf "%d qid:%d 1:%.3f 3000000:%.3f\n", 3 * a * rand(), r / 10, a, rand() } }' > wide.txt
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    ln -s "$BATS_FILE_TMPDIR/train.txt" .
}

@test "a device gives the bytes of the processor" {
    for method in lambdamart regression mcrank; do
        set -- train --method $method --train train.txt --rounds 4 -q
        without "$@" -o cpu.model > /dev/null
        with "$@" --device cuda -o device.model > /dev/null
        cmp cpu.model device.model
        without score cpu.model train.txt > cpu.scores
        with score device.model train.txt --device cuda > device.scores
        cmp cpu.scores device.scores
    done
}

# fails_with STATUS MESSAGE COMMAND...: checks the exit status and the first line of standard error.
fails_with() {
    local wanted=$1 message=$2 got=0
    shift 2
    "$@" > out 2> err || got=$?
    [ "$got" -eq "$wanted" ] || { echo "status $got, not $wanted; printed: $(cat err)"; return 1; }
    [ "$(head -1 err)" = "gradus: $message" ] || { echo "printed: $(cat err)"; return 1; }
}

@test "a lost device ends with a checkpoint of all rounds that resumes to the same bytes" {
    set -- train --train train.txt --rounds 12 -q
    growing="the GPU has failed while growing trees: it has fallen off the bus"
    without "$@" -o whole.model > /dev/null
    GRADUS_FAKE_FAIL="lost measure 7" fails_with 75 "$growing" with "$@" --device cuda -o lost.model
    grep -qF "gradus: lost after round 7 of 12; checkpoint saved to 'lost.model.checkpoint'. To resume:" err
    grep -qF -- "--device cuda -o lost.model --resume" err
    [ ! -e lost.model ]
    [ "$(without show lost.model.checkpoint --json | jq .rounds)" -eq 7 ]
    cp lost.model.checkpoint saved
    # again at once: the checkpoint stays
    GRADUS_FAKE_FAIL="lost measure 0" fails_with 75 "$growing" with "$@" --device cuda -o lost.model --resume
    grep -qF "gradus: the last checkpoint is in 'lost.model.checkpoint'. To resume:" err
    cmp saved lost.model.checkpoint
    with "$@" --device cuda -o lost.model --resume > /dev/null
    cmp whole.model lost.model
    cp saved lost.model.checkpoint
    without "$@" -o lost.model --resume > /dev/null
    cmp whole.model lost.model
}

@test "a device lost in the first round leaves nothing" {
    GRADUS_FAKE_FAIL="lost finish 0" fails_with 75 \
        "the GPU has failed while growing trees: it has fallen off the bus" \
        with train --train train.txt --rounds 4 -q --device cuda -o lost.model
    grep -qxF "gradus: lost in the first round; nothing to save yet" err
    lacks resume err
    [ ! -e lost.model.checkpoint ]
}

@test "every function of a device can fail" {
    awk 'NR <= 100' train.txt > valid.txt
    # function, successful calls, rounds in the checkpoint, what was done, options
    while read -r name good rounds what options; do
        [[ $options == *--leaves* ]] || options="--leaves 4 $options"
        # shellcheck disable=SC2086 # words are split
        set -- train --train train.txt --rounds 6 -q $options
        what="the GPU has failed while ${what//_/ }: it has fallen off the bus"
        rm -f lost.model.checkpoint
        without "$@" -o whole.model > /dev/null
        echo "$name after $good calls: $options"
        # the host chooses nodes if there is memory for two histograms only
        unset GRADUS_FAKE_FEW
        case $name in root | split) export GRADUS_FAKE_FEW=1 ;; esac
        GRADUS_FAKE_FAIL="lost $name $good" fails_with 75 "$what" with "$@" --device cuda -o lost.model
        if [ "$rounds" -gt 0 ]; then
            saved=$(without show lost.model.checkpoint --json | jq .rounds)
            [ "$saved" -eq "$rounds" ] || { echo "round $saved, not $rounds"; return 1; }
            without "$@" -o lost.model --resume > /dev/null
            cmp whole.model lost.model
        fi
        [ ! -e lost.model.checkpoint ]
    done <<'CALLS'
open 0 0 growing_trees
boosting 0 0 copying_scores_to_it
gradients 0 0 computing_gradients
gradients 3 3 computing_gradients
measure 2 2 growing_trees
round 2 2 growing_trees
grow 5 5 growing_trees
grow 8 1 growing_trees --method mcrank --depth 2
root 0 0 growing_trees
root 3 3 growing_trees
split 0 0 growing_trees
split 9 3 growing_trees
split 2 2 growing_trees --leaves 2
finish 4 4 growing_trees --method regression
add 9 1 adding_a_tree_to_scores --method mcrank
add 2 2 adding_a_tree_to_scores --method propodds
sums 0 0 adding_up_thresholds --method propodds
sums 5 2 adding_up_thresholds --method propodds
sums 3 3 adding_up_thresholds --method orboost
fetch 0 3 copying_scores_from_it --train-eval-every 3 --metric map
fetch 0 3 copying_scores_from_it --train-eval-every 3 --eval-every 4 --valid valid.txt --metric map
lists 0 0 computing_the_metric_of_the_training_rows
ranks 0 3 computing_the_metric_of_the_training_rows --train-eval-every 3
ranks 1 4 computing_the_metric_of_the_training_rows --train-eval-every 2 --eval-every 3 --valid valid.txt
valid_open 0 0 computing_validation_scores --valid valid.txt
valid_load 0 0 computing_validation_scores --valid valid.txt
validation 4 5 computing_validation_scores --valid valid.txt
valid_fetch 2 3 computing_validation_scores --valid valid.txt --metric map
dcgs 1 4 computing_validation_scores --valid valid.txt --eval-every 2
CALLS
}

@test "a device that runs out of memory: cuda ends with a message, auto uses the processor at the start" {
    make_wide
    set -- train --train wide.txt --rounds 3 -q
    without "$@" -o cpu.model > /dev/null
    for name in open boosting; do
        GRADUS_FAKE_FAIL="memory $name 0" fails_with 1 "the memory of the GPU is exhausted while $(
            [ $name = open ] && echo growing trees || echo copying scores to it)" \
            with "$@" --device cuda -o a.model
        GRADUS_FAKE_FAIL="memory $name 0" with "$@" --device auto -o auto.model > /dev/null 2> err
        [ ! -s err ]
        cmp cpu.model auto.model
    done
}

@test "a validation set that a device has no memory for is scored on the processor" {
    awk 'NR <= 100' train.txt > valid.txt
    for metric in ndcg map; do
        set -- train --train train.txt --valid valid.txt --metric $metric --rounds 6 --leaves 4 -q
        without "$@" -o cpu.model > /dev/null
        for name in valid_open valid_load; do
            GRADUS_FAKE_FAIL="memory $name 0" with "$@" --device cuda -o device.model > /dev/null 2> err
            [ ! -s err ]
            cmp cpu.model device.model
        done
    done
    # later it is an error
    GRADUS_FAKE_FAIL="memory validation 4" fails_with 75 \
        "the memory of the GPU is exhausted while computing validation scores" with "$@" --device cuda -o b.model
}

@test "a device that runs out of memory in a round ends with a checkpoint, if there are rounds to save" {
    set -- train --train train.txt --rounds 5 -q
    full="the memory of the GPU is exhausted while growing trees"
    without "$@" -o whole.model > /dev/null
    GRADUS_FAKE_FAIL="memory measure 0" fails_with 1 "$full" with "$@" --device cuda -o a.model
    grep -qxF "gradus: out of memory in the first round; nothing to save yet" err
    [ ! -e a.model.checkpoint ]
    GRADUS_FAKE_FAIL="memory measure 2" fails_with 75 "$full" with "$@" --device cuda -o a.model
    grep -qF "gradus: out of memory after round 2 of 5; checkpoint saved to 'a.model.checkpoint'. To resume:" err
    grep -qF -- "--device cuda -o a.model --resume" err
    [ ! -e a.model ]
    cp a.model.checkpoint saved
    # again at once: the checkpoint stays, and the status does not ask for another run
    GRADUS_FAKE_FAIL="memory grow 0" fails_with 1 "$full" with "$@" --device cuda -o a.model --resume
    grep -qF "gradus: the last checkpoint is in 'a.model.checkpoint'. To resume:" err
    cmp saved a.model.checkpoint
    with "$@" --device cuda -o a.model --resume > /dev/null
    cmp whole.model a.model
}

@test "the processor computes the metric of the training rows if a device has no memory for it" {
    set -- train --train train.txt --rounds 5 -q
    GRADUS_FAKE_FAIL="memory lists 0" with "$@" --device cuda -o lists.model --json | grep round > lists.jsonl
    without "$@" -o cpu.model --json | grep round > cpu.jsonl
    cmp cpu.model lists.model
    cmp <(jq -c .train cpu.jsonl) <(jq -c .train lists.jsonl)
}

@test "data that do not fit into the memory of a device are refused before they are binned" {
    few="; about [1-9][0-9]* rows of these features would fit, or choose device 'cpu'$"
    set -- train --train train.txt --rounds 3 -q
    GRADUS_FAKE_MEMORY=25000 refuses 1 "trees on 448 rows of 4 features need " with "$@" --device cuda -o a.model
    grep -q "$few" err
    rows=$(grep -o 'about [0-9]*' err | cut -d' ' -f2)
    # what is said to fit does, and a tenth more does not
    head -"$rows" train.txt > some.txt
    head -$((rows + rows / 10)) train.txt > more.txt
    GRADUS_FAKE_MEMORY=25000 with train --train some.txt --rounds 3 -q --device cuda -o some.model > /dev/null
    GRADUS_FAKE_MEMORY=25000 refuses 1 "$(wc -l < more.txt) rows of 4 features" \
        with train --train more.txt --rounds 3 -q --device cuda -o more.model
    # scores are part of it: with ten outputs more than with one
    GRADUS_FAKE_MEMORY=40000 with "$@" --device cuda -o a.model > /dev/null
    GRADUS_FAKE_MEMORY=40000 refuses 1 "trees on 448 rows of 4 features need " \
        with "$@" --method mcrank --device cuda -o b.model
    # constant features take no memory there
    awk '{ for (f = 5; f < 60; f++) $0 = $0 " " f ":7"; print }' train.txt > constant.txt
    GRADUS_FAKE_MEMORY=40000 with train --train constant.txt --rounds 3 -q --device cuda -o a.model > /dev/null
    # auto
    make_wide
    GRADUS_FAKE_MEMORY=40000 GRADUS_FAKE_FAIL="lost open 0" \
        with train --train wide.txt --rounds 3 -q --device auto -o auto.model > /dev/null 2> err
    [ ! -s err ]
}

@test "a device lost while scoring" {
    without train --train train.txt --rounds 3 -q -o a.model > /dev/null
    GRADUS_FAKE_FAIL="lost score 0" fails_with 1 "the GPU has failed while scoring rows: it has fallen off the bus" \
        with score a.model train.txt --device cuda -o a.scores
    [ ! -e a.scores ]
}

@test "what a GPU cannot train is refused" {
    refuses 2 "'ranksvm' with the learner 'sgd' cannot be trained on a GPU, which grows trees only; use a method of" \
        with train --method ranksvm --train train.txt --device cuda -o a.model
    refuses 2 "--device cuda cannot be combined with --distributed" \
        with train --train train.txt --device cuda --distributed mpi -o a.model
    refuses 2 "--device takes cpu, cuda or auto, not 'gpu'" with train --train train.txt --device gpu -o a.model
    GRADUS_FAKE_VERSION=1 refuses 2 "--device cuda: the plug-in for CUDA belongs to another version of gradus" \
        with train --train train.txt --device cuda -o a.model
    [ ! -e a.model ]
}

@test "without a plug-in cuda reports what is missing and auto uses the processor" {
    refuses 2 "--device cuda: gradus was built without the plug-in for CUDA (docs/guide/gpu.md)" \
        without train --train train.txt --device cuda -o a.model
    for device in cpu auto; do
        without train --train train.txt --rounds 2 --device $device -o $device.model -q > $device.out 2> $device.err
        [ ! -s $device.err ]
    done
    cmp cpu.model auto.model
    refuses 2 "--device cuda: gradus was built without the plug-in" without score cpu.model train.txt --device cuda
    without score auto.model train.txt --device auto > auto.scores
    without score auto.model train.txt > cpu.scores
    cmp auto.scores cpu.scores
}

@test "a file that is no plug-in" {
    mkdir here
    cp "$BATS_FILE_TMPDIR/without/gradus" here
    echo nothing > here/libgradus-cuda.so
    make_wide
    refuses 1 "--device cuda: " here/gradus train --train train.txt --device cuda -o a.model
    # auto uses the processor, with a note if the data are large enough for the plug-in
    here/gradus train --train train.txt --rounds 2 --device auto -o a.model > out 2> err
    lacks "device" err
    here/gradus train --train wide.txt --rounds 2 --device auto -o a.model > out 2> err
    grep -q "^note: --device auto uses the processor: .*libgradus-cuda.so" err
    here/gradus train --train wide.txt --rounds 2 --device auto -o a.model -q > out 2> err
    [ ! -s err ]
    GRADUS_FAKE_VERSION=1 with train --train wide.txt --rounds 2 --device auto -o a.model > out 2> err
    grep -qx "note: --device auto uses the processor: the plug-in for CUDA belongs to another version of gradus" err
    without train --train wide.txt --rounds 2 --device auto -o a.model > out 2> err
    lacks "device" err
}

@test "the device that was used is reported" {
    make_wide
    # command, data, options, device
    while read -r command data option device; do
        set -- train --train "$data" --rounds 2 --device "$option" -o a.model
        [ "$($command "$@" -q --json | head -1 | jq -r .device)" = "$device" ]
        $command "$@" -q | grep -qx "device       $device"
    done <<'CASES'
with train.txt cuda fake
with train.txt auto cpu
with wide.txt auto fake
without wide.txt auto cpu
with train.txt cpu cpu
CASES
    with train --train wide.txt --method ranksvm --device auto -o a.model --json -q 2> err | head -1 |
        jq -e '.device == "cpu"'
    without train --train train.txt --rounds 2 -o a.model -q > out
    lacks "^device" out
}

@test "the plug-in for CUDA without a GPU" {
    plugin=$(dirname "$GRADUS")/libgradus-cuda.so
    [ -e "$plugin" ] || skip "not built"
    [ ! -e /dev/nvidia0 ] || skip "there is a GPU"
    mkdir here
    cp "$BATS_FILE_TMPDIR/without/gradus" "$plugin" here
    make_wide
    set -- --train wide.txt --rounds 2 -o a.model
    refuses 1 "--device cuda: no driver for NVIDIA GPUs is loaded, or it is older than CUDA " \
        here/gradus train "$@" --device cuda
    here/gradus train "$@" --device auto > out 2> err
    lacks "device\|GPU" err
    grep -qx "device       cpu" out
    refuses 1 "--device cuda: no driver for NVIDIA GPUs" here/gradus score a.model wide.txt --device cuda
    here/gradus score a.model wide.txt --device auto > auto.scores
    here/gradus score a.model wide.txt > cpu.scores
    cmp auto.scores cpu.scores
}

@test "gradus version shows whether the plug-in is there" {
    with version > with.txt
    grep -q '^cuda  *built$' with.txt
    without version > without.txt
    grep -q '^cuda  *not built$' without.txt
    without version --json | jq -e '.parts[] | select(.name == "cuda") | .built == false'
}

# The note that the plug-in cannot be opened shows that it was tried.
@test "auto uses a device if there is enough work" {
    note="note: --device auto uses the processor: the plug-in for CUDA belongs to another version of gradus"
    export GRADUS_FAKE_VERSION=1
    # training: 49 and 50 million values, and rounds
    for columns in 49000 50000; do
        awk -v columns=$columns 'BEGIN { srand(3); for (r = 0; r < 1000; r++) { a = rand()
            printf "%d qid:%d 1:%.3f %d:%.3f\n", 3 * a * rand(), r / 10, a, columns, rand() } }' > $columns.txt
    done
    while read -r columns rounds tried; do
        with train --method regression --leaves 2 --train "$columns.txt" --rounds "$rounds" --device auto -o a.model \
            > out 2> err
        [ "$(grep -cxF "$note" err)" -eq "$tried" ] || { echo "$columns $rounds: $(cat err)"; return 1; }
    done <<'CASES'
49000 150 0
50000 119 0
50000 120 1
CASES
    # scoring: 3 billion pairs of a row and a tree; it fails before it computes them, because a regression has no
    # probabilities
    awk 'BEGIN { srand(4); for (r = 0; r < 20; r++) printf "%.3f qid:1 1:%.3f\n", rand(), rand() }' > few.txt
    awk 'BEGIN { for (r = 0; r < 300000; r++) printf "0 qid:%d 1:0.5\n", r / 1000 }' > many.txt
    head -299999 many.txt > fewer.txt
    without train --method regression --leaves 2 --min-rows 1 --learning-rate 0.0001 --rounds 10000 --train few.txt \
        -q -o trees.model > /dev/null
    [ "$(without show trees.model --json | jq .trees)" -eq 10000 ]
    without train --learner linear --method regression --train few.txt -q -o linear.model > /dev/null
    while read -r model data option tried; do
        ! with score "$model.model" "$data.txt" --probabilities "$option" --device auto -o a.scores > out 2> err
        [ "$(grep -cxF "$note" err)" -eq "$tried" ] || { echo "$model $data: $(cat err)"; return 1; }
        grep -q "^gradus: .*probabilities" err
    done <<'CASES'
trees many --seed=1 1
trees fewer --seed=1 0
trees many --rounds=9999 0
linear many --seed=1 0
CASES
}

@test "auto does not use a device for what it cannot train" {
    make_wide
    set -- train --train wide.txt --rounds 3 -q
    GRADUS_FAKE_FAIL="lost measure 0" fails_with 75 \
        "the GPU has failed while growing trees: it has fallen off the bus" with "$@" --device auto -o a.model
    GRADUS_FAKE_FAIL="lost measure 0" with train --train train.txt --rounds 3 -q --device auto -o small.model > /dev/null
    with "$@" --device auto -o device.model > /dev/null
    with "$@" -o cpu.model > /dev/null
    cmp cpu.model device.model
    with train --method ranksvm --train wide.txt -q --device auto -o other.model > out 2> err
    [ ! -s err ]
    with score device.model wide.txt --device auto > device.scores
    with score device.model wide.txt > cpu.scores
    cmp cpu.scores device.scores
}
