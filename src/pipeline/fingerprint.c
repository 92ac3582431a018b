/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprint of a dataset: CRCs of chunks of its arrays, computed in parallel and combined in
 * order. */
#include "pipeline/train.h"

#include "base/crc32c.h"

#include <stdlib.h>

enum { ROW_CHUNK = 1 << 22 };

typedef struct chunks {
    const unsigned char *bytes;
    size_t size;
    uint32_t *sums;
} chunks;

static void sum_chunk(void *argument, size_t index, size_t worker)
{
    const chunks *s = argument;
    const size_t first = index * ROW_CHUNK, left = s->size - first;

    (void)worker;
    s->sums[index] = gr_crc32c(0, s->bytes + first, left < ROW_CHUNK ? left : ROW_CHUNK);
}

static gradus_status add_array(uint64_t *state, const void *bytes, size_t size, gr_pool *pool,
                               gradus_error *err)
{
    const size_t count = size / ROW_CHUNK + 1;
    chunks s = { bytes, size, gr_new_array(count, sizeof *s.sums) };

    if (!s.sums)
        return gr_fail_memory(err, "checksums");
    if (bytes)
        gr_pool_run(pool, count, sum_chunk, &s);
    *state = (*state ^ size) * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < count; i++)
        *state = ((*state ^ s.sums[i]) * 0xbf58476d1ce4e5b9u) ^ (*state >> 29);
    free(s.sums);
    return GRADUS_OK;
}

/* The stride of the caller's rows may exceed the number of features. */
static gradus_status add_values(uint64_t *state, const gradus_arrays *arrays, gr_pool *pool,
                                gradus_error *err)
{
    const size_t row = arrays->features * sizeof *arrays->values;

    if (arrays->stride == arrays->features)
        return add_array(state, arrays->values, arrays->rows * row, pool, err);
    for (size_t r = 0; r < arrays->rows; r++) {
        const uint32_t sum = gr_crc32c(0, arrays->values + r * arrays->stride, row);

        *state = ((*state ^ sum) * 0xbf58476d1ce4e5b9u) ^ (*state >> 29);
    }
    return GRADUS_OK;
}

gradus_status gr_fingerprint(const gradus_dataset *data, gr_pool *pool, uint64_t *fingerprint,
                             gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    uint64_t state = 0x6772616475730001u ^ a->rows ^ (uint64_t)a->features << 32;

    GR_TRY(add_array(&state, a->labels, a->rows * sizeof *a->labels, pool, err));
    GR_TRY(
        add_array(&state, a->query_starts, (a->queries + 1) * sizeof *a->query_starts, pool, err));
    if (a->row_weights)
        GR_TRY(add_array(&state, a->row_weights, a->rows * sizeof *a->row_weights, pool, err));
    if (a->query_weights)
        GR_TRY(
            add_array(&state, a->query_weights, a->queries * sizeof *a->query_weights, pool, err));
    if (gr_dataset_is_dense(data)) {
        GR_TRY(add_values(&state, a, pool, err));
    } else {
        const size_t entries = (size_t)a->row_starts[a->rows];

        GR_TRY(add_array(&state, a->row_starts, (a->rows + 1) * sizeof *a->row_starts, pool, err));
        GR_TRY(add_array(&state, a->columns, entries * sizeof *a->columns, pool, err));
        GR_TRY(add_array(&state, a->entries, entries * sizeof *a->entries, pool, err));
    }
    *fingerprint = state ? state : 1;
    return GRADUS_OK;
}
