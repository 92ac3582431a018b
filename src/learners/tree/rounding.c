#include "learners/tree/rounding.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    BLOCK = 8192, /* positions a task takes; sums of doubles are made block by block, in order */
    LINES = 8     /* sums side by side within a block */
};

typedef struct measure {
    double sum, most; /* of absolute values */
    bool negative;
} measure;

typedef struct part {
    measure gradient, leaf, search;
    int64_t gradients, hessians; /* sums of integers */
    uint32_t most;
} part;

typedef struct job {
    const gr_round *round;
    const float *gradients, *leaf_hessians, *search_hessians; /* last NULL: unit */
    uint64_t *words;
    gr_lanes *lanes;
    uint64_t key;
    part *parts;
} job;

double gr_scale_for(double sum, int power)
{
    int exponent;

    if (!(sum > 0))
        return 1;
    /* sum = m 2^e with 1/2 <= m < 1, so that log2(1 / m) is in (0, 1] */
    return frexp(sum, &exponent) == 0.5 ? ldexp(1, power - exponent + 1)
                                        : ldexp(1, power - exponent);
}

static measure measure_values(const float *values, const uint32_t *rows, size_t first, size_t count)
{
    double sums[LINES] = { 0 };
    float most = 0, least = 0;
    measure found = { 0 };

    for (size_t i = 0; i < count; i++) {
        const float value = values[rows ? rows[first + i] : first + i];

        sums[i % LINES] += (double)fabsf(value);
        most = fabsf(value) > most ? fabsf(value) : most;
        least = value < least ? value : least;
    }
    for (size_t line = 0; line < LINES; line++)
        found.sum += sums[line];
    found.most = (double)most;
    found.negative = least < 0;
    return found;
}

static size_t block_rows(const gr_round *round, size_t block)
{
    const size_t left = round->count - block * BLOCK;

    return left < BLOCK ? left : BLOCK;
}

static void measure_block(void *argument, size_t block, size_t worker)
{
    const job *j = argument;
    part *p = &j->parts[block];
    const size_t count = block_rows(j->round, block), first = block * BLOCK;
    const uint32_t *rows = j->round->rows;

    (void)worker;
    p->gradient = measure_values(j->gradients, rows, first, count);
    p->leaf = measure_values(j->leaf_hessians, rows, first, count);
    if (j->search_hessians == j->leaf_hessians)
        p->search = p->leaf;
    else if (j->search_hessians)
        p->search = measure_values(j->search_hessians, rows, first, count);
}

static void round_block(void *argument, size_t block, size_t worker)
{
    const job *j = argument;
    part *p = &j->parts[block];
    const size_t count = block_rows(j->round, block), first = block * BLOCK;
    const double gradient_scale = j->lanes->gradient_scale, scale = j->lanes->hessian_scale;
    int64_t gradients = 0, hessians = 0, most = 0;

    (void)worker;
    for (size_t i = 0; i < count; i++) {
        const size_t r = j->round->rows ? j->round->rows[first + i] : first + i;
        const uint64_t hash = gr_row_hash(j->key, r);
        const int64_t g =
            gr_round_number((double)j->gradients[r] * gradient_scale, (uint32_t)(hash >> 32));
        const int64_t h =
            j->search_hessians
                ? gr_round_number((double)j->search_hessians[r] * scale, (uint32_t)hash)
                : 1;

        j->words[r] = ((uint64_t)g << 32) + (uint64_t)h;
        gradients += g;
        hessians += h;
        most = h > most ? h : most;
    }
    p->gradients = gradients;
    p->hessians = hessians;
    p->most = (uint32_t)most;
}

static void gather(measure *all, const measure *one)
{
    all->sum += one->sum;
    all->most = one->most > all->most ? one->most : all->most;
    all->negative |= one->negative;
}

static gradus_status fail_number(const job *j, gradus_error *err)
{
    for (size_t i = 0; i < j->round->count; i++) {
        const size_t r = j->round->rows ? j->round->rows[i] : i;

        if (!isfinite(j->gradients[r]))
            return gr_fail(err, GRADUS_BAD_NUMBER, "the gradient of row %zu is not finite", r);
        if (!isfinite(j->leaf_hessians[r]) || j->leaf_hessians[r] < 0 ||
            (j->search_hessians && (!isfinite(j->search_hessians[r]) || j->search_hessians[r] < 0)))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "the hessian or weight of row %zu is negative or not finite", r);
    }
    return GRADUS_OK;
}

static double scale_of(const measure *all, bool wide)
{
    const double narrow = gr_scale_for(all->sum, 30);

    if (!wide || !(all->sum > 0))
        return narrow;
    return fmin(gr_scale_for(all->most, 30), gr_scale_for(all->sum, 52));
}

