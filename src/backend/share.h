/* SPDX-License-Identifier: Apache-2.0 */
/* The part of distributed data that one process has. Queries stay whole; each rank has consecutive queries, and
 * all ranks know the cuts between them. Training code calls these functions and does not know what
 * connects the processes: with share NULL there is one process, and they do nothing. */
#ifndef GR_BACKEND_SHARE_H
#define GR_BACKEND_SHARE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gr_share {
    const gradus_collectives *with;
    uint64_t *row_cuts, *query_cuts; /* size + 1: rank i has rows row_cuts[i] to row_cuts[i + 1] */
} gr_share;

/* Divides queries into one range of consecutive queries per rank, with about equally many rows.
 * Every rank gets a query if there are enough of them. */
gr_share *gr_share_new(const gradus_collectives *with, const uint64_t *query_starts, size_t queries,
                       gradus_error *err);
/* The same for the rows and queries that each process has: a collective call. */
gr_share *gr_share_from_parts(const gradus_collectives *with, size_t own_rows, size_t own_queries,
                              gradus_error *err);
gr_share *gr_share_copy(const gr_share *share, gradus_error *err);
void gr_share_free(gr_share *share); /* accepts NULL */

/* The number of the first row and query of this process among all. */
static inline size_t gr_share_first_row(const gr_share *share)
{
    return share ? (size_t)share->row_cuts[share->with->rank] : 0;
}

static inline size_t gr_share_first_query(const gr_share *share)
{
    return share ? (size_t)share->query_cuts[share->with->rank] : 0;
}

/* The rows of all processes; `rows` if this is the only one. */
static inline size_t gr_share_rows(const gr_share *share, size_t rows)
{
    return share ? (size_t)share->row_cuts[share->with->size] : rows;
}

/* Divides chunks of equally many rows: fills cuts (size + 1), a chunk belonging to the process that
 * has its first row. Its last rows may be those of the next process. There must be a share. */
void gr_share_cut_chunks(const gr_share *share, size_t chunk, uint64_t *cuts);

/* Sums or maximises numbers over all processes. */
gradus_status gr_share_sum(const gr_share *share, int64_t *numbers, size_t count,
                           gradus_error *err);
gradus_status gr_share_max(const gr_share *share, int64_t *numbers, size_t count,
                           gradus_error *err);
gradus_status gr_share_sum_words(const gr_share *share, uint64_t *words, size_t count,
                                 gradus_error *err);
/* Whether a flag is set on any process. */
gradus_status gr_share_any(const gr_share *share, bool *flag, gradus_error *err);
/* ORs flag bytes over all processes. */
gradus_status gr_share_or(const gr_share *share, uint8_t *flags, size_t count, gradus_error *err);

/* Gathers items of `size` bytes, those from cuts[i] to cuts[i + 1] from rank i, on all ranks.
 * There must be a share. */
gradus_status gr_share_gather(const gr_share *share, const uint64_t *cuts, size_t size,
                              const void *own, void *all, gradus_error *err);
/* Copies bytes from one process to all others. */
gradus_status gr_share_broadcast(const gr_share *share, void *bytes, size_t size, size_t from,
                                 gradus_error *err);
/* Fills cuts (size + 1) from the number of items of each process. There must be a share. */
gradus_status gr_share_count(const gr_share *share, size_t own, uint64_t *cuts, gradus_error *err);

#endif
