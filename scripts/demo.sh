#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/demo.sh
#
# A guided tour: installs what the build needs (Debian packages, with sudo if need be), builds
# gradus, makes a data set, evaluates simple scorers on it, trains two models and compares them, in a
# temporary folder that is removed at the end; a page about them stays, build/demo-report.html. A few
# minutes on a bare machine, a minute later on.
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
    "made to look like a web search engine's. The same seed gives the same file."
gradus synth web --queries 500 --seed 1 -o web.txt
printf '\n$ head -1 web.txt | cut -c -90\n'
sed -n '1{p;q}' web.txt | cut -c -90

tell "2. What is in it."
gradus describe web.txt

tell "3. How well does one feature rank (the 110th: BM25 of the whole page), and how well does" \
    "chance? Three conventions for the same metrics give three answers, so gradus prints the" \
    "convention with every number."
for convention in gradus letor4 lightgbm; do
    gradus eval web.txt "$feature" random --convention "$convention" --metric ndcg@10,err@10,map
done

tell "4. Is the difference real? A test over the queries says."
gradus compare web.txt random "$feature" --metric ndcg@10

tell "5. Learning. The queries are divided, and LambdaMART learns from 60 % of them; 20 % choose the" \
    "best round, and 20 % that it has never seen say how good it is."
gradus split web.txt --fractions 60,20,20 -o parts
gradus train --method lambdamart --train parts/train.txt --valid parts/valid.txt \
    --test parts/test.txt -o web.model

tell "6. What it learned: the curve of the metric, the features it uses, its first tree."
gradus show web.model --importance 10
gradus show web.model --tree 1 | sed -n 1,14p

tell "7. COCR learns for each grade whether a document reaches it, and so how probable each grade is."
gradus train --method cocr --rounds 100 --train parts/train.txt --valid parts/valid.txt \
    --test parts/test.txt -o grades.model
gradus score grades.model parts/test.txt --probabilities -o test.grades
printf '\n$ head -4 test.grades\n'
sed -n 1,4p test.grades

tell "8. Which is better on the queries that neither has seen?"
gradus compare parts/test.txt "$feature" grades.model web.model --metric ndcg@10 --changes 0

tell "9. Which method suits these data? A tournament tries settings of several, chooses on the" \
    "validation part, tests what was chosen on the queries that none has seen, and trains the best."
gradus tune --method lambdamart,regression,cocr,mcrank,ranknet,ranksvm --budget 6 --trials 5 \
    --train parts/train.txt --valid parts/valid.txt --test parts/test.txt \
    --journal tournament.jsonl -o best.model

tell "10. All of it on one page, which a browser shows: curves, tests, queries with their documents," \
    "and the tournament."
page=$root/build/demo-report.html
gradus report --data parts/test.txt "$feature" grades.model web.model best.model tournament.jsonl \
    --title "Web search, made by gradus synth" -o "$page"

tell "That was gradus in $(duration $SECONDS), installing and building included." \
    "The page is $page" \
    "The command is $root/build/release/gradus; read next:" \
    "  gradus help              the commands" \
    "  gradus help train        how to train, and every option of it" \
    "  gradus help conventions  what the conventions are" \
    "  README.md, docs/         the tour, the formats, the library"
