#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an NVIDIA GPU: trains and scores on the processor and on the GPU, there with CUDA graphs and
# without, and compares the files byte for byte, and what is printed except for times: recipes of methods, losses,
# sampling, weights, missing values, bins and large data, with three seeds each, and checkpoints of one device that
# the other resumes from.
# Needs nvcc, cmake, ninja and a C compiler; builds build/release, without tests if it is not configured.
# usage: gpu-check.sh [--sanitize] [--jobs N] [RECIPE...]
#   --sanitize: instead, compute-sanitizer memcheck, racecheck, initcheck and synccheck on small data, without
#     graphs: of programs that launch a graph with a loop, that of CUDA 13.0 loses track
#   --jobs N: checks N recipes at a time (default 1)
#   RECIPE: words to look for in the names of recipes; default: all
# In the environment: GRADUS, a command to check instead of that of build/release; LARGE_ROWS, rows of the large data
# (default 4,400,000: over 4,194,304 sums have 64 bits); SEEDS, those of each recipe (default "1 2 3").
set -u
cd "$(dirname "$0")/.." || exit 1
gradus=${GRADUS:-$PWD/build/release/gradus}
seeds=${SEEDS:-1 2 3} queries=300 sanitize=0 large_rows=${LARGE_ROWS:-4400000}
if [[ ${1-} == --sanitize ]]; then
    sanitize=1 seeds=1 queries=25
    shift
fi
jobs=1
if [[ ${1-} == --jobs ]]; then
    jobs=$2
    shift 2
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
[[ -n ${GRADUS-} ]] || build
cd "$folder" || exit 1

# web: dense; missing: a tenth of the values missing; sparse: zeros left out; grades: twelve grades; weights: of rows
# and queries
"$gradus" synth web --queries $queries -o web.txt -q || exit 1
"$gradus" synth web --queries 60 --first-query 5001 -o valid.txt -q || exit 1
# queries that fit in shared memory, and that do not
"$gradus" synth web --queries 4 --documents 900 --first-query 6001 -o long.txt -q || exit 1
"$gradus" synth web --queries 150 --first-query 7001 -o huge.txt -q || exit 1
sed -i 's/qid:[0-9]*/qid:1/' huge.txt
awk 'BEGIN { srand(7) } { for (i = 3; i <= NF; i++) if (rand() < 0.1) sub(/:.*/, ":nan", $i); print }' web.txt > missing.txt
awk '{ line = $1 " " $2; for (i = 3; i <= NF; i++) if ($i !~ /:0$/ && i % 3 == NR % 3) line = line " " $i; print line }' \
    web.txt > sparse.txt
awk '{ $1 = $1 * 2 + NR % 4; print }' web.txt > grades.txt
awk '{ print 1 + NR % 3 / 2 }' web.txt > rows.weights
awk '!seen[$2]++ { print 1 + NR % 4 }' web.txt > queries.weights
for set in web missing sparse grades valid long huge; do
    "$gradus" convert $set.txt $set.gradus -q --features 136 > convert.log || exit 1
done

# large: made if a recipe needs it
make_large() {
    "$gradus" synth mcrank --queries $((large_rows / 100)) --documents 100 --features 9 -o large.gradus -q || exit 1
    seq "$large_rows" | awk '{ print 1 + NR % 3 / 2 }' > large.weights
}

