# SPDX-License-Identifier: Apache-2.0
"""What the tests of the C extension share: small data, training to the end, and the command."""
import os
import subprocess

import numpy as np
import pytest

from gradus import _core


def web(queries=12, first=1, **options):
    """Generated data with graded labels."""
    return _core.Dataset.synth("web", {"queries": queries, "documents": 20, "first-query": first,
                                       **options})


def copy_arrays(data, **replaced):
    """A dataset over numpy copies of the arrays of dense data; returns it with its labels."""
    values = np.array(data.array("values"))
    labels = np.array(data.array("labels"))
    arrays = {"rows": data.rows, "features": data.features, "labels": labels, "values": values,
              "query_starts": np.array(data.array("query_starts")), **replaced}
    return _core.Dataset.from_arrays(**arrays), arrays["labels"]


def run(training):
    """Trains to the end and returns the model."""
    while not training.step():
        pass
    return training.finish()


def train(data, valid=None, options=None, **named):
    return run(_core.Training(data, valid, options, **named))


def scores_of(model, data):
    scores = np.empty(data.rows)
    model.score(data, scores)
    return scores


def command(*words):
    """Runs the command, whose path is in the variable GRADUS; skips the test without it."""
    path = os.environ.get("GRADUS")
    if not path:
        pytest.skip("the environment variable GRADUS does not name the command gradus")
    done = subprocess.run([path, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def resident_megabytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def grows(function, times, warm=3):
    """Megabytes by which the process grows when a function is called repeatedly."""
    for _ in range(warm):
        function()
    before = resident_megabytes()
    for _ in range(times):
        function()
    return resident_megabytes() - before
