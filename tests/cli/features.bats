# SPDX-License-Identifier: Apache-2.0
# Text columns, features that are not used, and side files.
load common

make_csv() {
    cat > t.csv <<'DATA'
label,qid,url,a,b,c
1,1,http://x,0.5,2,3
0,1,"http://y,z",0.1,1,4
2,2,z,0.9,5,6
0,2,w,0.2,7,8
DATA
}

@test "an error names the text column and the options that exclude it" {
    make_csv
    refuses 1 "t.csv:2:5: expected a number in column 'url', found 'http://x'; use 'ignore-column' or 'ignore-features'" \
        gradus describe t.csv
    gradus describe t.csv --ignore-column url --json | jq -e '.features == 3'
    gradus describe t.csv --ignore-column url,b --json | jq -e '.features == 2'
    gradus describe t.csv --ignore-column url --ignore-column b --json | jq -e '.features == 2'
    gradus describe t.csv --ignore-column 3 --json | jq -e '.features == 3'
    refuses 2 "unknown column 'ulr'; did you mean 'url'?" gradus describe t.csv --ignore-column ulr
    refuses 2 "column 'url' is assigned two roles" gradus describe t.csv --ignore-column url --document-column url
}

@test "features that are not used keep their ids and are 0" {
    make_csv
    gradus convert t.csv - --ignore-features url,2-3 -q > found
    printf '%s\n' "1 qid:1 1:0 2:0 3:0 4:3" "0 qid:1 1:0 2:0 3:0 4:4" "2 qid:2 1:0 2:0 3:0 4:6" \
        "0 qid:2 1:0 2:0 3:0 4:8" | diff - found
    gradus convert t.csv used.csv --ignore-column url --use-features c,1
    head -2 used.csv | diff - <(printf '%s\n' label,qid,a,b,c 1,1,0.5,0,3)
    for storage in dense sparse; do
        gradus convert t.csv all.gradus --ignore-column url --storage $storage
        gradus convert all.gradus one.csv --use-features 1-3 --ignore-features b
        cmp one.csv used.csv
        gradus convert t.csv one.csv --ignore-column url --storage $storage --ignore-features b
        cmp one.csv used.csv
    done
    refuses 2 "unknown feature 'cc'; did you mean 'c'?" gradus describe t.csv --ignore-column url --use-features cc
    refuses 2 "unknown feature '9'" gradus describe used.csv --use-features 9
    refuses 2 "the feature range '3-1' is descending" gradus describe used.csv --use-features 3-1
    refuses 2 "exclude every feature" gradus describe used.csv --ignore-features a --ignore-features b,c
}

@test "ids of text data, in several files" {
    make_small
    refuses 2 "unknown feature '3': the data have features 1 to 2" gradus describe small.txt --use-features 3
    sed 's/qid:/qid:b/' small.txt > more.txt
    sed -i 's/$/ /; s/ 2:[0-9]*//' more.txt
    gradus train -q --method regression --train more.txt --train small.txt --ignore-features 2 --rounds 3 \
        -o two.model > out
    gradus show two.model --json | jq -e '.features == 2 and ([.importance[].feature] - [1] == [])'
}

@test "a model trained without features scores full data the same" {
    gradus synth mcrank --queries 12 --documents 20 --features 8 --seed 3 -q -o train.txt
    for method in lambdamart mcrank propodds ranknet crr ranksvm rankboost coordinate-ascent; do
        gradus train -q --method $method --train train.txt --ignore-features 2,5-6 --rounds 4 -o a.model > out 2> err
        gradus score a.model train.txt -o full
        gradus score a.model train.txt --ignore-features 2,5-6 -o less
        cmp full less
    done
    for learner in linear m5p gaussians; do
        gradus train -q --method regression --learner $learner --train train.txt --ignore-features 2,5-6 \
            -o a.model > out 2> err
        gradus score a.model train.txt -o full
        gradus score a.model train.txt --ignore-features 2,5-6 -o less
        cmp full less
    done
    gradus train --method svor-imc --train train.txt --ignore-features 2 --transform none -o a.model > out 2> err
    grep -q "^note: the scores of this model depend on all features" err
    gradus train --method svor-imc --train train.txt --ignore-features 2 --transform standardise -o a.model > out 2> err
    lacks "uses every feature" err
    gradus score a.model train.txt -o full
    gradus score a.model train.txt --ignore-features 2 -o less
    cmp full less
    gradus eval train.txt feature:2 feature:1 --ignore-features 2 --metric ndcg@10 --json |
        jq -e '.[0].metrics["ndcg@10"] != .[1].metrics["ndcg@10"]'
}

