# SPDX-License-Identifier: Apache-2.0
# Training: models, output, and identical bytes for the same data and options.
load common

# Three small sets of three grades or more, as text.
make_sets() {
    gradus synth mcrank --queries 40 --seed 1 -o train.txt
    gradus synth mcrank --queries 20 --seed 2 -o valid.txt
    gradus synth mcrank --queries 20 --seed 3 -o test.txt
}

# train OUTPUT OPTIONS...: a short, quiet training run
train() {
    local output=$1
    shift
    with_default --rounds 12 "$@"
    gradus train --train train.txt -o "$output" -q --leaves 8 "${words[@]}"
}

@test "every method learns to rank" {
    make_sets
    chance=$(metric train.txt random ndcg@10)
    for method in lambdamart regression cocr mcrank mcrank-ordinal; do
        train $method.model --method $method > $method.out
        grep -q "^method       $method, trained on " $method.out
        above "$(metric train.txt $method.model ndcg@10)" "$chance" || { echo "$method"; return 1; }
    done
}

@test "the summary" {
    make_sets
    train a.model --method lambdamart --valid valid.txt --test test.txt > out
    [ "$(head -1 out)" = a.model ]
    grep -qE "^rounds       [0-9]+ of 12; " out
    grep -qE "^best round   [0-9]+, kept by the model: ndcg@10 0\.[0-9]{4} on valid$" out
    grep -qE "^size         [0-9]+ trees?, [0-9]+ leaves$" out
    grep -q "^convention gradus$" out
    grep -qE "^metric +train +valid +test$" out
    grep -qE "^time         read .*, bin .*, train .*, evaluate " out
    grep -qE "^memory       [0-9]+ MB peak$" out
    grep -q "gradus show a.model" out
}

