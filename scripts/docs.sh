#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/docs.sh
#
# Installs the packages needed (Debian; with sudo if necessary), builds the Python package, executes the
# tutorial notebook, and builds the documentation site of the package: build/docs/index.html.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

no_arguments "${1-}"
need_packages "${build_packages[@]}" "${docs_packages[@]}"
say "building the Python package"
release_options=(-DGRADUS_PYTHON=ON)
build_release

source=$root/build/docs-source
export PYTHONPATH=$root/build/release/python PYTHONDONTWRITEBYTECODE=1
rm -rf "$source" "$root/build/docs"
cp -r "$root/python/docs" "$source"
/usr/bin/python3 "$source/make_reference.py" "$source"

# The kernel is this Python, whichever kernels are installed.
say "executing the tutorial"
kernels=$source/jupyter/kernels/python3
mkdir -p "$kernels"
printf '{"argv": ["/usr/bin/python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"],\n"%s": "Python 3", "language": "python"}\n' display_name >"$kernels/kernel.json"
(
    cd "$source"
    JUPYTER_PATH=$source/jupyter PYDEVD_DISABLE_FILE_VALIDATION=1 /usr/bin/python3 -m nbconvert --to notebook --execute \
        --ExecutePreprocessor.timeout=300 --log-level WARN --output-dir . \
        --output tutorial.ipynb "$root/python/examples/tutorial.ipynb"
)
rm -rf "$source/jupyter"

say "building the pages"
/usr/bin/python3 -m sphinx -q -W --keep-going -b html -d "$root/build/docs-cache" "$source" \
    "$root/build/docs"
say "built: $root/build/docs/index.html"
