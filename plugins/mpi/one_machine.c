/* SPDX-License-Identifier: Apache-2.0 */
#include "one_machine.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A half fits into the cache of a core, and the areas of 16 processes into the 64 MB of shared
 * memory that containers often have. */
enum { HEAD = 128, ROOM = 1 << 20 };

static _Atomic uint64_t *turn_of(const areas *a, size_t rank)
{
    return (_Atomic uint64_t *)(void *)a->at[rank];
}

static char *half(const areas *a, size_t rank)
{
    return a->at[rank] + HEAD + (a->turn % 2) * a->room;
}

static bool wanted(size_t local_size, size_t size)
{
    const char *setting = getenv("GRADUS_MPI_SHARED");

    return size > 1 && local_size == size && !(setting && strcmp(setting, "0") == 0);
}

/* Whether it is true of all processes. */
static bool everywhere(bool here, MPI_Comm comm)
{
    int all = here;

    return MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

static bool find_areas(areas *a, char *own)
{
    bool found = true;

    for (size_t i = 0; i < a->size; i++) {
        MPI_Aint bytes;
        int unit;

        found &= MPI_Win_shared_query(a->window, (int)i, &bytes, &unit, &a->at[i]) == MPI_SUCCESS;
    }
    atomic_init((_Atomic uint64_t *)(void *)own, 0);
    return found;
}

bool areas_open(areas *a, MPI_Comm comm, size_t local_size)
{
    int rank, size;
    char *own = NULL;
    bool found;

    *a = (areas){ 0 };
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (!everywhere(wanted(local_size, (size_t)size), comm))
        return true;
    a->rank = (size_t)rank;
    a->size = (size_t)size;
    a->at = calloc(a->size, sizeof *a->at);
    if (!everywhere(a->at != NULL, comm)) {
        free(a->at);
        return false;
    }
    found = MPI_Win_allocate_shared(HEAD + 2 * ROOM, 1, MPI_INFO_NULL, comm, &own, &a->window) ==
            MPI_SUCCESS;
    if (!everywhere(found, comm)) {
        free(a->at);
        a->at = NULL;
        return true; /* messages do as well */
    }
    a->room = everywhere(find_areas(a, own), comm) ? ROOM : 0;
    return true;
}

void areas_close(areas *a)
{
    if (a->at)
        MPI_Win_free(&a->window);
    free(a->at);
}

void areas_show(areas *a, const void *bytes, size_t size)
{
    a->turn++;
    if (size)
        memcpy(half(a, a->rank), bytes, size);
    atomic_store_explicit(turn_of(a, a->rank), a->turn, memory_order_release);
}

bool areas_are_shown(const areas *a)
{
    for (size_t i = 0; i < a->size; i++)
        if (atomic_load_explicit(turn_of(a, i), memory_order_acquire) < a->turn)
            return false;
    return true;
}

const void *areas_of(const areas *a, size_t rank)
{
    return half(a, rank);
}

void areas_join(int64_t *to, const void *numbers, size_t count, bool add)
{
    const int64_t *from = numbers;

    /* sums may wrap around, as those of MPI_UINT64_T */
    for (size_t i = 0; add && i < count; i++)
        to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)from[i]);
    for (size_t i = 0; !add && i < count; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}