# name: data, options; those of large data run with one seed
recipes='
lambdamart: web --method lambdamart
lambdamart err: web --method lambdamart --lambda-metric err
lambdamart map: web --method lambdamart --lambda-metric map
lambdamart valid: web --method lambdamart --valid valid.gradus
lambdamart valid map: web --method lambdamart --valid valid.gradus --metric map
lambdamart valid stopped: missing --method lambdamart --valid missing.gradus --metric ndcg@3 --patience 2 --eval-every 2
lambdamart valid long: web --method lambdamart --valid long.gradus --valid more=huge.gradus --metric ndcg
lambdamart train metric: web --method lambdamart --train-eval-every 1
regression valid sparse: sparse --method regression --valid sparse.gradus --metric ndcg --gain linear
regression train metric: missing --method regression --train-eval-every 1 --metric ndcg@5,map
mcrank valid: web --method mcrank --valid valid.gradus
mcrank train metric: web --method mcrank --train-eval-every 2 --valid valid.gradus
lambdamart weights: web --method lambdamart --query-weights queries.weights
lambdamart missing: missing --method lambdamart --leaves 63
lambdamart sampled: missing --method lambdamart --query-fraction 0.6 --feature-fraction 0.7
lambdamart long queries: long --method lambdamart
regression: web --method regression
regression absolute: missing --method regression --loss absolute
regression huber: web --method regression --loss huber
regression quantile: missing --method regression --loss quantile --quantile 0.8
regression 255 leaves: web --method regression --leaves 255 --min-rows 5
regression 5000 leaves: web --method regression --leaves 5000 --min-rows 1
lambdamart 5000 leaves: missing --method lambdamart --leaves 5000 --min-rows 1
regression weights: missing --method regression --row-weights rows.weights --row-fraction 0.5
regression 16 bins: missing --method regression --bins 16
regression 300 bins: sparse --method regression --bins 300
regression 2000 bins: web --method regression --bins 2000
lambdamart 2000 bins: missing --method lambdamart --bins 2000
regression by level: missing --method regression --grow level --depth 6
regression monotone: web --method regression --monotone 1:+,5:-,20:+
regression sparse: sparse --method regression --min-rows 1
cocr: missing --method cocr --cost absolute
cocr 11 outputs: grades --method cocr
mcrank: web --method mcrank --row-weights rows.weights
mcrank 12 outputs: grades --method mcrank
mcrank-ordinal: sparse --method mcrank-ordinal --row-fraction 0.7
propodds: missing --method propodds --query-weights queries.weights
orboost: web --method orboost
orboost 12 grades: grades --method orboost
pairrank: web --method pairrank --feature-fraction 0.5
large regression: large --method regression
large regression weights: large --method regression --row-weights large.weights
large regression 255 leaves: large --method regression --leaves 255
large regression 1000 bins: large --method regression --bins 1000
large lambdamart: large --method lambdamart
large lambdamart 1000 bins: large --method lambdamart --bins 1000
large mcrank: large --method mcrank
'
good=0 bad=0

# Trains and scores: train_on DEVICE SEED ROUNDS DATA OPTIONS...; DEVICE plain: cuda without graphs
train_on() {
    local name=$1 device=${1/plain/cuda} seed=$2 rounds=$3 data=$4 checker=()
    shift 4
    [[ -n ${tool-} && $name == plain ]] &&
        checker=(compute-sanitizer --tool "$tool" --error-exitcode 9 --log-file "$tool.log")
    [[ $name == plain ]] && checker=(env GRADUS_CUDA_GRAPHS=0 "${checker[@]}")
    "${checker[@]}" "$gradus" train --train "$data.gradus" --rounds "$rounds" --seed "$seed" --device "$device" -q \
        --json "$@" -o "$name.model" > "$name.events" 2> "$name.out" &&
        "${checker[@]}" "$gradus" score "$name.model" "$data.gradus" --device "$device" -q -o "$name.scores" \
            >> "$name.out" 2>&1
}

# What was printed, without times, memory and names.
printed() {
    sed -E 's/"seconds": (\{[^}]*\}|[0-9.e+-]+)//; s/"(model|device|peak_bytes)": ("[^"]*"|[0-9]+)//g' "$1.events"
}

# check NAME FAILURE: counts and reports a check; no failure: it is good
check() {
    if [[ -z $2 ]]; then
        good=$((good + 1))
        printf 'same     %s\n' "$1"
    else
        bad=$((bad + 1))
        printf 'FAILED   %s: %s\n' "$1" "$2"
        [[ -s ${tool-none}.log ]] && grep -v '^========= *$' "$tool.log" | head -20
    fi
}

# difference DEVICE SEED: what differs from the processor
difference() {
    cmp -s cpu.model "$1.model" || { echo "seed $2: the models of cpu and $1 differ"; return; }
    cmp -s cpu.scores "$1.scores" || { echo "seed $2: the scores of cpu and $1 differ"; return; }
    cmp -s <(printed cpu) <(printed "$1") || echo "seed $2: cpu and $1 print other metrics"
}

