# SPDX-License-Identifier: Apache-2.0
# Repeated options, several data files, numbers that are too large.
load common

@test "an option is given once" {
    make_small
    local train=(train --method regression --train small.txt -o m)
    refuses 2 "--rounds is given twice" gradus "${train[@]}" --rounds 3 --rounds 4
    refuses 2 "--output is given twice" gradus "${train[@]}" --output other
    refuses 2 "--seed is given twice" gradus "${train[@]}" --seed 1 --seed=1
    refuses 2 "--quiet is given twice" gradus "${train[@]}" -q --quiet
    refuses 2 "--metric is given twice" gradus eval small.txt random --metric map --metric mrr
    refuses 2 "--absent-is-missing is given twice" gradus describe small.txt \
        --absent-is-missing --absent-is-missing=false
    refuses 2 "--data is given twice" gradus report --data small.txt --data small.txt random
    [ ! -e m ]
}

@test "several files are one data set" {
    make_small
    sed -n '1,5p' small.txt > a.txt
    sed -n '6,12p' small.txt > b.txt
    gzip -k b.txt
    local method=(--method lambdamart --rounds 3 --min-rows 1 -q)
    gradus train "${method[@]}" --train small.txt --valid small.txt -o whole.model > out
    gradus train "${method[@]}" --train a.txt --train b.txt.gz --valid a.txt --valid=b.txt \
        -o parts.model > out
    cmp whole.model parts.model
    gradus train "${method[@]}" --train a.txt --train b.txt --test b.txt --test a.txt -o m --json |
        jq -se '.[0].train.files == ["a.txt", "b.txt"] and .[0].train.rows == 12 and
            .[0].test.queries == 3'
    gradus tune --method regression --budget 1 --folds 3 --train small.txt -q > whole
    gradus tune --method regression --budget 1 --folds 3 --train a.txt --train b.txt -q > parts
    diff <(grep -v seconds whole) <(grep -v seconds parts)
}

@test "a query in two files is joined only on request" {
    make_small
    sed -n '1,3p' small.txt > a.txt
    sed -n '4,12p' small.txt > b.txt
    local method=(--method lambdamart --rounds 3 --min-rows 1 -q)
    refuses 1 "query '1' is in both 'a.txt' and 'b.txt'; use 'join-queries'" \
        gradus train "${method[@]}" --train a.txt --train b.txt -o parts.model
    gradus train "${method[@]}" --train a.txt --train b.txt --join-queries -o parts.model > out
    gradus train "${method[@]}" --train small.txt -o whole.model > out
    cmp whole.model parts.model
    printf 'label,qid,x\n1,8,2\n0,8,3\n' > x.csv
    printf 'label,qid,y\n1,9,2\n0,9,3\n' > y.csv
    refuses 1 "feature 1 is 'x' in 'x.csv' and 'y' in 'y.csv'" \
        gradus train "${method[@]}" --train x.csv --train y.csv -o m
    refuses 2 "--train takes data, but 'whole.model' is a model" \
        gradus train "${method[@]}" --train a.txt --train whole.model -o m
    refuses 2 "would overwrite the input 'b.txt'" \
        gradus train "${method[@]}" --train a.txt --train b.txt -o ./b.txt
}

@test "whole numbers beyond 64 bits are refused, not clamped" {
    make_small
    for number in 18446744073709551616 99999999999999999999999 -1 1e3 '' ' 1' 0x10; do
        refuses 2 "--seed takes a whole number from 0 to 18446744073709551615" \
            gradus synth web --queries 2 "--seed=$number"
        refuses 2 "--threads takes a whole number" gradus describe small.txt "--threads=$number"
        refuses 2 "--checkpoint-every takes a number of rounds" gradus train --method regression \
            --train small.txt -o m "--checkpoint-every=$number"
        refuses 2 "--trials takes a count" gradus tune --method regression --train small.txt \
            "--trials=$number"
        refuses 2 "--changes takes a number of queries" gradus compare small.txt feature:1 \
            feature:2 "--changes=$number"
    done
    gradus synth web --queries 2 --seed 18446744073709551615 > largest
    gradus train --method lambdamart --rounds 2 --min-rows 1 --train small.txt -q -o m > out
    for number in 18446744073709551616 0 -1; do
        refuses 2 "--tree takes a whole number, at least 1" gradus show m "--tree=$number"
        refuses 2 "--importance takes a whole number, at least 1" gradus show m "--importance=$number"
    done
}
