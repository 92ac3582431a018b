# Training that is interrupted, however, comes to the same bytes in the end.
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

# Waits until the file of events of a training has so many rounds (a minute at most).
wait_for_rounds() {
    for _ in $(seq 1200); do
        [ "$(grep -c '"round", "round"' "$1")" -lt "$2" ] || return 0
        sleep 0.05
    done
    return 1
}

@test "SIGINT and SIGTERM: the checkpoint goes on to the same bytes" {
    make_data
    train whole.model -q > /dev/null
    for signal in INT TERM; do
        rm -f part.model events
        # a shell starts "&" jobs with SIGINT ignored; the command must see it
        (trap - INT; exec env --default-signal=INT "$GRADUS" train --train train.gradus --valid valid.gradus --patience 0 \
            -o part.model --rounds $rounds --json > events 2> err) &
        pid=$!
        wait_for_rounds events 3
        kill -$signal $pid
        status=0
        wait $pid || status=$?
        [ "$status" -eq 1 ] || { echo "$signal: $status"; cat err; return 1; }
        [ ! -e part.model ]
        grep -q "^gradus: interrupted after round [0-9]* of $rounds, saved in 'part.model.checkpoint'" err
        [ "$(tail -1 events | jq -r .event)" = interrupted ]
        # the command that it prints is the one to go on with
        command=$(sed -n 's/^  gradus \(train .* --resume\)$/\1/p' err)
        [ -n "$command" ]
        eval "\"\$GRADUS\" $command" > rest
        [ "$(jq -s '.[0].first_round' rest)" -gt 3 ]
        cmp whole.model part.model
        [ ! -e part.model.checkpoint ]
    done
}

@test "killed at any moment, the last checkpoint is readable and leads to the same bytes" {
    make_data
    train whole.model -q > /dev/null
    for attempt in 1 2 3 4 5 6; do
        rm -f part.model part.model.checkpoint
        train part.model --json --checkpoint-every 1 > events 2> err &
        pid=$!
        wait_for_rounds events $((attempt * 3))
        sleep "0.0$((RANDOM % 10))"
        kill -KILL $pid 2> /dev/null || true
        wait $pid || true
        [ ! -e part.model.checkpoint ] || gradus show part.model.checkpoint > /dev/null
        train part.model -q --resume > /dev/null
        cmp whole.model part.model
        [ ! -e part.model.checkpoint ]
    done
    [ "$(find . -name 'part.model.*' | wc -l)" -eq 0 ]
}

@test "again and again killed and resumed" {
    make_data
    train whole.model -q > /dev/null
    for attempt in 1 2 3; do
        train part.model --json --checkpoint-every 2 --resume > events 2> err &
        pid=$!
        wait_for_rounds events 5
        kill -KILL $pid 2> /dev/null || true
        wait $pid || true
    done
    train part.model -q --resume > /dev/null
    cmp whole.model part.model
}

@test "checkpoints where and when they are asked for" {
    make_data
    train a.model --json --checkpoint here --checkpoint-every 25 > events
    [ "$(jq -c 'select(.event == "checkpoint") | [.round, .file]' events | tr -d '\n')" = '[25,"here"][50,"here"]' ]
    [ ! -e here ]
    train a.model --json --checkpoint-seconds 0.000001 > events
    [ "$(grep -c '"checkpoint"' events)" -eq $((rounds - 1)) ]
    refuses 2 "--checkpoint-every takes a number of rounds from 1 on, not '0'" train a.model --checkpoint-every 0
    refuses 2 "--checkpoint-seconds takes a number of seconds above 0, not 'x'" train a.model --checkpoint-seconds x
    refuses 2 "name the same file" train a.model --checkpoint a.model
    echo mine > mine
    refuses 2 "'mine' is there and no checkpoint" train a.model --checkpoint mine
    [ "$(cat mine)" = mine ]
    cp a.model finished
    refuses 2 "'finished' is a finished model, no checkpoint" train b.model --checkpoint finished
    refuses 1 "no such file or directory" train b.model --checkpoint none/file
}

# Leaves a checkpoint of some rounds in part.model.checkpoint.
make_checkpoint() {
    train part.model --json --checkpoint-every 1 "$@" > events 2> err &
    pid=$!
    wait_for_rounds events 4
    kill -KILL $pid
    wait $pid || true
    [ -e part.model.checkpoint ]
}

@test "a checkpoint goes on only with its own data and recipe" {
    make_data
    make_checkpoint
    cp part.model.checkpoint kept
    refuses 2 "the checkpoint was made with --leaves" train part.model -q --resume --leaves 5
    refuses 2 "other training data" "$GRADUS" train --train valid.gradus --valid valid.gradus --patience 0 \
        -o part.model --rounds $rounds -q --resume
    refuses 2 "other validation data" "$GRADUS" train --train train.gradus --valid train.gradus --patience 0 \
        -o part.model --rounds $rounds -q --resume
    cmp kept part.model.checkpoint
    # a damaged one is refused, and left alone
    head -c 300 kept > part.model.checkpoint
    refuses 1 "part.model.checkpoint" train part.model -q --resume
    [ "$(wc -c < part.model.checkpoint)" -eq 300 ]
    # without one training begins anew, and says so
    rm part.model.checkpoint
    train part.model --resume 2>&1 > /dev/null | grep -q "no checkpoint 'part.model.checkpoint'; training begins anew"
    # one that is there and not asked for is mentioned
    cp kept part.model.checkpoint
    train part.model 2>&1 > /dev/null | grep -q "with --resume training goes on from it"
}

@test "a checkpoint is a model" {
    make_data
    make_checkpoint
    gradus show part.model.checkpoint | head -1 | grep -q "a checkpoint"
    gradus eval valid.gradus part.model.checkpoint --metric ndcg@10 --json | jq -e '.metrics["ndcg@10"] > 0'
}