@test "the numbers of the summary are those of eval" {
    make_sets
    train a.model --method regression --valid valid.txt --test test.txt --json > events
    for set in train valid test; do
        [ "$(tail -1 events | jq ".metrics.$set[\"ndcg@10\"]")" = "$(metric $set.txt a.model ndcg@10)" ]
    done
    # the best round's value is the finished model's
    best=$(tail -1 events | jq .best_round)
    [ "$(jq "select(.event == \"round\" and .round == $best) | .valid" events)" = \
        "$(metric valid.txt a.model ndcg@10)" ]
    [ "$(tail -1 events | jq .rounds)" = "$best" ]
}

@test "JSON events, one per line" {
    make_sets
    train a.model --method regression --json --checkpoint-every 5 > events
    [ "$(jq -r .event events | uniq -c | tr -s ' \n' ' ')" = \
        " 1 start 5 round 1 checkpoint 5 round 1 checkpoint 2 round 1 done " ]
    jq -se '.[0] | .method == "regression" and .rounds == 12 and .first_round == 1 and .train.rows > 0' events
    jq -se '.[-1] | .model == "a.model" and .rounds == 12 and .seconds.train > 0 and .peak_bytes > 1000000' events
    jq -se '.[-1].metrics | keys == ["train"]' events
}

@test "occasional lines without a terminal, none with --quiet" {
    make_sets
    gradus train --train train.txt --valid valid.txt -o a.model --rounds 12 --leaves 8 > out 2> err
    [ "$(grep -c '^round' err)" -ge 4 ]
    grep -qE "^round 10 of 12: ndcg@10 train 0\.[0-9]{4} valid 0\.[0-9]{4} best 0\.[0-9]{4} \(round [0-9]+\) " err
    train b.model --valid valid.txt > out 2> err
    [ ! -s err ]
    cmp a.model b.model
}

@test "the same bytes on 1, 2, 3 and 8 threads" {
    make_sets
    for method in lambdamart regression cocr mcrank mcrank-ordinal; do
        train 1.model --threads 1 --method $method --valid valid.txt > /dev/null
        for threads in 2 3 8; do
            train $threads.model --threads $threads --method $method --valid valid.txt > /dev/null
            cmp 1.model $threads.model
        done
    done
}

@test "the same bytes on any number of threads with samples of rows, queries and features" {
    make_sets
    for sample in "--row-fraction 0.5" "--query-fraction 0.5" "--feature-fraction 0.5"; do
        # shellcheck disable=SC2086
        train 1.model --threads 1 $sample > /dev/null
        # shellcheck disable=SC2086
        train 3.model --threads 3 $sample > /dev/null
        cmp 1.model 3.model
    done
    train other.model --threads 1 --feature-fraction 0.5 --seed 7 > /dev/null
    differ 1.model other.model
}

@test "defaults of trees depend on the number of rows, and rounds use all of them" {
    awk 'BEGIN { for (r = 0; r < 200000; r++) printf "%d qid:%d 1:%d\n", r % 3, r / 100, r % 7 }' > large.txt
    head -n 1000 large.txt > small.txt
    setting() { gradus show a.model --json | jq -r "[.recipe[\"$1\", \"$2\"]] | join(\" \")"; }
    for method in lambdamart regression; do
        # sqrt(200,000) / 10 = 44.7; lambdamart counts 64 of the 100 rows of each query: sqrt(128,000) / 10 = 35.8
        [ $method = lambdamart ] && leaves=36 || leaves=45
        gradus train --method "$method" --rounds 1 --train large.txt -o a.model > /dev/null 2> notes
        [ "$(setting row-fraction query-fraction)" = "1 1" ]
        [ "$(setting leaves min-rows)" = "$leaves 50" ]
        grep -q "^note: chosen for 200000 rows: leaves $leaves, min-rows 50$" notes
    done
    gradus train --method lambdamart --rounds 1 --train small.txt --valid small.txt -o a.model > /dev/null 2> notes
    [ "$(setting leaves min-rows)" = "8 20" ]
    grep -q "^note: chosen for 1000 rows and validation data: leaves 8, min-rows 20, patience 100$" notes
    gradus train --method lambdamart --rounds 1 --leaves 5 --train small.txt -o a.model > /dev/null 2> notes
    [ "$(setting leaves min-rows)" = "5 20" ]
    gradus train --method lambdamart --rounds 1 --depth 3 --train small.txt -o a.model > /dev/null 2> notes
    [ "$(setting leaves depth)" = "0 3" ]
    gradus train --method cocr --preset paper-ltrc --rounds 1 --train small.txt -o a.model > /dev/null 2> notes
    lacks "chosen for" notes
}

@test "methods that compare the rows of a query choose fewer leaves if queries are large" {
    # leaves METHOD ROWS-PER-QUERY OPTIONS...: those chosen for 40,000 rows
    leaves() {
        local method=$1 size=$2
        shift 2
        awk -v n="$size" 'BEGIN { for (r = 0; r < 40000; r++) printf "%d qid:%d 1:%d\n", r % 3, r / n, r % 7 }' > a.txt
        gradus train --method "$method" --rounds 1 --train a.txt -o a.model "$@" > /dev/null 2> notes
        sed -n 's/^note: chosen for 40000 rows: leaves \([0-9]*\), .*/\1/p' notes
    }
    [ "$(leaves lambdamart 64)" = 20 ]   # sqrt(40,000) / 10
    [ "$(leaves lambdamart 80)" = 18 ]   # sqrt(64 * 500) / 10 = 17.9
    [ "$(leaves lambdamart 2000)" = 14 ] # sqrt(40,000 / 2) / 10 = 14.1
    [ "$(leaves pairrank 2000)" = 14 ]
    [ "$(leaves pairrank 2000 --within all)" = 20 ]
    [ "$(leaves regression 2000)" = 20 ]
    [ "$(leaves propodds 2000)" = 20 ]
}

@test "the same bytes from text, CSV, binary and compressed data" {
    make_sets
    gradus convert train.txt train.gradus
    gradus convert train.txt train.csv
    gradus convert train.txt train.txt.zst
    train text.model > /dev/null
    for file in train.gradus train.txt.zst; do
        gradus train --train $file -o other.model -q --rounds 12 --leaves 8 > /dev/null
        cmp text.model other.model
    done
    # a CSV file names its features, so the model does; scores are the same
    gradus train --train train.csv -o csv.model -q --rounds 12 --leaves 8 > /dev/null
    gradus score text.model test.txt > a
    gradus score csv.model test.txt > b
    cmp a b
}

@test "a warm start continues from a model" {
    make_sets
    train all.model --method regression --rounds 12 > /dev/null
    train half.model --method regression --rounds 6 > /dev/null
    train rest.model --method regression --rounds 6 --start half.model > /dev/null
    gradus score all.model test.txt > a
    gradus score rest.model test.txt > b
    cmp a b
    gradus score all.model test.txt --rounds 6 > a
    gradus score half.model test.txt > b
    cmp a b
    refuses 2 "the model to start from was trained by 'regression', not 'mcrank'" \
        train x.model --method mcrank --start half.model
}

@test "initial scores" {
    make_sets
    gradus score feature:1 train.txt -o train.scores
    gradus score feature:1 valid.txt -o valid.scores
    train a.model --method regression --valid valid.txt --initial train.scores --initial-valid valid.scores > out
    train b.model --method regression --valid valid.txt --initial feature:1 --initial-valid feature:1 > /dev/null
    cmp a.model b.model
    train c.model --method regression --valid valid.txt > /dev/null
    differ a.model c.model
    refuses 2 "--initial-valid needs --valid" train x.model --initial-valid train.scores
    refuses 1 "scores for" train x.model --initial valid.scores
    refuses 2 "one output" train x.model --method mcrank --initial train.scores
}

@test "early stopping, and the rounds that are kept" {
    make_sets
    gradus train --train train.txt --valid valid.txt -o best.model -q --rounds 200 --leaves 8 --patience 5 \
        --learning-rate 0.5 --json > events
    best=$(tail -1 events | jq .best_round)
    done=$(tail -1 events | jq .rounds_done)
    [ "$done" -eq $((best + 5)) ]
    [ "$(tail -1 events | jq -r .stopped)" = "validation metric stopped improving" ]
    [ "$(gradus show best.model --json | jq .rounds)" = "$best" ]
    gradus train --train train.txt --valid valid.txt -o last.model -q --rounds 200 --leaves 8 --patience 5 \
        --learning-rate 0.5 --keep last > out
    grep -q "^best round   $best; the model keeps all rounds: ndcg@10 " out
    [ "$(gradus show last.model --json | jq .rounds)" = "$done" ]
}

@test "a preset sets what a paper used, and options after it override" {
    make_sets
    gradus train --method mcrank --preset paper-artificial --rounds 3 --train train.txt -o a.model -q > /dev/null
    gradus show a.model --json | jq -e '.recipe | .rounds == 3 and .leaves == 10 and .["learning-rate"] == 0.05'
}

@test "weights apply to the training data" {
    make_sets
    rows=$(wc -l < train.txt)
    yes 1 | head -"$rows" > ones
    { yes 1 | head -$((rows / 2)); yes 3 | head -$((rows - rows / 2)); } > some
    train plain.model --method regression --valid valid.txt > /dev/null
    train ones.model --method regression --valid valid.txt --row-weights ones > /dev/null
    gradus score plain.model test.txt > a
    gradus score ones.model test.txt > b
    cmp a b
    train some.model --method regression --valid valid.txt --row-weights some > /dev/null
    gradus score some.model test.txt > c
    differ a c
}

@test "score, eval and compare take models" {
    make_sets
    train a.model --method regression > /dev/null
    gradus score a.model test.txt -o test.scores
    [ "$(wc -l < test.scores)" -eq "$(wc -l < test.txt)" ]
    gradus eval test.txt a.model test.scores --json | jq -e '.[0].metrics == .[1].metrics and .[0].scores == "a.model"'
    gradus score a.model test.txt --run-name x -o test.run
    gradus eval test.txt a.model test.run --json | jq -e '.[0].metrics == .[1].metrics'
    gradus compare test.txt random a.model --metric ndcg@10 --json | jq -e '.sets[0].contrasts[0].difference > 0'
}

@test "probabilities of grades" {
    make_sets
    for method in cocr mcrank mcrank-ordinal; do
        train a.model --method $method > /dev/null
        gradus score a.model test.txt --probabilities -o p
        head -1 p | grep -qE '^# P\(0\) P\(1\)'
        [ "$(wc -l < p)" -eq $(($(wc -l < test.txt) + 1)) ]
        awk 'NR > 1 { s = 0; for (i = 1; i <= NF; i++) { if ($i < 0) bad = 1; s += $i }
            if (s < 1 - 1e-12 || s > 1 + 1e-12) bad = 1 } END { exit bad }' p
    done
    # the expected grade of mcrank follows from its probabilities
    train a.model --method mcrank > /dev/null
    gradus score a.model test.txt --probabilities > p
    gradus score a.model test.txt --scoring expected-grade > s
    grep -v '^#' p | awk '{ s = 0; for (i = 1; i <= NF; i++) s += (i - 1) * $i; print s }' |
        paste - s | awk '{ d = $1 - $2; if (d > 1e-4 || d < -1e-4) bad = 1 } END { exit bad }'
    gradus score a.model test.txt --scoring expected-gain > g
    differ s g
}

@test "probabilities follow the order of the file, though rows are regrouped" {
    make_sets
    train a.model --method mcrank > /dev/null
    awk 'NR % 2' test.txt > odd
    awk 'NR % 2 == 0' test.txt > even
    cat odd even > shuffled.txt
    gradus score a.model test.txt --probabilities | grep -v '^#' > p
    { awk 'NR % 2' p; awk 'NR % 2 == 0' p; } > wanted
    gradus score a.model shuffled.txt --probabilities -q | grep -v '^#' > found
    cmp wanted found
}

@test "a progress bar fits the width of the terminal" {
    command -v script > /dev/null || skip "no script"
    gradus synth mcrank --queries 200 -o train.gradus
    for columns in 60 100; do
        script -qec "stty cols $columns; '$GRADUS' train --train train.gradus --valid train.gradus -o a.model --rounds 40" \
            /dev/null > screen < /dev/null
        tr '\r' '\n' < screen | sed -n 's/^\x1b\[K//p' | grep '^[0-9]*/40 ' > bars
        grep -qE '^40/40 █+ ndcg@10 .*valid 0\.[0-9]{4}' bars
        # UTF-8 continuation bytes take no column
        [ "$(LC_ALL=C sed 's/[\x80-\xbf]//g' bars | awk '{ print length }' | sort -n | tail -1)" -lt $columns ]
    done
}

@test "text and CSV are binned while they are read, with the model of values" {
    gradus synth web --queries 60 -q -o web.txt
    gradus convert web.txt web.csv -q
    for file in web.txt web.csv; do
        for method in lambdamart mcrank "regression --binning adaptive --bins 300"; do
            # shellcheck disable=SC2086
            set -- --method $method --rounds 5 --bin-sample 1000 -q
            gradus train --train $file "$@" -o binned.model > binned.out
            gradus train --train - "$@" -o values.model < $file > values.out # a pipe is read once
            cmp binned.model values.model
            diff <(grep -E "^(ndcg|err|map|p@|mrr)" binned.out) <(grep -E "^(ndcg|err|map|p@|mrr)" values.out)
        done
    done
    # values would take 4 bytes each
    gradus train --train web.txt --rounds 2 --bin-sample 1000 -q --max-memory 3M -o small.model
    refuses 1 "more than the limit" gradus train --train - --rounds 2 --bin-sample 1000 -q --max-memory 3M -o big.model < web.txt
}

@test "training on bins is resumed from values" {
    gradus synth web --queries 60 -q -o web.txt
    gradus train --train web.txt --rounds 6 --bin-sample 1000 -q -o whole.model
    gradus train --train web.txt --rounds 3 --bin-sample 1000 -q -o half.model
    gradus train --train web.txt --rounds 3 --bin-sample 1000 -q --start half.model -o further.model
    gradus score whole.model web.txt -q -o whole.scores
    gradus score further.model web.txt -q -o further.scores
    cmp whole.scores further.scores
}

# Two grades, separated by one feature: p is 1/2, and the tree of grade 0 has leaves of +-1. Updated
# before the tree of grade 1, p is 1 / (1 + e) = .2689 for the rows of grade 0, and its leaf is
# -.2689 / (2 * .1966) = -.6839 instead of -1: P(1) = 1 / (1 + e^1.6839).
@test "class updates: probabilities after each tree of a round, worked by hand" {
    printf '0 qid:1 1:0\n0 qid:1 1:0\n1 qid:1 1:1\n1 qid:1 1:1\n' > two.txt
    one_round() {
        gradus train --method mcrank --rounds 1 --leaves 2 --learning-rate 1 --min-rows 1 --min-weight 0 --l2 0 \
            --train two.txt -q -o two.model "$@" > /dev/null
        gradus score two.model two.txt --probabilities | sed -n 2p
    }
    [[ "$(one_round)" == "0.8807970779778"*" 0.1192029220221"* ]]
    [[ "$(one_round --class-updates)" == "0.8434255"*" 0.1565744"* ]]
}

# One row of grade 0, three of grade 1: p starts at 1/4 and 3/4. The leaves of the row of grade 0 are
# .75 / (2 * .1875) = 2 and -2, so that its outputs differ by 4 - log 3: P(0) = 1 / (1 + 3 e^-4).
# mcrank-ordinal starts at -log 3 and adds .75 / .1875 = 4.
@test "boosting starts at the frequencies of grades on request, worked by hand" {
    printf '0 qid:1 1:0\n1 qid:1 1:1\n1 qid:1 1:1\n1 qid:1 1:1\n' > four.txt
    for method in mcrank mcrank-ordinal; do
        gradus train --method $method --boost-from-average --rounds 1 --leaves 2 --learning-rate 1 --min-rows 1 \
            --min-weight 0 --l2 0 --train four.txt -q -o four.model > /dev/null
        gradus score four.model four.txt --probabilities > probabilities
        [[ "$(sed -n 2p probabilities)" == "0.947914993"*" 0.052085006"* ]]
    done
    refuses 2 "'boost-from-average' does not apply to 'lambdarank', which starts at 0" \
        gradus train --boost-from-average --train four.txt -q -o no.model
}
