#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/soak/stress.sh SECONDS SEED: a part of scripts/soak.sh.
#
# Trains random methods with random options: under the thread sanitizer, under the address and
# undefined-behaviour sanitizers, with different numbers of threads, and with instruction sets disabled
# (tests/soak/limited_main.c). All models of a case must be byte-identical.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/soak_lib.sh"
begin_part "$1" "$2"

limited=$root/build/release/tests/gradus_limited
find_tsan
trainings=0 cases=0 models=0

draw_options() {
    local method learner bins rows features kernel
    pick method lambdamart regression cocr mcrank mcrank-ordinal propodds orboost svor-imc svor-exc \
        svor-sl crr ranksvm ranknet lambdarank listnet listmle netreg adaboost-mh pairrank rankboost \
        adarank-map adarank-ndcg coordinate-ascent
    options=(--method "$method" --seed "$RANDOM")
    pick learner gbrt linear m5p bagged-m5p
    pick bins 2 16 255 1000
    pick rows 0.5 0.9 1
    pick features 0.5 1
    pick kernel gaussian polynomial linear
    case $method in
    crr) options+=(--steps $((1000 + RANDOM % 20000))) ;;
    svor*) options+=(--kernel "$kernel") ;;
    ranksvm | coordinate-ascent) ;;
    *) options+=(--rounds $((1 + RANDOM % 8))) ;;
    esac
    case $method:$learner in
    cocr:linear | cocr:*m5p) options+=(--learner "$learner") ;;
    lambdamart:* | regression:* | cocr:* | mcrank*:* | propodds:* | orboost:* | pairrank:*)
        options+=(--leaves $((2 + RANDOM % 12)) --bins "$bins" --row-fraction "$rows" --feature-fraction "$features")
        ;;
    esac
    [ $((RANDOM % 2)) -eq 0 ] || options+=(--valid valid.txt)
    [ $((RANDOM % 3)) -gt 0 ] || options+=(--storage sparse)
}

# train_with NAME THREADS PROGRAM...: writes NAME.model.
train_with() {
    local name=$1 threads=$2 status=0
    shift 2
    timeout 600 "$@" train "${options[@]}" --train train.txt -o "$name.model" --threads "$threads" -q \
        >output 2>error || status=$?
    trainings=$((trainings + 1))
    if is_broken $status error; then
        finding "$name: train ${options[*]}: status $status" error train.txt valid.txt
    fi
    { printf '%d\n' $status && grep '^gradus: ' error; } >"$name.status" || true
}

# Whether a training run gave the same status, message and model as the first.
is_like_first() {
    cmp -s first.status "$1.status" || return 1
    [ ! -e first.model ] || cmp -s first.model "$1.model"
}

while time_left; do
    make_rows $RANDOM $((5 + RANDOM % 60)) >train.txt
    make_rows $RANDOM 20 >valid.txt
    draw_options
    rm -f ./*.model ./*.status
    train_with first 1 "$gradus"
    ! grep -q '^2$' first.status || finding "wrong usage: ${options[*]}" error
    train_with threads-2 2 "$gradus"
    train_with threads-7 7 "$gradus"
    for level in avx2 baseline; do
        [ ! -x "$limited" ] || train_with $level 2 env "GRADUS_TEST_CPU=$level" "$limited"
    done
    train_with asan 4 "$asan_gradus"
    [ -z "$has_tsan" ] || train_with tsan 4 "${run_tsan[@]}" "$tsan_gradus"
    for status in *.status; do
        name=${status%.status}
        is_like_first "$name" || finding "$name: not the model of one thread: ${options[*]}" \
            train.txt valid.txt first.model "$name.model" first.status "$status"
    done
    cases=$((cases + 1))
    [ ! -e first.model ] || models=$((models + 1))
    progress "$trainings training runs of $cases cases"
done
[ -n "$has_tsan" ] || summary "stress, thread sanitizer" "skipped: it cannot run here" 0
summary stress "$trainings training runs, $cases cases, $models with a model" "$findings"
