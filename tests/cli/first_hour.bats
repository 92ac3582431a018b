# SPDX-License-Identifier: Apache-2.0
# The first hour of a new user: data, train, tune, compare, calibrate, ensemble, show, report.
#
# tests/cli/first_hour/*.txt contain the commands ("$ ..."), in order, each followed by its exact output;
# times are replaced by TIME. After an intended change of output, one command rewrites them, and git diff
# shows what changed:
#
#     UPDATE=1 SOURCE=$PWD GRADUS=$PWD/build/release/gradus bats tests/cli/first_hour.bats
load common

mq2008=$SOURCE/../shared/data/mq2008

put_on_path() {
    mkdir bin
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$GRADUS" > bin/gradus
    chmod +x bin/gradus
    export PATH=$PWD/bin:$PATH
}

# Times, speeds and memory, which depend on the machine; the last column of tune is seconds.
without_times() {
    sed -E -e 's/^(time|speed|memory)  .*/\1 TIME/' -e 's/ (all|1\/[0-9]+) +[0-9.]+$/ \1 TIME/'
}

# replay FILE: runs the commands of a page and prints the page with their current output.
replay() {
    grep '^\$ ' "$1" | while IFS= read -r line; do
        printf '%s\n' "$line"
        bash -c "${line#\$ }" 2>&1 || echo "status $?"
    done | without_times
}

@test "the first hour on synthetic data, word for word" {
    put_on_path
    changed=0
    for page in "$SOURCE"/tests/cli/first_hour/*.txt; do
        replay "$page" > now
        [ -z "${UPDATE-}" ] || cp now "$page"
        diff "$page" now || changed=1
    done
    [ "$changed" -eq 0 ]
}

@test "no command of the first hour fails" {
    cat "$SOURCE"/tests/cli/first_hour/*.txt > all
    [ "$(grep -c '^\$ gradus ' all)" -ge 12 ]
    lacks '^status ' all
    lacks '^gradus: ' all
}

# The same commands succeed on real data, and the models are better than random.
@test "the first hour on MQ2008" {
    [ -d "$mq2008" ] || skip "MQ2008 is not there"
    put_on_path
    mkdir parts
    zcat "$mq2008"/S[123].txt.gz > parts/train.txt
    zcat "$mq2008"/S4.txt.gz > parts/valid.txt
    zcat "$mq2008"/S5.txt.gz > parts/test.txt
    for page in "$SOURCE"/tests/cli/first_hour/[2-8]-*.txt; do
        replay "$page" > "$(basename "$page")"
    done
    cat [2-8]-*.txt > all
    lacks '^status ' all
    grep -qE '^method +lambdamart, trained on [0-9,]+ rows of 46 features' 2-train.txt
    awk '/^ndcg@10 / && NF == 3 { exit !($2 > $3 + 0.1) }' 2-train.txt
    grep -q "written to 'tuned.model'" 3-tune.txt
    grep -qE '^b - a +[-+]0\.[0-9]+' 4-compare.txt
    [ "$(grep -c '^expected calibration error' 5-calibrate.txt)" -eq 2 ]
    awk '/^ndcg@10 / { exit !($4 > 0.4) }' 6-ensemble.txt
    grep -q '^importance: ' 7-show.txt
    [ "$(tail -1 8-report.txt)" = 1 ]
}
