/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the trees of a forest to a device. */
#include "learners/forest/score_forest.h"

#include "base/memory.h"

#include <stdlib.h>

static gr_score_node node_of(const gr_split *split)
{
    return (gr_score_node){ .threshold = split->threshold,
                            .feature = split->feature << 1 | (split->missing_left != 0),
                            .left = split->left,
                            .right = split->right };
}

gradus_status gr_score_forest_make(const gr_forest *forest, size_t first, size_t end,
                                   gr_score_forest *made, gradus_error *err)
{
    const size_t tree = first * forest->outputs, count = (end - first) * forest->outputs;
    const uint64_t start = forest->starts[tree];
    const size_t splits = (size_t)(forest->starts[tree + count] - start);

    *made = (gr_score_forest){ .nodes = gr_new_array(splits, sizeof *made->nodes),
                               .starts = gr_new_array(count + 1, sizeof *made->starts) };
    if (!made->nodes || !made->starts) {
        gr_score_forest_free(made);
        return gr_fail_memory(err, "trees");
    }
    for (size_t t = 0; t <= count; t++)
        made->starts[t] = forest->starts[tree + t] - start;
    for (size_t s = 0; s < splits; s++)
        made->nodes[s] = node_of(&forest->splits[start + s]);
    made->trees = (gr_score_trees){ .features = forest->features,
                                    .outputs = forest->outputs,
                                    .trees = count,
                                    .bases = forest->bases,
                                    .starts = made->starts,
                                    .nodes = made->nodes,
                                    .leaves = forest->leaves + start + tree };
    return GRADUS_OK;
}

void gr_score_forest_free(gr_score_forest *made)
{
    free(made->nodes);
    free(made->starts);
    *made = (gr_score_forest){ .nodes = NULL };
}
