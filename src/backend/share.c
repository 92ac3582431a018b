/* SPDX-License-Identifier: Apache-2.0 */
/* Divides queries among processes, and wraps the collective operations in the types that training
 * code uses. */
#include "backend/share.h"

#include "base/bisect.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The first query that starts at or after the row at which rank i should begin. */
static size_t wanted_cut(const uint64_t *starts, size_t queries, size_t i, size_t size)
{
    const uint64_t rows = starts[queries];
    const uint64_t wanted = rows / size * i + rows % size * i / size;

    return GR_BISECT(0, queries, q, starts[q] < wanted);
}

static void cut_queries(gr_share *share, const uint64_t *starts, size_t queries)
{
    const size_t size = share->with->size;

    for (size_t i = 1; i <= size; i++) {
        const size_t before = (size_t)share->query_cuts[i - 1];
        const size_t least = before < queries ? before + 1 : queries;
        const size_t most = queries > size - i ? queries - (size - i) : least;
        size_t at = i == size ? queries : wanted_cut(starts, queries, i, size);

        at = at > most ? most : at;
        at = at < least ? least : at;
        share->query_cuts[i] = at;
        share->row_cuts[i] = starts[at];
    }
}

static gr_share *empty_share(const gradus_collectives *with, gradus_error *err)
{
    gr_share *share = gr_new_array(1, sizeof *share);

    if (share) {
        share->with = with;
        share->row_cuts = gr_new_array(with->size + 1, sizeof *share->row_cuts);
        share->query_cuts = gr_new_array(with->size + 1, sizeof *share->query_cuts);
    }
    if (!share || !share->row_cuts || !share->query_cuts) {
        gr_share_free(share);
        gr_fail_memory(err, "the shares of processes");
        return NULL;
    }
    return share;
}

gr_share *gr_share_new(const gradus_collectives *with, const uint64_t *query_starts, size_t queries,
                       gradus_error *err)
{
    gr_share *share = empty_share(with, err);

    if (share)
        cut_queries(share, query_starts, queries);
    return share;
}

gr_share *gr_share_from_parts(const gradus_collectives *with, size_t own_rows, size_t own_queries,
                              gradus_error *err)
{
    gr_share *share = empty_share(with, err);

    if (share && gr_share_count(share, own_rows, share->row_cuts, err) == GRADUS_OK &&
        gr_share_count(share, own_queries, share->query_cuts, err) == GRADUS_OK)
        return share;
    gr_share_free(share);
    return NULL;
}

gr_share *gr_share_copy(const gr_share *share, gradus_error *err)
{
    const size_t bytes = (share->with->size + 1) * sizeof *share->row_cuts;
    gr_share *copy = empty_share(share->with, err);

    if (copy) {
        memcpy(copy->row_cuts, share->row_cuts, bytes);
        memcpy(copy->query_cuts, share->query_cuts, bytes);
    }
    return copy;
}

void gr_share_free(gr_share *share)
{
    if (!share)
        return;
    free(share->row_cuts);
    free(share->query_cuts);
    free(share);
}

void gr_share_cut_chunks(const gr_share *share, size_t chunk, uint64_t *cuts)
{
    for (size_t i = 0; i <= share->with->size; i++)
        cuts[i] = (share->row_cuts[i] + chunk - 1) / chunk;
}

gradus_status gr_share_broadcast(const gr_share *share, void *bytes, size_t size, size_t from,
                                 gradus_error *err)
{
    return share && size ? share->with->broadcast(share->with->state, bytes, size, from, err)
                         : GRADUS_OK;
}

gradus_status gr_share_sum(const gr_share *share, int64_t *numbers, size_t count, gradus_error *err)
{
    return share && count ? share->with->sum(share->with->state, numbers, count, err) : GRADUS_OK;
}

gradus_status gr_share_max(const gr_share *share, int64_t *numbers, size_t count, gradus_error *err)
{
    return share && count ? share->with->max(share->with->state, numbers, count, err) : GRADUS_OK;
}

gradus_status gr_share_sum_words(const gr_share *share, uint64_t *words, size_t count,
                                 gradus_error *err)
{
    return gr_share_sum(share, (int64_t *)words, count, err);
}

gradus_status gr_share_any(const gr_share *share, bool *flag, gradus_error *err)
{
    int64_t number = *flag;

    GR_TRY(gr_share_max(share, &number, 1, err));
    *flag = number != 0;
    return GRADUS_OK;
}

gradus_status gr_share_or(const gr_share *share, uint8_t *flags, size_t count, gradus_error *err)
{
    const size_t size = share ? share->with->size : 0;
    uint64_t *cuts;
    uint8_t *all;
    gradus_status status = GRADUS_NO_MEMORY;

    if (!share || count == 0)
        return GRADUS_OK;
    cuts = gr_new_array(size + 1, sizeof *cuts);
    all = gr_new_array(size, count);
    for (size_t i = 0; cuts && i <= size; i++)
        cuts[i] = i * count;
    if (cuts && all)
        status = gr_share_gather(share, cuts, 1, flags, all, err);
    else
        gr_fail_memory(err, "flags of processes");
    for (size_t i = 0; status == GRADUS_OK && i < size * count; i++)
        flags[i % count] |= all[i];
    free(cuts);
    free(all);
    return status;
}

gradus_status gr_share_gather(const gr_share *share, const uint64_t *cuts, size_t size,
                              const void *own, void *all, gradus_error *err)
{
    const gradus_collectives *with = share->with;
    size_t *sizes = gr_new_array(with->size, sizeof *sizes);
    gradus_status status;

    if (!sizes)
        return gr_fail_memory(err, "the shares of processes");
    for (size_t i = 0; i < with->size; i++)
        sizes[i] = (size_t)(cuts[i + 1] - cuts[i]) * size;
    status = with->gather(with->state, own, sizes, all, err);
    free(sizes);
    return status;
}

gradus_status gr_share_count(const gr_share *share, size_t own, uint64_t *cuts, gradus_error *err)
{
    const size_t size = share->with->size;

    memset(cuts, 0, (size + 1) * sizeof *cuts);
    cuts[share->with->rank + 1] = own;
    GR_TRY(gr_share_sum_words(share, cuts, size + 1, err));
    for (size_t i = 0; i < size; i++)
        cuts[i + 1] += cuts[i];
    return GRADUS_OK;
}
