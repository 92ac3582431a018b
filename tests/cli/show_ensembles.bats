# SPDX-License-Identifier: Apache-2.0
# gradus show of ensembles and calibrated models: members, weights, calibrations, importance.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$GRADUS" synth mcrank --queries 30 --documents 12 --features 6 --grade-fractions 60,25,15 -q -o t.txt
    "$GRADUS" synth mcrank --queries 20 --documents 12 --features 6 --grade-fractions 60,25,15 \
        --first-query 100 -q -o v.txt
    "$GRADUS" train -q --method mcrank --train t.txt --rounds 5 --leaves 4 -o mc.model > out
    "$GRADUS" train -q --method lambdamart --train t.txt --rounds 3 --leaves 4 -o lm.model > out
    "$GRADUS" train -q --method regression --learner linear --train t.txt -o lin.model > out
    "$GRADUS" calibrate mc.model v.txt --how temperature -q -o cal.model
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_FILE_TMPDIR" || exit 1
}

# Facts and members, without the file name, the bytes of the file and importance.
facts() {
    gradus show "$1" | sed -e 1d -e '/^importance/,$d' -e 's/, [0-9,.]* \(bytes\|kB\)$//'
}

# sized MODEL WEIGHT: all members of MODEL have this weight.
equal_weights() {
    gradus show "$1" --json | jq -e --argjson w "$2" '[.members[].weight] | all(. == $w)'
}

