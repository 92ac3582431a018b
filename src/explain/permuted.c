/* SPDX-License-Identifier: Apache-2.0 */
/* Permutation importance: how much a metric falls if a feature is permuted among the rows. */
#include "explain/changed_feature.h"

#include "base/context.h"
#include "base/rng.h"
#include "explain/additive.h"
#include "model/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct permuting {
    const gradus_context *context;
    const gradus_model *model;
    const gr_evaluate_options *options;
    gr_changeable rows;
    gr_lists lists;
    size_t repeats;
    uint64_t seed;
    double *plain; /* per query: the metric of the unchanged data */
    double *drops; /* per query: the mean decrease over repeats */
    size_t *order; /* of rows */
    bool *used;    /* per feature */
    double sign;   /* -1: lower values of the metric are better */
} permuting;

/* Scores the rows and adds `factor` times the metric of each query to sums. */
static gradus_status measure(permuting *p, double factor, double *sums, gradus_error *err)
{
    gr_evaluation found;

    GR_TRY(gr_model_run(p->model, p->rows.data, p->context, p->rows.scores, NULL, err));
    GR_TRY(gr_evaluate(&p->lists, p->options, gr_pool_of(p->context), &found, err));
    p->sign = found.measures.at[0].metric->lower_is_better ? -1.0 : 1.0;
    for (size_t q = 0; q < p->lists.queries; q++)
        sums[q] += factor * found.values[0].by_query[q];
    gr_evaluation_end(&found);
    return GRADUS_OK;
}

static gradus_status permute(permuting *p, size_t feature, gradus_permuted *out, gradus_error *err)
{
    gr_changeable *rows = &p->rows;
    gradus_status status = GRADUS_OK;

    memset(p->drops, 0, p->lists.queries * sizeof *p->drops);
    gr_changeable_take(rows, feature);
    for (size_t i = 0; status == GRADUS_OK && i < p->repeats; i++) {
        gr_rng rng = gr_rng_for(p->seed, "permutation", (uint64_t)feature * p->repeats + i);

        for (size_t r = 0; r < rows->rows; r++)
            p->order[r] = r;
        gr_shuffle(&rng, p->order, rows->rows);
        for (size_t r = 0; r < rows->rows; r++)
            rows->values[r * rows->features + feature] = rows->column[p->order[r]];
        status = measure(p, -1.0 / (double)p->repeats, p->drops, err);
    }
    gr_changeable_reset(rows, feature);
    for (size_t q = 0; q < p->lists.queries; q++)
        p->drops[q] = p->sign * (p->plain[q] + p->drops[q]);
    gr_mean_interval(p->drops, p->lists.queries, &out->importance, &out->low, &out->high);
    return status;
}

static gradus_status list_features(permuting *p, gradus_error *err)
{
    const gradus_model *model = p->model;
    bool *own = gr_new_array(model->features, sizeof *own);

    if (!own)
        return gr_fail_memory(err, "permutation importance");
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        if (!gr_node_takes_rows(node))
            continue;
        memset(own, 0, model->features * sizeof *own);
        gr_node_mark_used(model, node, own);
        for (size_t f = 0; f < gr_node_features(model, node); f++)
            if (own[f])
                p->used[node->columns ? node->columns[f] : f] = true;
    }
    free(own);
    return GRADUS_OK;
}

static gradus_status permute_all(permuting *p, gradus_permuted *permuted, gradus_error *err)
{
    const size_t features = p->model->features;

    GR_TRY(list_features(p, err));
    GR_TRY(measure(p, 1.0, p->plain, err));
    for (size_t f = 0; f < features; f++) {
        permuted[f] = (gradus_permuted){ 0.0, 0.0, 0.0 };
        if (p->used[f])
            GR_TRY(permute(p, f, &permuted[f], err));
        GR_TRY(gr_progress(p->context, "permuting", (double)(f + 1) / (double)features, err));
    }
    return GRADUS_OK;
}

gradus_status gr_permutation_importance(const gradus_context *context, const gradus_model *model,
                                        const gradus_dataset *data,
                                        const gr_evaluate_options *options, size_t repeats,
                                        uint64_t seed, gradus_permuted *permuted, gradus_error *err)
{
    permuting p = {
        .context = context, .model = model, .options = options, .repeats = repeats, .seed = seed
    };
    gr_arena arena = { .last = NULL };
    gradus_status status = gr_changeable_start(&p.rows, context, model, data, err);

    if (status == GRADUS_OK && !data->arrays.labels)
        status = gr_fail(err, GRADUS_BAD_ARGUMENT, "the data have no labels to evaluate with");
    p.lists = (gr_lists){ .queries = data->arrays.queries,
                          .starts = data->arrays.query_starts,
                          .labels = data->arrays.labels,
                          .scores = p.rows.scores,
                          .row_weights = data->arrays.row_weights,
                          .query_weights = data->arrays.query_weights,
                          .file_rows = data->file_rows };
    p.plain = gr_arena_array(&arena, data->arrays.queries, sizeof *p.plain);
    p.drops = gr_arena_array(&arena, data->arrays.queries, sizeof *p.drops);
    p.order = gr_arena_array(&arena, data->arrays.rows, sizeof *p.order);
    p.used = gr_arena_array(&arena, model->features, sizeof *p.used);
    if (status == GRADUS_OK && arena.failed)
        status = gr_fail_memory(err, "permutation importance");
    if (status == GRADUS_OK)
        status = permute_all(&p, permuted, err);
    gr_arena_free(&arena);
    gr_changeable_free(&p.rows);
    return status;
}
