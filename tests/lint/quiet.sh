#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The libraries do not print, exit, read the environment or depend on the locale.
# usage: quiet.sh SOURCE BUILD
set -u
source=$1
calls='v?f?printf|dprintf|f?puts|f?putc|putchar|perror|_?exit|_Exit|quick_exit|abort|raise|signal'
calls+='|sigaction|atexit|getenv|secure_getenv|setenv|putenv|setlocale|localeconv|umask|s?rand|random'
calls+='|srandom|drand48|strto[df]|strtold|ato[fil]|f?scanf|sscanf|localtime|strtok|system|popen|lgamma'
found=$(
    find "$source/src" "$source/experiments" -name '*.[ch]' -o -name '*.def' | sort | while read -r file; do
        # strips comments and strings, keeping line numbers
        perl -0777 -pe '
            s{("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*}{
                my $text = $&; defined $1 ? "\"\"" : ($text =~ tr/\n//cdr) }gse;
            s/format\(printf/format(/g' "$file" |
            grep -nE "(^|[^A-Za-z0-9_.>])((stderr|stdout|stdin)\b|($calls)[[:space:]]*\()" | sed "s|^|quiet: ${file#"$source"/}:|"
    done
)
[[ -z $found ]] && exit 0
echo "$found"
exit 1
