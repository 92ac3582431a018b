# SPDX-License-Identifier: Apache-2.0
# Options that were renamed: the old name is refused with the new one, and recipes of old models
# have the new names.
load common

@test "an old option name is refused with the new one" {
    while read -r command old new; do
        run gradus ${command/_/ } "--$old" 1
        [ "$status" -eq 2 ] || { echo "$command --$old: status $status"; false; }
        [[ $output == *"'--$old' was renamed to '--$new'"* ]] || { echo "$command --$old: $output"; false; }
    done <<'LINES'
train row-share row-fraction
train query-share query-fraction
train feature-share feature-fraction
train feature_share feature-fraction
train bag-share bag-fraction
train calibration-share calibration-fraction
split shares fractions
synth_web shares grade-fractions
LINES
}

@test "the recipe of an old model has the new names" {
    run gradus show "$SOURCE/tests/fuzz/corpus/model/trained-forest.model" --json
    [ "$status" -eq 0 ]
    [[ $output == *feature-fraction* ]]
    [[ $output != *feature-share* ]]
}
