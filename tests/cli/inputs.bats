# SPDX-License-Identifier: Apache-2.0
# Data without query ids, data that cannot be trained on, warm starts, and memory.
load common

# Twelve rows without query ids, three grades.
make_rows() {
    awk 'BEGIN { for (d = 0; d < 12; d++) printf "%d 1:%g 2:%g\n", d % 3, d % 3 + d * 0.07, d * 5 % 7 }'
}

make_queries() {
    make_rows | awk '{ $1 = $1 " qid:" int((NR - 1) / 4); print }'
}

methods() {
    gradus help methods | awk '/^  [a-z]/ { print $1 }' | grep -vxE 'feature|random'
}

@test "data without query ids need --one-query or a pointwise method" {
    make_rows > rows.txt
    make_queries | sed 's/qid:[0-9]*/qid:7/' > one.txt
    gradus convert rows.txt rows.gradus
    for file in rows.txt rows.gradus; do
        refuses 2 "'lambdamart' compares rows of the same query; if all rows are one query, add 'one-query'" \
            gradus train --train $file -o a.model
        [ ! -e a.model ]
    done
    gradus train --train rows.txt --one-query --min-rows 1 -o a.model -q > out
    gradus train --train one.txt --min-rows 1 -o b.model > out 2> err
    grep -q "^note: the training data are a single query of 12 rows" err
    cmp a.model b.model
    gradus train --method regression --train rows.txt --min-rows 1 -o a.model > out 2> err
    grep -q "^note: the training data have no query ids: all 12 rows are one query" err
    gradus train --method regression --train rows.txt --one-query --min-rows 1 -o b.model > out 2> err
    lacks "query ids" err
    cmp a.model b.model
}

@test "tuning without query ids" {
    make_rows > rows.txt
    refuses 2 "'listnet' compares rows of the same query" \
        gradus tune --method regression,listnet --train rows.txt --valid rows.txt
    gradus tune --method all --train rows.txt --valid rows.txt --budget 1 --space rounds=2 > out 2> err
    grep -q "^note: the training data have no query ids: 12 methods .* are left out" err
    lacks lambdamart out
    lacks calibrated out
    grep -q regression out
    gradus tune --method lambdamart --one-query --train rows.txt --valid rows.txt --budget 1 \
        --space rounds=2 -o a.model -q > out
    [ -s a.model ]
    gradus tune --method pairrank --train rows.txt --valid rows.txt --budget 1 \
        --space rounds=2,within=all -q > out
}

@test "labels too large to fit are refused before training" {
    make_queries | sed '5s/^[0-9]*/3e38/' > huge.txt
    for method in $(methods); do
        refuses 1 "row 5: label 3e+38" gradus train --method "$method" --train huge.txt --valid huge.txt -o a.model
    done
    make_queries > a.txt
    refuses 2 "feature '2' cannot be both + and -" gradus train --train a.txt --monotone 2:+,2:- -o a.model
}

# The value of a metric on valid.txt.
ndcg() {
    gradus eval valid.txt "$1" --metric ndcg@10 --json -q | jq '.[0].metrics["ndcg@10"]'
}

@test "a warm start never gives a worse model on --valid" {
    gradus synth mcrank --queries 20 --seed 1 -o train.txt -q
    gradus synth mcrank --queries 20 --seed 2 -o valid.txt -q
    awk '{ $1 = 4 - $1; print }' train.txt > wrong.txt
    for method in lambdamart regression mcrank propodds orboost pairrank adaboost-mh rankboost listnet \
        "regression --learner bagged-m5p"; do
        gradus train --method $method --train train.txt --valid valid.txt --rounds 6 -o a.model -q > out
        gradus train --method $method --train wrong.txt --valid valid.txt --rounds 3 --start a.model \
            -o b.model -q > out
        [ "$(jq -n "$(ndcg b.model) >= $(ndcg a.model)")" = true ] || { echo "$method"; return 1; }
    done
    gradus train --train wrong.txt --valid valid.txt --rounds 3 --start a.model -o b.model --keep last \
        --method regression --learner bagged-m5p -q > out
    [ "$(gradus show b.model --json | jq .rounds)" -gt "$(gradus show a.model --json | jq .rounds)" ]
}

@test "calibrated models and ensembles are not trained further" {
    gradus synth mcrank --queries 20 --seed 1 -o train.txt -q
    gradus synth mcrank --queries 20 --seed 2 -o valid.txt -q
    gradus train --method mcrank --train train.txt --rounds 3 -o a.model -q > out
    gradus calibrate a.model valid.txt -o c.model -q > out
    refuses 2 "is calibrated: train further from the model that it was calibrated from" \
        gradus train --method mcrank --train train.txt --start c.model -o b.model
    gradus train --method mcrank --train train.txt --rounds 4 -o d.model -q > out
    gradus ensemble a.model d.model --valid valid.txt -o e.model -q > out
    refuses 2 "is an ensemble: train its members further" \
        gradus train --method mcrank --train train.txt --start e.model -o b.model
}

