/* SPDX-License-Identifier: Apache-2.0 */
/* Grows one tree per output on a data set. The rows are sorted once and shared by all outputs. */
#include "learners/m5/m5_build.h"

#include "base/clock.h"
#include "base/context.h"

#include <stdlib.h>

enum { MANY_ROWS = 100000 };

struct gr_m5_grower {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem;
    const gr_m5_options *options;
    const gr_bin_options *bin;
    gr_m5_set set;
    gr_array filled; /* float: dense copy, if rows are nearly dense or miss values */
    double *means;
    gr_m5_bins bins; /* made when first needed */
    double preparing;
};

/* The weighted mean of an output's target over the whole set; if the costs give every row weight 0,
 * the mean with the row weights alone. *weighs: whether any row has a positive weight. */
static double mean_target(const gr_problem *problem, size_t k, bool *weighs)
{
    double weight = 0.0, sum = 0.0, plain_weight = 0.0, plain_sum = 0.0;

    for (size_t r = 0; r < problem->rows; r++) {
        const double w = gr_problem_weight(problem, k, r), y = gr_problem_target(problem, k, r);
        const double plain = problem->row_weights ? (double)problem->row_weights[r] : 1.0;

        weight += w;
        sum += w * y;
        plain_weight += plain;
        plain_sum += plain * y;
    }
    *weighs = weight > 0.0;
    return *weighs ? sum / weight : plain_weight > 0.0 ? plain_sum / plain_weight : 0.0;
}

/* A constant tree, for an output whose sampled rows all have weight 0. */
static gradus_status add_mean(const gr_m5_grower *g, size_t k, gr_m5 *m5, gradus_error *err)
{
    bool weighs;
    const gr_m5_leaf leaf = { mean_target(g->problem, k, &weighs), 0 };

    return gr_m5_add(m5, NULL, 1, &(float){ (float)leaf.intercept }, &(uint32_t){ 0 }, &leaf, NULL,
                     NULL, err);
}

static void note_weightless(const gr_m5_grower *g)
{
    for (size_t k = 0; k < g->problem->outputs; k++) {
        bool weighs;

        mean_target(g->problem, k, &weighs);
        if (!weighs)
            gr_note(g->context,
                    "output %zu: every row has weight 0; it predicts the mean of its target",
                    k + 1);
    }
}

gr_m5_grower *gr_m5_grower_new(const gradus_context *context, const gradus_dataset *data,
                               const gr_problem *problem, const gr_m5_options *options,
                               const gr_bin_options *bin, gradus_error *err)
{
    const double started = gr_seconds();
    gr_m5_grower *g = calloc(1, sizeof *g);

    if (!g) {
        gr_fail_memory(err, "trees");
        return NULL;
    }
    *g = (gr_m5_grower){
        .context = context, .data = data, .problem = problem, .options = options, .bin = bin
    };
    g->means = gr_new_array(data->arrays.features, sizeof *g->means);
    if (!g->means || data->arrays.rows > INT32_MAX) {
        gr_fail(err, GRADUS_NO_MEMORY, "too many rows for model trees");
        gr_m5_grower_free(g);
        return NULL;
    }
    if (gr_m5_take_rows(data, problem->row_weights, g->means, &g->set, &g->filled, err) !=
        GRADUS_OK) {
        gr_m5_grower_free(g);
        return NULL;
    }
    if (g->set.sparse && options->search == GR_M5_BINNED)
        gr_note(context, "'split-search binned' needs dense rows; sparse rows are searched "
                         "exactly");
    note_weightless(g);
    g->preparing = gr_seconds() - started;
    return g;
}

void gr_m5_grower_free(gr_m5_grower *g)
{
    if (!g)
        return;
    gr_m5_bins_free(&g->bins);
    gr_array_free(&g->filled);
    free(g->means);
    free(g);
}

const double *gr_m5_grower_means(const gr_m5_grower *g)
{
    return g->means;
}

double gr_m5_grower_preparing(const gr_m5_grower *g)
{
    return g->preparing;
}

/* State of one call of gr_m5_grow. */
typedef struct growing {
    const gr_m5_grower *g;
    gr_pool *pool;
    const uint32_t *counts;
    size_t count;     /* rows in the sample */
    uint32_t *rows;   /* [count]: rows of the set */
    uint32_t *chosen; /* rows with positive weight for the output */
    /* [count]: position of each sampled row in `chosen`, UINT32_MAX: none. */
    uint32_t *renamed;
    double *targets, *weights;
    gr_array sorted, work; /* entries of all sampled rows; of one output's rows */
} growing;

