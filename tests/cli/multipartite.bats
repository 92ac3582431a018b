# SPDX-License-Identifier: Apache-2.0
# Experiments of multipartite ranking, scaled down, on generated data.
load common

# Ratings of 12 movies by 40 users, in the format of MovieLens.
make_movielens() {
    mkdir -p data/movielens-100k
    cd data/movielens-100k || exit 1
    printf 'unknown|0\nAction|1\nDrama|2\n' > u.genre
    printf 'artist\nnone\nwriter\n' > u.occupation
    for i in $(seq 1 12); do
        echo "$i|Movie $i|$((i + 3))-Mar-$((1980 + i))|||0|$((i % 2))|$((i % 3 == 0))"
    done > u.item
    for i in $(seq 20 59); do
        echo "$i|$((20 + i % 37))|$([ $((i % 3)) = 0 ] && echo F || echo M)|$([ $((i % 4)) = 0 ] && echo writer || echo artist)|0"
    done > u.user
    for i in $(seq 20 59); do
        for j in $(seq 1 12); do
            printf '%d\t%d\t%d\t0\n' "$i" "$j" $(((i * 7 + j * j * 3 + i * j) % 5 + 1))
        done
    done > u.data
    cd ../.. || exit 1
}

@test "the simulation compares estimated functions with theory, and draws them" {
    gradus reproduce multipartite-simulation --scale 0.1 -q > out
    grep -qE "^ORBOOST +theta_1 +-[0-9.]+ +[0-9.]+ +-2.06" out
    grep -qE "^PROPODDS +theta_1 +-[0-9.]+ +[0-9.]+ +-4.37" out
    grep -qE "^SVOR-IMC +theta_1 +-[0-9.]+ +[0-9.]+ +-1.20" out
    grep -qE "^SVOR-IMC +f0\* = 1/2 +-[0-9.]+ +[0-9.]+$" out
    grep -qE "^theory +f0\* = 1/2 +-1.02$" out
    grep -q "largest on \[-3, 3\]" out
    grep -q "^inconclusive: SVOR-IMC has steps" out
    lines=$(wc -l < multipartite.jsonl)
    gradus reproduce multipartite-figure1 --scale 0.1 -q --svg figure.svg > out
    [ "$(wc -l < multipartite.jsonl)" = "$lines" ] # the same run
    grep -qE "^x = -3.0( +-[0-9.]+){8}$" out
    [ "$(grep -c "<path" figure.svg)" = 8 ]
    ! grep -q nan figure.svg
}

@test "lines of equal score are drawn" {
    gradus reproduce multipartite-figure2 -q --svg figure.svg > out
    grep -q "Shashua" figure.svg
    ! grep -q nan figure.svg
    # by numpy, over the same 253 points: .00998, .06073 and .05019
    grep -q "orders 5.0% and 6.1% of the pairs differently, the others 1.0%" out
}

@test "MovieLens: the tables share their trials" {
    make_movielens
    gradus reproduce multipartite-table3 --scale 0.001 --data data -q --journal j.jsonl > out
    grep -q "^480 ratings (the paper: 97,139) with 10 predictors (44)" out
    grep -qE "^1 vs 2 +PAIRRANK +0\.[0-9]{4} +0\.[0-9]{4} +0.4485 +0.0020 +[-+]0\.[0-9]{4} +inconclusive" out
    lines=$(wc -l < j.jsonl)
    gradus reproduce multipartite-table2 --scale 0.001 --data data -q --journal j.jsonl > out
    grep -qE "^unbalanced +theta_1 +-?[0-9.]+ +[0-9.]+ +-0.7742" out
    grep -qE "^balanced +1 vs 2 +1.000 +1.000" out
    [ "$(wc -l < j.jsonl)" = "$lines" ]
    for threads in 1 3; do
        gradus reproduce multipartite-table3 --scale 0.001 --data data -q --threads $threads --journal $threads.jsonl --json > $threads.json
    done
    cmp 1.json 3.json
    jq -e 'all(.tables[]; .rule == "standard errors") and all(.tables[].cells[]; .verdict == "inconclusive" and .paper_error > 0)' 1.json
}

@test "MovieLens: three grades, six methods" {
    make_movielens
    gradus reproduce multipartite-figure3 --scale 0.03 --data data -q --svg figure.svg > out
    for name in ORBOOST REG PROPODDS SVOR-IMC; do
        grep -qE "^$name +-?[0-9.]+ +[0-9.]+$" out
    done
    gradus reproduce multipartite-figure4 --scale 0.03 --data data -q > out
    grep -qE "^c_13 = 10 +correlation +-?[0-9.]+" out
}

@test "MovieLens: by sample size, with ties as halves and as errors" {
    make_movielens
    gradus reproduce multipartite-size --scale 0.001 --data data -q --json > out
    jq -e '.tables | length == 3 and all(.[]; .cells | length == 60)' out
    # ties as errors are never fewer errors
    jq -e '[.tables[0].cells[] | select(.row | test("^1250 rows, all pairs")) | select(.column == "ORBOOST") | .ours]
        | length == 2 and .[1] >= .[0]' out
    # three pairs of tables and rows, each for single pairs of ratings and for all
    jq -e '.claims | length == 6' out
}

@test "MovieLens: thresholds by the number of rounds" {
    make_movielens
    gradus reproduce multipartite-thresholds --scale 0.001 --seeds 2 --data data -q --json > out
    jq -e '.tables | length == 1 and (.[0].cells | length == 102) and all(.[0].cells[]; .verdict == "")' out
    # the smallest validation loss is that of the rule which selects by it
    jq -e '[.tables[0].cells[] | select(.column == "validation loss") | select(.row | test("^balanced, .*(rounds|loss)$")) | .ours]
        | .[-1] <= min' out
}

@test "missing data are named" {
    for name in table2 table3 thresholds size figure3 figure4; do
        refuses 1 "needs 'movielens-100k' in the folder 'data'" gradus reproduce multipartite-$name -q
        refuses 1 "needs nowhere/movielens-100k/u.genre, not found" gradus reproduce multipartite-$name -q --data nowhere
    done
    refuses 1 "needs 'ordinal' in the folder 'data'" gradus reproduce ordinal-quality -q
    mkdir -p data/ordinal
    refuses 1 "needs data/ordinal/abalone_ord.csv, not found" gradus reproduce ordinal-quality -q --data data
    printf 'a,b\n1,2,3\n1,x,3\n' > data/ordinal/abalone_ord.csv
    refuses 1 "abalone_ord.csv:3: expected 3 numbers" gradus reproduce ordinal-quality -q --data data --threads 1
}
