#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/header_examples.sh HEADER PROGRAM
#
# Writes the examples in the comments of a public header, in order, as one C program. An example
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
awk -v file="$header" '
    /^ \* Example/ { example = 1; examples++; printf "#line %d \"%s\"\n", FNR + 1, file; next }
    / \*\/$/ { example = 0 }
    example && (/^ \*     / || /^ \*$/) { print substr($0, 4); next }
    example { print "" }
    END { if (!examples) { print "#error no examples in " file; exit 1 } }' "$header"
echo '    return 0;'
echo '}'
