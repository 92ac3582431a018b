# SPDX-License-Identifier: Apache-2.0
# gradus import: reports, refusals, paths. What each format holds is tested with its importer.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$GRADUS" synth mcrank --queries 20 --documents 20 --features 9 --seed 1 -o data.txt
    "$GRADUS" train --train data.txt -o trees.model -q --rounds 10 --leaves 6 > /dev/null
    "$GRADUS" export trees.model --format xgboost-json -o trees.json > /dev/null
    "$GRADUS" export trees.model --format lightgbm -o trees.txt > /dev/null
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cp "$BATS_FILE_TMPDIR"/* "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "an imported model is reported and scores" {
    gradus import trees.json -o back.model > report
    grep -q '^back.model$' report
    grep -q '10 trees, 60 leaves, 9 features' report
    grep -q 'gradus show back.model' report
    gradus score back.model data.txt -o back.scores
    gradus score trees.model data.txt -o trees.scores
    cmp back.scores trees.scores
}

@test "import reads from a pipe and compressed files, and writes to standard output" {
    gradus import trees.txt -o a.model > /dev/null
    gradus import - -o b.model < trees.txt > /dev/null
    cmp a.model b.model
    gzip -k trees.txt
    gradus import trees.txt.gz -o - > c.model
    cmp a.model c.model
}

@test "--json reports what was read" {
    gradus import trees.json -o a.model --json > report
    for part in '"from": "trees.json"' '"file": "a.model"' '"trees": 10' '"leaves": 60' '"features": 9' \
        '"outputs": 1' '"imported-from"' '"objective"'; do
        grep -qF "$part" report || { echo "no $part in $(cat report)"; return 1; }
    done
}

@test "mistakes" {
    refuses 2 "needs a file and a model to write" gradus import trees.json
    refuses 2 "needs a file and a model to write" gradus import -o x.model
    refuses 2 "would overwrite the input" gradus import trees.json -o trees.json
    refuses 2 "is a gradus model already" gradus import trees.model -o x.model
    refuses 1 "is not a gradus model" gradus import data.txt -o x.model
    refuses 1 "no such file" gradus import none.json -o x.model
    head -c 2000 trees.json > cut.json
    refuses 1 "cut.json" gradus import cut.json -o x.model
    : > empty
    refuses 1 "empty" gradus import empty -o x.model
    [ ! -e x.model ]
}
