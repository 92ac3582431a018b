#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/parity/onnx.sh BUILD
#
# Exports models of every method to ONNX, for both versions of ai.onnx.ml, and compares the scores of ONNX
# Runtime with those of gradus: sums of trees must be bit-equal with opset 5, all else within 1e-12 relative;
# with opset 3 within 1e-5. The package onnxruntime-node is installed by npm into a cache folder, once.
set -euo pipefail

version=1.30.0
here=$(dirname "$(realpath "$0")")
gradus=$(realpath "$1")/gradus
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gradus/onnxruntime

skip() {
    echo "skipped: $*"
    exit 77
}

command -v node >/dev/null || skip "node: not installed"
if [ ! -d "$cache/node_modules/onnxruntime-node" ]; then
    command -v npm >/dev/null || skip "npm: not installed"
    mkdir -p "$cache"
    # The package contains the library for the processor; its install script would load another from a server.
    ONNXRUNTIME_NODE_INSTALL=skip timeout 120 npm install --prefix "$cache" --ignore-scripts --no-audit --no-fund \
        --loglevel error "onnxruntime-node@$version" >/dev/null 2>&1 ||
        skip "onnxruntime-node: cannot be installed (no network?)"
fi
export NODE_PATH=$cache/node_modules
node -e 'require("onnxruntime-node")' 2>/dev/null || skip "onnxruntime-node: cannot be loaded here"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/../../tests/fixtures/model_steps.sh"

synth() { # synth QUERIES FIRST
    "$gradus" synth mcrank --queries "$1" --documents 8 --features 6 --grade-fractions 40,35,25 --first-query "$2"
}
synth 40 1 >train.txt
synth 12 101 >valid.txt

small=(--rounds 20 --leaves 6 --min-rows 3)
train lambdamart lambdamart --rounds 300 --leaves 8 --min-rows 3
train regression regression "${small[@]}"
train regression-absolute regression "${small[@]}" --loss absolute
train regression-minmax regression "${small[@]}" --transform minmax
train regression-standardise regression "${small[@]}" --transform standardise
train cocr-sum cocr --rounds 120 --leaves 6 --min-rows 3
train pairrank pairrank "${small[@]}"
train rankboost rankboost --rounds 20
exact=(lambdamart regression regression-absolute regression-minmax regression-standardise cocr-sum pairrank rankboost)

train cocr-gain cocr "${small[@]}" --scoring expected-gain
train cocr-cost cocr "${small[@]}" --cost squared
train mcrank mcrank "${small[@]}"
train mcrank-ordinal mcrank-ordinal "${small[@]}"
train propodds propodds "${small[@]}"
train orboost orboost "${small[@]}"
train cocr-linear cocr --learner linear --transform minmax
train propodds-linear propodds --learner linear
train crr crr --steps 2000 --transform minmax --keep-zeros
train crr-one-vs-all crr --steps 2000 --one-vs-all
train crr-logistic crr --steps 2000 --one-vs-all --loss logistic
train crr-hash crr --hash-bits 3 --steps 2000
train crr-landmarks crr --landmarks 4 --steps 2000
train m5p regression --learner m5p --transform standardise
train bagged-m5p cocr --learner bagged-m5p --rounds 3
train svor-imc svor-imc --kernel gaussian
train svor-sl svor-sl --kernel polynomial
train svor-exc svor-exc --kernel gaussian --storage sparse --transform minmax --keep-zeros
train svor-linear svor-exc --kernel linear
train ranksvm ranksvm
train ranknet ranknet --hidden 5 --rounds 5
train lambdarank lambdarank --hidden 5 --rounds 5 --activation relu
train listnet listnet --hidden 20 --rounds 3
train listmle listmle --rounds 5
train netreg netreg --rounds 5
train adaboost-mh adaboost-mh --rounds 10
train adaboost-stump adaboost-mh --rounds 10 --base stump
train adaboost-product adaboost-mh --rounds 5 --base product
train adaboost-real adaboost-mh --rounds 5 --real-leaves
train adarank-map adarank-map --rounds 5
train adarank-ndcg adarank-ndcg --rounds 5
train coordinate-ascent coordinate-ascent --restarts 1
train gaussians regression --learner gaussians --rounds 5
train calibrated calibrated --valid valid.txt --rounds 2 --leaves-grid 2 --terms-grid 2 --rounds-grid 2 \
    --calibrations ls,sn,linear

for way in ls ewls el ell sn platt isotonic beta temperature linear polynomial network gaussian-process ordinal; do
    calibrate "calibration-$way" mcrank "$way"
done
calibrate calibration-of-score regression isotonic
combine ensemble-mean mean lambdamart rankboost
combine ensemble-probabilities exponential mcrank propodds
combine ensemble-stacking stacking lambdamart mcrank
combine ensemble-nonnegative stacking-nonnegative lambdamart propodds
combine ensemble-nested mean ensemble-probabilities mcrank

# Refused, because a score depends on the other documents of the query.
train refused-query mcrank "${small[@]}" --transform query
combine refused-borda borda lambdamart rankboost

status=0
for model in *.model; do
    name=${model%.model}
    for opset in 5 3; do
        if "$gradus" export "$model" --format onnx --opset-ml $opset -o "$name.$opset.onnx" --no-parity >/dev/null 2>error.txt; then
            case $name in refused-*) echo "$name: not refused" && status=1 ;; esac
        elif [[ $name != refused-* ]]; then
            echo "$name: $(cat error.txt)"
            status=1
        elif [ $opset = 5 ]; then
            echo "refused as expected: $(sed 's/^gradus: //' error.txt)"
        fi
    done
done
node "$here/onnx_check.js" rows . train.txt
for rows in *.rows; do
    name=${rows%.rows}
    # A score that overflows is an error in gradus: such models are compared without huge values.
    "$gradus" score "$name.model" "$rows" -q --threads 1 >"$name.scores" 2>/dev/null || {
        grep -v 'e+' "$rows" >rows.txt
        mv rows.txt "$rows"
        "$gradus" score "$name.model" "$rows" -q --threads 1 >"$name.scores"
    }
    "$gradus" score "$name.model" "$rows" -q --threads 1 --probabilities >"$name.probabilities" 2>/dev/null ||
        rm "$name.probabilities"
    case " ${exact[*]} " in *" $name "*) echo "$name exact" ;; *) echo "$name near" ;; esac
done >names.txt
node "$here/onnx_check.js" compare . names.txt || status=1
exit $status