# Rows without query ids: queries of five, four and three rows.
make_sides() {
    make_small
    sed 's/ qid:[0-9]*//; s/ #.*//' small.txt > plain.txt
    printf '5\n5\n2\n' > plain.txt.query
}

@test "side files have the queries and the weights" {
    make_sides
    gradus eval small.txt feature:1 --metric ndcg@10,map --json > wanted
    gradus eval plain.txt feature:1 --metric ndcg@10,map --side-files --json | cmp - wanted
    gradus convert plain.txt sided.txt --side-files
    sed 's/ #.*//' small.txt | cmp - sided.txt
    mv plain.txt.query plain.txt.group
    gradus eval plain.txt feature:1 --metric ndcg@10,map --side-files --json | cmp - wanted
    seq 0.5 0.5 6 > plain.txt.weight
    gradus convert plain.txt weighted.txt --side-files
    [ "$(sed -n 's/.*cost:\([0-9.]*\) .*/\1/p' weighted.txt | tr '\n' ' ')" = "0.5 1 1.5 2 2.5 3 3.5 4 4.5 5 5.5 6 " ]
    gradus convert plain.txt plain.gradus
    cp plain.txt.group plain.gradus.query
    gradus eval plain.gradus feature:1 --metric ndcg@10,map --side-files --json | cmp - wanted
}

@test "side files of several data files" {
    make_sides
    cp plain.txt other.txt
    cp plain.txt.query other.txt.query
    gradus train -q --method lambdamart --train plain.txt --train other.txt --valid other.txt --side-files \
        --rounds 2 --json -o a.model > events
    head -1 events | jq -e '.train.queries == 6 and .valid.queries == 3'
}

@test "errors in side files name the file and line" {
    make_sides
    rm plain.txt.query
    refuses 1 "'plain.txt' has no side file" gradus describe plain.txt --side-files
    printf '5\nfive\n' > plain.txt.query
    refuses 1 "plain.txt.query:2:1: expected the number of rows of a query, 1 or more, found 'five'" \
        gradus describe plain.txt --side-files
    printf '5\n0\n' > plain.txt.query
    refuses 1 "plain.txt.query:2:1: expected the number of rows" gradus describe plain.txt --side-files
    printf '5\n5\n' > plain.txt.query
    refuses 1 "plain.txt.query:2: the counts add up to 10 rows, but the data have 12" gradus describe plain.txt --side-files
    printf '5\n5\n18446744073709551615\n' > plain.txt.query
    refuses 1 "plain.txt.query:3:1: the counts so far exceed the 12 rows of the data" \
        gradus describe plain.txt --side-files
    printf '5\n5\n2\n' > plain.txt.query
    printf '1\n2\n' > plain.txt.weight
    refuses 1 "plain.txt.weight has 2 weights for 12 rows" gradus describe plain.txt --side-files
    printf '1\nx\n' > plain.txt.weight
    refuses 1 "plain.txt.weight:2:1: expected a finite, non-negative weight" gradus describe plain.txt --side-files
    rm plain.txt.weight
    cp plain.txt.query plain.txt.group
    refuses 1 "exist; only one is allowed" gradus describe plain.txt --side-files
    cp plain.txt.query small.txt.query
    refuses 1 "both 'small.txt' and 'small.txt.query' define queries; only one is allowed" gradus describe small.txt --side-files
}
