#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The names that each library exports: gradus_* and gr_* in the static one, gradus_* in the shared
# one, and there exactly the functions that its public header declares. A shared library that needs
# a gr_* of another one cannot be loaded.
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

names() { # nm options and file: global names
    nm "$@" 2>/dev/null | awk 'NF > 1 { print $NF }' | grep -vE "$made_by_tools" | sort -u
}

declared() { # header, with the parts that it includes
    local parts
    readarray -t parts < <(sed -n 's|^#include "\(gradus/.*\)"|include/\1|p' "$source/$1")
    (cd "$source" && cat "$1" "${parts[@]}") | tr '\n' ' ' | grep -oE 'GRADUS_API [^;(]*\(' | grep -oE 'gradus_[a-z0-9_]+ *\($' |
        tr -d ' (' | sort -u
}

check() { # library, header
    [[ -e $build/$1.a && -e $build/$1.so ]] || complain "no $1 in $build"
    while read -r name; do
        complain "$1.a defines '$name'"
    done < <(names --defined-only -g "$build/$1.a" | grep -vE '^(gradus|gr)_')
    while read -r name; do
        complain "$1.so exports '$name', which $2 does not declare"
    done < <(comm -23 <(names --defined-only -D "$build/$1.so") <(declared "include/$2"))
    while read -r name; do
        complain "$2 declares '$name', which $1.so does not export"
    done < <(comm -13 <(names --defined-only -D "$build/$1.so") <(declared "include/$2"))
    while read -r name; do
        complain "$1.so needs '$name', which no library exports"
    done < <(names --undefined-only -D "$build/$1.so" | grep '^gr_')
}

check libgradus gradus.h
check libgradus-experiments gradus_experiments.h
exit $bad
