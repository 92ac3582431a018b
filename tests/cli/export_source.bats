# SPDX-License-Identifier: Apache-2.0
# Models as C and JavaScript: every kind of model is exported, compiled and run on the rows of its parity
# file (at thresholds and beside them, missing values, zeros, huge values) and on data, to the last bit.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$GRADUS" synth mcrank --queries 12 --documents 20 --features 17 --seed 3 -o data.txt
    train() { # NAME OPTIONS...
        "$GRADUS" train --train data.txt -o "$1.model" -q --threads 1 "${@:2}" > /dev/null
    }
    train trees --rounds 8 --leaves 7
    train scaled --rounds 4 --leaves 7 --transform standardise
    train cocr --method cocr --rounds 3
    train softmax --method mcrank --rounds 3
    train ordinal --method mcrank-ordinal --rounds 3
    train odds --method propodds --rounds 3
    train orboost --method orboost --rounds 3
    train linear --method cocr --learner linear
    train ranksvm --method ranksvm
    train sgd --method crr
    train m5p --method regression --learner m5p
    train bagged --method regression --learner bagged-m5p
    train net --method ranknet
    train kernel --method svor-imc --learner kernel
    train votes --method adaboost-mh --rounds 5 --leaves 4
    train product --method adaboost-mh --base product --terms 2 --rounds 5
    train rankboost --method rankboost --rounds 5
    train ascent --method coordinate-ascent --restarts 1
    for how in platt isotonic beta temperature ls; do
        "$GRADUS" calibrate softmax.model data.txt --how $how -o $how.model -q > /dev/null
    done
    "$GRADUS" ensemble softmax.model ordinal.model --valid data.txt -o mixed.model -q > /dev/null
    "$GRADUS" ensemble trees.model linear.model --valid data.txt -o scores.model -q > /dev/null
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cp "$BATS_FILE_TMPDIR"/* "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

strict="-Wall -Wextra -Wconversion -Werror"

# few MODELS OTHERS: the models to compile; without the others if FEW_COMPILERS is set.
few() {
    echo "$1"
    [ -n "${FEW_COMPILERS-}" ] || echo "$2"
}

# check_c MODEL COMPILER...: compiles the model and the program of the parity file, and runs it.
check_c() {
    gradus export "$1.model" --format c -o "$1.c" > /dev/null
    sed -n 's/^#   //p' "$1.c.parity.csv" > check.c
    "${@:2}" -o check check.c -lm
    [ "$(./check)" = "200 rows, 0 wrong" ] || { echo "$*: $(./check)"; return 1; }
}

@test "compiled models give the scores of gradus" {
    command -v gcc > /dev/null || skip "gcc is not installed"
    always="mixed m5p net kernel"
    for model in *.model; do
        name=${model%.model}
        if [ -n "${FEW_COMPILERS-}" ] && [[ " $always " != *" $name "* ]]; then
            gradus export "$model" --format c -o "$name.c" > /dev/null
        else
            check_c "$name" gcc -std=c99 -O3 -march=native -ffp-contract=off $strict
        fi
    done
}

@test "clang compiles the models too" {
    command -v clang > /dev/null || skip "clang is not installed"
    for model in $(few trees "softmax isotonic net mixed m5p"); do
        check_c $model clang -std=c99 -O2 -march=native $strict
    done
}

@test "scripts give the scores of gradus" {
    command -v node > /dev/null || skip "node is not installed"
    for model in *.model; do
        name=${model%.model}
        gradus export "$model" --format javascript -o "$name.js" > /dev/null
        sed -n 's/^#   //p' "$name.js.parity.csv" > check.js
        [ "$(node check.js)" = "200 rows, 0 wrong" ] || { echo "$name: $(node check.js)"; return 1; }
    done
}

# probabilities.js MODEL DATA: the probabilities of the rows of a LETOR file.
@test "probabilities are those of gradus" {
    command -v node > /dev/null || skip "node is not installed"
    cat > probabilities.js <<'SCRIPT'
const model = require('./' + process.argv[2]);
for (const line of require('fs').readFileSync(process.argv[3], 'utf8').trim().split('\n')) {
    const row = new Float32Array(model.featureNames.length);
    for (const [, id, value] of line.matchAll(/ (\d+):(\S+)/g)) row[id - 1] = Number(value);
    console.log(model.probabilities(row).join(' '));
}
SCRIPT
    for name in softmax ordinal odds platt mixed; do
        gradus export $name.model --format javascript -o $name.js --no-parity > /dev/null
        node probabilities.js $name.js data.txt > found
        gradus score $name.model data.txt --probabilities 2> /dev/null | sed '/^#/d' > wanted
        node -e '
            const [a, b] = ["found", "wanted"].map(f => require("fs").readFileSync(f, "utf8").match(/[0-9][-+.e0-9]*/g));
            if (a.length !== b.length || a.length < 500 || a.some((x, i) => Number(x) !== Number(b[i]))) process.exit(1);
        ' || { echo $name; head -3 found wanted; return 1; }
    done
}