static void end(growing *all)
{
    free(all->rows);
    free(all->chosen);
    free(all->renamed);
    free(all->targets);
    free(all->weights);
    gr_array_free(&all->sorted);
    gr_array_free(&all->work);
}

static gradus_status start(growing *all, gradus_error *err)
{
    const size_t rows = all->g->set.rows;

    all->rows = gr_new_array(rows, sizeof *all->rows);
    all->chosen = gr_new_array(rows, sizeof *all->chosen);
    all->renamed = gr_new_array(rows, sizeof *all->renamed);
    all->targets = gr_new_array(rows, sizeof *all->targets);
    all->weights = gr_new_array(rows, sizeof *all->weights);
    if (!all->rows || !all->chosen || !all->renamed || !all->targets || !all->weights)
        return gr_fail_memory(err, "rows");
    for (size_t r = 0; r < rows; r++)
        if (!all->counts || all->counts[r])
            all->rows[all->count++] = (uint32_t)r;
    return GRADUS_OK;
}

static gradus_status sort_rows(growing *all, gradus_error *err)
{
    const gr_m5_sample sample = { .set = &all->g->set, .rows = all->rows, .count = all->count };
    size_t bytes;

    if (!gr_size_times(all->count, all->g->set.features, &bytes) ||
        !gr_size_times(bytes, sizeof(uint64_t), &bytes) ||
        !gr_array_reserve(&all->sorted, bytes + 1))
        return gr_fail_memory(err, "sorted values");
    return gr_m5_sort_sample(&sample, all->pool, all->sorted.at, err);
}

/* Whether a tree on this many rows is searched between bins. */
static bool wants_bins(const gr_m5_grower *g, size_t count)
{
    const int search = g->options->search;

    return !g->set.sparse &&
           (search == GR_M5_BINNED || (search == GR_M5_AUTO && count > MANY_ROWS));
}

gradus_status gr_m5_prepare(gr_m5_grower *g, const uint32_t *counts, gradus_error *err)
{
    const double started = gr_seconds();
    size_t count = 0;

    for (size_t r = 0; r < g->set.rows; r++)
        count += !counts || counts[r];
    if (g->bins.starts || !wants_bins(g, count))
        return GRADUS_OK;
    GR_TRY(gr_m5_bins_new(g->context, g->data, g->bin, g->means, &g->bins, err));
    g->preparing += gr_seconds() - started;
    return GRADUS_OK;
}

double gr_m5_grower_bytes(const gr_m5_grower *g, double rows)
{
    const double features = g->set.sparse ? 4.0 : (double)g->set.features;

    return rows * (features * 2.0 * sizeof(uint64_t) + 100.0);
}

/* Cost weights matter only relative to each other, not as row counts: they are scaled so that the
 * total weight is that of the rows without costs. Otherwise a tree would trust a row of cost 60
 * like sixty rows, and changing the unit of the costs would change the tree. */
static void scale_weights(double *weights, size_t count, double weight, double wanted)
{
    if (weight != wanted)
        for (size_t i = 0; i < count; i++)
            weights[i] *= wanted / weight;
}

/* The sample of output k. Rows of weight 0 are dropped. The mean is subtracted from the targets; it
 * is rounded to an integer if all targets are integers, which keeps their sums exact. */
static gr_m5_sample pose(growing *all, size_t k, double *shift)
{
    const gr_problem *problem = all->g->problem;
    gr_m5_sample sample = { .set = &all->g->set,
                            .rows = all->chosen,
                            .targets = all->targets,
                            .asked = gr_pool_of(all->g->context) };
    double weight = 0.0, without_costs = 0.0, sum = 0.0;
    bool ones = true, whole = true;

    for (size_t i = 0; i < all->count; i++) {
        const uint32_t r = all->rows[i];
        const double copies = all->counts ? (double)all->counts[r] : 1.0;
        const double w = gr_problem_weight(problem, k, r) * copies;
        const double y = gr_problem_target(problem, k, r);

        all->renamed[i] = UINT32_MAX;
        if (!(w > 0.0))
            continue;
        all->renamed[i] = (uint32_t)sample.count;
        all->chosen[sample.count] = r;
        all->targets[sample.count] = y;
        all->weights[sample.count++] = w;
        weight += w;
        without_costs += copies * (problem->row_weights ? (double)problem->row_weights[r] : 1.0);
        sum += w * y;
        ones = ones && w == 1.0;
        whole = whole && y == rint(y);
    }
    *shift = weight > 0.0 ? sum / weight : 0.0;
    *shift = whole ? rint(*shift) : *shift;
    for (size_t i = 0; i < sample.count; i++)
        all->targets[i] -= *shift;
    scale_weights(all->weights, sample.count, weight, without_costs);
    sample.weights = ones ? NULL : all->weights;
    return sample;
}

