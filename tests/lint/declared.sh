#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A function that is not static is declared in the header named after its file, or in another header
# under a comment that begins with the name of its file:
#     /* bins_layout.c */      /* In uses.c: ... */      /* split.c and search.c. ... */
# Such a comment holds for all declarations after it, up to the next one. What a public header
# declares, main, and names that begin with __ (which the linker prescribes) may be anywhere.
# usage: declared.sh SOURCE BUILD
set -u
found=$(
    "$(dirname "$0")/c_items.sh" "$1" |
        awk -F '\t' '
            function base(path) {
                sub(/.*\//, "", path)
                return path
            }
            $1 != file {
                file = $1
                header = base(file)
                names = ""
            }
            file ~ /\.h$/ && $3 == "comment" {
                text = $5
                sub(/^In /, "", text)
                list = ""
                while (match(text, /^[a-z0-9_]+\.c/)) {
                    list = list " " substr(text, 1, RLENGTH) " "
                    text = substr(text, RLENGTH + 1)
                    if (!sub(/^(, and | and |, )/, "", text))
                        break
                }
                if (list != "" && text ~ /^([.:;,]|$)/)
                    names = list
            }
            file ~ /\.h$/ && $3 ~ /^(prototype|object)$/ {
                own = header
                sub(/\.h$/, ".c", own)
                where[$4] = where[$4] " " own " " names
                if (file ~ /^include\//)
                    public[$4] = 1
                in_header[$4] = in_header[$4] " " header
            }
            file ~ /\.c$/ && $3 == "function" && $4 !~ /^(main|__.*|[A-Z0-9_]+)$/ && !($4 in public) {
                name = base(file)
                if (index(where[$4] " ", " " name " "))
                    next
                print "declared: " file ":" $2 ": " $4 " is declared " \
                    ($4 in in_header ? "in" in_header[$4] " without the name of " name : "in no header")
            }'
)
[[ -z $found ]] && exit 0
echo "$found"
exit 1
