# SPDX-License-Identifier: Apache-2.0
# The commands in docs/*.md run, and print what the pages show.
load common

# Runs the commands of the console blocks of a page, and compares their output with the page.
check_page() {
    mkdir -p bin
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$GRADUS" > bin/gradus
    chmod +x bin/gradus
    export PATH=$PWD/bin:$PATH
    awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$1" > wanted
    [ "$(grep -c '^\$ ' wanted)" -gt 0 ]
    grep '^\$ ' wanted | while IFS= read -r line; do
        printf '%s\n' "$line"
        bash -c "${line#\$ }" 2>&1
    done > found
    diff wanted found
}

@test "docs/reference/metrics.md, word for word" {
    check_page "$SOURCE/docs/reference/metrics.md"
}

@test "docs/reference/metrics.md lists every metric" {
    gradus help metrics > listed
    sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' listed > names
    [ "$(wc -l < names)" -gt 20 ]
    while read -r name; do
        grep -q "^|.*\`$name\`" "$SOURCE/docs/reference/metrics.md" || { echo "no row: $name"; return 1; }
    done < names
}

@test "docs/methods/ describes every method, learner and cost" {
    for catalogue in methods learners costs; do
        gradus help $catalogue | sed -n 's/^  \([a-z][a-z0-9-]*\)  .*/\1/p' > names
        [ "$(wc -l < names)" -ge 9 ]
        while read -r name; do
            grep -qE "(\`|--learner )$name[\`:]" "$SOURCE"/docs/methods/*.md || { echo "$catalogue: $name"; return 1; }
        done < names
    done
}

@test "the data of a report page can be read with jq" {
    gradus synth mcrank --queries 8 -q -o test.txt
    gradus report --data test.txt feature:1 random -o report.html 2> err || skip "$(cat err)"
    command=$(grep '| jq' "$SOURCE/docs/report.md")
    [ -n "$command" ]
    bash -c "$command" > contrasts
    jq -e '.[0][0] | .a == 0 and .b == 1' contrasts
}

@test "counts of one are singular" {
    printf '3 qid:1 1:1\n0 qid:1 1:2\n' > one.txt
    gradus eval one.txt feature:1 --metric map | grep -q "^one.txt: 1 query$"
    gradus describe one.txt | grep -q "^queries      1, with 2 to 2 documents each "
    printf '1\n2\n3\n' > scores
    refuses 1 "scores has 3 scores for 2 rows" gradus eval one.txt scores
    printf '1\n' > scores
    refuses 1 "scores has 1 score for 2 rows" gradus eval one.txt scores
    printf '1 qid:1 1:1\n0 qid:1 1:2\n1 qid:2 1:1\n0 qid:2 1:2\n' > two.txt
    gradus split two.txt --fractions 50,50 -o parts > out
    [ "$(grep -c ": 1 query, 2 rows$" out)" -eq 2 ]
    gradus train -q --method regression --train one.txt --rounds 1 --min-rows 1 -o m.model > out
    gradus show m.model | grep -q "^trained on   2 rows of 1 feature, 1 query$"
}

@test "labels are printed as they were written" {
    printf '0.1 qid:1 1:1\n0.7 qid:1 1:2\n16777216 qid:1 1:3\n' > d.txt
    gradus describe d.txt > out
    grep -q "^ *0\.1  " out
    grep -q "^ *0\.7  " out
    gradus describe d.txt --json | jq -e '.labels | keys == ["0.1", "0.7", "16777216"]'
}