# compare NAME RECIPE
compare() {
    local name=$1 seed device failure='' these=$seeds rounds=8 devices='cpu cuda plain'
    ((sanitize)) && rounds=2 devices='cpu plain'
    if [[ $name == *large* ]]; then
        these=1
        rounds=$((sanitize ? 1 : 3))
    fi
    for seed in $these; do
        for device in $devices; do
            # shellcheck disable=SC2086 # words are split
            if ! train_on $device "$seed" $rounds $2; then
                failure="seed $seed on $device: $(tail -1 $device.out)"
            elif [[ $device != cpu ]]; then
                failure=$(difference $device "$seed")
            fi
            [[ -n $failure ]] && break 2
        done
    done
    check "$name" "$failure"
}

# is_wanted NAME: by the words of the command line
is_wanted() {
    local word
    [[ ${#wanted[@]} -eq 0 ]] && return
    for word in "${wanted[@]}"; do
        [[ $1 == *"$word"* ]] && return
    done
    return 1
}

# Lists the wanted recipes of those on standard input.
list() {
    local name recipe
    while IFS=: read -r name recipe; do
        [[ -n $name ]] && is_wanted "$name" && echo "$name:$recipe"
    done
}

# interrupt DEVICE DATA OPTIONS...: trains and ends it after some rounds, which saves a checkpoint
interrupt() {
    local device=$1 data=$2 pid status
    shift 2
    rm -f resumed.model resumed.model.checkpoint
    "$gradus" train --train "$data.gradus" --device "$device" -q "$@" --checkpoint-every 3 -o resumed.model \
        > interrupt.out 2>&1 &
    pid=$!
    while kill -0 $pid 2> kill.out && [[ ! -e resumed.model.checkpoint ]]; do sleep 0.002; done
    kill -TERM $pid 2> kill.out
    wait $pid
    status=$?
    [[ -e resumed.model.checkpoint ]] || echo "$device: exit status $status without a checkpoint"
}

# resume NAME RECIPE: a checkpoint of each device that the other one resumes from
resume() {
    local name=$1 from other failure='' rounds=300 words
    read -ra words <<< "$2"
    train_on cpu 1 $rounds "${words[@]}" || failure="on cpu: $(tail -1 cpu.out)"
    for from in cpu cuda; do
        [[ $from == cpu ]] && other=cuda || other=cpu
        [[ -z $failure ]] && failure=$(interrupt $from "${words[@]}" --rounds $rounds --seed 1)
        [[ -n $failure ]] && break
        if ! "$gradus" train --train "${words[0]}.gradus" --device $other -q "${words[@]:1}" --rounds $rounds \
            --seed 1 --resume -o resumed.model > resumed.out 2>&1; then
            failure="from $from on $other: $(tail -1 resumed.out)"
        elif ! cmp -s cpu.model resumed.model; then
            failure="from $from on $other: the models differ"
        fi
    done
    check "$name" "$failure"
}

resumes='
resumed lambdamart: web --method lambdamart --valid valid.gradus --patience 0
resumed regression: missing --method regression --row-fraction 0.5
resumed mcrank: web --method mcrank --train-eval-every 5
resumed orboost: web --method orboost
resumed huber: web --method regression --loss huber
'

# run_job NUMBER: the checks of a job, every jobs-th one, in a folder of its own
run_job() {
    local number=0 kind tool name recipe
    mkdir "job$1" && cd "job$1" && ln -s ../*.gradus ../*.weights . || exit 1
    while IFS=: read -r kind tool name recipe; do
        ((number++ % jobs == $1)) || continue
        "$kind" "${tool:+$tool }$name" "$recipe"
    done < ../checks
    echo "$good $bad" > "../counts.$1"
}

list <<< "$recipes" | grep -q large && make_large
if ((sanitize)); then
    for tool in memcheck racecheck initcheck synccheck; do
        list <<< "$recipes" | sed "s/^/compare:$tool:/"
    done
else
    list <<< "$recipes" | sed 's/^/compare::/'
    list <<< "$resumes" | sed 's/^/resume::/'
fi > checks
for ((job = 0; job < jobs; job++)); do
    (run_job $job) &
done
wait
for ((job = 0; job < jobs; job++)); do
    read -r same different < counts.$job || exit 1
    good=$((good + same)) bad=$((bad + different))
done
echo "$good of $((good + bad)) recipes are the same on the processor and the GPU, in $SECONDS s"
((bad == 0 && good > 0))
