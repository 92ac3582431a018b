# SPDX-License-Identifier: Apache-2.0
# Members of an ensemble may have been trained with different transforms of the features.
load common

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_FILE_TMPDIR" || exit 1
    [ ! -e done ] || return 0
    for set in train:1:40 valid:101:20 test:201:20; do
        IFS=: read -r name first count <<< "$set"
        gradus synth web --queries "$count" --documents 15 --first-query "$first" -q -o "$name.txt"
    done
    train() { gradus train -q --train train.txt --valid valid.txt "$@" > log; }
    train --method lambdamart --rounds 10 -o trees.model
    train --method crr --transform standardise --steps 20000 -o standard.model
    train --method listnet --transform query --rounds 5 -o query.model
    train --method mcrank --rounds 5 -o grades.model
    train --method propodds --learner linear --transform minmax -o odds.model
    touch done
}

# The weights of an ensemble's members, one per line.
weights_of() {
    gradus show "$1" --json | jq '.members[].weight'
}

@test "scores are the weighted sum of the members' scores" {
    members="trees.model standard.model query.model"
    gradus ensemble $members --valid valid.txt --way mean -q -o mean.model
    for model in $members mean.model; do
        gradus score $model test.txt > ${model%.model}.scores
    done
    weights_of mean.model > weights
    [ "$(wc -l < weights)" -eq 3 ]
    # Scores are scaled but not shifted, so that the ensemble differs from the sum by a constant.
    paste trees.scores standard.scores query.scores mean.scores | awk '
        NR == FNR { w[NR] = $1; next }
        { d = $4 - w[1] * $1 - w[2] * $2 - w[3] * $3
          if (FNR == 1) first = d
          if (d - first > 1e-9 || first - d > 1e-9) { print FNR, d, first; exit 1 } }' weights -
}

@test "probabilities are averaged" {
    gradus ensemble grades.model odds.model --valid valid.txt --way mean -q -o both.model
    for model in grades odds both; do
        gradus score $model.model test.txt --probabilities | grep -v '^#' > $model.p
    done
    paste grades.p odds.p both.p | awk '{ for (k = 1; k <= 5; k++) { d = $(10 + k) - ($k + $(5 + k)) / 2
        if (d > 1e-9 || d < -1e-9) { print NR, k, d; exit 1 } } }'
}

@test "the same scores from text and binary data, on any number of threads" {
    gradus ensemble trees.model standard.model query.model --valid valid.txt -q -o all.model
    gradus score all.model test.txt --threads 1 > one
    gradus score all.model test.txt --threads 3 > three
    cmp one three
    gradus convert test.txt test.gradus -q
    gradus score all.model test.gradus > binary
    cmp one binary
    gradus ensemble grades.model odds.model --valid valid.txt --way mean -q -o both.model
    gradus calibrate both.model valid.txt --how temperature -q -o calibrated.model > log
    gradus score calibrated.model test.txt > scores
    [ "$(wc -l < scores)" -eq "$(wc -l < one)" ]
}

@test "an ensemble of ensembles keeps the members' transforms" {
    gradus ensemble trees.model standard.model --valid valid.txt --way mean -q -o inner.model
    gradus ensemble inner.model query.model --valid valid.txt --way mean -q -o outer.model
    for model in inner query outer; do
        gradus score $model.model test.txt > $model.scores
    done
    weights_of outer.model > weights
    paste inner.scores query.scores outer.scores | awk '
        NR == FNR { w[NR] = $1; next }
        { d = $3 - w[1] * $1 - w[2] * $2
          if (FNR == 1) first = d
          if (d - first > 1e-9 || first - d > 1e-9) { print FNR, d, first; exit 1 } }' weights -
}

@test "members with the same transform are written as before" {
    gradus ensemble trees.model grades.model --valid valid.txt -q -o plain.model
    [ "$(od -An -tu4 -j8 -N4 plain.model | tr -d ' ')" = 1 ]
    gradus ensemble trees.model standard.model --valid valid.txt -q -o mixed.model
    [ "$(od -An -tu4 -j8 -N4 mixed.model | tr -d ' ')" = 2 ]
}
