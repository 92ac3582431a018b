# SPDX-License-Identifier: Apache-2.0
# Complete commands on small data.
load common

@test "eval agrees with values worked by hand" {
    make_small
    # query 1 by feature 1: 2 1 0 0 0, perfect; query 2: 2 1 0 0 1, ideal 2 1 1 0 0:
    # (3 + 1/log2(3) + 1/log2(6)) / (3 + 1/log2(3) + 1/log2(4)) = 4.017783... / 4.130930...
    gradus eval small.txt feature:1 --metric ndcg@10 --json > j
    value=$(jq -r '.[0].metrics["ndcg@10"]' j)
    awk -v v="$value" 'BEGIN { l3 = log(3)/log(2); l6 = log(6)/log(2);
        w = (1 + (3 + 1/l3 + 1/l6) / (3 + 1/l3 + 0.5)) / 2; d = v - w; exit !(d < 1e-12 && d > -1e-12) }'
    [ "$(jq -r '.[0] | .queries, .convention, .empty_queries' j | tr '\n' ' ')" = "3 gradus 1 " ]
}

@test "eval --json prints an array of rankers, even for one" {
    make_small
    gradus eval small.txt feature:1 random --json | jq -e 'length == 2 and .[1].scores == "random"'
    gradus eval small.txt feature:1 --json | jq -e 'length == 1 and (.[0].metrics | has("ndcg@10"))'
}

@test "eval writes a table of queries" {
    make_small
    gradus eval small.txt feature:1 --metric p@1,mrr --per-query by-query.tsv > out
    printf 'query\tp@1\tmrr\n1\t1\t1\n2\t1\t1\n3\tnan\tnan\n' | diff - by-query.tsv
}

@test "eval shows the convention with the numbers" {
    make_small
    gradus eval small.txt feature:1 --convention letor4 > out
    grep -q "^convention letor4$" out
    gradus eval small.txt feature:1 > out
    grep -q "1 of 3 queries has no relevant document" out
}

@test "scores through a pipe, a file, and as a TREC run are the same" {
    make_small
    gradus score feature:2 small.txt -o plain
    gradus score feature:2 small.txt --run-name x -o run
    gradus eval small.txt feature:2 --json | jq .[0].metrics > a
    gradus eval small.txt plain --json | jq .[0].metrics > b
    gradus eval small.txt run --json | jq .[0].metrics > c
    gradus eval small.txt - --json < plain | jq .[0].metrics > d
    cmp a b && cmp a c && cmp a d
}

@test "scores follow the order of the file, though rows are regrouped" {
    make_small
    { sed -n '12p;3p;7p' small.txt; sed '12d;3d;7d' small.txt | tac; } > shuffled.txt
    gradus score feature:1 small.txt | sort > a
    gradus score feature:1 shuffled.txt -o shuffled.scores 2> note
    grep -q "regrouped" note
    sort shuffled.scores | diff - a
    [ "$(head -1 shuffled.scores)" = 0.5 ]
    [ "$(tail -1 shuffled.scores)" = 0.8999999761581421 ] # 0.9 as a float
    gradus eval small.txt feature:1 --json --metric map | jq .[0].metrics > m1
    gradus eval shuffled.txt shuffled.scores --json --metric map --quiet | jq .[0].metrics > m2
    cmp m1 m2
}

@test "weights of rows and queries from files" {
    make_small
    printf '3\n1\n0\n' > q.weights
    # p@1 by feature 2: query 1 ranks d5 (grade 0) first, query 2 d6 (1): (3*0 + 1*1) / 4
    [ "$(gradus eval small.txt feature:2 --metric p@1 --query-weights q.weights --json | jq '.[0].metrics["p@1"]')" = 0.25 ]
    { echo 0.5; yes 0 | head -11; } > r.weights
    gradus convert small.txt weighted.txt --row-weights r.weights
    [ "$(head -1 weighted.txt)" = "2 qid:1 cost:0.5 1:0.9 2:1 #docid = d1" ]
    gradus convert weighted.txt again.gradus
    gradus convert again.gradus again.txt
    cmp weighted.txt again.txt
    refuses 1 "q.weights has 3 weights for 12 rows" gradus convert small.txt x --row-weights q.weights
    printf -- '1\n-1\n1\n' > bad
    refuses 1 "bad:2:1: expected a finite, non-negative weight, found '-1'" \
        gradus eval small.txt random --query-weights bad
}

