# SPDX-License-Identifier: Apache-2.0
# gradus ensemble: standardised scores, selection of members, given weights, and distillation.
load common

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_FILE_TMPDIR" || exit 1
    [ ! -e done ] || return 0
    for set in train:1:40 valid:101:20 test:201:20; do
        IFS=: read -r name first count <<< "$set"
        gradus synth web --queries "$count" --documents 15 --first-query "$first" -q -o "$name.txt"
    done
    train() { gradus train -q --train train.txt --threads 1 "$@" > log; }
    train --method lambdamart --rounds 20 -o trees.model
    train --method listnet --transform query --rounds 5 -o net.model
    train --method regression --rounds 20 -o mean.model
    train --method mcrank --rounds 5 -o grades.model
    train --method cocr --rounds 5 -o odds.model
    touch done
}

@test "standardised scores have mean 0 and deviation 1 in each query" {
    gradus ensemble trees.model --way standardized -q -o one.model
    gradus score one.model test.txt > scores
    sed 's/.*qid:\([0-9]*\).*/\1/' test.txt | paste - scores | awk '
        { n[$1]++; s[$1] += $2; q[$1] += $2 * $2 }
        END { for (i in n) { m = s[i] / n[i]; v = q[i] / n[i] - m * m; c++
                  if (m > 1e-9 || m < -1e-9 || (v > 1e-9 && (v < 1 - 1e-9 || v > 1 + 1e-9))) exit 1 }
              exit c != 20 }'
    gradus score one.model test.txt --threads 3 | cmp - scores
    grep 'qid:205 ' test.txt > five.txt
    gradus score one.model five.txt > alone
    grep -n 'qid:205 ' test.txt | cut -d: -f1 | while read -r line; do sed -n "${line}p" scores; done | cmp - alone
    gradus show one.model | grep -qx "ensemble     of 1 model: weighted sum of their scores, standardised within the query"
    refuses 2 "standardised scores depend on the other documents" gradus export one.model --format onnx -o one.onnx
    refuses 2 "explain its members" gradus explain one.model test.txt
}

@test "selection gives weights that sum to 1 and are the same on any number of threads" {
    members="trees.model net.model mean.model"
    gradus ensemble $members --way selection --valid valid.txt --threads 1 -o a.model --json > j 2> err
    jq -e '.combination == "standardized" and ([.members[].weight] | add | . > 0.999999 and . < 1.000001)' j
    gradus ensemble $members --way selection --valid valid.txt --threads 3 -q -o b.model
    cmp a.model b.model
    gradus ensemble $members --way selection --valid valid.txt --seed 2 --bags 1 -q -o c.model
    ! cmp -s a.model c.model
    # the same weights, given
    weights=$(gradus show a.model --json | jq -r '[.members[].weight | tostring] | join(",")')
    [ "$(tr -cd , <<< "$weights" | wc -c)" -eq 2 ]
    gradus ensemble $members --way weights --weights "$weights" -q -o d.model
    paste <(gradus score a.model test.txt) <(gradus score d.model test.txt) |
        awk '{ d = $1 - $2; if (d > 1e-9 || d < -1e-9) exit 1 }'
}

@test "only ways that fit something report what they were fitted on" {
    for way in standardized borda reciprocal-rank "weights --weights 1,2" mean; do
        gradus ensemble grades.model odds.model --way $way --valid valid.txt -o way.model > out
        grep -qE "^ensemble     [a-z-]+, 2 models$" out
        grep -q "^valid.txt, 20 queries$" out
    done
    for way in exponential selection stacking; do
        gradus ensemble grades.model odds.model --way $way --valid valid.txt -o way.model > out
        grep -qE "^ensemble     [a-z-]+, 2 models, fitted on [0-9]+ rows, 20 queries$" out
        grep -q "^valid.txt, 20 queries (used for fitting)$" out
    done
    # scores are scaled by their range on --valid
    gradus ensemble trees.model net.model --way mean --valid valid.txt -o way.model | grep -q "2 models, fitted on"
    # a distilled model is fitted
    gradus ensemble trees.model net.model --way borda --valid valid.txt --distil 5 -o way.model > out 2> err
    grep -qx "ensemble     borda, 2 models" out
    grep -q "^valid.txt, 20 queries (used for fitting)$" out
}

@test "selection of members with probabilities averages them" {
    gradus ensemble grades.model odds.model --way selection --valid valid.txt -q -o p.model
    gradus show p.model --json | jq -e '.combination == "weighted-sum"'
    gradus score p.model test.txt --probabilities | grep -v '^#' |
        awk '{ s = 0; for (i = 1; i <= NF; i++) s += $i; if (s < 0.999999 || s > 1.000001) exit 1 }'
    gradus ensemble grades.model odds.model --way weights --weights 3,1 --probabilities -q -o w.model
    gradus show w.model --json | jq -e '[.members[].weight] == [0.75, 0.25]'
    refuses 2 "model 2 gives no probabilities" gradus ensemble grades.model trees.model --way weights \
        --weights 1,1 --probabilities -o w.model
    refuses 2 "needs way 'weights'" gradus ensemble grades.model odds.model --weights 1,1 -o w.model
}

