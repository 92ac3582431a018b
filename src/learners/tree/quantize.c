/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient quantisation in two parallel passes (measure, then round), and exact leaf sums. */
#include "learners/tree/quantize.h"

#include "base/memory.h"
#include "base/ranges.h"
#include "base/rng.h"
#include "kernels/histogram.h"
#include "kernels/rounding.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { BLOCK = 8192 }; /* rows per task; doubles are summed per block, then in block order */

typedef struct part {
    gr_extents sizes;
    gr_rounded rounded;
} part;

typedef struct job {
    const gr_round *round;
    const float *gradients, *leaf_hessians, *search_hessians; /* search_hessians NULL: all 1 */
    uint64_t *words;
    gr_lanes *lanes;
    uint64_t key;
    part *parts;
    size_t rows, output; /* rows of the data */
} job;

double gr_scale_for(double sum, int power)
{
    int exponent;

    if (!(sum > 0))
        return 1;
    /* sum = m 2^e with 1/2 <= m < 1, so log2(1 / m) is in (0, 1], and 1 only for m = 1/2 */
    return frexp(sum, &exponent) == 0.5 ? ldexp(1, power - exponent + 1)
                                        : ldexp(1, power - exponent);
}

static gr_rows rows_of(const gr_round *round, const gr_range *range)
{
    return (gr_rows){ round->rows ? round->rows + range->first : NULL, range->first,
                      range->end - range->first };
}

static void measure_block(void *argument, gr_range range)
{
    const job *j = argument;
    part *p = &j->parts[range.index];
    const gr_rounding_kernels *kernels = gr_rounding_here();
    const gr_rows rows = rows_of(j->round, &range);

    p->sizes.gradient = kernels->measure(j->gradients, &rows);
    p->sizes.leaf = j->round->ones ? (gr_extent){ .sum = (double)rows.count, .most = 1 }
                                   : kernels->measure(j->leaf_hessians, &rows);
    if (j->search_hessians == j->leaf_hessians)
        p->sizes.search = p->sizes.leaf;
    else if (j->search_hessians)
        p->sizes.search = kernels->measure(j->search_hessians, &rows);
}

static void round_block(void *argument, gr_range range)
{
    const job *j = argument;
    const gr_rows rows = rows_of(j->round, &range);
    const gr_rounding how = { j->gradients,
                              j->search_hessians,
                              j->lanes->gradient_scale,
                              j->lanes->hessian_scale,
                              j->key,
                              j->words,
                              gr_share_first_row(j->round->share) };

    j->parts[range.index].rounded = gr_rounding_here()->round(&how, &rows);
}

void gr_extent_add(gr_extent *all, const gr_extent *one)
{
    all->sum += one->sum;
    all->most = one->most > all->most ? one->most : all->most;
    all->negative |= one->negative;
}

/* The hessians of the search; NULL: all 1. */
static const float *search_hessians(const gr_round *round, size_t rows, size_t k)
{
    return round->unit ? NULL : round->weights ? round->weights : round->hessians + k * rows;
}

gradus_status gr_fail_number(const gr_round *round, size_t rows, size_t k, gradus_error *err)
{
    const size_t first = gr_share_first_row(round->share);

    if (round->on_device)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "a gradient, hessian or weight is not finite or negative");
    for (size_t i = 0; i < round->count; i++) {
        const size_t r = round->rows ? round->rows[i] : i;
        const float *searched = search_hessians(round, rows, k);
        const float hessian = round->hessians[k * rows + r];

        if (!isfinite(round->gradients[k * rows + r]))
            return gr_fail(err, GRADUS_BAD_NUMBER, "the gradient of row %zu is not finite",
                           first + r + 1);
        if (!isfinite(hessian) || hessian < 0 ||
            (searched && (!isfinite(searched[r]) || searched[r] < 0)))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "the hessian or weight of row %zu is negative or not finite",
                           first + r + 1);
    }
    return round->share ? gr_fail(err, GRADUS_BAD_NUMBER,
                                  "a gradient, hessian or weight of another process is not "
                                  "finite or negative")
                        : GRADUS_OK;
}

