# SPDX-License-Identifier: Apache-2.0
# Ordinal methods on the command line: predicted grades, thresholds, errors.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gradus synth mcrank --queries 20 --documents 20 -o train.txt
    gradus train --train train.txt --method propodds --rounds 5 -o odds.model --quiet
    gradus train --train train.txt --method orboost --rounds 5 -o orboost.model --quiet
    gradus train --train train.txt --method propodds --learner linear -o linear.model --quiet
    gradus train --train train.txt --method pairrank --learner gaussians --rounds 5 -o pairs.model --quiet
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

@test "grades are those of the data" {
    gradus score odds.model train.txt --grades > grades
    [ "$(wc -l < grades)" -eq 400 ]
    [ -z "$(grep -v '^[0-4]$' grades)" ]
    refuses 2 "gives a score, not grades" gradus score pairs.model train.txt --grades
    refuses 2 "cannot be combined" gradus score odds.model train.txt --grades --probabilities
}

@test "eval evaluates predicted grades, and prints the confusion matrix" {
    gradus score odds.model train.txt --grades -o grades
    gradus eval train.txt odds.model --grades --metric accuracy,kappa --json > by_model
    gradus eval train.txt grades --metric accuracy,kappa --json > by_file
    [ "$(grep -o '"metrics": {[^}]*}' by_model)" = "$(grep -o '"metrics": {[^}]*}' by_file)" ]
    gradus eval train.txt odds.model --confusion --metric mae | grep -q "confusion matrix of odds.model: rows by label (down)"
    refuses 1 "is not a grade: accuracy takes predicted grades" \
        gradus eval train.txt odds.model --metric accuracy
}

@test "thresholds are shown, with the costs they imply" {
    gradus show odds.model | grep -q "thresholds on the output"
    gradus show orboost.model | grep -q "costs of ranking a grade"
    gradus show linear.model | grep -q "log likelihood"
    gradus show linear.model --json | grep -q '"log_likelihood": -'
    gradus show linear.model --json | grep -q '"standard_errors": \['
    gradus show pairs.model | grep -q "5 kernels"
}

@test "a width of 0 and options of other methods are refused" {
    refuses 2 "'widths' takes comma-separated numbers from 1e-6" gradus train --train train.txt --method propodds \
        --learner gaussians --widths 0 -o x.model
    refuses 2 "'within' is for pairrank" gradus train --train train.txt --method propodds \
        --within all -o x.model
}
