/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of a model: storage, validation and scoring. */
#include "learners/m5/m5.h"

#include "base/math.h"
#include "data/row_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gradus_status gr_m5_start(gr_m5 *m5, size_t features, size_t outputs, const double *means,
                          gradus_error *err)
{
    double *bases = gr_new_array(outputs, sizeof *bases);
    gradus_status status;

    *m5 = (gr_m5){ .leaf_room = 0 };
    if (!bases)
        return gr_fail_memory(err, "trees");
    status = gr_forest_start(&m5->forest, features, outputs, bases, err);
    free(bases);
    GR_TRY(status);
    m5->leaf_room = m5->term_room = 1;
    m5->means = gr_new_array(features, sizeof *m5->means);
    m5->intercepts = gr_new_array(1, sizeof *m5->intercepts);
    m5->term_starts = gr_new_array(2, sizeof *m5->term_starts);
    m5->term_features = gr_new_array(1, sizeof *m5->term_features);
    m5->term_factors = gr_new_array(1, sizeof *m5->term_factors);
    if (!m5->means || !m5->intercepts || !m5->term_starts || !m5->term_features ||
        !m5->term_factors) {
        gr_m5_free(m5);
        return gr_fail_memory(err, "trees");
    }
    memcpy(m5->means, means, features * sizeof *means);
    return GRADUS_OK;
}

void gr_m5_free(gr_m5 *m5)
{
    gr_forest_free(&m5->forest);
    if (m5->leaf_room) {
        free(m5->means);
        free(m5->intercepts);
        free(m5->term_starts);
        free(m5->term_features);
        free(m5->term_factors);
    }
    *m5 = (gr_m5){ .leaf_room = 0 };
}

static bool grow_array(void *array, size_t count, size_t size)
{
    void *bigger = realloc(*(void **)array, count * size);

    if (!bigger)
        return false;
    *(void **)array = bigger;
    return true;
}

static gradus_status make_room(gr_m5 *m5, size_t leaves, size_t terms, gradus_error *err)
{
    size_t leaf_room = m5->leaf_room, term_room = m5->term_room;

    while (leaf_room < leaves)
        leaf_room *= 2;
    while (term_room < terms)
        term_room *= 2;
    if (leaf_room > SIZE_MAX / 64 || term_room > SIZE_MAX / 64)
        return gr_fail_memory(err, "trees");
    if (leaf_room > m5->leaf_room) {
        if (!grow_array(&m5->intercepts, leaf_room, sizeof *m5->intercepts) ||
            !grow_array(&m5->term_starts, leaf_room + 1, sizeof *m5->term_starts))
            return gr_fail_memory(err, "trees");
        m5->leaf_room = leaf_room;
    }
    if (term_room > m5->term_room) {
        if (!grow_array(&m5->term_features, term_room, sizeof *m5->term_features) ||
            !grow_array(&m5->term_factors, term_room, sizeof *m5->term_factors))
            return gr_fail_memory(err, "trees");
        m5->term_room = term_room;
    }
    return GRADUS_OK;
}

gradus_status gr_m5_add(gr_m5 *m5, const gr_split *splits, size_t leaves, const float *values,
                        const uint32_t *covers, const gr_m5_leaf *models, const uint32_t *features,
                        const double *factors, gradus_error *err)
{
    const size_t before = gr_m5_leaves(m5), first = (size_t)m5->term_starts[before];
    size_t terms = 0;

    for (size_t l = 0; l < leaves; l++)
        terms += models[l].terms;
    GR_TRY(make_room(m5, before + leaves, first + terms, err));
    GR_TRY(gr_forest_add(&m5->forest, splits, leaves, values, covers, err));
    for (size_t l = 0; l < leaves; l++) {
        m5->intercepts[before + l] = models[l].intercept;
        m5->term_starts[before + l + 1] = m5->term_starts[before + l] + models[l].terms;
    }
    if (terms) {
        memcpy(m5->term_features + first, features, terms * sizeof *features);
        memcpy(m5->term_factors + first, factors, terms * sizeof *factors);
    }
    return GRADUS_OK;
}

static gradus_status append_tree(gr_m5 *m5, const gr_m5 *from, size_t t, gradus_error *err)
{
    const size_t split = (size_t)from->forest.starts[t], leaf = split + t;
    const size_t leaves = (size_t)from->forest.starts[t + 1] - split + 1;
    const size_t term = (size_t)from->term_starts[leaf];
    gr_m5_leaf *models = gr_new_array(leaves, sizeof *models);
    gradus_status status;

    if (!models)
        return gr_fail_memory(err, "trees");
    for (size_t l = 0; l < leaves; l++)
        models[l] =
            (gr_m5_leaf){ from->intercepts[leaf + l],
                          (size_t)(from->term_starts[leaf + l + 1] - from->term_starts[leaf + l]) };
    status = gr_m5_add(m5, from->forest.splits + split, leaves, from->forest.leaves + leaf,
                       from->forest.covers + leaf, models, from->term_features + term,
                       from->term_factors + term, err);
    free(models);
    return status;
}