static double scale_of(const gr_extent *all, bool wide)
{
    const double narrow = gr_scale_for(all->sum, 30);

    if (!wide || !(all->sum > 0))
        return narrow;
    return fmin(gr_scale_for(all->most, 30), gr_scale_for(all->sum, 52));
}

double gr_short_scale(const gr_extent *all, size_t rows)
{
    const double scale = gr_scale_for(all->most / GR_SHORT_MAX, 0);

    return scale * all->sum >= GR_SHORT_MEAN * (double)rows ? scale : 0;
}

/* Whether gradients may be quantised to 8 bits. */
static bool may_be_short(const gr_round *round, const gr_lanes *lanes)
{
    return round->may_be_short && lanes->unit && !lanes->wide;
}

bool gr_lanes_set(const gr_round *round, const gr_extents *all, bool ones, gr_lanes *lanes)
{
    const size_t rows = gr_round_rows(round);

    if (!isfinite(all->gradient.sum) || !isfinite(all->leaf.sum) || !isfinite(all->search.sum) ||
        all->leaf.negative || all->search.negative)
        return false;
    lanes->gradient_scale = scale_of(&all->gradient, lanes->wide);
    if (round->grid > 0)
        lanes->gradient_scale = fmin(lanes->gradient_scale, round->grid);
    if (may_be_short(round, lanes)) {
        const double scale = gr_short_scale(&all->gradient, rows);

        lanes->is_short = scale > 0 && scale <= lanes->gradient_scale;
        lanes->gradient_scale = lanes->is_short ? scale : lanes->gradient_scale;
    }
    lanes->exact = lanes->unit && !lanes->wide && lanes->gradient_scale == round->grid &&
                   all->gradient.most * round->grid < GR_EXACT_GRADIENT;
    lanes->hessian_scale = lanes->unit ? 1 : scale_of(&all->search, lanes->wide);
    lanes->ones = ones;
    lanes->leaf_gradient_scale = gr_scale_for(all->gradient.sum, 61);
    lanes->leaf_hessian_scale = gr_scale_for(all->leaf.sum, 61);
    return true;
}

static gradus_status settle_scales(job *j, size_t blocks, gradus_error *err)
{
    gr_extents all = { 0 };
    const size_t rows = gr_round_rows(j->round);
    bool ones;

    for (size_t block = 0; block < blocks; block++) {
        gr_extent_add(&all.gradient, &j->parts[block].sizes.gradient);
        gr_extent_add(&all.leaf, &j->parts[block].sizes.leaf);
        gr_extent_add(&all.search, &j->parts[block].sizes.search);
    }
    ones = all.leaf.most == 1 && all.leaf.sum == (double)rows;
    if (j->round->share)
        GR_TRY(gr_extents_share(j->round,
                                (const float *const[]){ j->gradients,
                                                        j->round->ones ? NULL : j->leaf_hessians,
                                                        j->search_hessians },
                                may_be_short(j->round, j->lanes), BLOCK, &all, &ones, err));
    return gr_lanes_set(j->round, &all, ones, j->lanes)
               ? GRADUS_OK
               : gr_fail_number(j->round, j->rows, j->output, err);
}

static gradus_status add_totals(job *j, size_t blocks, gradus_error *err)
{
    gr_rounded all = { 0 };
    int64_t sums[2];

    for (size_t block = 0; block < blocks; block++) {
        const gr_rounded *one = &j->parts[block].rounded;

        all.gradients += one->gradients;
        all.hessians += one->hessians;
        all.most = one->most > all.most ? one->most : all.most;
    }
    sums[0] = all.gradients;
    sums[1] = all.hessians;
    GR_TRY(gr_share_sum(j->round->share, sums, 2, err));
    GR_TRY(gr_share_max(j->round->share, &all.most, 1, err));
    j->lanes->gradient_total = (double)sums[0];
    j->lanes->hessian_total = (double)sums[1];
    j->lanes->hessian_most = (double)all.most;
    return GRADUS_OK;
}

