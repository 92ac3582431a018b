# SPDX-License-Identifier: Apache-2.0
# The commands of README.md print what it shows.
load common

@test "the tour of the README, word for word" {
    mkdir bin
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$GRADUS" > bin/gradus
    chmod +x bin/gradus
    export PATH=$PWD/bin:$PATH
    awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$SOURCE/README.md" > wanted
    [ "$(grep -c '^\$ ' wanted)" -gt 5 ]
    sed -i -E 's/^(time|speed|memory)  .*/\1/' wanted # they depend on the machine
    grep '^\$ ' wanted | while IFS= read -r line; do
        printf '%s\n' "$line"
        bash -c "${line#\$ }" 2>&1
    done | sed -E 's/^(time|speed|memory)  .*/\1/' > found
    diff wanted found
}

@test "the C program of the README" {
    command -v cc > /dev/null || skip "no compiler"
    build=$(dirname "$GRADUS")
    nm "$build/libgradus.a" 2> /dev/null | grep -q -E "__(asan|tsan|gcov)_" && skip "an instrumented library"
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$SOURCE/README.md" > example.c
    cc -I "$SOURCE/include" example.c "$build/libgradus.a" -lz -lzstd -lm -lpthread -o example
    [ "$(./example)" = "NDCG@10 1.0000" ]
}
