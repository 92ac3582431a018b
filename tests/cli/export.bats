# SPDX-License-Identifier: Apache-2.0
# Exported models: files, parity files, formats, refusals.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$GRADUS" synth mcrank --queries 20 --documents 20 --features 9 --seed 1 -o data.txt
    train() { # NAME OPTIONS...
        "$GRADUS" train --train data.txt -o "$1.model" -q "${@:2}" > /dev/null
    }
    train trees --rounds 10 --leaves 6
    train scaled --rounds 10 --leaves 6 --transform standardise
    train cocr --method cocr --rounds 5
    train softmax --method mcrank --rounds 5
    train linear --method ranksvm
    train query --method lambdamart --rounds 3 --transform query
    train net --method ranknet --epochs 2 2> /dev/null || train net --method ranknet
    "$GRADUS" ensemble trees.model linear.model --how borda -o fused.model > /dev/null 2>&1 || true
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cp "$BATS_FILE_TMPDIR"/* "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

formats() {
    gradus help formats | awk '/^  [a-z]/ && !seen { print $1 } /^extensions/ { seen = 1 }'
}

@test "a script that reads the documented JSON gives the scores of gradus" {
    command -v node > /dev/null || skip "node is not installed"
    for model in trees scaled cocr linear softmax; do
        gradus export $model.model -o $model.json --format json > /dev/null
        read -r rows difference < <(node "$SOURCE/tests/cli/json_scores.js" $model.json $model.json.parity.csv)
        echo "$model: $rows rows, $difference"
        [ "$rows" -eq 200 ]
        if [ $model = softmax ]; then # exp of another library
            awk -v d="$difference" 'BEGIN { exit !(d < 1e-15) }'
        else
            [ "$difference" = 0 ]
        fi
    done
}

@test "a changed model fails the check" {
    command -v node > /dev/null || skip "node is not installed"
    gradus export trees.model -o a.json --format json > /dev/null
    gradus export trees.model --rounds 9 -o b.json --format json > /dev/null
    read -r _ difference < <(node "$SOURCE/tests/cli/json_scores.js" b.json a.json.parity.csv)
    [ "$difference" != 0 ]
}

# The programs of parity files whose language and packages are installed.
runnable() {
    if python3 -c '' 2> /dev/null; then echo json; fi
    if python3 -c 'import numpy' 2> /dev/null; then printf 'xgboost-dump\nsolr\n'; fi
    if python3 -c 'import numpy, xgboost' 2> /dev/null; then printf 'xgboost-json\nxgboost-ubj\n'; fi
    if python3 -c 'import numpy, lightgbm' 2> /dev/null; then echo lightgbm; fi
    if command -v node > /dev/null; then echo javascript; fi
    if command -v cc > /dev/null; then echo c; fi
}

run_check() { # FORMAT FILE: runs the program in the parity file
    sed -n 's/^#   //p' "$2.parity.csv" > check.txt
    case $1 in
        c) cp check.txt check.c && cc -O1 -ffp-contract=off check.c -o check -lm && ./check ;;
        javascript) cp check.txt check.js && node check.js ;;
        *) python3 check.txt ;;
    esac
}

@test "the programs in parity files find right scores right and wrong ones wrong" {
    awk 'BEGIN { print "label,qid,text,\"a \\ \"\"b\"\", é\",PREFIX"
        for (i = 0; i < 300; i++) print i % 3 "," int(i / 10) "," i * 7 % 13 "," i * 5 % 11 "," i * 3 % 17 }' > named.csv
    gradus train --train named.csv --rounds 6 --leaves 5 -o named.model -q > /dev/null
    gradus export named.model --format xgboost-json -o foreign.json > /dev/null
    sed 's/"feature_names":\[[^]]*\]/"feature_names":[]/' foreign.json > from0.json
    gradus import from0.json -o from0.model > /dev/null # ids from 0
    grep -q '"f0"' <(gradus export from0.model --format xgboost-dump -o -)
    [ -n "$(runnable)" ] || skip "neither python3, node nor cc is installed"
    models="named trees from0"
    [ -z "${FEW_COMPILERS-}" ] || models=named
    for model in $models; do
        for format in $(runnable); do
            gradus export $model.model --format "$format" -o "m-$format" --name rank-web > /dev/null
            run run_check "$format" "m-$format"
            echo "$model $format: $output"
            [ "$status" -eq 0 ] && [[ $output =~ ^(largest difference: [-+.e0-9]+ ok|200 rows, 0 wrong(: ok)?)$ ]]
            awk -F, -v OFS=, '/^[^#s]/ && !done { $1 += 0.01; done = 1 } { print }' "m-$format.parity.csv" > changed
            mv changed "m-$format.parity.csv"
            run run_check "$format" "m-$format"
            [ "$status" -eq 1 ] && [[ $output =~ ^(largest difference: [-+.e0-9]+ WRONG|200 rows, 1 wrong(: WRONG)?)$ ]]
        done
    done
}

@test "a program is promised only where the parity file has one" {
    for model in trees scaled cocr softmax linear query; do
        gradus export $model.model --format json -o m.json > report
        if [ $model = trees ]; then
            grep -q 'and a program that compares them$' report
            grep -q '^# check:$' m.json.parity.csv
        else
            grep -q '200 rows with their scores$' report
            ! grep -q '^# check\|^#   ' m.json.parity.csv || return 1
        fi
    done
}

@test "every format writes or refuses every model, the same bytes each time" {
    [ "$(formats | wc -l)" -ge 8 ]
    for model in trees scaled cocr softmax linear query net; do
        for format in $(formats); do
            if gradus export $model.model --format "$format" -o one > report 2> err; then
                gradus export $model.model --format "$format" -o - > two
                cmp one two
                grep -q "^# format: $format\$" one.parity.csv
                [ "$(grep -vc '^#' one.parity.csv)" -eq 201 ]
                grep -q "^format *$format, for " report
            else
                [ $? -eq 2 ]
                grep -q "$format" err
                [ ! -e one ] && [ ! -e one.parity.csv ]
            fi
            rm -f one one.parity.csv
        done
    done
}

@test "parity files have thresholds, missing values, zeros and huge values" {
    gradus export trees.model -o trees.json --format json > /dev/null
    grep -v '^#' trees.json.parity.csv | sed 1d > rows
    grep -q ',nan' rows
    grep -q ',-0,' rows
    grep -q ',0,' rows
    grep -q '3.4028234663852886e38' rows
    sed -n 's/.*"threshold": \[\(.*\)\].*/\1/p' trees.json | tr ',' '\n' | sort -u > thresholds
    [ "$(tr ',' '\n' < rows | sort -u | comm -12 - thresholds | wc -l)" -gt 10 ]
    # the same model gives the same file
    cp trees.json.parity.csv first
    gradus export trees.model -o trees.json --format json > /dev/null
    cmp first trees.json.parity.csv
}

