# SPDX-License-Identifier: Apache-2.0
# Base regressors on degenerate data, weights and costs.
load common

learners="linear m5p bagged-m5p gbrt"

# Sets of 3 grades with one informative feature and one of noise.
make_set() {
    awk -v queries="$1" 'BEGIN { for (q = 1; q <= queries; q++) for (d = 0; d < 4; d++)
        printf "%d qid:%d 1:%g 2:%g\n", (d + q) % 3, q, (d + q) % 3 + (q * 7 + d) % 10 / 12, (q * 7 + d * 3) % 5 }'
}

# fits DATA OPTIONS...: every learner trains directly and under cocr, and all scores are numbers. Notes
# go to LEARNER.notes.
fits() {
    local data=$1 learner
    shift
    for learner in $learners; do
        : > $learner.notes
        for method in regression "cocr --cost oerr"; do
            # shellcheck disable=SC2086
            gradus train --learner $learner --method $method --train "$data" -o $learner.model --json \
                $(rounds_of $learner) "$@" 2>> $learner.notes > out || { cat $learner.notes; return 1; }
            gradus score $learner.model "$data" > scores
            [ "$(grep -cE '^-?[0-9.]+(e-?[0-9]+)?$' scores)" -eq "$(grep -c qid "$data")" ] ||
                { echo "$learner $method"; head -3 scores; return 1; }
        done
    done
}

rounds_of() {
    case $1 in
    gbrt) echo --rounds 5 --min-rows 1 ;;
    bagged-m5p) echo --rounds 5 --bag-fraction 0.5 ;;
    esac
}

ndcg() {
    gradus eval "$1" "$2" --metric ndcg@10 --json -q | jq '.[0].metrics["ndcg@10"]'
}

@test "more features than rows" {
    awk 'BEGIN { for (q = 1; q <= 3; q++) for (d = 0; d < 4; d++) { printf "%d qid:%d", (q + d) % 3, q
        for (f = 1; f <= 40; f++) printf " %d:%g", f, (q * 37 * f + d * d * 11 + f * f * d) % 101 / 7; print "" } }' > wide.txt
    fits wide.txt
    grep -qE "^note: [0-9]+ features are linear combinations of others: left out$" linear.notes
    # 12 rows allow at most 11 independent features: the fit is perfect, and no more are used
    gradus train --learner linear --method regression --train wide.txt -o a.model -q --metric rmse --json |
        tail -1 | jq -e '.metrics.train.rmse < 1e-5'
    gradus show a.model --json | jq -e '[.linear[0].coefficients[] | select(. != 0)] | length <= 11'
    # an explicit ridge shrinks instead
    gradus train --learner linear --method regression --train wide.txt -o b.model --ridge 1 2> notes > /dev/null
    lacks "left out" notes
    gradus show b.model --json | jq -e '[.linear[0].coefficients[] | select(. != 0)] | length == 40'
}

@test "a feature equal to another" {
    make_set 20 > one.txt
    sed 's/1:\([^ ]*\) 2:\(.*\)/1:\1 2:\2 3:\1 4:\1/' one.txt > twins.txt
    fits twins.txt
    grep -q "^note: 2 features are linear combinations of others: left out$" linear.notes
    # the duplicates add nothing
    for learner in linear m5p gbrt; do
        # shellcheck disable=SC2086
        gradus train --learner $learner --method regression --train one.txt -o one.model -q \
            $(rounds_of $learner) > /dev/null
        # shellcheck disable=SC2086
        gradus train --learner $learner --method regression --train twins.txt -o twins.model -q \
            $(rounds_of $learner) > /dev/null
        gradus score one.model one.txt > a
        gradus score twins.model twins.txt > b
        paste a b | awk '{ d = $1 - $2 } d * d > 1e-8 { print; exit 1 }' || { echo $learner; return 1; }
    done
}

@test "constant features" {
    make_set 20 | sed 's/1:[^ ]*/1:7/; s/2:.*/2:0/' > constant.txt
    fits constant.txt
    grep -q "^note: 2 features are constant: left out$" linear.notes
    for learner in $learners; do
        [ "$(gradus score $learner.model constant.txt | sort -u | wc -l)" -eq 1 ]
    done
}

@test "a sub-problem in which no row has a weight" {
    make_set 20 > train.txt
    # this cost does not distinguish grades 1 and 2
    printf '0 1 1\n1 0 0\n1 0 0\n' > flat
    for learner in $learners; do
        # shellcheck disable=SC2086
        gradus train --learner $learner --method cocr --cost flat --train train.txt -o a.model --json \
            $(rounds_of $learner) 2> notes > /dev/null
        grep -q "^note: the cost does not distinguish some grades.*: 1 and 2$" notes
        [ $learner = gbrt ] || grep -qF "output 2: every row has weight 0; it predicts the mean of its target" notes
        awk -v a="$(ndcg train.txt a.model)" 'BEGIN { exit !(a > 0.75) }' # 0 and the others are told apart
    done
    gradus show a.model > /dev/null
    refuses 2 "not grade probabilities" gradus score a.model train.txt --probabilities
}

