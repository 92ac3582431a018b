# What the page of gradus report needs of other commands: scales of searches, recipes of models.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$GRADUS" synth mcrank --queries 30 -o TRAIN -q
    "$GRADUS" synth mcrank --queries 20 --seed 2 -o VALID -q
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR"/TRAIN "$BATS_FILE_TMPDIR"/VALID .
}

@test "a tuning names the options that it searches on a logarithmic scale" {
    gradus tune --method lambdamart,regression --train TRAIN --valid VALID --budget 2 -q --json --journal j.jsonl \
        --space 'leaves=4..8:log, learning-rate=0.1..0.2, min-rows=5..9:log, rounds=2' > events
    head -n 1 j.jsonl | jq -e '.log_scale == "leaves,min-rows"'
    tail -n 1 events | jq -e '.event == "done" and .log_scale == "leaves,min-rows"'
    gradus tune --method lambdamart --train TRAIN --valid VALID --budget 1 -q --json --space rounds=2 > events
    tail -n 1 events | jq -e '.log_scale | split(",") | index("leaves") != null and index("rounds") == null'
    gradus tune --method lambdamart --train TRAIN --valid VALID --budget 2 -q --json \
        --space 'leaves=4|8, rounds=2' > events
    tail -n 1 events | jq -e '.log_scale == ""'
}