@test "the largest of the programs has no undefined behaviour" {
    command -v gcc > /dev/null || skip "gcc is not installed"
    for model in $(few m5p "softmax mixed"); do
        check_c $model gcc -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
    done
}

@test "models of two names are linked into one program" {
    command -v gcc > /dev/null || skip "gcc is not installed"
    gradus export trees.model --format c --name first -o first.c > /dev/null
    gradus export softmax.model --format c --name second -o second.c > /dev/null
    cat > main.c <<'PROGRAM'
#define FIRST_DECLARATIONS
#include "first.c"
#define SECOND_DECLARATIONS
#include "second.c"
#include <math.h>
#include <string.h>
int main(void)
{
    float row[FIRST_FEATURES] = { 0 };
    double p[SECOND_LEVELS], sum = 0;
    second_probabilities(row, p);
    for (int i = 0; i < SECOND_LEVELS; i++)
        sum += p[i];
    return strcmp(first_feature_names[0], "f1") != 0 || fabs(sum - 1) > 1e-12 ||
           first_score(row) == second_score(row);
}
PROGRAM
    gcc -std=c99 $strict first.c second.c main.c -lm -o main
    ./main
}

@test "a page can contain the script" {
    command -v node > /dev/null || skip "node is not installed"
    gradus convert data.txt data.csv
    sed -i '1s/,f1,/,"<\/script>",/' data.csv
    gradus train --train data.csv -o page.model -q --rounds 2 > /dev/null
    gradus export page.model --format javascript --name ranker -o page.js > /dev/null
    lacks '</' page.js
    node -e '
        const vm = require("vm"), page = vm.createContext({});
        vm.runInContext(require("fs").readFileSync("page.js", "utf8"), page);
        if (page.ranker.featureNames[0] !== "</script>") throw page.ranker.featureNames[0];
        const rows = [0, 1, 2].map(r => page.ranker.featureNames.map(() => r % 2));
        if (page.ranker.rank([rows[0], rows[0]]).join() !== "0,1") throw "ties";
        const order = page.ranker.rank(rows), scores = rows.map(page.ranker.score);
        if (order.some((r, i) => i > 0 && scores[order[i - 1]] < scores[r])) throw "order";
        if (page.ranker.score(rows[0].map(() => null)) !== page.ranker.score(rows[0].map(() => NaN))) throw "missing";
        try { page.ranker.score([1]); } catch (e) { process.exit(0); }
        throw "a short row";'
}

@test "models of whole queries are refused" {
    gradus ensemble trees.model linear.model --way borda -o fused.model -q > /dev/null
    gradus train --train data.txt -o query.model -q --rounds 2 --transform query > /dev/null
    for format in c javascript; do
        refuses 2 "$format" gradus export fused.model --format $format -o x
        refuses 2 "$format" gradus export query.model --format $format -o x
    done
}
