# SPDX-License-Identifier: Apache-2.0
# Checks of claims at full scale, on values from journals that are written here: values that speak for the
# claim, and the same reversed. And: the page in the documentation is the one that its results give.
load common

# Ratings, of which nothing is used but that they are there.
make_movielens() {
    mkdir -p data/movielens-100k
    cd data/movielens-100k || exit 1
    printf 'unknown|0\nAction|1\n' > u.genre
    printf 'artist\nnone\nwriter\n' > u.occupation
    printf '1|Movie 1|3-Mar-1981|||0|1\n2|Movie 2|4-Mar-1982|||0|0\n' > u.item
    printf '20|24|M|writer|0\n21|31|F|artist|0\n' > u.user
    printf '20\t1\t%d\t0\n20\t2\t%d\t0\n21\t1\t%d\t0\n21\t2\t%d\t0\n' 1 2 3 4 > u.data
    cd ../.. || exit 1
}

# sizes SIGN: PAIRRANK is ahead by SIGN times .01 in samples of the full size, behind in the smallest.
sizes() {
    awk -v sign="$1" 'BEGIN {
        print "{\"journal\":\"reproduce\",\"about\":\"multipartite-movielens, scale 1, seed 1\"}"
        split("u-pairs,u-ovo,all rounds", rules, ","); split("0.2,0.5,1,2,4", factors, ",")
        for (r = 1; r <= 3; r++) for (f = 1; f <= 5; f++) for (i = 1; i <= 20; i++) {
            pairrank = 0.4 + sign * (0.01 - 0.004 * f) + 0.0005 * (i % 3)
            printf "{\"key\":\"sample size | %s | factor %s | replicate %d\",\"value\":[", rules[r], factors[f], i
            printf "%g,%g,%g,.4,.4,.4,.4,.4,.4]}\n", pairrank, pairrank, pairrank
        }
    }' | sed 's/,\./,0./g'
}

@test "pairwise ranking gains with the sample size, or does not" {
    make_movielens
    sizes 1 > gains.jsonl
    gradus reproduce multipartite-size -q --data data --journal gains.jsonl --json > gains
    jq -e '.scale == 1 and (.claims | length == 6 and all(.[]; .verdict == "confirmed"))' gains
    sizes -1 > loses.jsonl
    gradus reproduce multipartite-size -q --data data --journal loses.jsonl --json > loses
    jq -e '.claims | length == 6 and all(.[]; .verdict == "not confirmed")' loses
    [ "$(wc -l < loses.jsonl)" = 301 ] # nothing was computed
    mkdir results
    cp gains results/multipartite-size.json
    gradus reproduce --claims --results results --json > claims
    jq -e '.[] | select(.id == "multipartite-size") | .status == "confirmed" and .checks == 3' claims
}

# letor CRR RANKSVM MSE: rewrites the journal of a small run for all steps, with these values of MAP and NDCG
# (regression .3, ranking .5), and this MSE of CRR (regression .2, ranking .8).
letor() {
    sed 's/, scale 0.001,/, scale 1,/; s/ 1000 steps/ 1000000 steps/' small.jsonl |
        jq -c --argjson crr "$1" --argjson ranksvm "$2" --argjson mse "$3" '
            def values(x): [range(6) | x + 0.01 * (. % 3)];
            if .value then (.key | if test("alpha=1 ") then [0.3, 0.2] elif test("alpha=0 ") then [0.5, 0.8]
                elif test("ranksvm") then [$ranksvm, 1] else [$crr, $mse] end) as [$map, $mse]
                | .value[] |= (.map = values($map) | .["mean-ndcg"] = values($map) | .["mse of cut"] = $mse)
            else . end' > full.jsonl
    gradus reproduce crr-table2 -q --data data --journal full.jsonl --json |
        jq -r '.claims[].verdict' | paste -sd,
}

@test "CRR ranks like ranking and predicts like regression, or does not" {
    mkdir -p data/mq2008
    for part in 1 2 3 4 5; do
        gradus synth mcrank --queries 6 --documents 12 --first-query $((part * 10)) -o data/mq2008/S$part.txt
    done
    gradus reproduce crr-table2 --scale 0.001 -q --data data --journal small.jsonl > small
    # as ranking; better than regression; MSE near regression's; above RankSVM
    [ "$(letor 0.5 0.4 0.25)" = "confirmed,confirmed,confirmed,confirmed" ]
    [ "$(letor 0.2 0.4 0.7)" = "not confirmed,not confirmed,not confirmed,not confirmed" ]
    [ "$(letor 0.5 0.4 0.35)" = "confirmed,confirmed,not confirmed,confirmed" ] # a quarter of the way is left
    # ahead of RankSVM in one query of 30 only: t-test p .33
    letor 0.5 0.5 0.25 > out
    sed '/ranksvm/s/"map":\[0.5,/"map":[0.499,/g; /fold 1/!s/0.499/0.5/g' full.jsonl > one.jsonl
    gradus reproduce crr-table2 -q --data data --journal one.jsonl --json > one
    jq -e '.claims[3] | .held and .verdict == "inconclusive"' one
}

