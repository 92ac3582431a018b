# SPDX-License-Identifier: Apache-2.0
"""Training on several processes, by a communicator of mpi4py."""
from __future__ import annotations

from importlib import import_module
from itertools import accumulate
from typing import Any


class Collectives:
    """What ``_core.Training`` asks of the processes that take part.

    Arrays are bytes, of 64-bit numbers if they are added. They are valid during a call only.

    Parameters
    ----------
    comm : mpi4py.MPI.Intracomm
        Communicator of all processes that train.
    """

    def __init__(self, comm: Any) -> None:
        MPI: Any = import_module("mpi4py.MPI")
        if not isinstance(comm, MPI.Intracomm):
            raise TypeError("comm must be a communicator of mpi4py, such as MPI.COMM_WORLD, not "
                            f"{type(comm).__name__}")
        self._mpi = MPI
        self._comm = comm
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()

    def sum(self, numbers: memoryview) -> None:
        """Add up numbers, modulo 2^64."""
        self._reduce(numbers, self._mpi.UINT64_T, self._mpi.SUM)

    def max(self, numbers: memoryview) -> None:
        """Find the largest of each number."""
        self._reduce(numbers, self._mpi.INT64_T, self._mpi.MAX)

    def _reduce(self, numbers: memoryview, kind: Any, how: Any) -> None:
        self._comm.Allreduce(self._mpi.IN_PLACE, [numbers, len(numbers) // 8, kind], how)

    def sum_parts(self, numbers: memoryview, arrays: int, counts: list[int]) -> None:
        """Add up arrays, of each of which a process needs its own part."""
        first = 8 * sum(counts[:self.rank])
        own = bytearray(8 * counts[self.rank])
        kind = self._mpi.UINT64_T
        for start in range(0, 8 * arrays * sum(counts), 8 * sum(counts)):
            array = numbers[start:start + 8 * sum(counts)]
            self._comm.Reduce_scatter([array, sum(counts), kind], [own, counts[self.rank], kind],
                                      counts, self._mpi.SUM)
            array[first:first + len(own)] = own

    def gather(self, own: memoryview, sizes: list[int], everything: memoryview) -> None:
        """Collect the bytes of all processes, in their order."""
        starts = [0, *accumulate(sizes)][:-1]
        self._comm.Allgatherv([bytes(own), self._mpi.BYTE],
                              [everything, sizes, starts, self._mpi.BYTE])

    def broadcast(self, content: memoryview, source: int) -> None:
        """Copy the bytes of one process to all."""
        self._comm.Bcast([content, self._mpi.BYTE], source)
