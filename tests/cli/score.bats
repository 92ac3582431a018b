# SPDX-License-Identifier: Apache-2.0
# Scoring rules: one model ranks by any gain, cost or population.
load common

# A model that gives probabilities of five grades, and one that does not.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$GRADUS" synth mcrank --queries 30 --seed 1 -o data.txt
    for method in cocr mcrank mcrank-ordinal lambdamart; do
        "$GRADUS" train --method "$method" --train data.txt -o "$method.model" -q --rounds 10 --leaves 6 \
            > /dev/null
    done
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_FILE_TMPDIR" || exit 1
}

# same_order A B: two score files rank the rows in the same order, including ties
same_order() {
    paste "$1" "$2" | sort -g -k1,1 -k2,2 |
        awk 'NR > 1 && (($1 > a) != ($2 > b) || $2 < b) { exit 1 } { a = $1; b = $2 }'
}

@test "each rule scores every row of a model that gives probabilities" {
    rows=$(wc -l < data.txt)
    for model in cocr mcrank mcrank-ordinal; do
        for rule in expected-grade expected-gain hard median-grade cost-ratio weights-and-scales; do
            gradus score $model.model data.txt --scoring $rule -o scores 2> err
            [ ! -s err ] || { echo "$model $rule: $(cat err)"; return 1; }
            [ "$(grep -cE '^-?[0-9.e+-]+$' scores)" -eq "$rows" ] || { echo "$model $rule"; return 1; }
        done
    done
    gradus score cocr.model data.txt --scoring hard | sort -u > grades
    [ "$(grep -cvxE '[0-4]' grades)" -eq 0 ]
    gradus score cocr.model data.txt --scoring sum -o sum
    gradus score cocr.model data.txt -o plain
    cmp sum plain
    gradus score cocr.model data.txt --scoring count -o count
    differ sum count
}

@test "scores are the formulas over the probabilities" {
    gradus score mcrank.model data.txt --probabilities | tail -n +2 > p
    check() { # check FORMULA OPTIONS...: an awk expression of the columns
        local formula=$1
        shift
        gradus score mcrank.model data.txt "$@" -q -o scores
        paste p scores | awk "{ v = $formula; d = v - \$6 } d * d > 1e-18 * (1 + v * v) { print NR, v, \$6; exit 1 }"
    }
    check '$2 + 2*$3 + 3*$4 + 4*$5' --scoring expected-grade
    check '$2 + 3*$3 + 7*$4 + 15*$5' --scoring expected-gain
    check '$2 + 2*$3 + 3*$4 + 4*$5' --scoring expected-gain --gains grade
    check '-$1 + $3 + 9*$4 + 90*$5' --scoring expected-gain --gains=-1,0,1,9,90
    check '($2 + 2*$3 + 3*$4 + 4*$5) / (4*$1 + 3*$2 + 2*$3 + $4)' --scoring cost-ratio
    check '($2 + 9*$3 + 49*$4 + 225*$5) / (225*$1 + 196*$2 + 144*$3 + 64*$4)' \
        --scoring cost-ratio --cost oerr
    check '(2*$2 + 3*2*$3 + 5*$4 + 8*$5) / (2*$1 + $2 + 3*$3 + $4 + $5)' \
        --scoring weights-and-scales --weights 2,1,3,1,1 --scales 0,2,2,5,8
}

@test "optimal scores give the same order where theory says so" {
    gradus score mcrank.model data.txt --scoring expected-grade -o grade
    gradus score mcrank.model data.txt --scoring cost-ratio --cost linear -o linear
    same_order grade linear
    gradus score mcrank.model data.txt --scoring expected-gain -o gain
    gradus score mcrank.model data.txt --scoring cost-ratio --cost exponential -o exponential
    same_order gain exponential
    gradus score mcrank.model data.txt --scoring weights-and-scales --scales 0,1,3,7,15 -o scales
    same_order gain scales
    if same_order grade gain; then return 1; fi # they must differ for this test to mean anything
}

@test "a cost from a file, and one that breaks the condition" {
    printf '0 1 2 3 4\n1 0 1 2 3\n2 1 0 1 2\n3 2 1 0 1\n4 3 2 1 0\n' > linear.txt
    gradus score mcrank.model data.txt --scoring cost-ratio --cost linear.txt -o a 2> err
    [ ! -s err ]
    gradus score mcrank.model data.txt --scoring cost-ratio --cost linear -o b
    cmp a b
    gradus score mcrank.model data.txt --scoring cost-ratio --cost pairs -o c 2> err
    grep -qF "for 3 of 3 pairs of inner grades, by up to 100% of c[0][4] (c[1][2] is 1, not 0; " err
    [ "$(wc -l < c)" -eq "$(wc -l < a)" ]
    printf '0 1\n1 0\n' > small.txt
    refuses 2 "the cost matrix covers grades 0 to 1" gradus score mcrank.model data.txt --scoring cost-ratio --cost small.txt
    printf '0 nan\n1 0\n' > nan.txt
    refuses 1 "nan.txt:1:3" gradus score mcrank.model data.txt --scoring cost-ratio --cost nan.txt
}

