/* SPDX-License-Identifier: Apache-2.0 */
/* Memory shared by processes that all run on one machine. */
#ifndef GRADUS_ONE_MACHINE_H
#define GRADUS_ONE_MACHINE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An area per process. Each shows bytes in its own, waits until all have, and reads those of the
 * others. The two halves of an area are used in turn: who shows bytes again has read those of the
 * exchange before, so that after an exchange the half of the one before it is free. */
typedef struct areas {
    size_t room; /* bytes of a half; 0: no shared memory is used */
    size_t size, rank;
    uint64_t turn; /* exchanges so far */
    char **at;     /* per process */
    MPI_Win window;
} areas;

/* A collective call. Without shared memory, or with GRADUS_MPI_SHARED=0 in the environment of any
 * process, room is 0. False: no memory. */
bool areas_open(areas *a, MPI_Comm comm, size_t local_size);
void areas_close(areas *a);

/* Begins an exchange: at most `room` bytes. */
void areas_show(areas *a, const void *bytes, size_t size);
/* Whether all others have begun it, too. */
bool areas_are_shown(const areas *a);
/* What a process shows; until this one begins the next exchange. */
const void *areas_of(const areas *a, size_t rank);

/* Adds numbers to `to`, or keeps the larger ones. */
void areas_join(int64_t *to, const void *numbers, size_t count, bool add);

/* Of `size` bytes those from `at` on, at most `most`. */
static inline size_t areas_some(size_t size, size_t at, size_t most)
{
    return size <= at ? 0 : size - at < most ? size - at : most;
}

#endif
