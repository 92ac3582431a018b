#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each lint accepts a clean tree and finds a violation planted in it.
# usage: selftest.sh SOURCE BUILD
set -u
lint=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
bad=0

make_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{include,src/base,src/metrics,experiments,cli,python/src,build,tests/unit}
    : >"$tree/tests/unit/null_rows.def"
    cat >"$tree/include/gradus.h" <<'END'
#define GRADUS_API __attribute__((visibility("default")))
/* Adds. */
GRADUS_API int gradus_one(int a,
                          int b);
END
    cat >"$tree/src/base/one.c" <<'END'
/* printf( exit( */
#include "gradus.h"
extern const char *const gr_words[];
const char *const gr_words[] = { "abort()" };
int gradus_one(int a, int b)
{
    return a + b;
}
END
    echo '#include "gradus.h"' >"$tree/include/gradus_experiments.h"
    echo '#include "base/one.h"' >"$tree/src/metrics/two.c"
    printf '#include "gradus.h"\n#include "base/json.h"\n#include "experiments/four.h"\n' \
        >"$tree/experiments/three.c"
    echo 'int gr_three(void);' >"$tree/experiments/four.h"
    printf '#include "gradus.h"\n#include "command.h"\n' >"$tree/cli/main.c"
    : >"$tree/cli/command.h"
    printf '#include "gradus.h"\n#include "core.h"\n' >"$tree/python/src/module.c"
    : >"$tree/python/src/core.h"
}

build_tree() {
    cc -fPIC -fvisibility=hidden -I"$tree/include" -c "$one" -o "$tree/build/one.o" &&
        ar rc "$tree/build/libgradus.a" "$tree/build/one.o" &&
        cc -shared -o "$tree/build/libgradus.so" "$tree/build/one.o"
    echo 'int gr_three(void) { return 3; }' | cat "$tree/experiments/four.h" - "$tree"/build/three.inc \
        2>/dev/null | cc -fPIC -fvisibility=hidden -xc -c - -o "$tree/build/three.o" &&
        ar rc "$tree/build/libgradus-experiments.a" "$tree/build/three.o" &&
        cc -shared -o "$tree/build/libgradus-experiments.so" "$tree/build/three.o"
}

finds() { # lint, expected message for the current tree; then restores the clean tree
    local said
    build_tree
    said=$("$lint/$1.sh" "$tree" "$tree/build") && { echo "selftest: $1 accepts: $2"; bad=1; }
    grep -qF -- "$2" <<<"$said" || { echo "selftest: $1 does not say '$2' but '$said'"; bad=1; }
    make_tree
}

accepts() { # lint, for the current tree; then restores the clean tree
    "$lint/$1.sh" "$tree" "$tree/build" || { echo "selftest: $1 complains of a tree that is right"; bad=1; }
    make_tree
}

one=$tree/src/base/one.c
make_tree
build_tree
for name in layers symbols state quiet sizes null_rows comments base_names declared definitions; do
    "$lint/$name.sh" "$tree" "$tree/build" ||
        { echo "selftest: $name complains of a clean tree"; bad=1; }
done
echo '#include "metrics/metric.h"' >"$tree/src/base/up.c"
finds layers 'src/base/up.c:1: #include "metrics/metric.h"'
mkdir "$tree/src/new"
finds layers 'src/new is not in layers.txt'
echo '#include "base/pool.h"' >>"$tree/cli/main.c"
finds layers 'cli/main.c:3: #include "base/pool.h"'
echo '#include "base/json.h"' >>"$tree/python/src/module.c"
finds layers 'python/src/module.c:3: #include "base/json.h"'
echo '#include "base/pool.h"' >>"$tree/experiments/three.c"
finds layers 'experiments/three.c:4: #include "base/pool.h"'
echo '#include "experiments/none.h"' >>"$tree/experiments/three.c"
finds layers 'experiments/three.c:4: #include "experiments/none.h"'
echo 'int helper(void); int helper(void) { return 1; }' >>"$one"
finds symbols "libgradus.a defines 'helper'"
echo '__attribute__((visibility("default"))) int gr_shown(void) { return 1; }' >>"$one"
finds symbols "libgradus.so exports 'gr_shown'"
echo 'GRADUS_API void gradus_missing(void);' >>"$tree/include/gradus.h"
finds symbols "gradus.h declares 'gradus_missing', which libgradus.so does not export"
echo 'GRADUS_API void gradus_missing(void);' >>"$tree/include/gradus_experiments.h"
finds symbols "declares 'gradus_missing', which libgradus-experiments.so does not export"
echo 'int gr_else(void); int gr_four(void); int gr_four(void) { return gr_else(); }' \
    >"$tree/build/three.inc"
