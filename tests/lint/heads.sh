#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every source file begins with the SPDX line (after #! if there is one), and every .c file has,
# directly after it a comment that says what the file is for; a Python module has a docstring. Files
# that begin with #! are executable.
# usage: heads.sh SOURCE BUILD
set -u
cd "$1" || exit 1
found=$(
    find include src experiments cli server python web tests bench scripts cmake CMakeLists.txt .ci -type f \( -name '*.[ch]' -o -name '*.def' \
        -o -name '*.js' -o -name '*.css' -o -name '*.sh' -o -name '*.py' -o -name '*.pyi' -o -name '*.toml' -o -name '*.R' \
        -o -name '*.bats' -o -name '*.bash' -o -name '*.cmake' -o -name CMakeLists.txt -o -path .ci/run \) \
        ! -path '*/corpus/*' 2>/dev/null | sort |
        while read -r file; do
            [[ -x $file || $(head -c 2 "$file" | tr -d '\0') != '#!' ]] || echo "heads: $file begins with #! and is not executable"
            awk -v file="$file" '
                NR == 1 && /^#!/ { offset = 1; next }
                NR == 1 + offset && !/SPDX-License-Identifier: Apache-2\.0/ {
                    print "heads: " file " has no SPDX line at its head"
                    exit
                }
                NR == 2 + offset {
                    if (file ~ /\.c$/ && !/^\/[*\/]/)
                        print "heads: " file " has no comment after the SPDX line"
                    if (file ~ /^python\/.*\.pyi?$/ && !/^"""[^ ]/)
                        print "heads: " file " has no docstring after the SPDX line"
                    exit
                }
                END { if (NR == 0) print "heads: " file " is empty" }' "$file"
        done
)
[[ -z $found ]] && exit 0
echo "$found"
exit 1
