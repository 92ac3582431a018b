/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel rows that were computed, the ones used last kept while there is room. */
#ifndef GR_LEARNERS_SVOR_CACHE_H
#define GR_LEARNERS_SVOR_CACHE_H

#include "learners/kernel/kernel.h"

typedef struct gr_row_cache {
    const gr_kernel *kernel;
    const gr_kernel_rows *rows; /* a kernel row is with all of them */
    gr_pool *pool;
    size_t budget;           /* bytes */
    size_t room;             /* rows that fit, at least 2 */
    size_t used;             /* places taken */
    uint32_t *place_of;      /* of each row, or UINT32_MAX */
    uint32_t *row_at;        /* of each place */
    uint32_t *newer, *older; /* of each place: neighbours in the order of use */
    uint32_t newest, oldest;
    gr_array values; /* float, room x rows */
    double *left;    /* features */
    double *scratch; /* threads x GR_CACHE_BLOCK */
    uint64_t asked, computed;
} gr_row_cache;

enum { GR_CACHE_BLOCK = 512 }; /* rows of a task */

gradus_status gr_row_cache_new(gr_row_cache *cache, const gr_kernel *kernel,
                               const gr_kernel_rows *rows, size_t budget, gr_pool *pool,
                               gradus_error *err);
void gr_row_cache_free(gr_row_cache *cache);
/* Kernel values of row r with all; valid until two other rows are asked for. */
const float *gr_row_cache_get(gr_row_cache *cache, size_t r);
/* Keeps only some of the rows (ascending numbers), which `rows` are now: what is cached of them
 * stays. */
void gr_row_cache_keep(gr_row_cache *cache, const uint32_t *kept, const gr_kernel_rows *rows);
/* Begins anew, over these rows, at most as many as at first. */
void gr_row_cache_reset(gr_row_cache *cache, const gr_kernel_rows *rows);

#endif