finds symbols "libgradus-experiments.so needs 'gr_else'"
echo 'int gr_count(void); int gr_count(void) { static int count; return ++count; }' >>"$one"
finds state 'in .bss'
echo 'int gr_next(void); int gr_next(void) { static int count = 4; return ++count; }' >>"$one"
finds state 'in .data'
echo 'const char *gr_word = "x";' >>"$one"
finds state 'keeps gr_word in .data.rel'
echo '_Thread_local int gr_own;' >>"$one"
finds state 'keeps gr_own in .tbss'
printf '#include <stdio.h>\n/* a\n b */ void gr_say(void) { printf("x"); }\n' >>"$one"
finds quiet 'quiet: src/base/one.c:11:'
echo '#define LEAVE exit(1)' >>"$one"
finds quiet 'exit(1)'
{
    printf 'void gr_long(void)\n{\n'
    yes ';' | head -79
    echo '}'
} >>"$one"
finds sizes 'src/base/one.c:10: a function of 81 lines'
yes ';' | head -701 >"$tree/src/base/long.h"
finds sizes 'src/base/long.h has more than 700 lines'
printf '%0101d\n' 0 >"$tree/python/wide.py"
finds sizes 'python/wide.py:1: 101 columns'
echo 'GRADUS_API int gradus_two(const char *word);' >>"$tree/include/gradus.h"
finds null_rows 'gradus_two has no row'
printf '/* Two. */\nGRADUS_API int gradus_two(void);\nGRADUS_API int gradus_three(void);\n' >>"$tree/include/gradus.h"
finds comments 'include/gradus.h:7: no comment above: GRADUS_API int gradus_three(void);'
mkdir "$tree/tests/lint"
: >"$tree/tests/lint/one.h"
finds base_names 'tests/lint/one.h has the name of src/base/one.c'
: >"$tree/cli/build.sh" && : >"$tree/tests/build.sh"
finds base_names 'tests/build.sh has the name of cli/build.sh'
: >"$tree/src/base/one.h" && : >"$tree/cli/README.md" && : >"$tree/src/README.md"
accepts base_names

# declared: in the own header, in another one, under comments that name a file, in none
two='int gr_two(int a)\n{\n    return a;\n}\n'
printf '%b' "$two" >"$tree/src/base/two_file.c"
finds declared 'src/base/two_file.c:1: gr_two is declared in no header'
printf '%b' "$two" >"$tree/src/base/two_file.c"
echo 'int gr_two(int a);' >"$tree/src/base/all.h"
finds declared 'src/base/two_file.c:1: gr_two is declared in all.h without the name of two_file.c'
printf '%b' "$two" >"$tree/src/base/two_file.c"
printf '/* two_file.c */\n\n/* Adds. other.c subtracts. */\n/* In other.c: */\nint gr_two(int a);\n' >"$tree/src/base/all.h"
finds declared 'src/base/two_file.c:1: gr_two is declared in all.h without'
printf '%b' "$two" >"$tree/src/base/two_file.c"
printf '/* In other.c and two_file.c: adds. */\n\n/* See other.c. */\nint gr_two(int a);\n' >"$tree/src/base/all.h"
accepts declared
printf '%b' "static $two" >"$tree/src/base/two_file.c"
printf '#define FAST static inline\nFAST int gr_three(int a)\n{\n    return a;\n}\n' >>"$tree/src/base/two_file.c"
accepts declared
printf '%b' "$two" >"$tree/src/base/two_file.c"
printf 'typedef int gr_number(int a);\ngr_number gr_one_more, gr_two;\n' >"$tree/src/base/two_file.h"
accepts declared

# definitions: a type, a macro and a constant with another content; templates and equal ones
printf '#define GR_A_H\ntypedef struct gr_pair {\n    int a;\n} gr_pair;\n' >"$tree/src/base/a.h"
printf '#define GR_B_H\ntypedef struct gr_pair {\n    int b;\n} gr_pair;\n' >"$tree/src/metrics/b.h"
finds definitions 'src/metrics/b.h:2: gr_pair is also src/base/a.h:2'
printf 'enum { GR_SIZE = 4 };\n' >"$tree/src/base/a.c"
printf '#define GR_SIZE 5\n' >"$tree/src/metrics/b.c"
finds definitions 'src/metrics/b.c:1: GR_SIZE is also src/base/a.c:1'
printf '#define GR_A_H\nenum { ROWS = 4 };\n' >"$tree/src/base/a.h"
printf '#define GR_B_H\nenum { ROWS = 5 };\n' >"$tree/src/metrics/b.h"
finds definitions 'src/metrics/b.h:2: ROWS is also src/base/a.h:2'
printf '#define GR_ROW(x) &x,\n#undef GR_ROW\nenum { ROWS = 4 };\n#define GR_SAME 1 /* a */\n' >"$tree/src/base/a.c"
printf '#define GR_ROW(x) #x,\n#undef GR_ROW\nenum { ROWS = 5 };\n#define GR_SAME 1\n' >"$tree/src/metrics/b.c"
printf '#define GR_WIDE 2\n' >"$tree/src/base/a_body.h"
printf '#define GR_WIDE 3\n' >"$tree/src/base/b_body.h"
accepts definitions

