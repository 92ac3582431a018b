# SPDX-License-Identifier: Apache-2.0
"""Options of the library's operations from keyword arguments."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._parameters import option_value


def operation_options(operation: str, given: Mapping[str, Any]) -> dict[str, object]:
    """Return keyword arguments as options: numbers as text where the library expects text
    (``sided=1``), lists comma-separated, None left out. Names and values are checked.

    Parameters
    ----------
    operation : str
        The operation, such as "evaluate".
    given : mapping
        Values by name, with '_' or '-'; 'lambda_' is 'lambda'.
    """
    options: dict[str, object] = {}
    for key, value in given.items():
        if value is None:
            continue
        name = key.rstrip("_").replace("_", "-")
        param = _core.param_find(operation, name)
        if param is not None and param["kind"] in ("choice", "text"):
            value = _as_text(value)
        options[name] = value.item() if isinstance(value, np.generic) else value
    _core.check_options(operation, options)
    return options


def _as_text(value: Any) -> object:
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return _core.number_text(float(value)) if not float(value).is_integer() else str(int(value))
    return option_value(value)
