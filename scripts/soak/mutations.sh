#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/soak/mutations.sh SECONDS SEED: a part of scripts/soak.sh.
#
# Runs commands, built with sanitizers and with limited memory, on damaged models and data sets, most
# with valid checksums. They may be refused or accepted, but must not cause a crash, a hang or a sanitizer
# report.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/soak_lib.sh"
begin_part "$1" "$2"

mutate=$root/build/release/tests/soak_mutate
make_rows 1 6 >data.txt
"$gradus" convert data.txt dense.gradus -q
"$gradus" convert data.txt sparse.gradus --storage sparse -q
models=("$root"/tests/fuzz/corpus/model/trained-*.model)
sed -E 's/ 5:.*//' data.txt >four.txt # the number of features of the models in the corpus
"$gradus" train --method mcrank --train data.txt --rounds 3 --leaves 4 -o plain.model -q >/dev/null
runs=0 source=

# try FILE WORD...: runs the command; keeps FILE if it breaks the command.
try() {
    local file=$1 status=0
    shift
    timeout 120 "$asan_gradus" "$@" --threads 1 >output 2>error || status=$?
    runs=$((runs + 1))
    if is_broken $status error; then
        finding "gradus $*: status $status" "$file" error
    fi
}

while time_left; do
    rm -rf files
    mkdir files
    if [ $((RANDOM % 3)) -gt 0 ]; then
        pick source "${models[@]}"
        "$mutate" "$source" files 20 $((RANDOM * 32768 + RANDOM))
        for file in files/*; do
            case $((RANDOM % 5)) in
            0) try "$file" show "$file" ;;
            1) try "$file" show "$file" --json --tree 1 ;;
            2) try "$file" score "$file" four.txt ;;
            3) try "$file" eval four.txt "$file" --confusion ;;
            4) try "$file" eval four.txt "$file" --calibration ;;
            esac
        done
    else
        pick source dense.gradus sparse.gradus
        "$mutate" "$source" files 20 $((RANDOM * 32768 + RANDOM))
        for file in files/*; do
            case $((RANDOM % 3)) in
            0) try "$file" describe "$file" ;;
            1) try "$file" score plain.model "$file" ;;
            2) try "$file" eval "$file" plain.model ;;
            esac
        done
    fi
    progress "$runs damaged files"
done
summary mutations "$runs damaged models and data sets" "$findings"