# heads and format, in a tree that both accept
make_heads_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{src,tests}
    cp "$lint/../../.clang-format" "$tree"
    printf '/* SPDX-License-Identifier: Apache-2.0 */\n/* Adds. */\nint gr_one(int a, int b);\n' >"$tree/src/one.c"
    printf '/* SPDX-License-Identifier: Apache-2.0 */\nint gr_one(int a, int b);\n' >"$tree/src/one.h"
    printf '#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\n' >"$tree/tests/run.sh"
    chmod +x "$tree/tests/run.sh"
}
finds_line() { # LINT WHAT: what the lint must say of the tree; makes the tree again
    local said status=0
    said=$("$lint/$1.sh" "$tree" "$tree/build") || status=$?
    [[ $status -eq 77 ]] || { [[ $status -eq 1 ]] && grep -qF -- "$2" <<<"$said"; } ||
        { echo "selftest: $1 does not say '$2' but '$said'"; bad=1; }
    make_heads_tree
}
make_heads_tree
for name in heads format nolint; do
    "$lint/$name.sh" "$tree" "$tree/build" >"$tree/said" || [[ $? -eq 77 ]] ||
        { echo "selftest: $name complains of a clean tree: $(cat "$tree/said")"; bad=1; }
done
echo 'int gr_two(void);' >"$tree/src/two.h"
finds_line heads 'src/two.h has no SPDX line'
printf '/* SPDX-License-Identifier: Apache-2.0 */\n#include <math.h>\n' >"$tree/src/two.c"
finds_line heads 'src/two.c has no comment after the SPDX line'
mkdir "$tree/python"
printf '# SPDX-License-Identifier: Apache-2.0\nimport gradus\n' >"$tree/python/two.py"
finds_line heads 'python/two.py has no docstring after the SPDX line'
printf '#!/bin/bash\n# SPDX-License-Identifier: MIT\n' >"$tree/tests/run.sh"
finds_line heads 'tests/run.sh has no SPDX line'
chmod -x "$tree/tests/run.sh"
finds_line heads 'tests/run.sh begins with #! and is not executable'
printf 'int gr_two(void);\nint  gr_three( void );\n' >>"$tree/src/one.c"
finds_line format 'format: src/one.c:5: run clang-format'
printf 'int gr_two(void); /* NOLINT */\n' >>"$tree/src/one.c"
finds_line nolint 'nolint: src/one.c:4:int gr_two'
printf '/* NOLINTNEXTLINE(bugprone-branch-clone) */\nint gr_two(void);\n' >>"$tree/src/one.c"
finds_line nolint 'nolint: src/one.c:4:'
printf 'int gr_two(void); /* NOLINT(bugprone-branch-clone): both are right */\n' >>"$tree/src/one.c"
"$lint/nolint.sh" "$tree" "$tree/build" || { echo "selftest: nolint refuses a reason"; bad=1; }

# phrases: every sentence marked + is found in a page, and so is every phrase; none marked -
rm -rf "${tree:?}"/*
mkdir -p "$tree"/{docs,src,tests/lint}
sed -n 's/^+ //p' "$lint/phrases-examples.txt" >"$tree/docs/page.md"
found=$("$lint/phrases.sh" "$tree" "$tree/build")
for ((line = 1; line <= $(wc -l <"$tree/docs/page.md"); line++)); do
    grep -qF "phrases: docs/page.md:$line: " <<<"$found" ||
        { echo "selftest: phrases does not find: $(sed -n "${line}p" "$tree/docs/page.md")"; bad=1; }
done
unused=$("$lint/phrases.sh" --count "$tree" | sed -n 's/^ *0  //p')
[[ -z $unused ]] || { echo "selftest: no example in phrases-examples.txt for: $unused"; bad=1; }
sed -n 's/^- //p' "$lint/phrases-examples.txt" >"$tree/docs/page.md"
"$lint/phrases.sh" "$tree" "$tree/build" || { echo "selftest: phrases complains of plain English"; bad=1; }

# phrases in C: across lines of a comment and parts of a string; not in code
says() { # WHAT [FILE TEXT]: phrases must say WHAT of that file
    local said
    [[ $# -eq 1 ]] || printf '%b' "$3" >"$tree/$2"
    said=$("$lint/phrases.sh" "$tree" "$tree/build") && { echo "selftest: phrases accepts: $1"; bad=1; }
    grep -qF -- "$1" <<<"$said" || { echo "selftest: phrases does not say '$1' but '$said'"; bad=1; }
}
allow=$tree/tests/lint/phrases-allow.txt
says "src/a.c:2: 'in force'" src/a.c '/* The options\n * in\n * force. */\nint in_vain, ours, theirs;\n'
echo 'src/a.c: in force: a term of law' >"$allow"
"$lint/phrases.sh" "$tree" "$tree/build" || { echo "selftest: phrases ignores its exceptions"; bad=1; }
says "src/a.c:1: 'in force'" src/a.c 'const char *a = "options in "\n    "force"; /* in force */\n'
printf '/* nothing */\n' >"$tree/src/a.c"
says "phrases-allow.txt:1: 'in force' is not in src/a.c"
echo 'README.md: in force: because' >"$allow"
says 'README.md has no exceptions'
echo 'src/a.c in force' >"$allow"
says "expected 'file: phrase: reason'"
for ((i = 0; i < 61; i++)); do echo "src/a.c: phrase $i: because"; done >"$allow"
says 'has 61 entries, more than 60'
exit $bad
