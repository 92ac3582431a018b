#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/header_examples.sh HEADER PROGRAM
#
# Writes the examples in the comments of a public header and of its parts, in order, as one C program. An example
# starts after a comment line " * Example..."; its code is indented by five spaces.
set -euo pipefail

header=$1
exec >"$2"
cat <<END
#include "$(basename "$header")"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
END
readarray -t parts < <(sed -n "s|^#include \"\(gradus/.*\)\"|$(dirname "$header")/\1|p" "$header")
awk '
    /^ \* Example/ { example = 1; examples++; printf "#line %d \"%s\"\n", FNR + 1, FILENAME; next }
    / \*\/$/ { example = 0 }
    example && (/^ \*     / || /^ \*$/) { print substr($0, 4); next }
    example { print "" }
    END { if (!examples) { print "#error no examples in " FILENAME; exit 1 } }' "$header" "${parts[@]}"
echo '    return 0;'
echo '}'
