# SPDX-License-Identifier: Apache-2.0
# Every command that README.md and docs/**/*.md show is run, each page in a directory of its own.
#
# docs_examples.sh describes the rules: ```console blocks are compared word for word, ```sh blocks
# must succeed, and a command that cannot run in a test belongs in a ```text block. When output has
# changed on purpose, this rewrites the console blocks in place, and git diff shows what changed:
#
#     UPDATE=1 SOURCE=$PWD GRADUS=$PWD/build/release/gradus bats tests/cli/docs_examples.bats
#
# To run or update some of the pages: PAGES='README.md docs/tutorial.md'.
load common

put_on_path() {
    mkdir bin
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$GRADUS" > bin/gradus
    chmod +x bin/gradus
    export PATH=$PWD/bin:$PATH
}

list_pages() {
    (cd "$SOURCE" && find ${PAGES-README.md docs} -name "*.md" | LC_ALL=C sort)
}

# run_page PAGE: runs its examples in a new directory; what failed is left in FOLDER.log.
run_page() {
    local folder=${1//\//-}
    mkdir "$folder"
    (cd "$folder" && bash "$SOURCE/tests/cli/docs_examples.sh" "$SOURCE/$1") > "$folder.log" 2>&1 ||
        touch "$folder.failed"
}

@test "every command in README.md and docs/" {
    put_on_path
    export SOURCE
    export -f run_page
    list_pages > pages
    [ "$(wc -l < pages)" -gt 0 ]
    xargs -P "$(nproc)" -I '{}' bash -c 'run_page {}' < pages
    cat ./*.log
    [ -z "$(find . -maxdepth 1 -name '*.failed')" ]
}

@test "README.md shows commands with their output" {
    [ "$(grep -c '^\$ gradus ' "$SOURCE/README.md")" -ge 6 ]
}

# A ```c block with a main function is a program; it must compile and succeed.
@test "every C program in README.md and docs/" {
    command -v cc > /dev/null || skip "no compiler"
    build=$(dirname "$GRADUS")
    nm "$build/libgradus.a" 2> /dev/null | grep -q -E "__(asan|tsan|gcov)_" && skip "an instrumented library"
    count=0
    for page in $(list_pages); do
        rm -f block-*.c
        awk '/^```c$/ { inside = 1; n++; next } /^```$/ { inside = 0 } inside { print > ("block-" n ".c") }' \
            "$SOURCE/$page"
        for program in block-*.c; do
            grep -qs '^int main(' "$program" || continue
            echo "$page: $program"
            cc -std=c17 -Wall -Wextra -I "$SOURCE/include" "$program" "$build/libgradus.a" -lz -lzstd -lm -lpthread -o program
            ./program
            count=$((count + 1))
        done
    done
    [ -n "${PAGES-}" ] || [ "$count" -ge 1 ]
}
