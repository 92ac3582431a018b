# SPDX-License-Identifier: Apache-2.0
# gradus version as text and JSON.
load common

@test "gradus --version is one line" {
    gradus --version > out
    [ "$(wc -l < out)" -eq 1 ]
    grep -qE '^gradus [0-9]+\.[0-9]+\.[0-9]+$' out
}

@test "gradus version: version, compiler, processor, kernels and parts" {
    gradus version > out
    [ "$(head -1 out)" = "$(gradus --version)" ]
    grep -qE '^compiler     (gcc|clang) [0-9]+' out
    grep -qE '^kernels      (avx512|avx2|baseline)$' out
    grep -qE '^zlib         [0-9.]+' out
    grep -qE '^zstd         [0-9.]+' out
    grep -qE '^charts +(not )?built$' out
    for part in python server; do
        grep -qE "^$part +not built$" out
    done
    grep -qE "^cuda +(not )?built$" out # plug-ins: device.bats has both cases
    grep -qE "^mpi +(not built|built: (openmpi|mpich|openmpi, mpich))$" out
}

@test "gradus version --json has the same" {
    gradus version --json > out.json
    gradus version > out
    [ "gradus $(jq -r .version out.json)" = "$(head -1 out)" ]
    [ "compiler     $(jq -r .compiler out.json)" = "$(grep '^compiler ' out)" ]
    [ "kernels      $(jq -r .kernels out.json)" = "$(grep '^kernels ' out)" ]
    [ "$(jq -r '.architecture, (.cpu_features | to_entries[] | select(.value) | .key)' out.json | xargs)" \
        = "$(sed -n 's/^processor *//p' out)" ]
    for kind in openmpi mpich; do
        built=false
        [ ! -e "$(dirname "$GRADUS")/libgradus-mpi-$kind.so" ] || built=true
        [ "$(jq .mpi.$kind out.json)" = $built ]
        [ "$(grep -c "^mpi .*$kind" out)" -eq "$([ $built = true ] && echo 1 || echo 0)" ]
    done
    [ "$(jq -r '.parts[] | select(.name == "zlib") | .built' out.json)" = true ]
    [ "$(jq -r '.parts[] | select(.name == "charts") | .built' out.json)" = "$(sed -n 's/^charts *built$/true/p;
        s/^charts *not built$/false/p' out)" ]
}

@test "the commit is that of the sources, if they are in a git repository" {
    gradus version > out
    gradus version --json > out.json
    mkdir made repository
    run_commit() {
        cmake -D source="$PWD/$1" -D output="$PWD/made/commit.c" -P "$SOURCE/cmake/commit.cmake"
    }
    if grep -q '^commit ' out; then
        grep -qE '^commit       [0-9a-f]{10,}(-dirty)?$' out
        [ "commit       $(jq -r .commit out.json)" = "$(grep '^commit ' out)" ]
    else
        jq -e 'has("commit") | not' out.json
    fi
    run_commit repository # no git repository
    grep -qx '    return "";' made/commit.c
    git -C repository init -q
    git -C repository -c user.name=n -c user.email=n@example.org commit -q --allow-empty -m first
    run_commit repository
    grep -qx "    return \"$(git -C repository rev-parse --short=10 HEAD)\";" made/commit.c
    touch -d 2020-01-01 made/commit.c # the same again: left alone, so that nothing is compiled
    run_commit repository
    [ "$(stat -c %Y made/commit.c)" = "$(date -d 2020-01-01 +%s)" ]
}

@test "gradus version takes no arguments" {
    refuses 2 "gradus version takes no arguments, found 'x'" gradus version x
}