gradus_status gr_m5_append(gr_m5 *m5, const gr_m5 *from, gradus_error *err)
{
    for (size_t t = 0; t < from->forest.trees; t++)
        GR_TRY(append_tree(m5, from, t, err));
    return GRADUS_OK;
}

void gr_m5_forget(gr_m5 *m5, size_t rounds)
{
    gr_forest_cut(&m5->forest, rounds);
}

gradus_status gr_m5_copy(const gr_m5 *from, size_t rounds, gr_m5 *to, gradus_error *err)
{
    gr_m5 part = *from;
    gradus_status status;

    part.forest.tree_room = part.forest.split_room = 0;
    gr_m5_forget(&part,
                 rounds < gr_forest_rounds(&part.forest) ? rounds : gr_forest_rounds(&part.forest));
    const size_t leaves = gr_m5_leaves(&part), terms = (size_t)part.term_starts[leaves];

    GR_TRY(gr_m5_start(to, from->forest.features, from->forest.outputs, from->means, err));
    gr_forest_free(&to->forest);
    status = gr_forest_copy(&from->forest, rounds, &to->forest, err);
    if (status == GRADUS_OK)
        status = make_room(to, leaves, terms, err);
    if (status != GRADUS_OK) {
        gr_m5_free(to);
        return status;
    }
    memcpy(to->intercepts, from->intercepts, leaves * sizeof *to->intercepts);
    memcpy(to->term_starts, from->term_starts, (leaves + 1) * sizeof *to->term_starts);
    memcpy(to->term_features, from->term_features, terms * sizeof *to->term_features);
    memcpy(to->term_factors, from->term_factors, terms * sizeof *to->term_factors);
    return GRADUS_OK;
}

gradus_status gr_m5_check(const gr_m5 *m5, gradus_error *err)
{
    GR_TRY(gr_forest_check(&m5->forest, err));
    const size_t leaves = gr_m5_leaves(m5);

    if (m5->term_starts[0] != 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "the terms of leaf 1 do not start at 0");
    for (size_t l = 0; l < leaves; l++) {
        if (m5->term_starts[l + 1] < m5->term_starts[l])
            return gr_fail(err, GRADUS_BAD_FORMAT, "the terms of leaf %zu end before they start",
                           l + 1);
    }
    const size_t terms = (size_t)m5->term_starts[leaves];

    for (size_t i = 0; i < terms; i++)
        if (m5->term_features[i] >= m5->forest.features)
            return gr_fail(err, GRADUS_BAD_FORMAT, "a linear term uses feature %u of %zu",
                           m5->term_features[i], m5->forest.features);
    if (!gr_all_finite(m5->means, m5->forest.features) || !gr_all_finite(m5->intercepts, leaves) ||
        !gr_all_finite(m5->term_factors, terms))
        return gr_fail(err, GRADUS_BAD_FORMAT, "a coefficient of a linear model is not finite");
    return GRADUS_OK;
}

double gr_m5_tree_output(const gr_m5 *m5, size_t t, const float *row)
{
    const size_t l = (size_t)m5->forest.starts[t] + t + gr_forest_leaf(&m5->forest, t, row);
    double sum = m5->intercepts[l];

    for (uint64_t i = m5->term_starts[l]; i < m5->term_starts[l + 1]; i++) {
        const uint32_t f = m5->term_features[i];

        sum += m5->term_factors[i] * (isnan(row[f]) ? m5->means[f] : (double)row[f]);
    }
    return sum;
}

typedef struct running {
    const gr_m5 *m5;
    double *sums;
    size_t first, end; /* trees */
} running;

static void run_rows(void *argument, const gr_row_block *block)
{
    const running *all = argument;
    const size_t rows = block->arrays->rows, outputs = all->m5->forest.outputs;

    for (size_t i = 0; i < block->rows; i++)
        for (size_t t = all->first * outputs; t < all->end * outputs; t++)
            all->sums[t % outputs * rows + block->first + i] +=
                gr_m5_tree_output(all->m5, t, block->values + i * block->stride);
}

gradus_status gr_m5_add_outputs(const gr_m5 *m5, size_t first, size_t end,
                                const gradus_dataset *data, double *sums, gr_pool *pool,
                                gradus_error *err)
{
    const gr_row_loop loop = { .arrays = &data->arrays,
                               .features = m5->forest.features,
                               .rows = gr_block_rows(m5->forest.features) };
    running all = { m5, sums, first, end };

    return gr_for_row_blocks(pool, &loop, run_rows, &all, err);
}
