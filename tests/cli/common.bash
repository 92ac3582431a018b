# SPDX-License-Identifier: Apache-2.0
# Shared by all tests of the command. $GRADUS is the command; each test has its own folder. Charts use the
# characters of the locale.
export LC_ALL=C.UTF-8

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

gradus() {
    "$GRADUS" "$@"
}

# Three queries: two of five documents, one without a relevant document.
make_small() {
    cat > small.txt <<'DATA'
2 qid:1 1:0.9 2:1 # docid = d1
0 qid:1 1:0.1 2:2 # docid = d2
1 qid:1 1:0.5 2:3 # docid = d3
0 qid:1 1:0.4 2:4 # docid = d4
0 qid:1 1:0.3 2:5 # docid = d5
1 qid:2 1:0.2 2:1 # docid = d1
2 qid:2 1:0.8 2:2 # docid = d2
0 qid:2 1:0.3 2:3 # docid = d3
0 qid:2 1:0.4 2:4 # docid = d4
1 qid:2 1:0.6 2:5 # docid = d6
0 qid:3 1:0.6 2:1 # docid = d1
0 qid:3 1:0.5 2:2 # docid = d2
DATA
}

# refuses STATUS MESSAGE COMMAND...: checks that the command fails with that status, prints nothing to
# standard output and one line with the message to standard error.
refuses() {
    local wanted=$1 message=$2 got=0
    shift 2
    "$@" > out 2> err || got=$?
    [ "$got" -eq "$wanted" ] || { echo "status $got, not $wanted; said: $(cat err)"; return 1; }
    [ ! -s out ] || { echo "printed: $(head -c 300 out)"; return 1; }
    [ "$(wc -l < err)" -eq 1 ] || { echo "not one line: $(cat err)"; return 1; }
    grep -qF -- "$message" err || { echo "said: $(cat err)"; echo "not:  $message"; return 1; }
}

# "! command" does not fail a test; these do.
differ() {
    ! cmp -s "$1" "$2"
}

lacks() {
    ! grep -q -- "$1" "$2"
}

# with_default OPTION VALUE WORDS...: sets "words" to the words, with the option added if it is absent.
with_default() {
    local option=$1 value=$2 word
    shift 2
    words=("$@")
    for word in "$@"; do
        [ "$word" != "$option" ] || return 0
    done
    words=("$option" "$value" "$@")
}

# Training and validation data of 30 and 20 queries.
make_sets() {
    gradus synth mcrank --queries 30 --seed 1 -o train.txt
    gradus synth mcrank --queries 20 --seed 2 -o valid.txt
}

# metric DATA MODEL NAME: the value of a metric.
metric() {
    gradus eval "$1" "$2" --metric "$3" --json -q | jq ".[0].metrics[\"$3\"]"
}

above() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'
}

# Writes try.bash: bash completion, where try WORD... prints how the last word is completed. The tests
# on standard input follow.
make_try() {
    gradus help --completion bash > completion
    cat > try.bash <<'TRY'
source ./completion
try() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _gradus
    echo "${COMPREPLY[@]}"
}
TRY
    cat >> try.bash
}

# start COMMAND...: runs it in the background; $pid is the command itself, and SIGINT is not ignored, as it
# is in background jobs of a shell. Returns when env has become the command: until then SIGINT is ignored.
start() {
    env --default-signal=INT,HUP "$GRADUS" "$@" > out 2> err &
    pid=$!
    wait_until has_started
}

has_started() {
    ! kill -0 $pid 2> /dev/null || [ "$(readlink "/proc/$pid/exe")" = "$(realpath "$GRADUS")" ]
}

# end_with SIGNAL: sends it, and sets the exit $status and the time it $took, in tenths of a second.
end_with() {
    local began
    began=$(date +%s%N)
    kill -s "$1" $pid 2> /dev/null || true # it may have ended
    status=0
    wait $pid || status=$?
    took=$((($(date +%s%N) - began) / 100000000))
}

# wait_until COMMAND...: waits until it succeeds, up to half a minute
wait_until() {
    for _ in $(seq 1500); do
        ! "$@" 2> /dev/null || return 0
        sleep 0.02
    done
    return 1
}
