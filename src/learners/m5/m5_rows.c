/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares the rows of a data set for model trees: missing values are replaced by means. */
#include "learners/m5/m5_build.h"

#include "data/used_columns.h"

#include <stdlib.h>

/* Weighted means over the rows that have a value. */
typedef struct averaging {
    const gradus_dataset *data;
    const float *row_weights; /* NULL: all 1 */
    double *means;            /* [feature]; sums until they are divided */
    double *missing;          /* [feature]: weight of the rows without a value */
    bool any_missing;
} averaging;

static gradus_status add_value(averaging *all, size_t r, size_t f, float value, double w,
                               gradus_error *err)
{
    if (isinf(value))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "feature %zu of row %zu is infinite: linear models need finite values",
                       (all->data->columns ? all->data->columns->ids[f] : f) + all->data->first_id,
                       r + 1);
    if (isnan(value)) {
        all->any_missing = true;
        all->missing[f] += w;
    } else {
        all->means[f] += w * (double)value;
    }
    return GRADUS_OK;
}

static gradus_status add_rows(averaging *all, double *weight, gradus_error *err)
{
    const gradus_arrays *arrays = &all->data->arrays;

    for (size_t r = 0; r < arrays->rows; r++) {
        const double w = all->row_weights ? (double)all->row_weights[r] : 1.0;

        *weight += w;
        for (size_t f = 0; arrays->values && f < arrays->features; f++)
            GR_TRY(add_value(all, r, f, arrays->values[r * arrays->stride + f], w, err));
        if (!arrays->values)
            for (uint64_t e = arrays->row_starts[r]; e < arrays->row_starts[r + 1]; e++)
                GR_TRY(add_value(all, r, arrays->columns[e], arrays->entries[e], w, err));
    }
    return GRADUS_OK;
}

static gradus_status find_means(const gradus_dataset *data, const float *row_weights, double *means,
                                bool *missing, gradus_error *err)
{
    const size_t features = data->arrays.features;
    averaging all = { .data = data,
                      .row_weights = row_weights,
                      .means = means,
                      .missing = gr_new_array(features, sizeof *all.missing) };
    gradus_status status = all.missing ? GRADUS_OK : gr_fail_memory(err, "means");
    double weight = 0.0;

    if (status == GRADUS_OK)
        status = add_rows(&all, &weight, err);
    for (size_t f = 0; status == GRADUS_OK && f < features; f++) {
        const double present = weight - all.missing[f];

        means[f] = present > 1e-9 * weight ? means[f] / present : 0.0;
    }
    *missing = all.any_missing;
    free(all.missing);
    return status;
}

static gradus_status fill(const gradus_dataset *data, gr_m5_set *set, gr_array *filled,
                          gradus_error *err)
{
    size_t bytes;
    float *values;

    if (!gr_size_times(set->rows, set->features, &bytes) ||
        !gr_size_times(bytes, sizeof(float), &bytes) || !gr_array_reserve(filled, bytes + 1))
        return gr_fail_memory(err, "dense rows");
    values = filled->at;
    for (size_t r = 0; r < set->rows; r++) {
        float *row = values + r * set->features;

        gr_dataset_row(data, r, row);
        for (size_t f = 0; f < set->features; f++)
            row[f] = gr_m5_filled(set, f, row[f]);
    }
    set->values = values;
    set->stride = set->features;
    return GRADUS_OK;
}

/* Sparse rows are made dense only if at least a quarter of their values is stored. */
static bool stays_sparse(const gradus_dataset *data)
{
    const gradus_arrays *arrays = &data->arrays;

    return !gr_dataset_is_dense(data) && (double)arrays->row_starts[arrays->rows] <
                                             0.25 * (double)arrays->rows * (double)arrays->features;
}

gradus_status gr_m5_take_rows(const gradus_dataset *data, const float *row_weights, double *means,
                              gr_m5_set *set, gr_array *filled, gradus_error *err)
{
    bool missing;

    GR_TRY(find_means(data, row_weights, means, &missing, err));
    *set = (gr_m5_set){ .values = data->arrays.values,
                        .stride = data->arrays.stride,
                        .rows = data->arrays.rows,
                        .features = data->arrays.features,
                        .sparse = stays_sparse(data) ? &data->arrays : NULL,
                        .means = means };
    if (set->sparse || (gr_dataset_is_dense(data) && !missing))
        return GRADUS_OK;
    return fill(data, set, filled, err);
}
