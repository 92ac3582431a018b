/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs and model nodes of the rounds of a forest. */
#include "pipeline/learners/forest_rounds.h"

#include "model/forest_node.h"

void gr_add_bases(const double *bases, size_t outputs, size_t rows, double *sums)
{
    for (size_t k = 0; k < outputs; k++)
        for (size_t r = 0; r < rows; r++)
            sums[k * rows + r] += bases[k];
}

gradus_status gr_forest_add_rounds(const gr_forest *forest, uint64_t first, uint64_t end,
                                   const gradus_dataset *data, double *sums, gr_pool *pool,
                                   gradus_error *err)
{
    if (first == 0)
        gr_add_bases(forest->bases, forest->outputs, data->arrays.rows, sums);
    return gr_forest_add_scores(forest, (size_t)first, (size_t)end, data, sums, pool, err);
}

gradus_status gr_forest_rounds_node(const gr_forest *forest, uint64_t rounds, gr_node *node,
                                    gradus_error *err)
{
    gr_forest copy = { .features = 0 };
    gradus_status status = gr_forest_copy(forest, (size_t)rounds, &copy, err);

    if (status == GRADUS_OK)
        status = gr_forest_node_new(&copy, node, err);
    gr_forest_free(&copy);
    return status;
}
