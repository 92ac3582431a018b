#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/soak/kills.sh SECONDS SEED: a part of scripts/soak.sh.
#
# Runs a command, ends it by a random signal after a random time, and checks the output: it must be
# absent, unchanged or complete. Then the command runs again, resuming if it can, and must give the same
# bytes as an uninterrupted run.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/soak_lib.sh"
begin_part "$1" "$2"

make_rows 1 150 >train.txt
make_rows 2 60 >valid.txt
make_rows 3 4000 >large.txt
printf 'old\n' >old

# Sets the command of a name. Each writes 'out', with journals and checkpoints beside it.
set_command() {
    case $1 in
    train-*) command=(train --method "${1#train-}" --train train.txt --valid valid.txt --rounds 60
        --checkpoint-every 3 --resume) ;;
    tune) command=(tune --method lambdamart --train train.txt --valid valid.txt --budget 4
        --space 'leaves=4|8|12|16, rounds=15' --search random --journal journal) ;;
    convert) command=(convert large.txt out) ;;
    score) command=(score reference.model large.txt) ;;
    esac
    [ "$1" = convert ] || command+=(-o out)
    command=("$gradus" "${command[@]}" --threads 2 -q)
}

# Measures the time of an uninterrupted run, in ms, and keeps its output as reference-NAME.
measure() {
    local name=$1 start
    remove_all
    set_command "$name"
    start=$(date +%s%N)
    "${command[@]}" >log 2>error || {
        finding "$name fails without being killed: $(tail -n 1 error)" error
        return 1
    }
    times[$name]=$((($(date +%s%N) - start) / 1000000))
    mv out "reference-$name"
    names+=("$name")
}

remove_all() {
    rm -rf out out.checkpoint journal journal.checkpoints
}

# Up to four kills, then a run to the end.
kill_some() {
    local name=$1 had_old='' signal random pid
    remove_all
    set_command "$name"
    if [ $((RANDOM % 2)) -eq 0 ]; then
        cp old out
        had_old=1
    fi
    for _ in $(seq $((1 + RANDOM % 4))); do
        pick signal KILL KILL TERM INT
        random=$RANDOM
        set -m # otherwise SIGINT would be ignored
        "${command[@]}" >log 2>error &
        pid=$!
        set +m
        sleep "$(awk -v t="${times[$name]}" -v r="$random" 'BEGIN { printf "%.3f", t / 1000 * r / 32768 * 1.1 }')"
        kill -s "$signal" "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        kills=$((kills + 1))
        check_left "$name" "$signal" "$had_old"
        ! cmp -s out "reference-$name" || had_old=
    done
    "${command[@]}" >log 2>error ||
        finding "$name: the run after kills fails: $(tail -n 1 error)" error log
    cmp -s out "reference-$name" ||
        finding "$name: different bytes after kills" out "reference-$name"
}

# Checks the output after a kill.
check_left() {
    local name=$1 signal=$2 had_old=$3
    if grep -q 'Sanitizer\|runtime error' error; then
        finding "$name: sanitizer report after SIG$signal" error
    elif [ ! -e out ]; then
        [ -z "$had_old" ] || finding "$name: SIG$signal removed the old output"
    elif ! cmp -s out "reference-$name" && ! { [ -n "$had_old" ] && cmp -s out old; }; then
        finding "$name: SIG$signal left a partial output" out error
    fi
}

declare -A times
names=()
kills=0
for name in train-lambdamart train-mcrank train-ranknet train-rankboost; do
    measure "$name" || true
done
cp reference-train-lambdamart reference.model
for name in tune convert score; do
    measure "$name" || true
done
while time_left; do
    pick name "${names[@]}"
    kill_some "$name"
    progress "$kills kills"
done
summary kills "$kills kills of train, tune, convert, score" "$findings"
