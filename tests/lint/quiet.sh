#!/bin/bash
# Below the command nothing prints, ends the program, reads the environment or depends on the locale.
# usage: quiet.sh SOURCE BUILD
set -u
source=$1
words='v?f?printf|dprintf|f?puts|f?putc|putchar|perror|stderr|stdout|stdin|_?exit|_Exit|quick_exit'
words+='|abort|raise|signal|sigaction|atexit|getenv|secure_getenv|setenv|putenv|setlocale|localeconv'
words+='|umask|s?rand|random|srandom|drand48|strto[df]|strtold|ato[fil]|f?scanf|sscanf|localtime'
words+='|strtok|system|popen|lgamma'
found=$(
    find "$source/src" -name '*.[ch]' -o -name '*.def' | sort | while read -r file; do
        # without comments and strings, line numbers kept
        perl -0777 -pe '
            s{("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*}{
                my $text = $&; defined $1 ? "\"\"" : ($text =~ tr/\n//cdr) }gse;
            s/format\(printf/format(/g' "$file" |
            grep -nE "(^|[^A-Za-z0-9_.>])($words)\b" | sed "s|^|quiet: ${file#"$source"/}:|"
    done
)
[[ -z $found ]] && exit 0
echo "$found"
exit 1
