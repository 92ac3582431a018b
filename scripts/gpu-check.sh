#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an NVIDIA GPU: trains and scores on the processor and on the GPU and compares the files
# byte for byte, for recipes of methods, sampling, weights, missing values and bins, with three seeds each.
# Needs nvcc, cmake, ninja and a C compiler; builds build/release, without tests if it is not configured.
# usage: gpu-check.sh [--sanitize] [RECIPE...]
#   --sanitize: instead, compute-sanitizer memcheck and racecheck on small data
#   RECIPE: words to look for in the names of recipes; default: all
set -u
cd "$(dirname "$0")/.." || exit 1
gradus=$PWD/build/release/gradus
seeds="1 2 3" queries=300 rounds=8 sanitize=0
if [[ ${1-} == --sanitize ]]; then
    sanitize=1 seeds=1 queries=25 rounds=2
    shift
fi
wanted=("$@")

build() {
    local log=$folder/build.log
    [[ -e build/release/CMakeCache.txt ]] ||
        cmake -G Ninja -S . -B build/release -DCMAKE_BUILD_TYPE=Release -DGRADUS_TESTS=OFF > "$log" 2>&1
    if cmake --build build/release --target gradus_command >> "$log" 2>&1; then
        [[ -e build/release/libgradus-cuda.so ]] && return
        echo "build/release has no plug-in for CUDA: see the output of cmake" >> "$log"
    fi
    tail -30 "$log"
    exit 1
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build
cd "$folder" || exit 1

# web: dense; missing: a tenth of the values missing; sparse: zeros left out; weights: of rows and queries
"$gradus" synth web --queries $queries -o web.txt -q || exit 1
"$gradus" synth web --queries 60 --first-query 5001 -o valid.txt -q || exit 1
# queries that fit in shared memory, and that do not
"$gradus" synth web --queries 4 --documents 900 --first-query 6001 -o long.txt -q || exit 1
"$gradus" synth web --queries 150 --first-query 7001 -o huge.txt -q || exit 1
sed -i 's/qid:[0-9]*/qid:1/' huge.txt
awk 'BEGIN { srand(7) } { for (i = 3; i <= NF; i++) if (rand() < 0.1) sub(/:.*/, ":nan", $i); print }' web.txt > missing.txt
awk '{ line = $1 " " $2; for (i = 3; i <= NF; i++) if ($i !~ /:0$/ && i % 3 == NR % 3) line = line " " $i; print line }' \
    web.txt > sparse.txt
awk '{ print 1 + NR % 3 / 2 }' web.txt > rows.weights
awk '!seen[$2]++ { print 1 + NR % 4 }' web.txt > queries.weights
for set in web missing sparse valid long huge; do
    "$gradus" convert $set.txt $set.gradus -q --features 136 > convert.log || exit 1
done

# name: data, options
recipes='
lambdamart: web --method lambdamart
lambdamart err: web --method lambdamart --lambda-metric err
lambdamart map: web --method lambdamart --lambda-metric map
lambdamart valid: web --method lambdamart --valid valid.gradus
lambdamart valid map: web --method lambdamart --valid valid.gradus --metric map
lambdamart valid stopped: missing --method lambdamart --valid missing.gradus --metric ndcg@3 --patience 2 --eval-every 2
lambdamart valid long: web --method lambdamart --valid long.gradus --valid more=huge.gradus --metric ndcg
regression valid sparse: sparse --method regression --valid sparse.gradus --metric ndcg --gain linear
mcrank valid: web --method mcrank --valid valid.gradus
lambdamart weights: web --method lambdamart --query-weights queries.weights
lambdamart missing: missing --method lambdamart --leaves 63
lambdamart sampled: missing --method lambdamart --query-fraction 0.6 --feature-fraction 0.7
regression: web --method regression
regression absolute: missing --method regression --loss absolute
regression 255 leaves: web --method regression --leaves 255 --min-rows 5
regression weights: missing --method regression --row-weights rows.weights --row-fraction 0.5
regression 16 bins: missing --method regression --bins 16
regression 2000 bins: web --method regression --bins 2000
regression by level: missing --method regression --grow level --depth 6
regression monotone: web --method regression --monotone 1:+,5:-,20:+
regression sparse: sparse --method regression --min-rows 1
cocr: missing --method cocr --cost absolute
mcrank: web --method mcrank --row-weights rows.weights
mcrank-ordinal: sparse --method mcrank-ordinal --row-fraction 0.7
propodds: missing --method propodds --query-weights queries.weights
orboost: web --method orboost
pairrank: web --method pairrank --feature-fraction 0.5
'
good=0 bad=0

# Trains and scores on one device: train_on DEVICE SEED DATA OPTIONS...
train_on() {
    local device=$1 seed=$2 data=$3 checker=()
    shift 3
    [[ -n ${tool-} && $device == cuda ]] &&
        checker=(compute-sanitizer --tool "$tool" --error-exitcode 9 --log-file "$tool.log")
    "${checker[@]}" "$gradus" train --train "$data.gradus" --rounds $rounds --seed "$seed" --device "$device" -q \
        "$@" -o "$device.model" > "$device.out" 2>&1 &&
        "${checker[@]}" "$gradus" score "$device.model" "$data.gradus" --device "$device" -q -o "$device.scores" \
            >> "$device.out" 2>&1
}

# compare NAME RECIPE
compare() {
    local name=$1 seed device failure=''
    for seed in $seeds; do
        for device in cpu cuda; do
            # shellcheck disable=SC2086 # words are split
            train_on $device "$seed" $2 && continue
            failure="seed $seed on $device: $(tail -1 $device.out)"
            break 2
        done
        cmp -s cpu.model cuda.model || failure="seed $seed: the models differ"
        cmp -s cpu.scores cuda.scores || failure="${failure:-seed $seed: the scores differ}"
        [[ -n $failure ]] && break
    done
    if [[ -z $failure ]]; then
        good=$((good + 1))
        printf 'same     %s\n' "$name"
    else
        bad=$((bad + 1))
        printf 'FAILED   %s: %s\n' "$name" "$failure"
        [[ -s ${tool-none}.log ]] && grep -v '^========= *$' "$tool.log" | head -20
    fi
}

check_all() {
    local name recipe word
    while IFS=: read -r name recipe; do
        [[ -z $name ]] && continue
        for word in "${wanted[@]}" ''; do
            [[ $name == *"$word"* ]] && break
        done
        [[ ${#wanted[@]} -gt 0 && -z $word ]] && continue
        compare "${tool:+$tool }$name" "$recipe"
    done <<< "$recipes"
}

if ((sanitize)); then
    for tool in memcheck racecheck; do
        check_all
    done
else
    check_all
fi
echo "$good of $((good + bad)) recipes are the same on the processor and the GPU, in $SECONDS s"
((bad == 0 && good > 0))
