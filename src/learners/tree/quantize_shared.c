/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of gradients over all processes.
 *
 * The scales of gr_round_words are powers of two, and depend on sums of doubles that a single process
 * adds in blocks of rows. Blocks do not end where the shares of processes do, so sums of the
 * processes' sums differ in the last bits. That matters only if the sum is next to a power of two, or
 * to another limit that it is compared with. Then, and only then, all processes gather the values and
 * add them up as a single process does. */
#include "learners/tree/quantize.h"

#include "base/ranges.h"

#include <math.h>
#include <stdlib.h>

enum { LISTS = 3 };

/* More than the relative error of sums over up to 2^32 rows, whatever their order. */
static const double doubt = 1e-9;

static gr_extent *extent_of(gr_extents *extents, size_t list)
{
    return list == 0 ? &extents->gradient : list == 1 ? &extents->leaf : &extents->search;
}

/* Whether a scale or comparison depends on the last bits of the sum. */
static bool is_doubtful(const gr_extent *all)
{
    return gr_scale_for(all->sum * (1 - doubt), 0) != gr_scale_for(all->sum * (1 + doubt), 0);
}

static bool short_is_doubtful(const gr_extent *all, size_t rows)
{
    gr_extent less = *all, more = *all;

    less.sum *= 1 - doubt;
    more.sum *= 1 + doubt;
    return (gr_short_scale(&less, rows) > 0) != (gr_short_scale(&more, rows) > 0);
}

/* What the processes exchange. */
typedef struct told {
    gr_extents extents;
    uint64_t count; /* sampled rows */
} told;

static void add_told(const told *all, size_t size, gr_extents *extents, bool *ones)
{
    *extents = (gr_extents){ 0 };
    *ones = true;
    for (size_t i = 0; i < size; i++) {
        gr_extents one = all[i].extents;

        for (size_t list = 0; list < LISTS; list++) {
            const gr_extent *from = extent_of(&one, list);
            gr_extent *to = extent_of(extents, list);

            to->sum += from->sum;
            to->most = from->most > to->most ? from->most : to->most;
            to->negative |= from->negative;
        }
        *ones &= one.leaf.sum == (double)all[i].count && one.leaf.most <= 1;
    }
}

static float *picked_values(const gr_round *round, const float *values)
{
    float *picked = gr_new_array(round->count, sizeof *picked);

    for (size_t i = 0; picked && i < round->count; i++)
        picked[i] = values[round->rows ? round->rows[i] : i];
    return picked;
}

/* Sums a list as a single process does: by block, then in block order. */
static gradus_status sum_list(const gr_round *round, const float *values, const uint64_t *cuts,
                              size_t block, gr_extent *sum, gradus_error *err)
{
    const size_t rows = (size_t)cuts[round->share->with->size];
    float *own = picked_values(round, values), *all = gr_new_array(rows, sizeof *all);
    gradus_status status = GRADUS_NO_MEMORY;

    if (own && all)
        status = gr_share_gather(round->share, cuts, sizeof *own, own, all, err);
    else
        gr_fail_memory(err, "the gradients of all processes");
    sum->sum = 0;
    for (size_t first = 0; status == GRADUS_OK && first < rows; first += block) {
        const gr_rows some = { NULL, first, rows - first < block ? rows - first : block };

        sum->sum += gr_rounding_here()->measure(all, &some).sum;
    }
    free(own);
    free(all);
    return status;
}

static gradus_status sum_exactly(const gr_round *round, const float *const values[LISTS],
                                 size_t block, gr_extents *extents, gradus_error *err)
{
    uint64_t *cuts = gr_new_array(round->share->with->size + 1, sizeof *cuts);
    gradus_status status = GRADUS_OK;

    if (!cuts)
        return gr_fail_memory(err, "the gradients of all processes");
    status = gr_share_count(round->share, round->count, cuts, err);
    for (size_t list = 0; status == GRADUS_OK && list < LISTS; list++) {
        if (list == 2 && values[2] == values[1])
            extents->search = extents->leaf;
        else if (values[list])
            status = sum_list(round, values[list], cuts, block, extent_of(extents, list), err);
    }
    free(cuts);
    return status;
}

gradus_status gr_extents_share(const gr_round *round, const float *const values[LISTS],
                               bool may_be_short, size_t block, gr_extents *extents, bool *ones,
                               gradus_error *err)
{
    const gradus_collectives *with = round->share->with;
    const double rows = (double)gr_round_rows(round);
    const told own = { *extents, round->count };
    told *all = gr_new_array(with->size, sizeof *all);
    uint64_t *cuts = gr_new_array(with->size + 1, sizeof *cuts);
    gradus_status status = GRADUS_NO_MEMORY;

    for (size_t i = 0; cuts && i <= with->size; i++)
        cuts[i] = i;
    if (all && cuts)
        status = gr_share_gather(round->share, cuts, sizeof own, &own, all, err);
    else
        gr_fail_memory(err, "the gradients of all processes");
    if (status == GRADUS_OK)
        add_told(all, with->size, extents, ones);
    free(all);
    free(cuts);
    if (status != GRADUS_OK || !isfinite(extents->gradient.sum) || !isfinite(extents->leaf.sum) ||
        !isfinite(extents->search.sum))
        return status;
    const bool known_search = *ones && values[2] == values[1]; /* sums of ones are exact */
    const bool close =
        !*ones && extents->leaf.most == 1 && fabs(extents->leaf.sum - rows) <= doubt * rows;

    if (!close && !is_doubtful(&extents->gradient) && (*ones || !is_doubtful(&extents->leaf)) &&
        (known_search || !is_doubtful(&extents->search)) &&
        !(may_be_short && short_is_doubtful(&extents->gradient, (size_t)rows)))
        return GRADUS_OK;
    GR_TRY(sum_exactly(round, values, block, extents, err));
    *ones = extents->leaf.most == 1 && extents->leaf.sum == rows;
    return GRADUS_OK;
}
