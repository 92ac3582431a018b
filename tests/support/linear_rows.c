/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for the tests of linear models. */
#include "linear_rows.h"

#include <stdlib.h>

linear_rows make_linear_rows(size_t count, size_t features, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, "rows", 0);
    linear_rows made = { count, features, calloc(count * features + 1, sizeof(float)),
                         calloc(count, sizeof(float)), calloc(count, sizeof(float)) };

    for (size_t r = 0; r < count; r++) {
        double sum = 3.0 * gr_rng_normal(&rng);

        for (size_t f = 0; f < features; f++) {
            const double value = gr_rng_normal(&rng) * (double)(f + 1) + 10.0 * (double)(f % 3);

            made.values[r * features + f] = (float)value;
            sum += value * (f % 2 ? 0.5 : -0.25);
        }
        made.labels[r] = (float)sum;
        made.weights[r] = (float)gr_rng_below(&rng, 4);
    }
    return made;
}

void end_linear_rows(linear_rows *made)
{
    free(made->values);
    free(made->labels);
    free(made->weights);
}

gradus_dataset *dataset_of(const linear_rows *made, bool weighted)
{
    const gradus_arrays arrays = { .rows = made->count,
                                   .features = made->features,
                                   .values = made->values,
                                   .stride = made->features,
                                   .labels = made->labels,
                                   .row_weights = weighted ? made->weights : NULL };
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, &err);

    if (!data)
        print_error("%s\n", err.message);
    assert_non_null(data);
    return data;
}
