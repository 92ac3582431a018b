/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a dataset in which one feature is changed at a time. */
#include "explain/changed_feature.h"

#include "base/context.h"
#include "base/special.h"
#include "data/row_blocks.h"
#include "model/predict.h"

#include <math.h>
#include <stdlib.h>

gradus_status gr_changeable_start(gr_changeable *c, const gradus_context *context,
                                  const gradus_model *model, const gradus_dataset *data,
                                  gradus_error *err)
{
    const unsigned needs = GR_NEED_VALUES | GR_NEED_LABELS | 1u << GR_QUERY_STARTS;
    gradus_arrays arrays;
    size_t cells;

    *c = (gr_changeable){ .rows = data->arrays.rows, .features = model->features };
    GR_TRY(gr_model_fits(model, data, context, err));
    GR_TRY(gr_dataset_need(data, needs, gr_pool_of(context), err));
    GR_TRY(gr_check_memory(context, "a dense copy of the data",
                           (double)c->rows * (double)c->features * sizeof(float), err));
    if (!gr_size_times(c->rows, c->features, &cells))
        return gr_fail_memory(err, "a dense copy of the data");
    c->values = gr_new_array(cells, sizeof *c->values);
    c->column = gr_new_array(c->rows, sizeof *c->column);
    c->scores = gr_new_array(c->rows, sizeof *c->scores);
    if (!c->values || !c->column || !c->scores)
        return gr_fail_memory(err, "a dense copy of the data");
    gr_block_fill(&data->arrays, 0, c->rows, c->features, c->values);
    arrays = data->arrays;
    arrays.features = arrays.stride = c->features;
    arrays.values = c->values;
    arrays.row_starts = NULL;
    arrays.columns = NULL;
    arrays.entries = NULL;
    c->data = gradus_dataset_borrow(&arrays, err);
    return c->data ? GRADUS_OK : err ? err->status : GRADUS_NO_MEMORY;
}

void gr_changeable_free(gr_changeable *c)
{
    gradus_dataset_free(c->data);
    free(c->values);
    free(c->column);
    free(c->scores);
}

void gr_changeable_take(gr_changeable *c, size_t feature)
{
    for (size_t r = 0; r < c->rows; r++)
        c->column[r] = c->values[r * c->features + feature];
}

void gr_changeable_reset(gr_changeable *c, size_t feature)
{
    for (size_t r = 0; r < c->rows; r++)
        c->values[r * c->features + feature] = c->column[r];
}

void gr_mean_interval(const double *values, size_t count, double *mean, double *low, double *high)
{
    double sum = 0.0, squares = 0.0;
    size_t counted = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            counted++;
        }
    *mean = counted ? sum / (double)counted : NAN;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            squares += (values[i] - *mean) * (values[i] - *mean);
    *low = *high = NAN;
    if (counted < 2)
        return;
    const double n = (double)counted;
    const double half = gr_student_quantile(0.975, n - 1.0) * sqrt(squares / (n - 1.0) / n);

    *low = *mean - half;
    *high = *mean + half;
}
