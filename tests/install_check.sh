#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/install_check.sh BUILD [COMPILER]
#
# Installs a release build into a temporary folder and uses it as an outside project would: the
# command, its manual pages, completion and documentation, pkg-config with the shared and with the
# static libraries, and find_package with both.
set -euo pipefail

build=$1
compiler=${2:-cc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    printf 'install: %s\n' "$*" >&2
    exit 1
}

# Each program prints the version of the library it is linked with.
expect_version() {
    local found
    found=$("$@") || fail "$* ended with status $?"
    [[ $found == *"$version"* ]] || fail "$* printed '$found', not $version"
}

DESTDIR=$folder/stage cmake --install "$build" --prefix /opt/gradus >log || fail "$(cat log)"
prefix=$folder/stage/opt/gradus
package=$(find "$prefix" -name gradus.pc)
lib=$(dirname "$(dirname "$package")")
version=$(sed -n 's/.*GRADUS_VERSION "\(.*\)".*/\1/p' "$prefix/include/gradus.h")
[ -n "$version" ] || fail "no version in gradus.h"
for file in bin/gradus include/gradus.h include/gradus/models.h include/gradus_experiments.h; do
    [ -f "$prefix/$file" ] || fail "$file is not installed"
done
for file in LICENSE README.md CHANGELOG.md docs/README.md docs/reference/commands.md docs/methods/cocr.md; do
    [ -s "$prefix/share/doc/gradus/$file" ] || fail "share/doc/gradus/$file is not installed"
done
expect_version "$prefix/bin/gradus" --version

# The soname changes with every version that may change the interface: CONTRIBUTING.md.
case $version in
0.*) interface=${version%.*} ;;
*) interface=${version%%.*} ;;
esac
for library in libgradus libgradus-experiments; do
    # The shared libraries export only public names.
    foreign=$(nm -D --defined-only "$lib/$library.so" | awk '$3 !~ /^gradus_/ { print $3 }')
    [ -z "$foreign" ] || fail "$library.so shows other names: $foreign"
    soname=$library.so.$interface
    readelf -d "$lib/$library.so" | grep SONAME | grep -F "[$soname]" >/dev/null ||
        fail "the soname of $library.so is not $soname"
    [ -f "$lib/$library.so.$version" ] || fail "$library.so.$version is not installed"
done

# Installed executables have neither symbols nor debug information; the static libraries have their
# symbols.
for file in "$prefix/bin/gradus" "$lib/libgradus.so" "$lib/libgradus-experiments.so"; do
    extra=$(readelf -SW "$file" | awk '$2 ~ /^\.(symtab|debug)/ || $3 ~ /^\.(symtab|debug)/')
    [ -z "$extra" ] || fail "$file is not stripped: it has $extra"
done
nm --defined-only "$lib/libgradus.a" 2>/dev/null | grep ' T gradus_version$' >/dev/null ||
    fail "libgradus.a has lost its symbols"
nm --defined-only "$lib/libgradus-experiments.a" 2>/dev/null | grep ' T gradus_tune$' >/dev/null ||
    fail "libgradus-experiments.a has lost its symbols"

# The pages are generated from the command's tables; an empty one is a bug in the tables.
if [ -d "$build/pages" ]; then
    for page in man/man1/gradus.1 man/man1/gradus-train.1 bash-completion/completions/gradus; do
        [ -s "$prefix/share/$page" ] || fail "share/$page is missing or empty"
    done
    [ -z "$(find "$prefix/share" -type f -empty)" ] || fail "a page is empty"
    bash -n "$prefix/share/bash-completion/completions/gradus"
fi

cat >use.c <<'END'
#include <gradus.h>
#include <stdio.h>
int main(void)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(2, &err);
    if (!context)
        return 1;
    gradus_context_free(context);
    return puts(gradus_version()) < 0;
}
END

# The same for the experiments: tunes two settings on generated data.
cat >cmd_tune.c <<'END'
#include <gradus_experiments.h>
#include <stdio.h>
int main(void)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *web = gradus_options_new("synth web", &err);
    gradus_options *search = gradus_options_new("tune", &err);
    if (gradus_options_set_number(web, "queries", 12, &err) != GRADUS_OK ||
        gradus_options_set(search, "space", "leaves=4|8, rounds=2", &err) != GRADUS_OK ||
        gradus_options_set(search, "budget", "2", &err) != GRADUS_OK ||
        gradus_options_set_number(search, "folds", 3, &err) != GRADUS_OK)
        return 1;
    const gradus_tuning_input input = { .train = gradus_synth(NULL, web, &err) };
    gradus_tuning *tuning = gradus_tune(NULL, &input, search, &err);
    gradus_trial trial;
    if (!tuning || !gradus_tuning_trial_at(tuning, 1, &trial)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    gradus_tuning_free(tuning);
    return puts(gradus_version()) < 0;
}
END

# The output of pkg-config must be split into words.
# shellcheck disable=SC2046
{
    export PKG_CONFIG_PATH=$lib/pkgconfig
    "$compiler" use.c -o with-shared $(pkg-config --cflags --libs gradus)
    "$compiler" use.c -o with-static -static $(pkg-config --static --cflags --libs gradus)
    "$compiler" cmd_tune.c -o tune-shared $(pkg-config --cflags --libs gradus-experiments)
    "$compiler" cmd_tune.c -o tune-static -static \
        $(pkg-config --static --cflags --libs gradus-experiments)
}
expect_version env LD_LIBRARY_PATH="$lib" ./with-shared
expect_version ./with-static
expect_version env LD_LIBRARY_PATH="$lib" ./tune-shared
expect_version ./tune-static

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(use C)
find_package(gradus @minor@ REQUIRED COMPONENTS shared static)
foreach(form gradus shared static)
  add_executable(by-${form} use.c)
  target_link_libraries(by-${form} PRIVATE gradus::${form})
endforeach()
foreach(form experiments experiments_static)
  add_executable(by-${form} cmd_tune.c)
  target_link_libraries(by-${form} PRIVATE gradus::${form})
endforeach()
END
sed -i "s/@minor@/${version%.*}/" CMakeLists.txt
cmake -G Ninja -B cmake -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 ||
    fail "$(cat log)"
cmake --build cmake >log 2>&1 || fail "$(cat log)"
for form in gradus shared static experiments experiments_static; do
    expect_version "cmake/by-$form"
done
echo "install: command, pkg-config (shared, static) and find_package (shared, static) work"
