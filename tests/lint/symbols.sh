#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The names that the library exports: gradus_* and gr_* in the static one, gradus_* in the shared
# one, and everything that the public headers declare.
# usage: symbols.sh SOURCE BUILD
set -u
source=$1
build=$2
bad=0
# added by sanitizers and coverage
made_by_tools='^(__odr_asan|__asan|__ubsan|__tsan|__gcov|__llvm|_init$|_fini$|__bss_start$|_edata$|_end$)'

complain() {
    echo "symbols: $1"
    bad=1
}

names() { # nm options and file: defined global names
    nm --defined-only "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -vE "$made_by_tools" |
        sort -u
}

[[ -e $build/libgradus.a && -e $build/libgradus.so ]] || complain "no library in $build"
while read -r name; do
    complain "libgradus.a defines '$name'"
done < <(names -g "$build/libgradus.a" | grep -vE '^(gradus|gr)_')
while read -r name; do
    complain "libgradus.so exports '$name'"
done < <(names -D "$build/libgradus.so" | grep -v '^gradus_')

exported=$(names -D "$build/libgradus.so")
while read -r name; do
    grep -qx "$name" <<<"$exported" || complain "a public header declares '$name', which is not defined"
done < <(cat "$source"/include/*.h | tr '\n' ' ' | grep -oE 'GRADUS_API [^;(]*\(' |
    grep -oE 'gradus_[a-z0-9_]+ *\($' | tr -d ' (')
exit $bad