@test "a TREC run against judgements" {
    printf '1 0 d1 2\n1 0 d2 0\n1 0 d3 1\n' > q
    printf '1 Q0 d2 1 3 x\n1 Q0 d1 2 2 x\n1 Q0 d9 3 1 x\n' > r
    # AP: relevant d1 at 2, d3 not retrieved: (1/2) / 2
    [ "$(gradus eval --qrels q --run r --convention trec --metric map --json | jq .[0].metrics.map)" = 0.25 ]
}

@test "compare" {
    gradus synth web --queries 60 -o web.txt
    gradus compare web.txt random feature:25 --metric ndcg@10 --json > j
    jq -e '.sets[0].contrasts[0] | .wins + .ties + .losses == .queries' j
    jq -e '.sets[0].contrasts[0] | .p > 0 and .p <= 1 and .low <= .difference and .difference <= .high' j
    jq -e '.sets[0] | (.query_values | transpose | map(select(.[0] != null) | .[1] - .[0]) | add / length) - .contrasts[0].difference | fabs < 1e-12' j
    jq -e '.sets[0] | (.query_names | length) == 60 and .systems == ["random", "feature:25"]' j
    for test in t welch wilcoxon randomization bootstrap; do
        gradus compare web.txt random feature:25 --metric map --test $test --sided 1 > out
        grep -q "^$test: " out
    done
    gradus compare web.txt random feature:25 feature:1 --metric map > out
    grep -q "p (Holm)" out
    gradus compare web.txt random feature:25 + web.txt random feature:25 --metric map --combine fisher > out
    grep -q "p-values of 2 sets combined by Fisher's method" out
    refuses 2 "takes one metric" gradus compare web.txt random feature:25 --metric map,mrr
}

@test "compare handles metrics where lower is better" {
    make_small
    # feature 1 is closer to the labels than feature 2
    gradus compare small.txt feature:2 feature:1 --metric mse --sided 1 --json > j
    jq -e '.sets[0].contrasts[0] | .difference < 0 and .wins > .losses and .p < 0.5' j
    gradus compare small.txt feature:1 feature:2 --metric mse --sided 1 --json > j
    jq -e '.sets[0].contrasts[0] | .difference > 0 and .wins < .losses and .p > 0.5' j
}

@test "convert in every direction, exactly" {
    gradus synth web --queries 30 -o a.txt
    gradus convert a.txt a.gradus
    gradus convert a.gradus a.csv
    gradus convert a.csv a.tsv
    gradus convert a.tsv b.gradus.zst
    gradus convert b.gradus.zst b.txt.gz -q
    zcat b.txt.gz | cmp - a.txt
    gradus convert - c.txt < a.gradus
    cmp a.txt c.txt
}

@test "sparse data, from text to binary and back" {
    gradus synth clicks --queries 200 -o a.txt
    gradus convert a.txt a.gradus
    gradus convert a.gradus b.txt
    cmp a.txt b.txt
    gradus describe a.txt > out
    grep -q "stored sparse" out
}

@test "transforms" {
    make_small
    gradus convert small.txt scaled.txt --transform minmax
    [ "$(head -1 scaled.txt | cut -d' ' -f1-4)" = "2 qid:1 1:1 2:0" ]
}

@test "split by shares and folds" {
    gradus synth web --queries 50 -o web.txt
    gradus split web.txt --fractions 60,20,20 -o parts
    cat parts/train.txt parts/valid.txt parts/test.txt | sort | cmp - <(sort web.txt)
    gradus split web.txt --folds 5 -o folds --quiet
    cat folds/fold?/test.txt | sort | cmp - <(sort web.txt)
    gradus describe folds/fold1/train.txt folds/fold1/test.txt > out
    grep -q "no leakage" out
}

@test "LETOR's five parts and folds" {
    gradus synth web --queries 23 -o web.txt
    gradus split web.txt --letor -o letor --json > j
    jq -e 'length == 20 and (map(select(.file | test("/S"))) | map(.rows) | add) == '"$(wc -l < web.txt)" j
    cat letor/S[1-5].txt | sort | cmp - <(sort web.txt)
    cat letor/S[123].txt | sort | cmp - <(sort letor/Fold1/train.txt)
    cmp letor/S4.txt letor/Fold1/vali.txt
    cmp letor/S1.txt letor/Fold2/test.txt
}