# Texts of 20 newsgroups' topics, five of each.
make_news() {
    mkdir -p data/20news
    awk 'BEGIN { srand(1); for (i = 0; i < 100; i++) printf "%d %d:1 %d:1\n", i % 20 + 1, i % 20 + 1, 21 + int(rand() * 20) }' |
        gzip > data/20news/20news.train.gz
    cp data/20news/20news.train.gz data/20news/20news.test.gz
}

# balanced GAIN: regression's AUC loss and MSE are .1, CRR's GAIN lower with all positives, .02 lower with fewer.
balanced() {
    jq -c --argjson gain "$1" '
        if .value then (if .key | test("share 0 ") then $gain else 0.02 end) as $less
            | .value |= with_entries((if .key == "1" then 0.1 else 0.1 - $less end) as $x
                | .value |= with_entries(if .key | test("valid") then . else .value |= map(if . == null then null else $x end) end))
        else . end' seen.jsonl > rewritten.jsonl
    gradus reproduce crr-balanced -q --data data --journal rewritten.jsonl --json |
        jq -r '.claims[].verdict' | paste -sd,
}

@test "the benefit of CRR shrinks with balanced classes, or does not" {
    make_news
    gradus reproduce crr-balanced -q --data data --journal seen.jsonl --json > out
    jq -e '.scale == 1 and (.tables[0].cells | length == 24 and .[0].row == "comp, regression")' out
    jq -e '.tables[1].cells | length == 24' out
    [ "$(wc -l < seen.jsonl)" = 81 ] # four subjects, four fractions, five seeds
    [ "$(balanced 0.01)" = "confirmed,confirmed,not confirmed" ]
    [ "$(balanced 0.03)" = "not confirmed,not confirmed,not confirmed" ]
    [ "$(balanced -0.01)" = "confirmed,confirmed,confirmed" ]
}

# alphas FACTOR HALF: the AUC loss is .1 + FACTOR times alpha, with HALF for alpha .5.
alphas() {
    jq -c --argjson factor "$1" --argjson half "$2" '
        if .value then .value |= with_entries((.key | tonumber | if . == 0.5 then $half else . end) as $alpha
            | .value |= with_entries(if .key | test("valid") then . else .value |= map(if . == null then null else 0.1 + $factor * $alpha end) end))
        else . end' seen.jsonl > rewritten.jsonl
    gradus reproduce crr-figure1 -q --data data --journal rewritten.jsonl --json |
        jq -r '.claims[:2][].verdict' | paste -sd,
}

@test "the AUC loss falls with alpha, or does not" {
    make_news
    gradus reproduce crr-figure1 -q --data data --journal seen.jsonl > out
    [ "$(alphas 0.1 0.5)" = "confirmed,confirmed" ]
    [ "$(alphas 0.1 0.2)" = "confirmed,not confirmed" ]
    [ "$(alphas -0.1 0.5)" = "not confirmed,not confirmed" ]
}

@test "with most passes the claims of Table 1 are tested again" {
    make_news
    gradus reproduce crr-passes --seeds 1 -q --data data --json > out
    jq -e '.tables[0] | .cells | length == 36' out
    jq -e '.claims | length == 15 and all(.[]; .claim | test("88.4 passes")) and all(.[]; .verdict == "inconclusive")' out
    jq -e '.notes | any(test("1 of 3 seeds"))' out
}

@test "the page in the documentation is that of its results" {
    cp -r "$SOURCE/docs/results/reproduction" results
    mkdir -p data/ohsumed data/mq2008 # so that what has no results lacks time, not data
    gradus reproduce all --time 0s --data data -o results --page page.md --notes results/comments.txt -q > out 2> err
    # the first line of the contents names build and date of the page
    plain() {
        sed -e '/^Written by /s/ with .* on [-0-9]*;/;/' -e 's|](results/|](reproduction/|' "$1"
    }
    plain page.md > new
    plain "$SOURCE/docs/results/reproduction.md" > old
    diff old new
}
