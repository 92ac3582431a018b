#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every experiment of gradus reproduce, or those named, and writes the results as JSON.
#
#   bench/papers/all.sh BUILD FOLDER [DATA] [NAME...]             FOLDER keeps journals and results;
#                                                                 the same command resumes
#   bench/papers/page.py FOLDER > docs/results/reproduction.md    the page, from the JSON in FOLDER
#
# DATA: a folder of data sets; "" for none. Experiments whose data are missing are skipped.
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '3,10s/^# \?//p' "$0"
    exit 2
fi
gradus=$(realpath "$1")/gradus folder=$2 data=${3:+$(realpath "$3")}
shift $(($# < 3 ? $# : 3))
mkdir -p "$folder"
cd "$folder"
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    mapfile -t names < <("$gradus" reproduce --list --json | jq -r '.[].name')
fi
for name in "${names[@]}"; do
    missing=
    for set in $("$gradus" reproduce --list --json | jq -r ".[] | select(.name == \"$name\").needs"); do
        [ -n "$data" ] && [ -e "$data/$set" ] || missing+=" $set"
    done
    if [ -n "$missing" ]; then
        echo "$name: skipped, needs$missing"
        continue
    fi
    SECONDS=0
    status=0
    "$gradus" reproduce "$name" ${data:+--data "$data"} --json -o "$name.json" || status=$?
    [ $status -eq 0 ] && echo "$name: $SECONDS s" || echo "$name: failed"
    # Figures are also drawn.
    if [ $status -eq 0 ] && [ "$(jq '.figures | length' "$name.json")" -gt 0 ]; then
        "$gradus" reproduce "$name" ${data:+--data "$data"} --svg "$name.svg" -o "$name.txt" -q
    fi
done
