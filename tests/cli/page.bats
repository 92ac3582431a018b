# SPDX-License-Identifier: Apache-2.0
# Output of other commands that the report page needs: scales of searches, recipes of models.
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

@test "a tuning run names the options that it searches on a logarithmic scale" {
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

# The recipe that show prints, which may have several lines.
recipe_of() {
    gradus show "$1" | sed -n '/^recipe  /,/[^\\]$/p' | sed '1s/^recipe *//'
}

# Trains NAME.model with options, runs the recipe of the model, and compares both models.
trains_the_same() {
    local name=$1
    shift
    gradus train "$@" -o "$name.model" -q > out
    recipe_of "$name.model" > command
    mv "$name.model" first
    (
        gradus() { "$GRADUS" "$@" -q > out; }
        . ./command
    )
    cmp first "$name.model" || { cat command; return 1; }
}

@test "a recipe is a command that trains the same model" {
    trains_the_same a --method lambdamart --train TRAIN --valid VALID --rounds 4 --patience 3 --leaves 5
    [ "$(tr -d '\\\n' < command | tr -s ' ')" = \
        "gradus train --method lambdamart --train TRAIN --valid VALID --rounds 4 --leaves 5 --min-rows 20 --patience 3 -o a.model" ]
    [ "$(awk 'length > 88' command)" = "" ]
    trains_the_same b --method cocr --cost oerr --train TRAIN --rounds 3 --seed 7 --metric ndcg@5,map
    trains_the_same c --method regression --learner m5p --train TRAIN --unpruned
    # settings implied by a method are omitted; overrides are kept, even if they are defaults
    trains_the_same d --method ranknet --train TRAIN --rounds 300 --transform none
    grep -q -- "--rounds 300" <(tr -d '\\\n' < command)
    trains_the_same e --method listnet --train TRAIN --valid VALID --rounds 2
    lacks "--hidden" command
    trains_the_same f --method adarank-map --train TRAIN --rounds 2
    trains_the_same g --method cocr --preset paper-ltrc --train TRAIN --rounds 2
    grep -q -- "--preset" command
}

@test "the words of a recipe are quoted for a shell" {
    mkdir "it's here"
    trains_the_same "it's here/a b" --method regression --train TRAIN --rounds 2
    grep -qF -- "-o 'it'\\''s here/a b.model'" command
    gradus report "it's here/a b.model" -o page.html 2> err || { grep "built without Chart.js" err && skip "no Chart.js"; }
    sed -n 's|.*<script type="application/json" id="data">\(.*\)</script>$|\1|p' page.html > data.json
    [ "$(jq -r '.models[0].train_command' data.json)" = \
        "gradus train --method regression --train TRAIN --rounds 2 --leaves 8 --min-rows 20 --patience 50 -o 'it'\\''s here/a b.model'" ]
}

@test "recipes with files that models do not store, and models without one" {
    printf '0 1 2 3 4\n1 0 1 2 3\n2 1 0 1 2\n3 2 1 0 1\n4 3 2 1 0\n' > MATRIX
    trains_the_same a --method cocr --cost MATRIX --train TRAIN --rounds 2
    grep -q -- "--cost MATRIX" command
    gradus train --method lambdamart --train TRAIN --rounds 2 -o START -q > out
    trains_the_same b --method lambdamart --train TRAIN --start START --rounds 2
    grep -q -- "--start START" command
    gradus calibrate a.model VALID -o c.model -q > out
    recipe_of c.model | grep -q -- "-o BASE$"
    gradus ensemble START b.model --valid VALID -o e.model -q > out
    gradus show e.model > out
    lacks "^recipe" out
}

@test "settings that depend on the number of rows are in the recipe" {
    trains_the_same a --method lambdamart --train TRAIN --valid VALID --rounds 3
    grep -q -- "--leaves 8 --min-rows 2[0-9]" <(tr -d '\\\n' < command | tr -s ' ')
}
