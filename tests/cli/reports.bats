# SPDX-License-Identifier: Apache-2.0
# The reports of calibrate, ensemble and score; JSON with the same structure for one and for many.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$GRADUS" synth mcrank --queries 12 --documents 20 --features 8 --seed 1 -q -o train.txt
    "$GRADUS" synth mcrank --queries 8 --documents 20 --features 8 --seed 1 --first-query 100 -q -o other.txt
    "$GRADUS" synth mcrank --queries 8 --documents 20 --features 8 --seed 1 --first-query 300 -q -o test.txt
    "$GRADUS" train -q --method mcrank --train train.txt --rounds 8 -o mc.model > out
    "$GRADUS" train -q --method lambdamart --train train.txt --rounds 8 -o lambda.model > out
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_FILE_TMPDIR" || exit 1
}

@test "calibrate reports log loss, calibration error and the metric before and after" {
    gradus calibrate mc.model other.txt --test test.txt -o c.model > out 2> err
    [ "$(head -1 out)" = c.model ]
    grep -q "^calibration  ls, fitted on 160 rows, 8 queries$" out
    grep -qE "^size +[0-9,]+ bytes$" out
    [ "$(grep -cE '^model +ndcg@10 +log loss +calibration error$' out)" -eq 2 ]
    [ "$(grep -cE '^(mc|c).model( +[0-9.]{6}){3}$' out)" -eq 4 ]
    grep -qF "gradus eval test.txt mc.model c.model --calibration" out
    [ "$(stat -c %s c.model)" = "$(sed -nE 's/^size +([0-9,]+) bytes$/\1/p' out | tr -d ,)" ]
}

@test "calibrate --json has the numbers of eval" {
    gradus calibrate mc.model other.txt --test test.txt --metric ndcg@5,map -o c.model --json > j
    jq -e '.file == "c.model" and .calibration == "ls" and [.sets[].set] == ["fit", "test"]' j
    for set in 0 1; do
        data=$(jq -r ".sets[$set].data" j)
        gradus eval "$data" mc.model c.model --calibration --json > reliability
        gradus eval "$data" mc.model c.model --metric ndcg@5,map --json > metrics
        jq -e --slurpfile r reliability --slurpfile m metrics ".sets[$set].models |
            map(.log_loss) == (\$r[0] | map(.log_loss)) and
            map(.calibration_error) == (\$r[0] | map(.calibration_error)) and
            map(.metrics) == (\$m[0] | map(.metrics))" j
    done
    refuses 2 "unknown metric 'ndgc'" gradus calibrate mc.model other.txt --metric ndgc@10 -o x.model
    [ ! -e x.model ]
}

@test "a model without probabilities has no log loss before" {
    gradus calibrate lambda.model other.txt --how isotonic -o c.model --json > j 2> err
    jq -e '.sets[0].models | .[0].log_loss == null and .[1].log_loss > 0' j
}

@test "ensemble reports the weights and metrics of members and ensemble" {
    gradus ensemble mc.model lambda.model --valid other.txt --test test.txt -o e.model > out 2> err
    grep -q "^ensemble     weighted-sum, 2 models, fitted on 160 rows, 8 queries$" out
    [ "$(grep -cE '^model +weight +ndcg@10 +log loss +calibration error$' out)" -eq 2 ]
    [ "$(grep -cE '^(mc|lambda).model +[0-9.]{6} ' out)" -eq 4 ]
    gradus ensemble mc.model lambda.model --valid other.txt --test test.txt -o e.model --json > j 2> err
    gradus show e.model --json | jq -e --slurpfile j j '[.members[].weight] == ($j[0].members | map(.weight))'
    gradus eval test.txt mc.model lambda.model e.model --metric ndcg@10 --json |
        jq -e --slurpfile j j 'map(.metrics) == ($j[0].sets[1].models | map(.metrics))'
    gradus ensemble mc.model lambda.model --way borda -o e.model > out
    grep -qE "^lambda.model +0.5000$" out
}

@test "an excluded member has weight 0" {
    gradus train -q --method regression --train train.txt --rounds 1 --leaves 2 -o weak.model > out
    gradus ensemble mc.model weak.model lambda.model --valid other.txt --rates 10000 -o e.model --json > j 2> err
    [ "$(gradus show e.model --json | jq '.members | length')" -lt 3 ]
    jq -e '.members[1] == {"model": "weak.model", "weight": 0} and .members[0].weight + .members[2].weight > 0' j
}

@test "score --json gives the scores as numbers, in the order of the file" {
    make_small
    { sed -n '12p;3p;7p' small.txt; sed '12d;3d;7d' small.txt | tac; } > shuffled.txt
    gradus score feature:1 shuffled.txt -q > plain
    gradus score feature:1 shuffled.txt -q --json > j
    jq -e '.rows == 12 and .queries == 3 and .model == "feature:1" and .seconds.score >= 0' j
    jq -r '.scores[]' j | diff - plain
    gradus score feature:1 shuffled.txt -q --json -o scores | jq -e '.file == "scores" and (has("scores") | not)'
    cmp scores plain
    gradus score mc.model test.txt --json --probabilities |
        jq -e '(.probabilities | length == 160 and all(length == 5)) and .grade_values == [0, 1, 2, 3, 4]'
    gradus score mc.model test.txt --grades > grades
    gradus score mc.model test.txt --json --grades | jq -r '.grades[]' | diff - grades
    refuses 2 "--json with --run-name needs an output file" gradus score feature:1 small.txt --run-name a --json
}

@test "JSON has numbers as numbers, and the same structure for one ranker" {
    gradus eval test.txt mc.model --json | jq -e 'type == "array" and .[0].scores == "mc.model"'
    gradus eval test.txt mc.model --calibration --json | jq -e 'type == "array" and .[0].brier > 0'
    gradus compare test.txt mc.model lambda.model --json | jq -e '.sided == 2 and .confidence == 0.95'
    gradus train -q --method mcrank --train train.txt --rounds 2 --seed 18446744073709551615 -o seeded.model > out
    gradus show seeded.model --json | jq -e '.recipe.rounds == 2'
    gradus show seeded.model --json | grep -q '"seed": 18446744073709551615[,}]'
}
