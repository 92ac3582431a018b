# SPDX-License-Identifier: Apache-2.0
# Interrupted training, when resumed, gives a byte-identical model.
load common

rounds=60

make_data() {
    gradus synth mcrank --queries 120 -o train.gradus
    gradus synth mcrank --queries 30 --seed 2 -o valid.gradus
}

# train OUTPUT OPTIONS...
train() {
    local output=$1
    shift
    "$GRADUS" train --train train.gradus --valid valid.gradus --patience 0 -o "$output" --rounds $rounds "$@"
}

# start OUTPUT OPTIONS...: the same in the background, with events; $pid is the command itself, and
# SIGINT is not ignored, as it is in background jobs of a shell.
start() {
    local output=$1
    shift
    : > events # exists before the command starts
    env --default-signal=INT,HUP "$GRADUS" train --train train.gradus --valid valid.gradus --patience 0 -o "$output" \
        --rounds $rounds --json "$@" > events 2> err &
    pid=$!
}

# Waits, up to a minute, until the events contain that many rounds or all that are left.
wait_for_rounds() {
    for _ in $(seq 3000); do
        [ "$(grep -c '"event": "round"' events)" -lt "$1" ] || return 0
        ! grep -q '"event": "done"' events || return 0
        sleep 0.02
    done
    return 1
}

# interrupt SIGNAL AFTER OPTIONS...: sends a signal to a training run after AFTER rounds, and waits for its
# $status. If the run has already finished (its model exists), tries again with more rounds.
interrupt() {
    local signal=$1 after=$2
    shift 2
    for rounds in 15 60 240 960; do
        rm -f part.model part.model.checkpoint
        start part.model "$@"
        wait_for_rounds "$after"
        kill -s "$signal" $pid 2> /dev/null || true
        status=0
        wait $pid || status=$?
        [ -e part.model ] || return 0
    done
    return 1
}

@test "SIGINT, SIGTERM and SIGHUP: resuming from the checkpoint gives the same bytes" {
    make_data
    for signal in INT TERM HUP; do
        interrupt $signal 3
        [ "$status" -eq $((128 + $(kill -l $signal))) ] || { echo "$signal: $status"; cat err; return 1; }
        [ ! -e part.model ]
        grep -q "^gradus: interrupted after round [0-9]* of $rounds; checkpoint saved to 'part.model.checkpoint'" err
        [ "$(tail -1 events | jq -r .event)" = interrupted ]
        # it prints the command that resumes
        command=$(sed -n 's/^  gradus \(train .* --resume\)$/\1/p' err)
        [ -n "$command" ]
        eval "\"\$GRADUS\" $command" > rest
        [ "$(jq -s '.[0].first_round' rest)" -gt 3 ]
        train whole.model -q > /dev/null
        cmp whole.model part.model
        [ ! -e part.model.checkpoint ]
    done
}

@test "killed at any moment, the last checkpoint is readable and gives the same bytes" {
    make_data
    for attempt in 1 2 3 4 5 6; do
        interrupt KILL $((1 + RANDOM % 12)) --checkpoint-every 1
        [ "$status" -eq 137 ]
        [ ! -e part.model.checkpoint ] || gradus show part.model.checkpoint > /dev/null
        train part.model -q --resume > /dev/null
        train whole.model -q > /dev/null
        cmp whole.model part.model
        [ ! -e part.model.checkpoint ]
    done
    # a kill between writing and renaming may leave a complete temporary file
    for left in part.model.*; do
        [ ! -e "$left" ] || gradus show "$left" > /dev/null
    done
}

@test "killed and resumed repeatedly" {
    make_data
    interrupt KILL 3 --checkpoint-every 2
    for _ in 1 2 3; do
        start part.model --checkpoint-every 2 --resume
        wait_for_rounds 3
        kill -KILL $pid 2> /dev/null || true
        wait $pid || true
    done
    train part.model -q --resume > /dev/null
    train whole.model -q > /dev/null
    cmp whole.model part.model
}

@test "checkpoints are saved where and when requested" {
    make_data
    train a.model --json --checkpoint here --checkpoint-every 25 > events
    [ "$(jq -c 'select(.event == "checkpoint") | [.round, .file]' events | tr -d '\n')" = '[25,"here"][50,"here"]' ]
    [ ! -e here ]
    train a.model --json --checkpoint-seconds 0.000001 > events
    [ "$(grep -c '"checkpoint"' events)" -eq $((rounds - 1)) ]
    refuses 2 "--checkpoint-every takes a number of rounds, at least 1, not '0'" train a.model --checkpoint-every 0
    refuses 2 "--checkpoint-seconds takes a number of seconds above 0, not 'x'" train a.model --checkpoint-seconds x
    refuses 2 "name the same file" train a.model --checkpoint a.model
    echo mine > mine
    refuses 2 "'mine' exists and is not a checkpoint" train a.model --checkpoint mine
    [ "$(cat mine)" = mine ]
    cp a.model finished
    refuses 2 "'finished' is a finished model, not a checkpoint" train b.model --checkpoint finished
    refuses 1 "no such file or directory" train b.model --checkpoint none/file
}

# again OPTIONS...: kills a run after some rounds, resumes it, and compares it with a complete run
again() {
    interrupt KILL 4 --checkpoint-every 1 "$@"
    [ -e part.model.checkpoint ]
    train part.model --json --resume "$@" > rest
    [ "$(jq -s '.[0].resumed' rest)" = true ]
    train whole.model -q "$@" > /dev/null
    cmp whole.model part.model
}