@test "no parity file with --no-parity and to standard output" {
    gradus export trees.model -o a.json --format json --no-parity > /dev/null
    [ -e a.json ] && [ ! -e a.json.parity.csv ]
    gradus export trees.model -o - --format json > b.json
    cmp a.json b.json
    [ ! -e -.parity.csv ]
    mkfifo pipe
    cat pipe > piped.json &
    gradus export trees.model --format json -o pipe > /dev/null
    wait
    [ -s piped.json ] && [ ! -e pipe.parity.csv ]
}

@test "the extension chooses the format, if only one has it" {
    gradus export trees.model -o trees.onnx > report
    grep -q '^format *onnx' report
    refuses 2 "4 formats have the extension '.json'; name a format: xgboost-json, xgboost-dump, solr, json" gradus export trees.model -o trees.json
    refuses 2 "no format has the extension '.xyz'" gradus export trees.model -o trees.xyz
    refuses 2 "an export needs a format, such as json" gradus export trees.model -o trees
}

@test "options of scoring apply" {
    gradus export trees.model --rounds 4 -o four.json --format json --json > report
    grep -q '"trees": 4' report
    gradus score trees.model data.txt --rounds 4 -o short.scores
    grep -q '"rule": "expected-gain"' <(gradus export softmax.model --scoring expected-gain --format json -o -)
}

