#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/mpi/bench_mpi.sh [-q QUERIES] [-r ROUNDS] [-m METHOD] [GRADUS]
#
# Distributed training on one machine: 1, 2, 4, ... ranks of one thread each, up to the number of processors,
# against one process with as many threads (synth web, 20,000 queries, 50 rounds of lambdamart). Prints a
# table: seconds of the rounds, speed relative to the threads, and of rank 0: megabytes given to collective
# operations and seconds spent in them, waiting included. The models of all runs are compared. Status 1 if
# one differs. GRADUS: the command (default build/release/gradus).
set -euo pipefail

queries=20000 rounds=50 method=lambdamart
while getopts q:r:m:h option; do
    case $option in
    q) queries=$OPTARG ;;
    r) rounds=$OPTARG ;;
    m) method=$OPTARG ;;
    h) sed -n '3,9s/^# \?//p' "$0" && exit 0 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
gradus=$(realpath "${1:-$(dirname "$0")/../../build/release/gradus}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$gradus" synth web --queries "$queries" -o train.gradus -q
processors=$(nproc)
what=(train --method "$method" --train train.gradus --rounds "$rounds")

# seconds LOG: the training time of a run, from its JSON events
seconds() {
    jq -s 'map(select(.event == "round")) | last.seconds' "$1"
}

"$gradus" "${what[@]}" --threads "$processors" --json -o one.model >one.json 2>one.err
threaded=$(seconds one.json)
printf '%s, %s queries, %s rounds, %s processors\n' "$method" "$queries" "$rounds" "$processors"
printf '%-24s %10s %10s %10s %12s %s\n' run seconds relative "MB given" "s together" model
printf '%-24s %10.2f %10.2f %10s %12s %s\n' "1 rank x $processors threads" "$threaded" 1 - - -
status=0
for ((ranks = 1; ranks <= processors; ranks *= 2)); do
    mpirun.openmpi --allow-run-as-root --bind-to core -n "$ranks" "$gradus" "${what[@]}" --threads 1 --json \
        --distributed mpi -o many.model >many.json 2>many.err
    took=$(seconds many.json)
    note=$(grep '^note: .* process.*; this one spent' many.err || echo)
    megabytes=$(sed -n 's/.*gave them \([0-9.]*\) MB.*/\1/p' <<<"$note")
    together=$(sed -n 's/.*this one spent \([0-9.]*\) of.*/\1/p' <<<"$note")
    verdict=same
    cmp -s one.model many.model || { verdict=DIFFERENT && status=1; }
    printf '%-24s %10.2f %10.2f %10s %12s %s\n' "$ranks ranks x 1 thread" "$took" \
        "$(jq -n "$threaded / $took")" "${megabytes:--}" "${together:--}" "$verdict"
done
exit $status