@test "a grade that never occurs, and one without weight" {
    make_set 20 | sed 's/^2/4/' > gap.txt # grades 0, 1 and 4
    fits gap.txt
    for learner in $learners; do
        gradus show $learner.model --json | jq -e '.grades == [0, 1, 4] and .outputs == 2'
    done
    printf '0 1 2 3 4\n1 0 1 2 3\n4 1 0 1 2\n9 4 1 0 1\n16 9 4 1 0\n' > five
    gradus train --learner m5p --method cocr --cost five --train gap.txt -o a.model -q > /dev/null
    make_set 20 > train.txt
    awk '{ print $1 == 2 ? 0 : 1 }' train.txt > weights # grade 2 occurs, but has no weight
    fits train.txt --row-weights weights
    for learner in linear m5p; do
        gradus score $learner.model train.txt --probabilities |
            awk 'NR > 1 && $3 > 1e-6 { print; exit 1 }' || { echo $learner; return 1; }
    done
}

@test "min-leaf larger than the data" {
    make_set 20 > train.txt
    gradus train --learner m5p --method regression --train train.txt -o a.model --min-leaf 81 2> notes > out
    grep -q "^note: a tree is grown on 80 rows, too few to split with a 'min-leaf' of 81: it is their mean$" notes
    grep -q "^size         1 tree, 1 leaf$" out
    [ "$(gradus score a.model train.txt | sort -u)" = "$(awk '{ s += $1 } END { printf "%.17g\n", s / NR }' train.txt)" ]
    gradus train --learner m5p --method cocr --train train.txt -o a.model --min-leaf 4294967295 2> notes > out
    grep -q "'min-leaf' of 4294967295" notes
    gradus train --learner bagged-m5p --method regression --train train.txt -o a.model --min-leaf 9 --rounds 3 2> notes > out
    grep -q "^note: a tree is grown on 8 rows, too few to split with a 'min-leaf' of 9" notes
    gradus train --learner m5p --method regression --train train.txt -o a.model --min-leaf 80 2> notes > out
    lacks "too few to split" notes
    refuses 2 "'min-leaf'" gradus train --learner m5p --method regression --train train.txt -o a.model --min-leaf 0 -q
}

@test "a cost matrix of the wrong size, or with invalid costs" {
    make_set 5 > train.txt
    printf '0 1\n1 0\n' > small
    printf '0 1 2\n1 0\n2 1 0\n' > ragged
    printf '0 1 2\n1 0 1\n' > short
    printf '0 1 nan\n1 0 1\n2 1 0\n' > nan
    printf '0 1 inf\n1 0 1\n2 1 0\n' > inf
    printf '0 1 -2\n1 0 1\n2 1 0\n' > negative
    printf '0 1 two\n1 0 1\n2 1 0\n' > words
    printf '1 1 2\n1 0 1\n2 1 0\n' > diagonal
    printf '0 1 1e300\n1 0 1e300\n1e300 1e300 0\n' > huge
    : > empty
    for learner in $learners; do
        wrong() {
            refuses "$1" "$2" gradus train -q --learner $learner --method cocr --train train.txt -o a.model --cost "$3"
        }
        wrong 2 "the cost matrix covers grades 0 to 1, but the data have grade 2" small
        wrong 1 "ragged:2: a cost matrix must be square: the first row has 3 numbers, but row 2 has 2" ragged
        wrong 1 "square" short
        wrong 1 "nan:1:5: expected a non-negative number, found 'nan'" nan
        wrong 1 "inf:1:5: expected a non-negative number, found 'inf'" inf
        wrong 1 "negative:1:5: expected a non-negative number, found '-2'" negative
        wrong 1 "words:1:5: expected a non-negative number, found 'two'" words
        wrong 1 "too large to fit" huge
        wrong 1 "empty: contains no cost matrix" empty
        [ ! -e a.model ]
        # a cost of the right answer is only noted: the model is as requested
        # shellcheck disable=SC2086
        gradus train --learner $learner --method cocr --train train.txt -o a.model --cost diagonal --json \
            $(rounds_of $learner) 2> notes > /dev/null
        grep -q "^note: the cost of the correct grade is not 0: row 0, column 0: 1$" notes
        rm a.model
    done
}