static gradus_status settle_scales(job *j, size_t blocks, gradus_error *err)
{
    part all = { 0 };
    gr_lanes *lanes = j->lanes;

    for (size_t block = 0; block < blocks; block++) {
        gather(&all.gradient, &j->parts[block].gradient);
        gather(&all.leaf, &j->parts[block].leaf);
        gather(&all.search, &j->parts[block].search);
    }
    if (!isfinite(all.gradient.sum) || !isfinite(all.leaf.sum) || !isfinite(all.search.sum) ||
        all.leaf.negative || all.search.negative)
        return fail_number(j, err);
    lanes->gradient_scale = scale_of(&all.gradient, lanes->wide);
    lanes->hessian_scale = lanes->unit ? 1 : scale_of(&all.search, lanes->wide);
    lanes->ones = all.leaf.most == 1 && all.leaf.sum == (double)j->round->count;
    lanes->leaf_gradient_scale = gr_scale_for(all.gradient.sum, 61);
    lanes->leaf_hessian_scale = gr_scale_for(all.leaf.sum, 61);
    return GRADUS_OK;
}

static void add_totals(job *j, size_t blocks)
{
    int64_t gradients = 0, hessians = 0;
    uint32_t most = 0;

    for (size_t block = 0; block < blocks; block++) {
        gradients += j->parts[block].gradients;
        hessians += j->parts[block].hessians;
        most = j->parts[block].most > most ? j->parts[block].most : most;
    }
    j->lanes->gradient_total = (double)gradients;
    j->lanes->hessian_total = (double)hessians;
    j->lanes->hessian_most = (double)most;
}

gradus_status gr_round_words(const gr_round *round, size_t rows, size_t outputs, size_t k,
                             bool wide, gr_pool *pool, uint64_t *words, gr_lanes *lanes,
                             gradus_error *err)
{
    const size_t blocks = (round->count + BLOCK - 1) / BLOCK;
    gr_rng rng = gr_rng_for(round->seed, "rounding", round->round * outputs + k);
    job j = { round, round->gradients + k * rows, round->hessians + k * rows,        NULL, words,
              lanes, gr_rng_long(&rng),           gr_new_array(blocks, sizeof(part)) };
    gradus_status status;

    if (!j.parts)
        return gr_fail_memory(err, "rounded gradients");
    if (!round->unit)
        j.search_hessians = round->weights ? round->weights : j.leaf_hessians;
    *lanes = (gr_lanes){ .wide = wide, .unit = round->unit };
    gr_pool_run(pool, blocks, measure_block, &j);
    status = settle_scales(&j, blocks, err);
    if (status == GRADUS_OK) {
        gr_pool_run(pool, blocks, round_block, &j);
        add_totals(&j, blocks);
    }
    free(j.parts);
    return status;
}

typedef struct leaf_job {
    const float *gradients, *hessians; /* hessians NULL: 1 each */
    double gradient_scale, hessian_scale;
    const uint32_t *order, *starts;
    size_t leaves;
    _Atomic int64_t *sums; /* gradient and hessian of each leaf */
} leaf_job;

/* The leaf that a position is in. */
static size_t leaf_at(const leaf_job *j, size_t position)
{
    size_t low = 0, high = j->leaves - 1;

    while (low < high) {
        const size_t middle = (low + high + 1) / 2;

        if (j->starts[middle] <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int64_t sum_over(const float *values, double scale, const uint32_t *order, size_t first,
                        size_t end)
{
    int64_t sum = 0;

    for (size_t i = first; i < end; i++)
        sum +=
            (int64_t)((double)values[order[i]] * scale); /* towards 0: sums cannot grow past 2^61 */
    return sum;
}

static void sum_block(void *argument, size_t block, size_t worker)
{
    const leaf_job *j = argument;
    size_t at = block * BLOCK;
    const size_t last = j->starts[j->leaves], end = at + BLOCK < last ? at + BLOCK : last;

    (void)worker;
    for (size_t leaf = leaf_at(j, at); at < end; leaf++) {
        const size_t stop = j->starts[leaf + 1] < end ? j->starts[leaf + 1] : end;

        atomic_fetch_add(&j->sums[2 * leaf],
                         sum_over(j->gradients, j->gradient_scale, j->order, at, stop));
        if (j->hessians)
            atomic_fetch_add(&j->sums[2 * leaf + 1],
                             sum_over(j->hessians, j->hessian_scale, j->order, at, stop));
        at = stop;
    }
}

gradus_status gr_leaf_sums(const gr_round *round, size_t rows, size_t k, const gr_lanes *lanes,
                           const uint32_t *order, const uint32_t *starts, size_t leaves,
                           gr_pool *pool, double *gradients, double *hessians, gradus_error *err)
{
    const bool counted = lanes->ones;
    leaf_job j = { round->gradients + k * rows,
                   counted ? NULL : round->hessians + k * rows,
                   lanes->leaf_gradient_scale,
                   lanes->leaf_hessian_scale,
                   order,
                   starts,
                   leaves,
                   gr_new_array(2 * leaves, sizeof(int64_t)) };

    if (!j.sums)
        return gr_fail_memory(err, "sums of leaves");
    gr_pool_run(pool, ((size_t)starts[leaves] + BLOCK - 1) / BLOCK, sum_block, &j);
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        gradients[leaf] = (double)j.sums[2 * leaf] / j.gradient_scale;
        hessians[leaf] = counted ? (double)(starts[leaf + 1] - starts[leaf])
                                 : (double)j.sums[2 * leaf + 1] / j.hessian_scale;
    }
    free((void *)j.sums);
    return GRADUS_OK;
}
