#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A type, a macro or an enum constant has one meaning: a name that begins with gr_, GR_, gradus_ or
# GRADUS_ is not defined with another content in another file; other names not in two headers below
# the same folder (src, cli, ...). Headers without an include guard are templates, included several
# times; what they define does not count, nor do macros that their file undefines again.
# usage: definitions.sh SOURCE BUILD
set -u
items=$(
    "$(dirname "$0")/c_items.sh" "$1"
    # macros that a table of rows undefines at its end
    grep -rhoE --include='*.def' '^#undef [A-Z_]+' "$1" | awk '{ print "*\t0\tundef\t" $2 "\t" }'
)
found=$(
    awk -F '\t' '
        FNR == NR {
            if ($3 == "undef")
                undefined[$1, $4] = 1
            else if ($3 == "macro" && $4 ~ /_H$/)
                guarded[$1] = 1
            next
        }
        $3 !~ /^(type|macro|constant)$/ || ($1, $4) in undefined || ("*", $4) in undefined { next }
        $1 ~ /\.h$/ && !($1 in guarded) { next }
        $3 == "macro" && $4 ~ /_H$/ { next }
        $4 ~ /^(gr|GR|gradus|GRADUS)_/ { key = $4 }
        $4 !~ /^(gr|GR|gradus|GRADUS)_/ {
            if ($1 !~ /\.h$/)
                next
            key = $1
            sub(/\/.*/, "", key)
            key = key " " $4
        }
        !(key in text) {
            text[key] = $5
            path[key] = $1
            line[key] = $2
            next
        }
        path[key] != $1 && text[key] != $5 {
            print "definitions: " $1 ":" $2 ": " $4 " is also " path[key] ":" line[key]
        }' <(echo "$items") <(echo "$items")
)
[[ -z $found ]] && exit 0
echo "$found"
exit 1
