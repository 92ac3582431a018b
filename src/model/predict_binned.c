/* SPDX-License-Identifier: Apache-2.0 */
/* Scores rows from their bins: in blocks, with a value of each bin. */
#include "model/predict_binned.h"

#include "base/ranges.h"
#include "data/binned.h"
#include "model/forest_node.h"
#include "model/predict.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { BLOCK_ROWS = 1024 };

static bool splits_between_bins(const gr_forest *forest, const gr_binned *binned, size_t features)
{
    const size_t splits = (size_t)forest->starts[forest->trees];

    for (size_t s = 0; s < splits; s++) {
        const gr_split *split = &forest->splits[s];

        if (split->feature >= features ||
            (!isinf(split->threshold) &&
             !binned->separates(binned->state, split->feature, split->threshold)))
            return false;
    }
    return true;
}

bool gr_model_takes_bins(const gradus_model *model, const gradus_dataset *data)
{
    if (model->transform.transform || model->features != data->arrays.features)
        return false;
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];
        const bool trees = node->kind == &gr_node_forest;

        if (node->transform || node->columns || node->kind->by_query ||
            (!trees && node->input_count == 0) ||
            (trees && !splits_between_bins(gr_forest_node_forest(node), data->binned,
                                           data->arrays.features)))
            return false;
    }
    return true;
}

typedef struct bin_work {
    const gradus_model *model;
    const gradus_dataset *data;
    double *scores, *probabilities;
    float *values; /* [threads x BLOCK_ROWS x features] */
    atomic_int failed;
} bin_work;

static void run_range(void *argument, gr_range range)
{
    bin_work *work = argument;
    const gradus_model *model = work->model;
    const size_t features = work->data->arrays.features;
    float *values = work->values + range.worker * BLOCK_ROWS * features;
    double *probabilities =
        work->probabilities ? work->probabilities + range.first * model->scorer.levels : NULL;

    work->data->binned->decode(work->data->binned->state, range.first, range.end, values);
    const gradus_status status =
        gr_model_run_rows(model, values, range.end - range.first, features,
                          work->scores ? work->scores + range.first : NULL, probabilities, NULL);

    if (status != GRADUS_OK)
        atomic_store(&work->failed, (int)status);
}

gradus_status gr_model_run_bins(const gradus_model *model, const gradus_dataset *data,
                                const gradus_context *context, double *scores,
                                double *probabilities, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(context);
    bin_work work = { model, data, scores, probabilities, NULL, 0 };
    size_t cells;

    if (gr_size_times(gr_pool_threads(pool) * BLOCK_ROWS, data->arrays.features, &cells))
        work.values = gr_new_array(cells, sizeof *work.values);
    if (!work.values)
        return gr_fail_memory(err, "rows to score");
    gr_for_ranges(pool, data->arrays.rows, BLOCK_ROWS, run_range, &work);
    free(work.values);
    if (atomic_load(&work.failed) == GRADUS_BAD_NUMBER)
        return gr_fail(err, GRADUS_BAD_NUMBER, "the model's score of a row is not finite");
    return atomic_load(&work.failed) ? gr_fail_memory(err, "rows to score") : GRADUS_OK;
}