@test "JSON of every command is valid, whatever bytes names contain" {
    printf '1 qid:caf\351 1:2\n0 qid:caf\351 1:1\n2 qid:"\\ 1:1\n0 qid:"\\ 1:3\n' > odd.txt
    gradus describe odd.txt --json | jq -e .rows
    gradus convert odd.txt odd.gradus --json | jq -e '.queries == 2'
    gradus score feature:1 odd.txt -o s --json | jq -e '.rows == 4'
    gradus synth web --queries 2 -o w --json | jq -e '.file == "w"'
    gradus compare odd.txt random feature:1 --metric map --json | jq -e '.sets[0].changes | length <= 2'
}

@test "describe" {
    make_small
    gradus describe small.txt > out
    grep -q "^rows         12$" out
    gradus describe small.txt --json | jq -e '.rows == 12 and .queries == 3 and .labels["0"] == 7'
    gradus describe small.txt small.txt > out
    grep -q "^shared queries  3" out
}

@test "the same bytes for any number of threads" {
    for threads in 1 2 3 8; do
        for kind in web mcrank mixture clicks; do
            gradus synth $kind --queries 40 --threads $threads -o $kind.$threads.txt
            cmp $kind.1.txt $kind.$threads.txt
        done
        gradus convert web.1.txt web.$threads.gradus --threads $threads
        cmp web.1.gradus web.$threads.gradus
        gradus eval web.1.txt feature:25 random --json --threads $threads \
            --metric ndcg@10,err,map,u-ovo,risk,kendall,mse > eval.$threads
        cmp eval.1 eval.$threads
        gradus compare web.1.txt feature:25 random --json --threads $threads --metric map --test bootstrap > c.$threads
        cmp c.1 c.$threads
    done
}

@test "another seed gives other data" {
    gradus synth web --queries 5 --seed 1 -o a.txt
    gradus synth web --queries 5 --seed 2 -o b.txt
    differ a.txt b.txt
}

@test "compare shows a histogram of the differences" {
    printf '1 qid:1 1:1 2:2\n0 qid:1 1:2 2:1\n1 qid:2 1:2 2:2\n0 qid:2 1:1 2:1\n' > two.txt
    gradus compare two.txt feature:1 feature:2 --metric p@1 > out
    # query 1 has the largest gain; query 2 is unchanged
    grep -q "1/1/0        █     █$" out
    gradus compare two.txt feature:2 feature:1 --metric p@1 > out
    grep -q "0/1/1  █     █$" out
    gradus compare two.txt feature:1 feature:1 --metric p@1 > out
    grep -qE " 0/2/0$" out
    lacks ' $' out
}

@test "synth: parts are consecutive queries of the whole set" {
    gradus synth web --queries 11 --seed 3 -q -o whole.txt
    gradus synth web --queries 11 --seed 3 -q --parts 3 -o 'part-{part}.txt'
    cat part-0.txt part-1.txt part-2.txt | cmp - whole.txt
    run gradus synth web --queries 2 --parts 3 -o 'part-{part}.txt'
    [ "$status" -eq 2 ]
    run gradus synth web --queries 3 --parts 3 -o part.txt
    [ "$status" -eq 2 ]
    [[ $output = *'{part}'* ]]
}

@test "convert --binned: what it cannot do is refused" {
    gradus synth web --queries 3 -q -o small.txt
    for options in "--transform minmax" "--output-format csv" "--compress gzip"; do
        run gradus convert small.txt small.bins --binned $options
        [ "$status" -eq 2 ]
    done
    run gradus convert small.txt small.gradus --bins 63
    [ "$status" -eq 2 ]
    [[ $output = *'--bins is for --binned'* ]]
    gradus convert small.txt small.bins --binned
    for command in "describe small.bins" "convert small.bins x.txt" "convert small.bins x.bins --binned" \
        "train --method ranksvm --train small.bins -o x.model"; do
        run gradus $command
        [ "$status" -ne 0 ]
        [[ $output = *'bins'* ]]
    done
    [ ! -e x.txt ] && [ ! -e x.bins ]
}
