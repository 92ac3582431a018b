# SPDX-License-Identifier: Apache-2.0
"""Ranker(comm=...) under mpirun: all processes get the bytes of a single process."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py")
LAUNCHER = shutil.which("mpirun.openmpi")
PROGRAM = """
import sys
from mpi4py import MPI
import gradus
comm = MPI.COMM_WORLD
train = gradus.synth.web(queries=30)
valid = gradus.synth.web(queries=10, seed=5)
for method, more in (("lambdamart", {}), ("mcrank", {"row_fraction": 0.7}),
                     ("regression", {"learner": "linear"})):
    given = dict(more) if "learner" in more else {"rounds": 6, **more}
    alone = gradus.Ranker(method, threads=1, **given).fit(train, eval_set=valid)
    shared = gradus.Ranker(method, threads=1, comm=comm, **given).fit(train, eval_set=valid)
    assert alone.model_.to_bytes() == shared.model_.to_bytes(), method
    assert gradus.Ranker(method, threads=1, **given).fit(train).model_ is not None
try:
    gradus.Ranker("ranksvm", comm=comm).fit(train)
except gradus.ArgumentError as error:
    assert "cannot be trained on several processes" in str(error)
else:
    raise AssertionError("ranksvm was trained")
print("done")
"""

PIECES = """
from mpi4py import MPI
import gradus
from gradus._collectives import Collectives
calls = []
MOST = 1000
class Counted(MPI.Intracomm):
    def noted(self, name, items):
        assert items <= MOST, (name, items)
        calls.append(name)
    def Allreduce(self, place, array, how):
        self.noted("sum", array[1])
        return super().Allreduce(place, array, how)
    def Bcast(self, array, source):
        self.noted("copy", len(array[0]))
        return super().Bcast(array, source)
    def Reduce_scatter(self, array, own, counts, how):
        self.noted("parts", sum(counts))
        return super().Reduce_scatter(array, own, counts, how)
    def Allgatherv(self, own, everything):
        self.noted("gather", sum(everything[1]))
        return super().Allgatherv(own, everything)
comm = Counted(MPI.COMM_WORLD)
train = gradus.synth.web(queries=30)
alone = gradus.Ranker("lambdamart", threads=1, rounds=4).fit(train)
Collectives.most = MOST
shared = gradus.Ranker("lambdamart", threads=1, rounds=4, comm=comm).fit(train)
assert alone.model_.to_bytes() == shared.model_.to_bytes()
assert calls.count("sum") > 100 and calls.count("copy") > 10 and "gather" in calls, calls
print("done")
"""
OTHERS = """
from mpi4py import MPI
import gradus
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
train = gradus.synth.web(queries=30)
for rounds, data, why in (
        (4 + rank, train, "rank 1 has 'rounds' 5, but rank 0 has 'rounds' 4"),
        (4, gradus.synth.web(queries=30 + rank), "rank 1 has training data of ")):
    try:
        gradus.Ranker("regression", comm=comm, rounds=rounds).fit(data)
    except gradus.ArgumentError as error:
        assert why in str(error), error
    else:
        raise AssertionError(why)
print("done")
"""


def run(ranks: int, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program on several processes of Open MPI."""
    line = [str(LAUNCHER), "--oversubscribe", "--allow-run-as-root", "-n", str(ranks),
            sys.executable, "-c", program]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1"})


@pytest.mark.skipif(LAUNCHER is None, reason="mpirun is not installed")
@pytest.mark.parametrize("program", [PROGRAM, PIECES, OTHERS], ids=["models", "pieces", "others"])
def test_two_processes(program: str) -> None:
    """Models of boosted trees and least squares, a refused method, a context used again; messages
    in pieces; other parameters and data."""
    done = run(2, program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("done") == 2  # Open MPI may mix the lines of ranks


def test_other_objects_are_refused() -> None:
    """A comm that is no communicator."""
    import gradus
    with pytest.raises(TypeError, match="comm must be a communicator of mpi4py"):
        gradus.Ranker("regression", rounds=2, comm=3).fit(gradus.synth.web(queries=5))
