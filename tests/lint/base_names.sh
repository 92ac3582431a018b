#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# File names are unique in the tree: no two source files in different folders have the same name, and
# no two C files (.c, .h, .def) the same name up to the ending. README.md, CMakeLists.txt, and the
# files of tests/fixtures and tests/fuzz/corpus are exempt.
# usage: base_names.sh SOURCE BUILD
set -u
cd "$1" || exit 1
shopt -s lastpipe
bad=0
find include src cli web tests bench scripts cmake docs python server plugins experiments examples \
    -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.cmake' -o -name '*.sh' -o -name '*.py' -o -name '*.R' \
    -o -name '*.js' -o -name '*.mjs' -o -name '*.css' -o -name '*.bats' -o -name '*.bash' -o -name '*.cu' \) \
    ! -path 'tests/fixtures/*' ! -path 'tests/fuzz/corpus/*' ! -path '*/node_modules/*' 2>/dev/null | LC_ALL=C sort |
    awk '{
        folder = $0
        sub(/[^\/]*$/, "", folder)
        name = substr($0, length(folder) + 1)
        key = name
        if (name ~ /\.(c|h|def)$/) {
            sub(/\.[a-z]+$/, "", key)
            key = key ".c"
        }
        if (!(key in first)) {
            first[key] = folder
            path[key] = $0
        } else if (first[key] != folder)
            print "base_names: " $0 " has the name of " path[key]
    }' | while read -r line; do
    echo "$line"
    bad=1
done
exit $bad
