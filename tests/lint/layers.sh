#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks which folder includes which, against layers.txt: folders of src/ by folder, those beside it
# (the command, the experiments) by header.
# usage: layers.sh SOURCE BUILD
set -u
source=$1
rules=$(dirname "$0")/layers.txt
bad=0

complain() {
    echo "layers: $1"
    bad=1
}

for folder in "$source"/src/*/; do
    name=$(basename "$folder")
    if ! grep -q "^$name:" "$rules"; then
        complain "src/$name is not in layers.txt"
        continue
    fi
    allowed=" $name $(sed -n "s/^$name://p" "$rules") "
    while IFS=: read -r file line text; do
        included=${text#*\"}
        included=${included%%/*}
        [[ $allowed == *" $included "* ]] || complain "${file#"$source"/}:$line: $text"
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*/' "${folder%/}")
done
# The command includes its own headers by name, the experiments from the root of the tree.
while IFS=: read -r name allowed; do
    allowed=" gradus.h gradus_experiments.h $allowed "
    while IFS=: read -r file line text; do
        included=${text#*\"}
        included=${included%%\"*}
        [[ $allowed == *" $included "* || -e $source$name/$included ||
            ($included == "${name#/}"/* && -e $source/$included) ]] ||
            complain "${file#"$source"/}:$line: $text"
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$source$name")
done < <(grep '^/' "$rules")
exit $bad
