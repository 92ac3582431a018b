/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the bootstrap sample of a bagging round. */
#include "learners/m5/m5.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

gradus_status gr_m5_draw(const gr_problem *problem, const gr_m5_options *options, uint64_t seed,
                         uint64_t round, uint32_t *counts, gradus_error *err)
{
    const bool queries = options->bag == GR_BAG_QUERIES;
    const size_t of = queries ? problem->queries : problem->rows;
    const size_t wanted = (size_t)llrint(options->bag_share * (double)of);
    gr_rng rng = gr_rng_for(seed, "bag", round);

    if (of == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "there are no rows to draw from");
    memset(counts, 0, problem->rows * sizeof *counts);
    for (size_t i = 0; i < (wanted ? wanted : 1); i++) {
        const uint64_t drawn = gr_rng_below(&rng, of);

        const uint64_t first = queries ? problem->query_starts[drawn] : drawn;
        const uint64_t end = queries ? problem->query_starts[drawn + 1] : drawn + 1;

        for (uint64_t r = first; r < end; r++)
            counts[r]++;
    }
    return GRADUS_OK;
}
