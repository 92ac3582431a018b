# SPDX-License-Identifier: Apache-2.0
# Models and checkpoints of released versions are read, scored to the same bits and resumed. They
# are in tests/fixtures/VERSION; tests/fixtures/make.sh made them.
load common

fixtures=${SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}/tests/fixtures

# Prints the rows that the current command gives for the rows NAME TAB OUTPUT of a file.
score_rows() { # score_rows FOLDER FILE ROWS
    local name output options
    while IFS=$'\t' read -r name output _; do
        case $output in
        scores) options=() ;;
        probabilities) options=(--probabilities) ;;
        prefix) options=(--rounds 1) ;;
        *) echo "unknown output '$output'" && return 1 ;;
        esac
        printf '%s\t%s\t' "$name" "$output"
        gradus score "$2/${name%, resumed}" "$1/test.txt" -q "${options[@]}" 2>&1 | paste -sd'|'
    done < "$3"
}

# Leaves out the rows of a version that tests/fixtures/changed.txt lists.
without_changed() { # without_changed FOLDER < ROWS
    awk -F'\t' -v version="$(basename "$1")" '
        NR == FNR { if ($1 == version) changed[$2, $3] = 1; next }
        !(($1, $2) in changed)' "$fixtures/changed.txt" -
}

# same_rows EXPECTED FOUND: names the rows that differ.
same_rows() {
    cat "$1" > want
    cat "$2" > got
    cmp -s want got && return 0
    diff <(cut -c-200 want) <(cut -c-200 got) | head -20
    diff want got | sed -n 's/^> \([^\t]*\)\t\([^\t]*\)\t.*/differs: \1, \2/p'
    return 1
}

@test "models of released versions give the same scores and probabilities" {
    for folder in "$fixtures"/*/; do
        grep -v ', resumed' "$folder/expected.tsv" > expected
        [ "$(wc -l < expected)" -gt 100 ]
        score_rows "$folder" "$folder" expected > found
        same_rows <(without_changed "$folder" < expected) <(without_changed "$folder" < found)
    done
}

@test "changed.txt lists only rows that differ, each with a reason" {
    while IFS=$'\t' read -r version name output reason; do
        [[ $version != \#* ]] || continue
        [ -n "$reason" ]
        grep -F "$name"$'\t'"$output"$'\t' "$fixtures/$version/expected.tsv" > expected
        score_rows "$fixtures/$version" "$fixtures/$version" expected > found
        grep -q '[0-9]|[0-9]' found # it is scored all the same
        differ expected found || { echo "changed.txt: $name, $output no longer differs"; return 1; }
    done < "$fixtures/changed.txt"
}

@test "models of released versions are shown" {
    for model in "$fixtures"/*/*.model "$fixtures"/*/*.checkpoint; do
        gradus show "$model" > shown 2> err || { echo "$model: $(cat err)"; return 1; }
        [ -s shown ] && [ ! -s err ]
    done
}

# Prints the options of a checkpoint under their current names.
current_options() {
    local words
    words=$(cat "$1")
    while read -r old new; do
        [[ $old == --* ]] && words=${words//$old /$new }
    done < "$fixtures/renamed.txt"
    echo "$words"
}

# resume NAME OPTION...: where the default of an option has changed since, the message names it, and
# resuming with the old value works.
resume() {
    local name=$1 option value
    shift
    for _ in 1 2 3 4; do
        cp "$folder/$name.checkpoint" part
        gradus train --train train.txt --checkpoint part --resume --rounds 5 -o "$name.checkpoint" --json \
            "$@" > events 2> err && break
        read -r option value < <(sed -nE "s/.*the checkpoint was made with '([a-z0-9-]+) ([^']*)', not .*/\1 \2/p" err) || true
        [ -n "$option" ] || break
        set -- "$@" "--$option=$value"
    done
    [ "$(jq -s '.[0].resumed' events)" = true ] || { echo "$name: not resumed: $(cat err)"; return 1; }
}

@test "checkpoints of released versions are resumed to the same scores" {
    for folder in "$fixtures"/*/; do
        cp "$folder"/*.txt .
        for checkpoint in "$folder"/*.checkpoint; do
            name=$(basename "$checkpoint" .checkpoint)
            read -ra options < <(current_options "$folder/$name.options")
            resume "$name" "${options[@]}"
        done
        grep ', resumed' "$folder/expected.tsv" > expected
        score_rows "$folder" . expected > found
        same_rows <(without_changed "$folder" < expected) <(without_changed "$folder" < found)
    done
}

# has FIELD NAME: whether a model of any version has that member in its header.
has() {
    grep -aqrF "\"$1\":\"$2\"" "$fixtures" || { echo "no model in tests/fixtures has $1 $2"; return 1; }
}

@test "each node kind, learner and transform has a model" {
    source=$fixtures/../..
    kinds=$(sed -n 's/^GR_NODE_KIND(\([a-z0-9]*\)).*/\1/p' "$source/src/model/kinds.def")
    learners=$(sed -n 's/^GR_LEARNER(.*"\(.*\)").*/\1/p' "$source/src/pipeline/learners.def")
    transforms=$(sed -n 's/^GR_TRANSFORM(\([a-z]*\)).*/\1/p' "$source/src/data/transforms.def")
    [ "$(wc -w <<< "$kinds")" -ge 13 ] && [ "$(wc -w <<< "$learners")" -ge 11 ] && [ "$(wc -w <<< "$transforms")" -ge 3 ]
    for name in $kinds; do
        # these are newer than the last release and get a model with the next one
        [[ " standardized " == *" $name "* ]] || has kind "$name"
    done
    for name in $learners; do
        has learner "$name"
    done
    for name in $transforms; do
        [ "$name" = none ] || has name "$name"
    done
}