@test "a distilled ensemble is one forest, with what it loses and saves" {
    members="trees.model net.model mean.model"
    gradus ensemble $members --way standardized --valid valid.txt --test test.txt --distil 60 \
        --distil-data train.txt -o small.model > out 2> err
    grep -q "^distilled    60 trees, trained on the scores of [0-9,]* rows of train.txt$" out
    grep -qE "^ +ndcg@10 [+-]0\.[0-9]{4} \+- 0\.[0-9]{4} on test.txt, compared with the ensemble$" out
    grep -qE "^ +[0-9.]+ microseconds per row, ensemble [0-9.]+$" out
    [ "$(grep -c "^the ensemble " out)" -eq 2 ]
    grep -q "^ *gradus eval test.txt trees.model net.model mean.model small.model$" out
    gradus show small.model > shown
    grep -q "^method       regression" shown
    grep -qx "labels       scores of another model, which it was distilled from" shown
    ! grep -q "^recipe" shown # training on labels would give another model
    gradus show small.model --all | grep -qE "^rounds \* +60$"
    gradus show small.model --json | jq -e .distilled
    gradus show trees.model --json | jq -e '.distilled == false and .recipe.method == "lambdamart"'
    gradus ensemble small.model trees.model --way standardized -q -o both.model
    gradus show both.model --json | jq -e '.distilled == false'
    gradus ensemble $members --way standardized --distil 60 --distil-data train.txt -o other.model --json > j 2> err
    cmp small.model other.model
    jq -e '.distilled.trees == 60 and .distilled.rows > 100 and (.members | length) == 3' j
    # labels are not used
    sed 's/^[0-9]*/0/' train.txt > unlabelled.txt
    gradus ensemble $members --way standardized --distil 60 --distil-data unlabelled.txt -q -o third.model
    cmp <(gradus score small.model test.txt) <(gradus score third.model test.txt)
    refuses 2 "needs data to train on" gradus ensemble $members --way borda --distil 5 -o e.model
    refuses 2 "needs --distil TREES" gradus ensemble $members --way borda --distil-data train.txt -o e.model
    refuses 2 "takes a number of trees, not 'many'" gradus ensemble $members --valid valid.txt --distil many -o e.model
}

@test "raw scores are added as they are, in a model that can be exported and explained" {
    gradus ensemble trees.model mean.model --way weights --weights 3,1 --raw -q -o raw.model
    for model in trees mean raw; do gradus score $model.model test.txt > $model.scores; done
    paste trees.scores mean.scores raw.scores |
        awk '{ d = 0.75 * $1 + 0.25 * $2 - $3; if (d > 1e-9 || d < -1e-9) exit 1 }'
    gradus export raw.model --format c -o raw.c -q
    gradus explain raw.model test.txt --query 201 --document 1 -q > explained
    gradus ensemble trees.model mean.model --way selection --raw --valid valid.txt -q -o chosen.model
    gradus show chosen.model | grep -q "weighted"
    refuses 2 "'raw' applies to the ways" gradus ensemble trees.model mean.model --way mean --raw --valid valid.txt -o x.model
}

@test "validation data without information are refused" {
    sed 's/^[0-9]*/0/' valid.txt > flat.txt
    for way in exponential selection; do
        refuses 2 "no query of the validation data has a value of ndcg@10" \
            gradus ensemble trees.model net.model --way $way --valid flat.txt -q -o z.model
    done
    for way in stacking stacking-nonnegative; do
        refuses 2 "all weights of the ensemble are 0" \
            gradus ensemble trees.model net.model --way $way --valid flat.txt -q -o z.model
    done
    refuses 2 "this ensemble needs validation data: --valid FILE" gradus ensemble trees.model net.model -q -o z.model
    [ ! -e z.model ]
}

@test "options that the way does not use are refused" {
    refuses 2 "'rank-constant' applies to the way 'reciprocal-rank', not to 'borda'" \
        gradus ensemble trees.model net.model --way borda --rank-constant 10 -q -o z.model
    refuses 2 "'rates' applies to the way 'exponential', not to 'selection'" \
        gradus ensemble trees.model net.model --way selection --valid valid.txt --rates 1,2 -q -o z.model
    refuses 2 "'bags' applies to the way 'selection', not to 'mean'" \
        gradus ensemble trees.model net.model --way mean --valid valid.txt --bags 3 -q -o z.model
    gradus ensemble trees.model net.model --way reciprocal-rank --rank-constant 10 -q -o z.model
}

@test "a distilled forest with fewer trees than asked for is noted" {
    head -1 valid.txt > row.txt
    gradus ensemble trees.model net.model --valid valid.txt --distil 20 --distil-data row.txt -o z.model > out 2> err
    grep -q "^note: the forest has 1 tree instead of 20: no further split of the scores of 1 row" err
    gradus ensemble trees.model net.model --valid valid.txt --distil 2 -o z.model > out 2> err
    [ "$(grep -c "the forest has" err)" -eq 0 ]
}