# The importance of an ensemble is the mean of the members' fractions, by their absolute weights.
check_importance() {
    local model=$1
    shift
    for member in "$@"; do
        gradus show "$member" --json | jq '[.importance[] | {feature, gain: (.gain // .size)}]
            | (map(.gain) | add) as $sum | map({key: (.feature | tostring), value: (.gain / $sum)})
            | from_entries'
    done | jq -s . > shares
    gradus show "$model" --json | jq -e --slurpfile shares shares '
        [.members[].weight | fabs] as $w | ($w | add) as $sum
        | all(.importance[]; . as $one | ([range($w | length) as $m
            | $w[$m] / $sum * ($shares[0][$m][$one.feature | tostring] // 0)] | add) as $wanted
            | ($wanted - $one.gain | fabs) < 1e-12)
        and ((.importance | map(.gain) | add) - 1 | fabs) < 1e-12'
}

@test "probabilities with equal weights" {
    gradus ensemble mc.model cal.model --way mean -q -o e.model
    facts e.model > found
    cat > wanted <<'TEXT'
method       ensemble
trained on   360 rows of 6 features, 30 queries
size         30 trees, 120 leaves
ensemble     of 2 models: weighted sum of their outputs
score        expected-gain; grades 0 1 2, with their probabilities

member    weight   calibrated                 size
1 mcrank     0.5            -  15 trees, 60 leaves
2 mcrank     0.5  temperature  15 trees, 60 leaves

TEXT
    diff wanted found
    gradus show e.model | grep -q "^importance: 6 of 6 features are used$"
    gradus show e.model | grep -q "^(gain: each member's gains, or sizes of coefficients, divided by"
    equal_weights e.model 0.5
    check_importance e.model mc.model cal.model
}

@test "scores: exponential weights, mean and stacking" {
    for way in exponential mean stacking stacking-nonnegative; do
        gradus ensemble mc.model lin.model lm.model --way $way --valid v.txt -q -o e.model
        facts e.model | sed 's/^\([123] [a-z]*\) *[0-9.e-]* /\1 W /; s/  */ /g' > found
        cat > wanted <<'TEXT'
method ensemble
trained on 360 rows of 6 features, 30 queries
size 18 trees, 72 leaves, 1 equation
ensemble of 3 models: weighted sum of their outputs
score output

member weight calibrated size
1 mcrank W - 15 trees, 60 leaves
2 regression W - 1 equation
3 lambdamart W - 3 trees, 12 leaves

TEXT
        diff wanted found
        gradus show e.model --json | jq -e '.combination == "weighted-sum" and .trees == 18 and
            .rounds_done == 0 and (.members | length == 3) and .members[1].equations == 1'
        check_importance e.model mc.model lin.model lm.model
    done
}

@test "ranks" {
    gradus ensemble mc.model lm.model --way borda -q -o e.model
    facts e.model | grep -q "^ensemble     of 2 models: mean Borda count of ranks in the query$"
    equal_weights e.model 0.5
    check_importance e.model mc.model lm.model
    gradus ensemble mc.model lm.model --way reciprocal-rank --rank-constant 7 -q -o e.model
    facts e.model > found
    cat > wanted <<'TEXT'
method       ensemble
trained on   360 rows of 6 features, 30 queries
size         18 trees, 72 leaves
ensemble     of 2 models: mean of 1 / (7 + rank in the query)
score        output

member        weight  calibrated                 size
1 mcrank         0.5           -  15 trees, 60 leaves
2 lambdamart     0.5           -   3 trees, 12 leaves

TEXT
    diff wanted found
    gradus show e.model --json | jq -e '.combination == "reciprocal-rank" and .rank_constant == 7'
}

@test "calibrated models" {
    facts cal.model | sed 's/[0-9.]*$/N/' | grep -q "^calibrated   by temperature: temperature N$"
    gradus show cal.model | grep -q "^importance: 6 of 6 features are used$"
    gradus show cal.model --json > one
    gradus show mc.model --json | jq .importance > plain
    jq .importance one | diff plain -
    jq -e '.calibration == "temperature" and (.calibrations | length == 1) and .members == [] and
        .calibrations[0].parameters[0].name == "temperature" and
        (.calibrations[0].parameters[0].value | type == "number")' one
    gradus calibrate lm.model v.txt --how platt -q -o platt.model
    gradus show platt.model --json | jq -ec '.calibrations[0] | .method == "platt" and
        [.parameters[] | [.name, .output]] == [["a", 1], ["b", 1], ["a", 2], ["b", 2]]'
    for how in ls isotonic beta linear polynomial ordinal network gaussian-process; do
        gradus calibrate mc.model v.txt --how $how -q -o how.model
        gradus show how.model | grep -q "^calibrated   by $how: [a-z]*[1-3]* -\?[0-9]"
        gradus show how.model | grep -q "^size         15 trees, 60 leaves, "
    done
    gradus calibrate cal.model v.txt --how isotonic -q -o twice.model
    gradus show twice.model --json | jq -e '[.calibrations[].method] == ["isotonic", "temperature"]'
}

@test "ensembles of ensembles, calibrated" {
    gradus ensemble mc.model cal.model --way mean -q -o inner.model
    gradus ensemble inner.model lm.model --way borda -q -o outer.model
    gradus calibrate outer.model v.txt --how linear -q -o whole.model
    facts whole.model > found
    cat > wanted <<'TEXT'
method       ensemble
trained on   360 rows of 6 features, 30 queries
size         33 trees, 132 leaves
ensemble     of 2 models: mean Borda count of ranks in the query
calibrated   by linear: degree 1
score        output

member        weight   calibrated                  size
1 ensemble       0.5            -  30 trees, 120 leaves
1.1 mcrank       0.5            -   15 trees, 60 leaves
1.2 mcrank       0.5  temperature   15 trees, 60 leaves
2 lambdamart     0.5            -    3 trees, 12 leaves

TEXT
    diff wanted found
    gradus show whole.model --json | jq -e '.members[0].members[1].calibration == "temperature" and
        .members[0].combination == "weighted-sum" and .members[1].members == []'
    check_importance whole.model inner.model lm.model
}

@test "the calibrated method" {
    gradus train -q --method calibrated --train t.txt --valid v.txt --rounds 4 --rounds-grid 2,4 \
        --leaves-grid 3 --terms-grid 2 --calibrations ls,ewls -o all.model > out
    gradus show all.model > out
    grep -q "^method       calibrated$" out
    grep -q "^rounds       [24] of " out
    grep -q "^size         [48] voting trees and products, [0-9]* splits, " out
    grep -qE "^1 votes +[0-9.e-]+ +ls +[24] voting trees, [0-9]+ splits$" out
    gradus show all.model --json | jq -e '.voters == ([.members[] | select(.calibration == "ls") | .voters] | add)
        and all(.members[]; .calibrations[0].parameters | length > 1)'
}

@test "members without importance are left out" {
    gradus train -q --method svor-imc --transform none --train t.txt -o svor.model > out
    gradus ensemble svor.model lm.model --way borda -q -o e.model
    gradus show e.model | grep -q "^1 member has no importance and is left out$"
    gradus show e.model --json | jq -e '.support_rows > 0 and ((.importance | map(.gain) | add) - 1 | fabs) < 1e-12'
}

@test "members in a report" {
    gradus ensemble mc.model lm.model --way borda -q -o e.model
    gradus report --data v.txt e.model -o report.html 2> err || skip "$(cat err)"
    sed -n 's|.*<script type="application/json" id="data">\(.*\)</script>$|\1|p' report.html > data.json
    jq -e '.models[0] | .trees == 18 and .importance_is == "combined" and
        [.members[] | [.method, .weight]] == [["mcrank", 0.5], ["lambdamart", 0.5]]' data.json
}
