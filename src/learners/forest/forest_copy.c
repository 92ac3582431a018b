/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a forest. */
#include "learners/forest/forest.h"

gradus_status gr_forest_copy(const gr_forest *from, size_t rounds, gr_forest *to, gradus_error *err)
{
    const size_t most = gr_forest_rounds(from),
                 trees = (rounds < most ? rounds : most) * from->outputs;

    GR_TRY(gr_forest_start(to, from->features, from->outputs, from->bases, err));
    for (size_t t = 0; t < trees; t++) {
        const size_t splits = (size_t)(from->starts[t + 1] - from->starts[t]);
        const size_t leaf = (size_t)from->starts[t] + t;
        const gradus_status status = gr_forest_add(to, from->splits + from->starts[t], splits + 1,
                                                   from->leaves + leaf, from->covers + leaf, err);

        if (status != GRADUS_OK) {
            gr_forest_free(to);
            return status;
        }
    }
    return GRADUS_OK;
}
