#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lists what the C files of a tree contain at the top level (c_items.awk), headers first.
# usage: c_items.sh SOURCE
set -u
here=$(dirname "$(realpath "$0")")
cd "$1" || exit 1
folders=()
for folder in include src cli experiments python/src server plugins tests/support; do
    [[ -d $folder ]] && folders+=("$folder")
done
for ending in h c; do
    find "${folders[@]}" -name "*.$ending" | LC_ALL=C sort
done | xargs -d '\n' awk -f "$here/c_items.awk"
