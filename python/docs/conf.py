# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx for the documentation of the Python package; scripts/docs.sh runs it."""
import re

import gradus

project = "gradus"
author = "the authors of gradus"
version = release = gradus.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "nbsphinx",
              "sphinx_copybutton", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = f"gradus {release}"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
exclude_patterns = ["**/.ipynb_checkpoints"]
nbsphinx_execute = "never"  # scripts/docs.sh has executed the notebook
nbsphinx_prompt_width = "0"
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc shows the types of the docstrings
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
python_use_unqualified_type_names = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
default_role = "py:obj"
nitpicky = False
suppress_warnings = ["ref.python"]


def escape_texts(app, what, name, obj, options, lines):
    """Texts of options are plain: 'A|B' is no substitution, and 'lambda_' no link."""
    for i, line in enumerate(lines):
        if "``" not in line:
            line = line.replace("|", "\\|")
            lines[i] = re.sub(r"(?<=\w)_(?!\w)", r"\\_", line) if line.startswith("    ") else line


def setup(app):
    """Connects the hook before that of numpydoc."""
    app.connect("autodoc-process-docstring", escape_texts, priority=100)