uint64_t gr_rounding_key(const gr_round *round, size_t outputs, size_t k)
{
    gr_rng rng = gr_rng_for(round->seed, "rounding", round->round * outputs + k);

    return gr_rng_long(&rng);
}

gradus_status gr_round_words(const gr_round *round, size_t rows, size_t outputs, size_t k,
                             bool wide, gr_pool *pool, uint64_t *words, gr_lanes *lanes,
                             gradus_error *err)
{
    const size_t blocks = gr_range_count(round->count, BLOCK);
    job j = { round,
              round->gradients + k * rows,
              round->hessians + k * rows,
              search_hessians(round, rows, k),
              words,
              lanes,
              gr_rounding_key(round, outputs, k),
              gr_new_array(blocks, sizeof(part)),
              rows,
              k };
    gradus_status status;

    if (!j.parts)
        return gr_fail_memory(err, "rounded gradients");
    *lanes = (gr_lanes){ .wide = wide, .unit = round->unit };
    gr_for_ranges(pool, round->count, BLOCK, measure_block, &j);
    status = settle_scales(&j, blocks, err);
    if (status == GRADUS_OK) {
        gr_for_ranges(pool, round->count, BLOCK, round_block, &j);
        status = add_totals(&j, blocks, err);
    }
    free(j.parts);
    return status;
}

typedef struct leaf_job {
    gr_summing how;        /* hessians NULL: all 1 */
    _Atomic int64_t *sums; /* gradient, hessian and rows of each leaf */
} leaf_job;

enum { LEAF_SUMS = 3 };

static void sum_rows(void *argument, size_t leaf, const uint32_t *list, size_t count)
{
    const leaf_job *j = argument;
    const gr_rows rows = { list, 0, count };
    int64_t gradients, hessians;

    gr_rounding_here()->sum(&j->how, &rows, &gradients, &hessians);
    atomic_fetch_add_explicit(&j->sums[LEAF_SUMS * leaf], gradients, memory_order_relaxed);
    atomic_fetch_add_explicit(&j->sums[LEAF_SUMS * leaf + 1], hessians, memory_order_relaxed);
}

gradus_status gr_leaf_sums(const gr_round *round, size_t rows, size_t k, const gr_lanes *lanes,
                           const gr_runs *runs, const uint32_t *starts, size_t leaves,
                           gr_pool *pool, const gr_leaf_totals *totals, gradus_error *err)
{
    const bool counted = lanes->ones;
    leaf_job j = { { round->gradients + k * rows, counted ? NULL : round->hessians + k * rows,
                     lanes->leaf_gradient_scale, lanes->leaf_hessian_scale },
                   gr_new_array(LEAF_SUMS * leaves, sizeof(int64_t)) };
    gradus_status status;

    if (!j.sums)
        return gr_fail_memory(err, "leaf sums");
    gr_for_runs(runs, rows, pool, sum_rows, &j);
    for (size_t leaf = 0; leaf < leaves; leaf++)
        j.sums[LEAF_SUMS * leaf + 2] = starts[leaf + 1] - starts[leaf];
    status = gr_share_sum(round->share, (int64_t *)j.sums, LEAF_SUMS * leaves, err);
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const int64_t covered = j.sums[LEAF_SUMS * leaf + 2];

        totals->covers[leaf] = (uint32_t)covered;
        totals->gradients[leaf] = (double)j.sums[LEAF_SUMS * leaf] / j.how.gradient_scale;
        totals->hessians[leaf] =
            counted ? (double)covered : (double)j.sums[LEAF_SUMS * leaf + 1] / j.how.hessian_scale;
    }
    free((void *)j.sums);
    return status;
}
