# SPDX-License-Identifier: Apache-2.0
"""Small data and quick settings of every method, for the tests of the estimators."""
from __future__ import annotations

from functools import lru_cache
from typing import Any

import gradus

# options with which a method trains in well under a second
QUICK: dict[str, dict[str, Any]] = {
    "lambdamart": {"rounds": 5}, "regression": {"rounds": 5}, "cocr": {"rounds": 3},
    "mcrank": {"rounds": 3}, "mcrank-ordinal": {"rounds": 3}, "propodds": {"rounds": 5},
    "orboost": {"rounds": 5}, "svor-imc": {}, "svor-exc": {}, "svor-sl": {},
    "crr": {"steps": 2000, "rounds": 4}, "ranksvm": {"steps": 2000, "rounds": 4}, "ranknet": {"rounds": 3},
    "lambdarank": {"rounds": 3}, "listnet": {"rounds": 3}, "listmle": {"rounds": 3},
    "netreg": {"rounds": 3}, "adaboost-mh": {"rounds": 5},
    "calibrated": {"rounds": 6, "leaves_grid": [2, 3], "terms_grid": [1], "rounds_grid": [4]},
    "pairrank": {"rounds": 5}, "rankboost": {"rounds": 5}, "adarank-map": {"rounds": 5},
    "adarank-ndcg": {"rounds": 5}, "coordinate-ascent": {"restarts": 1, "rounds": 2},
}


@lru_cache(maxsize=None)
def web(queries: int = 20, seed: int = 1) -> gradus.Dataset:
    """Return about 300 rows of 136 features with grades 0 to 4."""
    return gradus.synth.web(queries=queries, documents=15, seed=seed)


def arrays(queries: int = 20, seed: int = 1) -> tuple[Any, Any, Any]:
    """Return the same as X, y, qid."""
    data = web(queries, seed)
    return data.X.copy(), data.labels.copy(), data.qid.copy()