/* Filters the shared sorted entries down to an output's rows. */
typedef struct copying {
    const growing *all;
    const gr_m5_sample *sample;
} copying;

static void copy_feature(void *argument, size_t f, size_t worker)
{
    const copying *copy = argument;
    const growing *all = copy->all;
    const uint64_t *from = (const uint64_t *)all->sorted.at + f * all->count;
    uint64_t *to = (uint64_t *)all->work.at + f * copy->sample->count;

    (void)worker;
    if (copy->sample->count == all->count) {
        memcpy(to, from, all->count * sizeof *to);
        return;
    }
    for (size_t i = 0; i < all->count; i++) {
        const uint32_t name = all->renamed[(uint32_t)from[i]];

        if (name != UINT32_MAX)
            *to++ = (from[i] & ~(uint64_t)UINT32_MAX) | name;
    }
}

static gradus_status entries_of(growing *all, const gr_m5_sample *sample, bool last,
                                uint64_t **entries, gradus_error *err)
{
    copying copy = { all, sample };

    *entries = all->sorted.at;
    if (last && sample->count == all->count)
        return GRADUS_OK;
    if (!gr_array_reserve(&all->work, sample->count * sample->set->features * sizeof(uint64_t) + 1))
        return gr_fail_memory(err, "sorted values");
    gr_pool_run(all->pool, sample->set->features, copy_feature, &copy);
    *entries = all->work.at;
    return GRADUS_OK;
}

static gradus_status grow_output(growing *all, size_t k, gr_m5 *m5, gradus_error *err)
{
    const gr_m5_options *options = all->g->options;
    gr_pool *pool = all->pool;
    double shift;
    const gr_m5_sample sample = pose(all, k, &shift);
    gr_m5_sums sums = { 0.0, 0.0, 0.0 };
    gr_m5_tree tree = { .at = NULL };
    gradus_status status;
    uint64_t *entries;

    if (sample.count == 0)
        return add_mean(all->g, k, m5, err);
    for (size_t i = 0; i < sample.count; i++) {
        const double w = sample.weights ? sample.weights[i] : 1.0, y = sample.targets[i];

        sums = (gr_m5_sums){ sums.weight + w, sums.sum + w * y, sums.squares + w * y * y };
    }
    const gr_m5_limits limits = { .weight = (double)options->min_leaf,
                                  .variance = 0.05 * 0.05 * gr_m5_variance(&sums) };

    if (sample.set->sparse) {
        status = gr_m5_grow_sparse(&sample, &limits, pool, &tree, err);
    } else if (wants_bins(all->g, all->count)) {
        status = gr_m5_grow_binned(&sample, &all->g->bins, &limits, pool, &tree, err);
    } else {
        GR_TRY(entries_of(all, &sample, k + 1 == all->g->problem->outputs, &entries, err));
        status = gr_m5_grow_exact(&sample, entries, &limits, pool, &tree, err);
    }
    if (status == GRADUS_OK)
        status = gr_m5_finish(&sample, shift, &tree, options, pool, m5, err);
    gr_m5_tree_free(&tree);
    return status;
}

gradus_status gr_m5_grow(const gr_m5_grower *g, const uint32_t *counts, gr_pool *pool, gr_m5 *m5,
                         gradus_error *err)
{
    growing all = { .g = g, .pool = pool, .counts = counts };
    gradus_status status = start(&all, err);

    if (status == GRADUS_OK && !g->set.sparse && !wants_bins(g, all.count))
        status = sort_rows(&all, err);
    for (size_t k = 0; status == GRADUS_OK && k < g->problem->outputs; k++)
        status = grow_output(&all, k, m5, err);
    end(&all);
    return status;
}
