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
print("rank", comm.Get_rank(), "of", comm.Get_size(), "done")
"""


def run(ranks: int, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program on several processes of Open MPI."""
    line = [str(LAUNCHER), "--oversubscribe", "--allow-run-as-root", "-n", str(ranks),
            sys.executable, "-c", program]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1"})


@pytest.mark.skipif(LAUNCHER is None, reason="mpirun is not installed")
def test_same_bytes_on_two_processes() -> None:
    """Models of boosted trees and least squares; a refused method; a context used again."""
    done = run(2, PROGRAM)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["rank 0 of 2 done", "rank 1 of 2 done"]


def test_other_objects_are_refused() -> None:
    """A comm that is no communicator."""
    import gradus
    with pytest.raises(TypeError, match="comm must be a communicator of mpi4py"):
        gradus.Ranker("regression", rounds=2, comm=3).fit(gradus.synth.web(queries=5))
