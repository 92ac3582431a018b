#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/reference/c-api.md from the public headers: sections, types, functions and their
# comments. Tests compare its output with the page.
#
#   scripts/c-api.sh > docs/reference/c-api.md
#
#   -h    this help
set -euo pipefail

if [ $# -gt 0 ]; then
    sed -n '3,8s/^# \?//p' "$0"
    [ "$1" = -h ] && exit 0 || exit 2
fi
cd "$(dirname "$0")/../include"
readarray -t parts < <(sed -n 's|^#include "\(gradus/.*\)"|\1|p' gradus.h)
cat <<'END'
# C library

Generated from the public headers by `scripts/c-api.sh`; do not edit. A test compares it with the headers.

`include/gradus.h` (data, training, models, metrics, statistics), whose parts are in `include/gradus`, is the library `libgradus`;
`include/gradus_experiments.h` (tuning, reproduction, reports) is `libgradus-experiments`, which needs it.
[src/README.md](../../src/README.md) describes the source.
END
awk '
    function plain(words) { # Markdown gives a meaning to these
        gsub(/</, "\\&lt;", words)
        gsub(/\*/, "\\*", words)
        return words
    }
    function flush() { # a comment that belongs to no declaration
        if (comment != "")
            print "\n" plain(comment)
        comment = ""
    }
    function show(    name) {
        if (code ~ /^GRADUS_API/) {
            name = code
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            print "\n#### " name
        } else if (match(code, /^typedef (struct|enum) gradus_[a-z_]+/)) {
            name = substr(code, RSTART, RLENGTH)
            sub(/.* /, "", name)
            print "\n#### " name
        } else if (match(code, /\(\*gradus_[a-z_]+/)) { # a callback
            print "\n#### " substr(code, RSTART + 2, RLENGTH - 2)
        }
        if (sub(/^GRADUS_API /, "", code))
            gsub(/\n           /, "\n", code) # parameters stay aligned
        print "\n```c\n" code "\n```"
        flush()
        code = ""
    }
    FNR == 1 { part = FILENAME ~ /\// }
    FNR == 1 && !part { flush(); print "\n## " FILENAME; depth = 0; head = 1; next }
    part && FNR < 4 { next } # what the part has
    /^#define GRADUS_VERSION/ { print "\n```c\n" $0 "\n```"; next }
    /^#/ { if (/^#ifdef __cplusplus/) cplusplus = 1; if (/^#endif/) cplusplus = 0; next }
    cplusplus { next }
    code == "" && /^\/\* ---- / { # a section
        flush()
        title = $0
        sub(/^\/\* ---- /, "", title)
        sub(/ ----.*/, "", title)
        print "\n### " title
        section = 1
        example = 0
        next
    }
    section { # its text and its example
        done = /\*\/$/
        line = $0
        sub(/^ \*\/?/, "", line)
        if (line ~ /^ Example/) {
            sub(/^ /, "", line)
            print "\n" plain(line) "\n\n```c"
            example = 1
        } else if (example && !done) {
            sub(/^     /, "", line)
            if (line != "" || began)
                print line
            began = line != ""
        } else if (line !~ /^ *$/) {
            print plain(substr(line, 2))
        }
        if (done) {
            if (example)
                print "```"
            section = example = began = 0
        }
        next
    }
    code == "" && (/^\/\*/ || within) { # a comment
        line = $0
        within = line !~ /\*\/$/
        sub(/ *\*\/$/, "", line)
        sub(/^ ?\/?\*+ ?/, "", line)
        sub(/^gradus[a-z_]*\.h - /, "", line)
        if (head && line ~ /^[A-Z][A-Za-z]+: / ) { # the conventions at the head of the header
            flush()
            comment = "- " line
        } else {
            sub(/^ +/, "", line)
            comment = comment (comment == "" ? "" : " ") line
        }
        if (!within && head) {
            flush()
            head = 0
        }
        next
    }
    code == "" && /^ *$/ { flush(); next }
    {
        code = code (code == "" ? "" : "\n") $0
        bare = $0
        gsub(/\/\*.*\*\//, "", bare)
        depth += gsub(/{/, "{", bare) - gsub(/}/, "}", bare)
        if (depth == 0 && (bare ~ /;[ ]*$/))
            show()
    }' gradus.h "${parts[@]}" gradus_experiments.h
