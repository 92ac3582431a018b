# SPDX-License-Identifier: Apache-2.0
# gradus show: recipe, size, curve, importance, trees.
load common

# Two features, of which only the first is informative: a tree that can be worked by hand.
make_tiny() {
    for q in 1 2 3 4 5; do
        printf '0 qid:%d 1:0 2:5\n1 qid:%d 1:1 2:5\n2 qid:%d 1:2 2:5\n' $q $q $q
    done > tiny.txt
    gradus train --method regression --train tiny.txt -o tiny.model -q --rounds 1 --learning-rate 1 --leaves 3 \
        --min-rows 1 --l2 0 > /dev/null
}

@test "facts and recipe" {
    make_tiny
    gradus show tiny.model > out
    [ "$(head -1 out)" = tiny.model ]
    grep -q "^method       regression$" out
    grep -q "^trained on   15 rows of 2 features, 5 queries$" out
    grep -q "^size         1 tree, 3 leaves, " out
    grep -q "^recipe .*--method regression" out
    grep -q -- "--learning-rate 1" out
    lacks "--metric" out
    gradus show tiny.model --all > out
    grep -qE "^patience +50$" out
    grep -qE "^method \* +regression$" out
}

@test "a tree, worked by hand" {
    make_tiny
    gradus show tiny.model --tree 1 > out
    [ "$(head -1 out)" = "tree 1 of 1: round 1" ]
    # grades 0, 1, 2 for values 0, 1, 2 of feature 1, five rows each; the mean is 1
    [ "$(grep -c '= ' out)" -eq 3 ]
    for leaf in "= -1  (5 rows)" "= 0  (5 rows)" "= 1  (5 rows)"; do
        grep -qF -- "$leaf" out || { cat out; return 1; }
    done
    [ "$(grep -c '^[^t]*1 < ' out)" -eq 2 ]
    gradus show tiny.model --tree 1 --json | jq -e '.tree | length == 5 and .[0].rows == 15'
    refuses 2 "--tree 2: tiny.model has trees 1 to 1" gradus show tiny.model --tree 2
    refuses 2 "--tree takes a whole number, at least 1, not '0'" gradus show tiny.model --tree 0
}

@test "importance" {
    make_tiny
    gradus show tiny.model > out
    grep -q "^importance: 1 of 2 features are used$" out
    grep -qE "^1 +100\.0%  █{16} +2  █{16}$" out
    gradus show tiny.model --json | jq -e '.importance == [{"feature": 1, "name": "", "gain": .importance[0].gain, "splits": 2}]'
    gradus synth mcrank --queries 30 -o train.txt
    gradus train --method regression --train train.txt -o a.model -q --rounds 20 > /dev/null
    gradus show a.model > out
    grep -q "^\.\.\. and [0-9]* more; --importance all lists them$" out
    used=$(sed -n 's/^importance: \([0-9]*\) of.*/\1/p' out)
    [ "$(gradus show a.model --importance all | sed '1,/^feature/d' | wc -l)" -eq "$used" ]
    refuses 2 "'all' or 'permutation', not 'foo'" gradus show a.model --importance foo
    [ "$(gradus show a.model --importance 3 | sed '1,/^feature/d' | wc -l)" -eq 4 ]
    gradus show a.model --by splits --json | jq -e '[.importance[].splits] | . == (sort | reverse)'
    gradus show a.model --json | jq -e '[.importance[].gain] | . == (sort | reverse)'
    refuses 2 "--by takes gain or splits, not 'x'" gradus show a.model --by x
}

@test "features by their names" {
    printf 'label,qid,bm25,pagerank\n0,1,1,3\n1,1,2,3\n2,1,3,1\n0,2,1,2\n2,2,4,2\n' > d.csv
    gradus train --method regression --train d.csv -o d.model -q --rounds 3 --min-rows 1 > /dev/null
    gradus show d.model | grep -qE "^bm25 +[0-9.]+%"
    gradus show d.model --tree 1 | grep -q "bm25 < "
}

@test "the learning curve" {
    gradus synth mcrank --queries 30 -o train.txt
    gradus synth mcrank --queries 20 --seed 2 -o valid.txt
    gradus train --train train.txt --valid valid.txt -o a.model -q --rounds 30 > /dev/null
    gradus show a.model > out
    grep -q "^ndcg@10 by round, convention gradus$" out
    grep -q "▲" out
    grep -qE " train 0\.[0-9]{4}$" out
    grep -qE " valid 0\.[0-9]{4}$" out
    [ "$(gradus show a.model --json | jq '[.curve[] | select(.valid != null)] | length')" -eq \
        "$(gradus show a.model --json | jq .rounds_done)" ]
}

@test "files that are not models" {
    printf '1\n2\n' > scores
    refuses 1 "scores" gradus show scores
    refuses 1 "none.model" gradus show none.model
    refuses 2 "gradus show needs one model" gradus show
}

@test "the equations of a linear model" {
    make_tiny
    gradus train --method regression --learner linear --train tiny.txt -o line.model > report 2> notes
    grep -q "^note: 1 feature is constant: left out$" notes
    grep -q "^fitted: ndcg@10 train 1.0000$" notes
    grep -q "^size         1 equation$" report
    lacks "round" report
    gradus show line.model > out
    grep -q "^size         1 equation, " out
    grep -q "^equations: 1 of 2 features are used$" out
    grep -qE "^1 +0.8165 +1$" out
    gradus show line.model --json |
        jq -e '.equations == 1 and .linear[0].coefficients[1] == 0 and .means == [1, 5] and
               (.linear[0].coefficients[0] - 1 | fabs) < 1e-8'
    refuses 2 "--tree 1: line.model has no trees" gradus show line.model --tree 1
    refuses 2 "the model has 1 round, not 5" gradus score line.model tiny.txt --rounds 5
}

@test "a support vector machine is shown by its kernel, thresholds and gap" {
    printf '0 1:0\n1 1:2\n2 1:4\n' > tiny.txt
    gradus train --train tiny.txt --method svor-imc --kernel polynomial --degree 2 --penalty 5 -o svor.model > report
    grep -qE "^size         [23] support rows$" report
    lacks "round" report
    gradus show svor.model > out
    grep -q "^kernel       polynomial, degree 2, coef0 1; [23] support rows$" out
    grep -qE "^0 +\| 1 +[-0-9.]+$" out
    grep -qE "^fit          objective [0-9.]+, duality gap " out
    gradus show svor.model --json |
        jq -e '.kernel.support_rows >= 2 and (.thresholds | length) == 2 and .results["duality gap"] < .001'
    gradus score svor.model tiny.txt --grades > grades
    printf '0\n1\n2\n' | diff - grades
}

@test "adaboost-mh stopped by its edge offset has the bound of the model that it stores" {
    gradus synth mixture --rows 100 -o mixture.txt
    gradus train --method adaboost-mh --edge-offset 0.9 --train mixture.txt --rounds 20 -o voter.model > out 2> err
    grep -qh "1 of 20; no further useful split" out err
    gradus show voter.model --json | jq -e '.results | .["last edge"] < 0.9 and .["training error bound"] == 1'
}