@test "a prior re-weights the grades" {
    gradus score mcrank.model data.txt --probabilities -o before
    awk '{ n[$1]++; all++ } END { for (g = 0; g < 5; g++) printf "%s%.17g", g ? "," : "", n[g] / all }' data.txt > shares
    gradus score mcrank.model data.txt --probabilities --prior "$(cat shares)" -o same
    paste before same | tail -n +2 |
        awk '{ for (i = 1; i <= 5; i++) { d = $i - $(i + 5); if (d * d > 1e-20) exit 1 } }'
    gradus score mcrank.model data.txt --probabilities --prior 1,1,1,1,1 -o even
    paste before even | tail -n +2 | awk '{ a += $5; b += $10 } END { exit !(b > 2 * a) }'
    gradus score mcrank.model data.txt --scoring expected-grade --prior 1,0,0,0,0 | sort -u > nothing
    [ "$(cat nothing)" = 0 ]
}

@test "repairs change only what they are documented to change" {
    gradus score mcrank.model data.txt --probabilities -o p
    gradus score mcrank.model data.txt --probabilities --repair pav -o q
    cmp p q # the softmax needs none
    for repair in projection pav; do
        gradus score cocr.model data.txt --probabilities --repair $repair -o $repair
        tail -n +2 $repair | awk '{ s = 0; for (i = 1; i <= NF; i++) { if ($i < 0) exit 1; s += $i } if ((s - 1)^2 > 1e-18) exit 1 }'
    done
    gradus score cocr.model data.txt --probabilities -o usual
    cmp usual projection
    # as McRank does, expected grades of mcrank-ordinal are not repaired
    gradus score mcrank-ordinal.model data.txt -o plain
    gradus score mcrank-ordinal.model data.txt --scoring expected-grade --repair none -o none
    cmp plain none
}

@test "eval accepts scoring rules, and --cost sets risk and cost-ratio" {
    gradus score cocr.model data.txt --scoring cost-ratio --cost squared -q -o scores
    gradus eval data.txt scores --cost squared --metric risk,ndcg@10 -q --json | jq -S .[0].metrics > a
    gradus eval data.txt cocr.model --scoring cost-ratio --cost squared --metric risk,ndcg@10 -q --json |
        jq -S .[0].metrics > b
    cmp a b
    refuses 2 "--scoring applies to models" gradus eval data.txt scores --scoring hard
}

@test "errors" {
    refuses 2 "only by output: it gives no probabilities" gradus score lambdamart.model data.txt --scoring hard
    refuses 2 "'prior' is for models that give probabilities" gradus score lambdamart.model data.txt --prior 1
    refuses 2 "'gains' has 2 numbers, but the model has 5 grades: 0, 1, 2, 3, 4" gradus score cocr.model data.txt --scoring expected-gain --gains 1,2
    refuses 2 "'gains' is for 'scoring expected-gain', not 'sum'" gradus score cocr.model data.txt --gains 0,1,2,3,4
    refuses 2 "'weights' takes comma-separated numbers of at least 0" gradus score cocr.model data.txt --scoring weights-and-scales --weights 1,1,1,1,-1
    refuses 2 "'scales' must not decrease" gradus score cocr.model data.txt --scoring weights-and-scales --scales 4,3,2,1,0
    refuses 2 "'prior' sums to 0" gradus score cocr.model data.txt --scoring hard --prior 0,0,0,0,0
    refuses 2 "'sum' does not" gradus score cocr.model data.txt --prior 1,1,1,1,1
    refuses 2 "'repair none' applies only to expected grades" gradus score cocr.model data.txt --scoring hard --repair none
    refuses 2 "--scoring applies to models, and 'random' is not one" gradus score random data.txt --scoring hard
}

@test "costs of wrong shape are noted in training" {
    printf '0 4 2 3 4\n1 0 1 2 3\n2 1 0.5 1 2\n3 2 1 0 1\n4 3 2 1 0\n' > odd.txt
    gradus train --method cocr --cost odd.txt --train data.txt -o odd.model --rounds 2 --leaves 4 > out 2> err
    grep -qF "the cost of the correct grade is not 0: row 2, column 2: 0.5" err
    grep -qF "row 0: 4 in column 1, but 2 in column 2" err
    gradus train --method cocr --cost power:1.5 --train data.txt -o power.model --rounds 2 --leaves 4 -q > out
    refuses 2 "cost 'power' takes a number from 0 to 16" gradus train --method cocr --cost power:99 --train data.txt -o x.model -q
    printf '0 -1\n1 0\n' > negative.txt
    refuses 1 "negative.txt:1:3: expected a non-negative number" gradus train --method cocr --cost negative.txt --train data.txt -o x.model -q
    printf '0 1 1 1 1\n1 0 0 0 1\n1 0 0 0 1\n1 0 0 0 1\n1 1 1 1 0\n' > flat.txt
    gradus train --method cocr --cost flat.txt --train data.txt -o flat.model --rounds 2 --leaves 4 > out 2> err
    grep -qF "so the model cannot separate them: 1 and 2; 2 and 3" err
    refuses 2 "cannot be scored by 'hard', only by sum, count" gradus score flat.model data.txt --scoring hard
    refuses 2 "" gradus score flat.model data.txt --probabilities
    refuses 2 "nothing to learn from" gradus train --method cocr --cost exponential:1 --train data.txt -o x.model -q
}