@test "--json reports format, files and sizes" {
    gradus export trees.model -o t.json --format json --json > report
    for part in '"model": "trees.model"' '"format": "json"' '"file": "t.json"' \
        "\"bytes\": $(wc -c < t.json)" '"trees": 10' '"features": 9' \
        '"parity": {"file": "t.json.parity.csv", "rows": 200}'; do
        grep -qF "$part" report || { echo "no $part in $(cat report)"; return 1; }
    done
    gradus export trees.model -o t.json --format json --json --no-parity > report
    ! grep -q parity report
}

@test "mistakes" {
    refuses 2 "did you mean 'onnx'" gradus export trees.model --format onx -o x
    refuses 2 "needs a model and an output file" gradus export trees.model
    refuses 2 "needs a model and an output file" gradus export -o x.json
    refuses 2 "would overwrite the input" gradus export trees.model --format json -o trees.model
    refuses 2 "must be 3 or 5" gradus export trees.model --opset-ml 4 --format json -o x.json
    refuses 1 "no such file" gradus export none.model --format json -o x.json
    refuses 1 "" gradus export trees.model --format json -o none/x.json
    [ ! -e x.json ]
    # a format that cannot hold the model says why
    refuses 2 "or train a method that it holds" gradus export softmax.model --format lightgbm -o x.txt
    refuses 2 "lightgbm" gradus export query.model --format lightgbm -o x.txt
}

@test "an unwritable parity file leaves no model" {
    mkdir x.json.parity.csv
    refuses 1 "x.json.parity.csv" gradus export trees.model --format json -o x.json
    [ ! -e x.json ]
}

@test "the parity file does not overwrite the model" {
    cp trees.model a.parity.csv
    refuses 2 "would overwrite the input" gradus export a.parity.csv --format json -o a
    cmp trees.model a.parity.csv
}

@test "probes whose score is not finite are replaced" {
    gradus train --train data.txt --method svor-exc --kernel polynomial --degree 9 -o poly.model -q > /dev/null
    gradus export poly.model --format json -o poly.json > report
    grep -q ': [0-9]* support rows, 9 features$' report
    grep -v '^#' poly.json.parity.csv | sed 1d | cut -d, -f1 > scores
    [ "$(wc -l < scores)" -eq 200 ]
    ! grep -q '[in]' scores # inf, nan
}

@test "models of wide data list the features they use" {
    for i in $(seq 300); do
        echo "$((i % 3)) qid:$((i / 10)) $((7 + i % 5)):$((i % 7)) 1000:$((i % 3)) 150000:$((i * 7 % 11)) 999999:1"
    done > wide.txt
    gradus train --train wide.txt -o wide.model -q --rounds 5 --leaves 4 > /dev/null
    gradus export wide.model --format json -o wide.json > /dev/null
    columns=$(grep -v '^#' wide.json.parity.csv | head -1 | tr ',' '\n' | wc -l)
    [ "$columns" -lt 20 ]
    grep -q 'without a column are 0' wide.json.parity.csv
}

@test "features with the same name are refused where names identify them" {
    echo label,qid,,f1 > same.csv # the first feature has no name: its label is f1
    for i in $(seq 300); do
        echo "$((i % 3)),$((i / 10)),$((i % 7 + i % 3)),$((i * 7 % 11))"
    done >> same.csv
    gradus train --train same.csv -o same.model -q --rounds 3 > /dev/null
    for format in xgboost-json xgboost-ubj xgboost-dump solr; do
        refuses 2 "two features are named 'f1', but '$format'" \
            gradus export same.model --format "$format" -o x
    done
    gradus export same.model --format lightgbm -o same.txt > /dev/null
}

@test "a model without features is refused" {
    echo '{"learner":{"gradient_booster":{"model":{"tree_info":[],"trees":[]},"name":"gbtree"},
        "learner_model_param":{"base_score":"5E-1","num_feature":"0"},
        "objective":{"name":"reg:squarederror"}}}' > none.json
    for format in xgboost-json lightgbm ranklib solr onnx c javascript json; do
        refuses 2 "no features" gradus export none.json --format "$format" -o x
    done
}
