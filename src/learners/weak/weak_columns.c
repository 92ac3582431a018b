/* SPDX-License-Identifier: Apache-2.0 */
/* Feature columns and linear models, shared by adarank and coordinate ascent. */
#include "learners/weak/weak.h"

#include "base/text.h"

#include "base/context.h"
#include "data/column_statistics.h"

#include <math.h>
#include <stdlib.h>

void gr_weak_columns_free(gr_weak_columns *columns)
{
    free(columns->values);
    *columns = (gr_weak_columns){ .rows = 0 };
}

gradus_status gr_weak_columns_make(const gradus_dataset *data, gr_weak_columns *columns,
                                   gradus_error *err)
{
    const size_t rows = data->arrays.rows, features = data->arrays.features;
    float *row = gr_new_array(features, sizeof *row);
    size_t cells;

    *columns = (gr_weak_columns){ .rows = rows, .features = features };
    if (row && gr_size_times(rows, features, &cells))
        columns->values = gr_new_array(cells, sizeof *columns->values);
    for (size_t r = 0; columns->values && r < rows; r++) {
        gr_dataset_row(data, r, row);
        for (size_t f = 0; f < features; f++)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): values imply a row */
            columns->values[f * rows + r] = isfinite(row[f]) ? row[f] : 0.0f;
    }
    free(row);
    return columns->values ? GRADUS_OK : gr_fail_memory(err, "feature columns");
}

gradus_status gr_weak_linear(const gradus_dataset *data, const double *weights, gr_linear *linear,
                             gr_pool *pool, gradus_error *err)
{
    const size_t features = data->arrays.features;
    gr_spread *spreads = gr_new_array(features, sizeof *spreads);
    gradus_status status =
        spreads ? gr_spread_all(data, spreads, pool, err) : gr_fail_memory(err, "features");

    if (status == GRADUS_OK)
        status = gr_linear_new(linear, features, 1, err);
    for (size_t f = 0; status == GRADUS_OK && f < features; f++) {
        linear->own[features + f] =
            spreads[f].count > 0.0 ? sqrt(spreads[f].squares / spreads[f].count) : 0.0;
        linear->own[2 * features + f] = weights[f];
    }
    free(spreads);
    return status;
}

bool gr_weak_has_orders(const gr_problem *problem, size_t q)
{
    const uint64_t first = problem->query_starts[q];

    for (uint64_t r = first; r < problem->query_starts[q + 1]; r++)
        if (problem->labels[r] != problem->labels[first])
            return true;
    return false;
}

size_t gr_weak_skipped(const gradus_context *context, const gr_problem *problem)
{
    size_t skipped = 0;

    for (size_t q = 0; q < problem->queries; q++)
        skipped += !gr_weak_has_orders(problem, q);
    if (skipped)
        gr_note(context, "%zu of %zu queries %s rows of only one grade and %s skipped", skipped,
                problem->queries, gr_plural(skipped, "has", "have"),
                gr_plural(skipped, "is", "are"));
    return skipped;
}
