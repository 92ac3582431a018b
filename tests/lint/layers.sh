#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks which folder includes which, against layers.txt; the command may include only the public
# headers.
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
while IFS=: read -r file line text; do
    included=${text#*\"}
    included=${included%%\"*}
    [[ $included == gradus.h || $included == gradus_experiments.h || -e $source/cli/$included ]] ||
        complain "${file#"$source"/}:$line: $text"
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$source/cli")
exit $bad
