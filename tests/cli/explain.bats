# SPDX-License-Identifier: Apache-2.0
# gradus explain: waterfalls, two documents, queries, all rows, one feature; and permutation importance.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gradus synth web --queries 20 -o data.txt -q
    gradus train --train data.txt --rounds 12 --leaves 8 -o m.model -q > /dev/null
    gradus train --method mcrank --train data.txt --rounds 3 --leaves 4 -o grades.model -q > /dev/null
    gradus train --method ranknet --train data.txt --rounds 2 -o net.model -q > /dev/null
    cut -d' ' -f2 data.txt | head -1 | sed 's/qid://' > query
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    Q=$(cat query)
}

# The sum of the contributions in a JSON explanation is value - base.
adds_up() {
    jq -e '.documents | length > 0' "$1" > /dev/null
    jq -e '[.documents[].targets[] |
            ((.base + ([.contributions[].contribution] | add // 0) + (.others // 0) - .value) | fabs) < 1e-9] |
           all' "$1" > /dev/null
}

@test "one document is a waterfall that ends at its score" {
    run gradus explain m.model data.txt --query "$Q" --document 1
    [ "$status" -eq 0 ]
    [[ "$output" == *"query $Q"* ]]
    [[ "$output" == *"document 1: score "* ]]
    [[ "$output" == *"mean of the training data: "* ]]
    [[ "$output" == *"contribution"* ]]
    [[ "$output" == *"others"* ]]
    [[ "$output" == *"Shapley values, exact: what changes if the values of the features become known"* ]]
    [[ "$output" == *"# raises, - lowers"* || "$output" == *"█ raises, ░ lowers"* ]]
    run gradus explain m.model data.txt --query "$Q" --document 1 --top 2
    [[ "$output" == *"others"* ]]
}

@test "two documents are compared" {
    run gradus explain m.model data.txt --query "$Q" --document 1 --against 2
    [ "$status" -eq 0 ]
    [[ "$output" =~ why\ is\ document\ 1\ (above|below)\ document\ 2\? ]]
    [[ "$output" == *"other's"* ]]
    [[ "${output//$'\n'/ }" == *"the features of document 2 are replaced by those of document 1 one after"* ]]
    gradus explain m.model data.txt --query "$Q" --document 1 --against 2 --json > forward
    gradus explain m.model data.txt --query "$Q" --document 2 --against 1 --json > backward
    adds_up forward
    # Exchanging the documents changes the signs.
    jq -e -n --slurpfile a forward --slurpfile b backward '
        def by_feature: .[0].documents[0].targets[0].contributions | map({ (.feature | tostring): .contribution }) | add;
        ($a | by_feature) as $x | ($b | by_feature) as $y |
        ($x | length > 0) and ([$x | to_entries[] | (.value + $y[.key] | fabs) < 1e-12] | all)'
}

@test "changing the features with contributions explains the difference" {
    # A document with the other's values of all features that contribute has the other's score.
    gradus explain m.model data.txt --query "$Q" --document 1 --against 2 --json > pair
    jq -r '.documents[0].targets[0].contributions[].feature' pair > features
    awk 'NR == FNR { taken[$1] = 1; next }
         FNR <= 2 { for (i = 3; i <= NF; i++) { split($i, p, ":"); v[FNR, p[1]] = p[2] } }
         END { printf "0 qid:1"
               for (f = 1; f <= 136; f++) { r = f in taken ? 2 : 1; if ((r, f) in v) printf " %d:%s", f, v[r, f] }
               print "" }' features data.txt > changed.txt
    changed=$(gradus score m.model changed.txt --features 136)
    second=$(gradus score m.model data.txt | sed -n 2p)
    [ "$changed" = "$second" ]
}

@test "every kind adds up, as JSON" {
    for model in m grades net; do
        for against in mean query 2; do
            echo "$model $against"
            gradus explain $model.model data.txt --query "$Q" --document 1 --against $against \
                --orders 4 --background 5 --json > found
            adds_up found
        done
    done
    jq -e '.documents[0].targets[0].contributions[0] | has("standard_error")' found
    gradus explain grades.model data.txt --query "$Q" --document 1 --output all --json > found
    adds_up found
    grep -q '"output 1 (grade 0)"' found
    jq -e .exact found
}

@test "a query lists its documents with reasons, best first" {
    run gradus explain m.model data.txt --query "$Q" --against query
    [ "$status" -eq 0 ]
    [[ "$output" == *"compared with the mean of the other documents"* ]]
    [[ "$output" == *"largest contributions"* ]]
    gradus explain m.model data.txt --query "$Q" --against query | sed -n 5p | tr -cd , > three
    [ "$(wc -c < three)" -eq 2 ]
    gradus explain m.model data.txt --query "$Q" --against query --top 2 | sed -n 5p | tr -cd , > two
    [ "$(wc -c < two)" -eq 1 ]
    gradus explain m.model data.txt --query "$Q" --against query --json > found
    adds_up found
    [ "$(jq '.documents | length' found)" -eq \
        "$(grep -c "qid:$Q " data.txt)" ]
}

@test "all rows are summed up, the same with any number of threads" {
    gradus explain m.model data.txt --top 5 --threads 1 > one
    gradus explain m.model data.txt --top 5 --threads 3 > three
    cmp one three
    grep -q 'mean absolute contribution to the score over' one
    grep -q 'more; --top all lists them' one
}

@test "partial dependence of a feature" {
    run gradus explain m.model data.txt --feature 130
    [ "$status" -eq 0 ]
    [[ "$output" == *"had the same value of feature 130"* ]]
    [[ "$output" == *"95% interval"* ]]
    gradus explain m.model data.txt --feature 130 --json |
        jq -e '.points | map(.value) | length > 1 and . == (sort | unique)'
    run gradus explain m.model data.txt --feature 130 --query 1
    [ "$status" -eq 2 ]
    [[ "$output" == *"omit --query"* ]]
}

@test "permutation importance with intervals" {
    run gradus show m.model --importance permutation --data data.txt
    [ "$status" -eq 0 ]
    [[ "$output" == *"ndcg@10"* ]]
    [[ "$output" == *"95% interval"* ]]
    [[ "$output" == *"gain"* ]]
    gradus show m.model --importance permutation --data data.txt --threads 1 > one
    gradus show m.model --importance permutation --data data.txt --threads 2 > two
    cmp one two
    run gradus show m.model --importance permutation
    [ "$status" -eq 2 ]
    [[ "$output" == *"--data"* ]]
}

@test "wrong requests are refused with the reason" {
    run gradus explain m.model data.txt --query nobody
    [ "$status" -ne 0 ]
    [[ "$output" == *"the data have no query 'nobody'"* ]]
    run gradus explain m.model data.txt --document 1
    [ "$status" -eq 2 ]
    [[ "$output" == *"--document needs --query"* ]]
    run gradus explain m.model data.txt --against 3
    [ "$status" -eq 2 ]
    [[ "$output" == *"needs --query"* ]]
    run gradus explain m.model data.txt --query "$Q" --document 9999
    [ "$status" -ne 0 ]
    [[ "$output" == *"has no document '9999'"* ]]
    run gradus explain data.txt data.txt
    [ "$status" -eq 2 ]
    [[ "$output" == *"is not a model"* ]]
    gradus ensemble m.model net.model --way borda -o ranks.model -q > /dev/null
    run gradus explain ranks.model data.txt --query "$Q" --document 1
    [ "$status" -ne 0 ]
    [[ "$output" == *"explain its members"* ]]
}

@test "imported models are explained; without row counts only against rows" {
    gradus export m.model --format xgboost-json --no-parity -o m.json > /dev/null
    gradus explain m.model data.txt --query "$Q" --document 1 --json > own
    gradus explain m.json data.txt --query "$Q" --document 1 --json > imported
    jq -c '[.documents[0].targets[0].contributions[].contribution]' own > a
    jq -c '[.documents[0].targets[0].contributions[].contribution]' imported > b
    cmp a b
    gradus export m.model --format ranklib --no-parity -o m.xml > /dev/null
    run gradus explain m.xml data.txt --query "$Q" --document 1
    [ "$status" -ne 0 ]
    [[ "$output" == *"the model does not have the number of training rows at each split"* ]]
    gradus explain m.xml data.txt --query "$Q" --document 1 --against query --json > found
    adds_up found
}

@test "ranks of tied documents, and reasons for documents with repeated ids" {
    printf '%s\n' label,qid,docid,a,b 0,1,x,9,2 1,1,d,3,1 2,1,d,1,7 0,2,mean,1,2 2,2,query,0,9 1,2,3,5,4 \
        0,2,tied,5,4 > ids.csv
    sed "s/^0/3/; s/^2/0/; s/^3/2/" ids.csv > wrong.csv
    gradus train --method crr --train wrong.csv --transform none -o line.model -q > /dev/null
    gradus explain line.model ids.csv --query 2 --json > found
    jq -e '.documents as $d | [$d[] | .rank == 1 + (.score as $s | [$d[] | select(.score > $s)] | length)] | all' found
    gradus report line.model --data ids.csv -o page.html > log 2>&1 || { grep -q Chart.js log; return 0; }
    grep -o '"reasons": .*' page.html | sed 's/, "reasons_model".*//; s/^"reasons": //' > reasons
    jq -e 'length > 0 and ([.[] | (.above.score - .below.score - .others - ([.features[][3]] | add)) | fabs < 1e-4] | all)' reasons
}

@test "features have the ids of the data, whatever the model counts from" {
    gradus export m.model --format lightgbm --no-parity -o named.txt > /dev/null
    # as a tool that numbers features from 0 writes it
    sed "s/^feature_names=.*/feature_names=$(seq -s ' ' -f 'Column_%g' 0 135)/" named.txt > zero.txt
    for ask in "--query $Q --document 1" "--query $Q" "" "--feature 130"; do
        echo "explain $ask"
        gradus explain m.model data.txt $ask > own
        gradus explain zero.txt data.txt $ask > imported 2> notes
        [ "$(grep -c '^note: features have the ids of the data, from 1; the model counts them from 0$' notes)" -eq 1 ]
        diff own imported
    done
    gradus explain zero.txt data.txt --feature 130 --json 2> /dev/null | jq -e '.feature == 130'
    gradus explain zero.txt data.txt --query "$Q" --document 1 --json 2> /dev/null |
        jq '[.documents[0].targets[0].contributions[].feature]' > imported
    gradus explain m.model data.txt --query "$Q" --document 1 --json |
        jq '[.documents[0].targets[0].contributions[].feature]' > own
    cmp own imported
    gradus show m.model --importance permutation --data data.txt --repeats 1 > own
    gradus show zero.txt --importance permutation --data data.txt --repeats 1 > imported 2> notes
    diff <(cut -c1-40 own) <(cut -c1-40 imported)
    [ "$(grep -c '^note: ' notes)" -eq 1 ]
    # Without data the model's own ids stay.
    gradus show zero.txt | grep -q '^129 '
}

@test "a note is printed once" {
    cut -d' ' -f1-52 data.txt > narrow.txt
    gradus train --train narrow.txt --rounds 3 --leaves 4 -o narrow.model -q > /dev/null
    gradus explain narrow.model data.txt --query "$Q" --document 1 2> notes > /dev/null
    [ "$(grep -c 'are ignored' notes)" -eq 1 ]
}

@test "no line is wider than 80 columns, and +- is explained only where it is shown" {
    head -120 data.txt > few.txt
    export LC_ALL=C # ASCII, so that a byte is a column
    while read -r model ask; do
        echo "$model $ask"
        gradus explain $model.model few.txt $ask > found
        [ -z "$(grep -E '.{81}' found)" ]
        [ "$(grep -q -e '[0-9] +- ' found && echo shown)" = "$(grep -q 'standard error' found && echo shown)" ]
    done << END
m --query $Q --document 1
m --query $Q --document 1 --against 2
m --query $Q --top 12
m
m --feature 130
net --query $Q --document 1 --orders 4 --background 5
net --query $Q --orders 2 --background 2
net --orders 2 --background 2
END
    gradus show m.model --importance permutation --data few.txt --repeats 1 > found
    [ -z "$(grep -E '.{81}' found)" ]
}
