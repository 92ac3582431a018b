#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/demo.sh
#
# A guided tour: installs the packages needed (Debian; with sudo if necessary), builds gradus, generates
# a data set, evaluates simple rankers on it, trains two models, compares and explains them, and uses the
# Python package if Python, its headers and numpy are there, in a temporary folder that is removed at the
# end. The report is kept: build/demo-report.html. Takes a few minutes on a bare machine, a minute once
# gradus is built.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

no_arguments "${1-}"
need_packages "${build_packages[@]}"
say "building gradus in $root/build/release"
build_release

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

gradus() {
    printf '\n$ gradus %s\n' "$*"
    "$root/build/release/gradus" "$@"
}

tell() {
    printf '\n'
    printf '%s\n' "$@"
}

feature=feature:110 # BM25 of the whole page

tell "1. Data. 500 queries of about 120 documents each, 136 features, grades 0 to 4," \
    "modelled on those of a web search engine. The same seed gives the same file."
gradus synth web --queries 500 --seed 1 -o web.txt
printf '\n$ head -1 web.txt | cut -c -90\n'
sed -n '1{p;q}' web.txt | cut -c -90

tell "2. Statistics of the data."
gradus describe web.txt

tell "3. How well does a single feature rank (feature 110: BM25 of the whole page), compared with a" \
    "random ranking? The same metrics under three conventions give three answers, so gradus prints" \
    "the convention with every number."
for convention in gradus letor4 lightgbm; do
    gradus eval web.txt "$feature" random --convention "$convention" --metric ndcg@10,err@10,map
done

tell "4. Is the difference significant? A paired test over the queries."
gradus compare web.txt random "$feature" --metric ndcg@10

tell "5. Training. The queries are split: LambdaMART is trained on 60 % of them, 20 % select the best" \
    "round, and the last 20 % are held out to evaluate the model."
gradus split web.txt --fractions 60,20,20 -o parts
gradus train --method lambdamart --train parts/train.txt --valid parts/valid.txt \
    --test parts/test.txt -o web.model

tell "6. The model: its learning curve, the most important features, the first tree."
gradus show web.model --importance 10
gradus show web.model --tree 1 | sed -n 1,14p

tell "7. COCR learns for each grade whether a document reaches it, which gives the probability of each" \
    "grade."
gradus train --method cocr --rounds 100 --train parts/train.txt --valid parts/valid.txt \
    --test parts/test.txt -o grades.model
gradus score grades.model parts/test.txt --probabilities -o test.grades
printf '\n$ head -4 test.grades\n'
sed -n 1,4p test.grades

tell "8. Which model is better on the held-out queries?"
gradus compare parts/test.txt "$feature" grades.model web.model --metric ndcg@10 --changes 0

tell "9. Why is the first document of a query above the second? The difference of their scores, divided" \
    "among the features. And the model for other tools: here ONNX, with rows and scores to check it by."
query=$(sed -n '1s/.* qid:\([^ ]*\) .*/\1/p' parts/test.txt)
gradus explain web.model parts/test.txt --query "$query" --document 1 --against 2 --top 6
gradus export web.model -o web.onnx

tell "10. Which method is best for these data? A tournament tries settings of several methods, selects" \
    "on the validation set, tests the selected ones on held-out queries, and trains the best again."
gradus tune --method lambdamart,regression,cocr,mcrank,ranknet,ranksvm --budget 6 --trials 5 \
    --train parts/train.txt --valid parts/valid.txt --test parts/test.txt \
    --journal tournament.jsonl -o best.model

tell "11. Or let gradus combine the best: settings are compared on folds, an ensemble is selected on" \
    "held-out queries, and its members are trained again on all data."
gradus auto --train parts/train.txt --valid parts/valid.txt --test parts/test.txt \
    --methods lambdamart,regression,cocr,mcrank,listnet --folds 3 --budget 5 -o auto.model

demo_python() {
    cat >demo.py <<'END'
import gradus

train, valid, test = (gradus.read(f"parts/{name}.txt") for name in ("train", "valid", "test"))
ranker = gradus.Ranker("lambdamart", leaves=15, rounds=60)
ranker.fit(train, eval_set=valid)
result = gradus.evaluate(test, {"BM25": "feature:110", "model": ranker}, "ndcg@10,err@20")
print(ranker, result, gradus.compare(result), sep="\n\n")
first = test.subset(queries=[0])
best = ranker.rank(first, top=3)
print(f"\nthe best of {len(first)} documents, and why:", best, sep="\n")
print(ranker.explain(first, against="query", rows=best.row))
END
    printf '\n$ cat demo.py\n'
    cat demo.py
    printf '\n$ python3 demo.py\n'
    PYTHONPATH=$root/build/release/python /usr/bin/python3 demo.py
}

if [ -f "$root/build/release/python/gradus/_core.abi3.so" ] &&
    /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    tell "12. The same in Python, in the same process: no files, no copies of arrays."
    demo_python
else
    tell "12. The Python package: scripts/build.sh --python installs what it needs and builds it."
fi

tell "13. A report of everything on one HTML page: curves, tests, queries with their documents, and the" \
    "tournament."
page=$root/build/demo-report.html
gradus report --data parts/test.txt "$feature" grades.model web.model best.model tournament.jsonl \
    --title "Web search data generated by gradus synth" -o "$page"

tell "The tour took $(duration $SECONDS), including installation and build." \
    "The report is $page" \
    "The command is $root/build/release/gradus; read next:" \
    "  gradus help              the commands" \
    "  gradus help train        training, with all its options" \
    "  gradus help conventions  the conventions of metrics" \
    "  README.md, docs/         introduction, file formats, library, Python package"
