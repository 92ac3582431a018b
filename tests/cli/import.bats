# SPDX-License-Identifier: Apache-2.0
# gradus import: reports, refusals, paths. What each format holds is tested with its importer.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$GRADUS" synth mcrank --queries 20 --documents 20 --features 9 --seed 1 -o data.txt
    "$GRADUS" train --train data.txt -o trees.model -q --rounds 10 --leaves 6 > /dev/null
    "$GRADUS" export trees.model --format xgboost-json -o trees.json > /dev/null
    "$GRADUS" export trees.model --format lightgbm -o trees.txt > /dev/null
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cp "$BATS_FILE_TMPDIR"/* "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "an imported model is reported and scores" {
    gradus import trees.json -o back.model > report
    grep -q '^back.model$' report
    grep -q '10 trees, 60 leaves, 9 features' report
    grep -q 'gradus show back.model' report
    grep -q '^imported     xgboost-json$' report
    gradus score back.model data.txt -o back.scores
    gradus score trees.model data.txt -o trees.scores
    cmp back.scores trees.scores
}

@test "import reads from a pipe and compressed files, and writes to standard output" {
    gradus import trees.txt -o a.model > /dev/null
    gradus import - -o b.model < trees.txt > /dev/null
    cmp a.model b.model
    gzip -k trees.txt
    gradus import trees.txt.gz -o - > c.model
    cmp a.model c.model
}

@test "--json reports what was read" {
    gradus import trees.json -o a.model --json > report
    for part in '"from": "trees.json"' '"file": "a.model"' '"trees": 10' '"leaves": 60' '"features": 9' \
        '"outputs": 1' '"imported-from"' '"objective"'; do
        grep -qF "$part" report || { echo "no $part in $(cat report)"; return 1; }
    done
}

@test "mistakes" {
    refuses 2 "needs a file and a model to write" gradus import trees.json
    refuses 2 "needs a file and a model to write" gradus import -o x.model
    refuses 2 "would overwrite the input" gradus import trees.json -o trees.json
    refuses 2 "is a gradus model already" gradus import trees.model -o x.model
    refuses 1 "is not a gradus model" gradus import data.txt -o x.model
    refuses 1 "no such file" gradus import none.json -o x.model
    head -c 2000 trees.json > cut.json
    refuses 1 "cut.json" gradus import cut.json -o x.model
    : > empty
    refuses 1 "empty" gradus import empty -o x.model
    [ ! -e x.model ]
}

@test "files of other tools are models for every command" {
    gradus export trees.model --format xgboost-ubj -o trees.ubj --no-parity > /dev/null
    gradus export trees.model --format ranklib -o trees.xml --no-parity > /dev/null
    gzip -k trees.xml
    gradus score trees.model data.txt -o wanted
    for file in trees.json trees.ubj trees.txt trees.xml trees.xml.gz; do
        gradus score $file data.txt -o found
        cmp wanted found
        gradus eval data.txt trees.model $file > report
        grep -q "$file" report
        gradus show $file > report
        grep -q "^imported     " report
        grep -q "^size         10 trees, 60 leaves, " report
        gradus show - < $file > report
        grep -q "^imported     " report
    done
    gradus compare data.txt trees.json trees.txt > report
    gradus ensemble trees.json trees.xml -o mix.model --valid data.txt > /dev/null
    gradus score mix.model data.txt -o found
    gradus report trees.ubj --data data.txt -o page.html > /dev/null
    refuses 2 "trained by 'lightgbm'" gradus train --train data.txt --start trees.txt -o x.model --rounds 12
    refuses 2 "is a model, but a data file is expected" gradus eval trees.txt trees.model
}

@test "a model of classes has probabilities and can be calibrated" {
    cat > classes.json << 'END'
{"learner":{"feature_names":[],"gradient_booster":{"name":"gbtree","model":{"tree_info":[0,1],"trees":[
{"tree_param":{"num_nodes":"3"},"left_children":[1,-1,-1],"right_children":[2,-1,-1],"split_indices":[0,0,0],
"split_conditions":[0.5,1,-1],"default_left":[0,0,0],"loss_changes":[1,0,0],"sum_hessian":[2,1,1]},
{"tree_param":{"num_nodes":"1"},"left_children":[-1],"right_children":[-1],"split_indices":[0],
"split_conditions":[0],"default_left":[0],"loss_changes":[0],"sum_hessian":[2]}]}},
"learner_model_param":{"base_score":"5E-1","num_class":"2","num_feature":"9"},
"objective":{"name":"multi:softprob"}},"version":[2,1,0]}
END
    gradus score classes.json data.txt --probabilities > found
    [ "$(head -1 found)" = "# P(0) P(1)" ]
    # 1 / (1 + e) and 1 / (1 + 1/e)
    grep -qE "^0\.26894142136999|^0\.73105857863000" found
    gradus import classes.json -o classes.model > /dev/null
    gradus score classes.model data.txt --probabilities > again
    cmp found again
    awk '{ $1 = $1 > 0 ? 1 : 0; print }' data.txt > two.txt
    gradus calibrate classes.json two.txt -o better.model > /dev/null
    gradus score better.model data.txt > found
}

@test "positions and reasons of refusals" {
    sed 's/"gbtree"/"dart"/' trees.json > dart.json
    refuses 2 "the booster is 'dart'" gradus score dart.json data.txt
    sed 's/^decision_type=[0-9]*/decision_type=1/' trees.txt > categories.txt
    refuses 2 "by categories, which gradus cannot hold" gradus show categories.txt
    sed 's/^left_child=.*/left_child=0/' trees.txt > cycle.txt
    refuses 1 "cycle.txt:" gradus show cycle.txt
    printf 'binf\0\0\0\0' > old.model
    refuses 2 "old binary format" gradus show old.model
    printf '## RankNet\n## Epochs = 1\n' > net.txt
    refuses 2 "models of 'RankNet' cannot be imported" gradus score net.txt data.txt
    sed 's/"left_children":\[[0-9]*/"left_children":[9999/' trees.json > child.json
    refuses 1 "tree 0: 'left_children': 9999 is out of range; allowed are -1 to 10" gradus show child.json
}

@test "models that can only be exported are refused by name" {
    for format in json onnx solr xgboost-dump; do
        gradus export trees.model --format $format -o trees.$format --no-parity > /dev/null
    done
    refuses 2 "'trees.json' is a model exported by gradus as json" gradus import trees.json -o x.model
    refuses 2 "'trees.onnx' is a model in ONNX" gradus import trees.onnx -o x.model
    refuses 2 "'trees.solr' is a model of Solr" gradus score trees.solr data.txt
    refuses 2 "'trees.xgboost-dump' is a dump of XGBoost, which lacks the base score; use save_model" \
        gradus eval data.txt trees.xgboost-dump
}
