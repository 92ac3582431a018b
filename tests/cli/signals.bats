# SPDX-License-Identifier: Apache-2.0
# Signals: what they stop, how fast, the exit status, and the files left behind.
load common

# rows_without_end: writes endless data to the pipe "rows", until its reader ends
rows_without_end() {
    (yes "$(printf '1 qid:1 1:2 2:1\n0 qid:1 1:3 2:4')" > rows) > /dev/null 2>&1 3>&- &
    writer=$!
}

@test "the fit of a support vector machine with 200 grades is cancelled" {
    awk 'BEGIN { srand(7)
        for (i = 0; i < 8000; i++) {
            printf "%d qid:%d", int(rand() * 200), i / 50 + 1
            for (f = 1; f <= 5; f++) printf " %d:%.4f", f, rand()
            print "" } }' > grades.txt
    for method in svor-imc svor-exc svor-sl; do
        start train --method $method --train grades.txt -o a.model --tolerance 1e-9 --json
        wait_until grep -q '"event": "start"' out
        sleep 0.3
        end_with TERM
        [ "$status" -eq 143 ] || { echo "$method: $status"; cat err; return 1; }
        [ "$took" -lt 50 ] || { echo "$method took $took"; return 1; }
        grep -q "^gradus: interrupted while fitting; nothing to save yet$" err
        [ ! -e a.model ] && [ ! -e a.model.checkpoint ]
    done
}

@test "commands without a checkpoint end with the status of the signal and leave no files" {
    make_small
    gradus train -q --train small.txt -o a.model --rounds 3 > /dev/null
    mkfifo rows
    ls > before
    while read -r signal wanted words; do
        rows_without_end
        start $words
        sleep 0.4
        end_with "$signal"
        kill $writer 2> /dev/null || true
        [ "$status" -eq "$wanted" ] || { echo "$words, $signal: $status"; cat err; return 1; }
        [ "$took" -lt 50 ]
        # no output if it had not started, or did not stop by itself within a second
        [ ! -s err ] || [ "$(cat err)" = "gradus: interrupted" ] || { cat err; return 1; }
        cmp <(ls -I out -I err) <(grep -v '^out$\|^err$' before) || { echo "$words leaves files"; return 1; }
    done <<'COMMANDS'
INT 130 convert rows b.txt
TERM 143 convert rows b.gradus
HUP 129 convert rows b.csv
TERM 143 score a.model rows -o b.scores
INT 130 eval rows a.model --json
TERM 143 describe rows
INT 130 synth web --queries 10000000 -o b.txt
TERM 143 synth web --queries 10000000 -o b.gradus
COMMANDS
}

@test "a command that waits for input ends within about a second" {
    mkfifo rows
    sleep 20 > rows 3>&- &
    writer=$!
    start describe rows
    sleep 0.3
    end_with TERM
    kill $writer
    [ "$status" -eq 143 ]
    [ "$took" -lt 50 ]
}

@test "a second signal ends a command at once" {
    mkfifo rows
    took=100
    # several tries: on a busy machine both signals may arrive as one
    for try in 1 2 3 4 5; do
        sleep 20 > rows 3>&- &
        writer=$!
        start describe rows
        sleep 0.3
        kill -TERM $pid
        sleep 0.1
        end_with TERM
        kill $writer
        [ "$status" -eq 143 ]
        [ "$took" -ge 8 ] || break
    done
    [ "$took" -lt 8 ] || { echo "took $took tenths of a second in try $try"; return 1; }
}

@test "the next run removes the temporary files of a killed one, and nothing else" {
    make_small
    mkdir a.model.gradus-folder
    touch a.model.gradus-abc12 a.model.gradus-ABC123 a.model.backup b.model.gradus-abc123 a.model.gradus-abc123x
    touch a.model.gradus-locked
    ln -s a.model.backup a.model.gradus-linked
    flock a.model.gradus-locked sleep 10 > /dev/null 2>&1 3>&- &
    holder=$!
    ls > before
    touch a.model.gradus-abc123 a.model.checkpoint.gradus-xyz789
    wait_until bash -c '! flock -n a.model.gradus-locked true'
    gradus train -q --train small.txt -o a.model --rounds 2 > /dev/null
    rm a.model
    ls > after
    kill $holder
    grep -vx 'after' after | diff <(grep -vx after before) -
    touch b.txt.gradus-000000
    gradus convert small.txt b.txt
    [ ! -e b.txt.gradus-000000 ]
}

# truncated FILE COMMAND...: truncates a file while the command has it mapped and waits for more data from
# the pipe "rest".
truncated() {
    local file=$1
    shift
    mkfifo rest
    start "$@"
    wait_until grep -q "/$file\$" /proc/$pid/maps
    truncate -s 4096 "$file"
    timeout 10 cp small.txt rest
    status=0
    wait $pid || status=$?
}

@test "the error names a data file that is truncated while it is read" {
    [ -e /proc/self/maps ] || skip "there is no /proc/self/maps"
    make_small
    gradus synth web --queries 200 -q -o 'big set.gradus'
    truncated 'big set.gradus' train --train 'big set.gradus' --valid rest --features 136 -o a.model
    [ "$status" -eq 1 ] || { echo "status $status"; cat err; return 1; }
    [ "$(cat err)" = "gradus: '$PWD/big set.gradus' was truncated while it was being read" ] || { cat err; return 1; }
    [ ! -s out ] && [ ! -e a.model ]
}
