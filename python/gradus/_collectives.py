# SPDX-License-Identifier: Apache-2.0
"""Training on several processes, by a communicator of mpi4py."""
from __future__ import annotations

from collections.abc import Iterator
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

    #: The most numbers or bytes of one message.
    most = 1 << 27

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
        for piece in self._pieces(numbers, 8):
            self._comm.Allreduce(self._mpi.IN_PLACE, [piece, len(piece) // 8, kind], how)

    def _pieces(self, content: memoryview, size: int) -> Iterator[memoryview]:
        """Divide items of some size, as counts of MPI are 32-bit integers."""
        for start in range(0, len(content), size * self.most):
            yield content[start:start + size * self.most]

    def sum_parts(self, numbers: memoryview, arrays: int, counts: list[int]) -> None:
        """Add up arrays, of each of which a process needs its own part."""
        each = 8 * sum(counts)
        if sum(counts) > self.most:  # all of them, which may be divided anywhere
            self.sum(numbers[:arrays * each])
            return
        first = 8 * sum(counts[:self.rank])
        own = bytearray(8 * counts[self.rank])
        kind = self._mpi.UINT64_T
        for start in range(0, arrays * each, max(each, 1)):
            array = numbers[start:start + each]
            self._comm.Reduce_scatter([array, sum(counts), kind], [own, counts[self.rank], kind],
                                      counts, self._mpi.SUM)
            array[first:first + len(own)] = own

    def gather(self, own: memoryview, sizes: list[int], everything: memoryview) -> None:
        """Collect the bytes of all processes, in their order."""
        starts = [0, *accumulate(sizes)]
        if starts[-1] > self.most:
            everything[starts[self.rank]:starts[self.rank + 1]] = bytes(own)
            for source in range(self.size):
                self.broadcast(everything[starts[source]:starts[source + 1]], source)
            return
        self._comm.Allgatherv([bytes(own), self._mpi.BYTE],
                              [everything, sizes, starts[:-1], self._mpi.BYTE])

    def broadcast(self, content: memoryview, source: int) -> None:
        """Copy the bytes of one process to all."""
        for piece in self._pieces(content, 1):
            self._comm.Bcast([piece, self._mpi.BYTE], source)
