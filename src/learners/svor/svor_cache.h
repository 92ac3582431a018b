/* SPDX-License-Identifier: Apache-2.0 */
/* A least-recently-used cache of kernel rows. */
#ifndef GR_LEARNERS_SVOR_SVOR_CACHE_H
#define GR_LEARNERS_SVOR_SVOR_CACHE_H

#include "learners/kernel/kernel.h"

typedef struct gr_row_cache {
    const gr_kernel *kernel;
    const gr_kernel_rows *rows; /* a kernel row has a value for each of these */
    gr_pool *pool;
    size_t budget;      /* bytes */
    size_t room;        /* capacity in kernel rows, at least 2 */
    size_t used;        /* slots in use */
    uint32_t *place_of; /* [row]: its slot, or UINT32_MAX */
    uint32_t *row_at;   /* [slot]: its row */
    /* [slot]: neighbours in the list ordered by last use. */
    uint32_t *newer, *older;
    uint32_t newest, oldest;
    gr_array values; /* float [room x rows] */
    double *left;    /* [features]: the dense row */
    double *scratch; /* [threads x GR_CACHE_BLOCK] */
    uint64_t asked, computed;
    gr_arena arena; /* owns the arrays */
} gr_row_cache;

enum { GR_CACHE_BLOCK = 512 }; /* rows per task */

gradus_status gr_row_cache_new(gr_row_cache *cache, const gr_kernel *kernel,
                               const gr_kernel_rows *rows, size_t budget, gr_pool *pool,
                               gradus_error *err);
void gr_row_cache_free(gr_row_cache *cache);
/* Kernel values of row r with all rows; valid until two other rows are requested. */
const float *gr_row_cache_get(gr_row_cache *cache, size_t r);
/* Restricts the cache to the rows `kept` (ascending; `rows` are these rows, renumbered). What is
 * cached for them stays. */
void gr_row_cache_keep(gr_row_cache *cache, const uint32_t *kept, const gr_kernel_rows *rows);
/* Empties the cache and switches to these rows, at most as many as it was created with. */
void gr_row_cache_reset(gr_row_cache *cache, const gr_kernel_rows *rows);

#endif