@test "every method resumes exactly: with samples, warm starts, initial scores and matrices" {
    make_data
    for method in regression cocr mcrank mcrank-ordinal; do
        again --method $method
    done
    again --row-fraction 0.5 --feature-fraction 0.5
    again --method cocr --learner bagged-m5p --bag queries
    train start.model -q --method regression --seed 3 > /dev/null
    again --method regression --start start.model
    [ "$(gradus show part.model --json | jq .rounds_done)" -gt "$rounds" ]
    again --method regression --initial feature:1 --initial-valid feature:1
    interrupt KILL 4 --checkpoint-every 1 --method regression --initial feature:1 --initial-valid feature:1
    refuses 2 "different training data" train part.model -q --resume --method regression --initial feature:2 \
        --initial-valid feature:1
    printf '0 1 2 3 4\n1 0 1 2 3\n4 1 0 1 2\n9 4 1 0 1\n16 9 4 1 0\n' > cost
    again --method cocr --cost cost
}

@test "methods that optimise a metric directly resume exactly" {
    gradus synth mcrank --queries 20 --documents 20 -o train.gradus
    gradus synth mcrank --queries 10 --documents 20 --seed 2 -o valid.gradus
    again --method coordinate-ascent --restarts 50
    again --method adarank-map
}

# Leaves a checkpoint of some rounds in part.model.checkpoint.
make_checkpoint() {
    interrupt KILL 4 --checkpoint-every 1
    [ -e part.model.checkpoint ]
}

@test "a checkpoint resumes only with its own data and recipe" {
    make_data
    make_checkpoint
    cp part.model.checkpoint kept
    refuses 2 "the checkpoint was made with 'leaves" train part.model -q --resume --leaves 5
    refuses 2 "different training data" "$GRADUS" train --train valid.gradus --valid valid.gradus --patience 0 \
        -o part.model --rounds $rounds -q --resume
    refuses 2 "different validation data" "$GRADUS" train --train train.gradus --valid train.gradus --patience 0 \
        -o part.model --rounds $rounds -q --resume
    cmp kept part.model.checkpoint
    # a damaged one is refused and left unchanged
    head -c 300 kept > part.model.checkpoint
    refuses 1 "part.model.checkpoint" train part.model -q --resume
    [ "$(wc -c < part.model.checkpoint)" -eq 300 ]
    # without one, training starts from scratch, with a note
    rm part.model.checkpoint
    train part.model --resume 2>&1 > /dev/null | grep -q "no checkpoint 'part.model.checkpoint'; training starts from scratch"
    # an existing one is noted if --resume is not given
    cp kept part.model.checkpoint
    train part.model 2>&1 > /dev/null | grep -q "add --resume to continue from it"
}

@test "a checkpoint does not resume with fewer rounds than it has" {
    make_data
    make_checkpoint
    cp part.model.checkpoint kept
    done=$(gradus show kept --json | jq .rounds_done)
    planned=$rounds
    rounds=2
    refuses 2 "the checkpoint has $done of $planned rounds, more than 'rounds 2': resume with at least $done" \
        train part.model -q --resume
    cmp kept part.model.checkpoint
    [ ! -e part.model ]
    rounds=$done
    train part.model -q --resume > /dev/null
    [ "$(gradus show part.model --json | jq .rounds_done)" -eq "$done" ]
    # rounds of --start do not count
    rounds=30
    train start.model -q > /dev/null
    rounds=$planned
    interrupt KILL 4 --checkpoint-every 1 --start start.model
    done=$(($(gradus show part.model.checkpoint --json | jq .rounds_done) - $(gradus show start.model --json | jq .rounds)))
    planned=$rounds
    rounds=2
    refuses 2 "the checkpoint has $done of $planned rounds, more than 'rounds 2'" train part.model -q --resume \
        --start start.model
}

@test "a checkpoint is a model" {
    make_data
    make_checkpoint
    gradus show part.model.checkpoint | head -1 | grep -q "a checkpoint"
    gradus eval valid.gradus part.model.checkpoint --metric ndcg@10 --json | jq -e '.[0].metrics["ndcg@10"] > 0'
}

@test "interrupted before there is anything to save" {
    mkfifo rows
    # endless rows; the training run that reads them is stopped
    (while :; do printf '1 qid:1 1:2\n0 qid:1 1:3\n' || exit 0; done > rows 2> /dev/null) &
    writer=$!
    "$GRADUS" train --train rows -o a.model > out 2> err &
    pid=$!
    sleep 1
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    kill $writer 2> /dev/null || true
    wait $writer || true
    [ "$status" -eq 143 ]
    [ "$(cat err)" = "gradus: interrupted while reading; nothing to save yet" ]
    [ ! -s out ]
    [ "$(ls)" = "$(printf 'err\nout\nrows\n')" ]
}

@test "a second signal ends at once" {
    mkfifo rows
    sleep 60 > rows &
    writer=$!
    "$GRADUS" train --train rows -o a.model > out 2> err &
    pid=$!
    sleep 1
    kill -TERM $pid
    sleep 0.2
    kill -0 $pid
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    kill $writer
    wait $writer || true
    [ "$status" -eq 143 ]
}
