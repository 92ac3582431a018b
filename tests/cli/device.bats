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

# loses_device COMMAND...: checks that the command ends with status 75 and says that the device was lost.
loses_device() {
    local got=0
    "$@" > out 2> err || got=$?
    [ "$got" -eq 75 ] || { echo "status $got, not 75; said: $(cat err)"; return 1; }
    grep -qF "the GPU has failed while growing a tree: it has fallen off the bus" err
}

@test "a lost device ends with a message and a checkpoint that resumes to the same bytes" {
    set -- train --train train.txt --rounds 12 -q --checkpoint-every 2
    without "$@" -o whole.model > /dev/null
    GRADUS_FAKE_ROUNDS=7 loses_device with "$@" --device cuda -o lost.model
    grep -qF -- "--device cuda -o lost.model --resume" err
    [ ! -e lost.model ]
    [ "$(without show lost.model.checkpoint --json | jq .rounds)" -eq 6 ]
    cp lost.model.checkpoint saved
    GRADUS_FAKE_ROUNDS=0 loses_device with "$@" --device cuda -o lost.model --resume
    cmp saved lost.model.checkpoint
    with "$@" --device cuda -o lost.model --resume > /dev/null
    cmp whole.model lost.model
    cp saved lost.model.checkpoint
    without "$@" -o lost.model --resume > /dev/null
    cmp whole.model lost.model
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

@test "without a plug-in cuda says what is missing and auto uses the processor" {
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
    refuses 1 "--device cuda: " here/gradus train --train train.txt --device cuda -o a.model
    here/gradus train --train train.txt --rounds 2 --device auto -o a.model -q > out
}

@test "gradus version says whether the plug-in is there" {
    with version > with.txt
    grep -q '^cuda  *built$' with.txt
    without version > without.txt
    grep -q '^cuda  *not built$' without.txt
    without version --json | jq -e '.parts[] | select(.name == "cuda") | .built == false'
}

@test "auto uses a device for many values, and not for what it cannot train" {
    awk 'BEGIN { srand(3); for (r = 0; r < 1000; r++) { a = rand()
        printf "%d qid:%d 1:%.3f 50000:%.3f\n", 3 * a * rand(), r / 10, a, rand() } }' > wide.txt
    set -- train --train wide.txt --rounds 3 -q
    GRADUS_FAKE_ROUNDS=1 refuses 75 "the GPU has failed" with "$@" --device auto -o a.model
    GRADUS_FAKE_ROUNDS=1 with train --train train.txt --rounds 3 -q --device auto -o small.model > /dev/null
    with "$@" --device auto -o device.model > /dev/null
    with "$@" -o cpu.model > /dev/null
    cmp cpu.model device.model
    with train --method ranksvm --train wide.txt -q --device auto -o other.model > out 2> err
    [ ! -s err ]
    with score device.model wide.txt --device auto > device.scores
    with score device.model wide.txt > cpu.scores
    cmp cpu.scores device.scores
}