# The address sanitizer reserves more address space than a limit would allow.
limits_memory() {
    (ulimit -v 3000000 && "$GRADUS" --version > /dev/null 2>&1)
}

limit_memory() {
    ! limits_memory || ulimit -v "$1"
}

# 12 queries of two documents, each with a feature of its own; one id is large.
make_wide() {
    seq 1 12 | awk '{ printf "1 qid:%d 1:%g %d:1 20000000:%d\n0 qid:%d 1:%g %d:2\n", $1, $1 % 5 + 2, $1 * 7, $1 % 3,
                             $1, $1 % 4, $1 * 7 + 3 }'
}

@test "a single large feature id takes no memory in training and scoring" {
    make_wide > wide.txt
    for method in $(methods) "regression --learner linear" "regression --learner m5p" "regression --learner gaussians" \
        "cocr --learner bagged-m5p" "svor-imc --learner linear" "ranksvm --learner linear" \
        "lambdamart --transform standardise --keep-zeros" "crr --hash-bits 10"; do
        (limit_memory 300000
         rounds="--rounds 3"
         case $method in crr | ranksvm) rounds="--steps 1000" ;; esac
         case $method in propodds | svor* | *linear | *m5p | ranksvm*) rounds= ;; esac
         timeout 60 "$GRADUS" train --method $method $rounds --train wide.txt --valid wide.txt --max-memory 100M \
             --threads 2 -o a.model -q > out
         timeout 60 "$GRADUS" score a.model wide.txt --threads 2 > scores
         timeout 60 "$GRADUS" show a.model > shown
         timeout 60 "$GRADUS" eval wide.txt a.model --threads 2 > out) || { echo "$method"; return 1; }
        [ "$(wc -l < scores)" -eq 24 ]
        [ "$(stat -c %s a.model)" -lt 1000000 ]
        grep -q "20,000,000 features" shown
    done
    (limit_memory 3000000
     for command in "describe wide.txt" "eval wide.txt feature:1" "convert wide.txt wide.gradus"; do
         timeout 60 "$GRADUS" $command --max-memory 1G > out
     done)
}

@test "training with many used features obeys --max-memory" {
    seq 1 20000 | awk '{ printf " %d:1", $1 * 100 } END { print "" }' > entries
    { printf '1 qid:1' && cat entries && printf '0 qid:1 1:1\n'; } > wide.txt
    for method in $(methods) "regression --learner gaussians" "svor-imc --learner linear"; do
        refuses 1 "with 20001 used features needs about" gradus train --method $method --train wide.txt \
            --valid wide.txt --max-memory 500K -o a.model || { echo "$method"; return 1; }
    done
    printf '1 qid:1 1:1 3000:2\n0 qid:1 1:3 5:1\n' > narrow.txt
    gradus train --method ranknet --train narrow.txt --max-memory 8M --rounds 2 -o a.model -q > out
    refuses 1 "'ranknet' with 3000 features needs about" gradus train --method ranknet --train narrow.txt \
        --max-memory 1M -o b.model
    refuses 2 "--max-memory takes a size" gradus train --train narrow.txt --max-memory much -o b.model
    refuses 2 "--max-memory takes a size" gradus train --train narrow.txt --max-memory -1 -o b.model
}

@test "errors for labels that are not numbers name file, line and column" {
    for label in nan inf -inf 1e400 x; do
        printf '1 qid:1 1:2\n%s qid:1 1:3\n' "$label" > a.txt
        printf 'label,qid,a\n1,1,2\n%s,1,3\n' "$label" > a.csv
        refuses 1 "a.txt:2:1: expected a" gradus train --train a.txt -o a.model
        refuses 1 "a.csv:3:1: expected a" gradus train --train a.csv -o a.model
    done
    printf '1 qid:1 1:2\n-1 qid:1 1:3\n' > a.txt
    refuses 1 "row 2: label -1 is not a grade" gradus train -q --train a.txt -o a.model
    gradus train --method regression --metric rmse --train a.txt -o a.model -q > out
}

@test "convert --binned refuses names of other formats" {
    make_small
    for name in x.txt x.csv x.tsv x.bins.gz x.zst; do
        refuses 2 "--binned writes a binary file, but '$name' ends in" gradus convert small.txt $name --binned
        [ ! -e $name ]
    done
    gradus convert small.txt x.bins --binned
    gradus convert small.txt x.gradus --binned
}
