/* SPDX-License-Identifier: Apache-2.0 */
/* LETOR's query-level normalisation (Liu, Xu, Qin, Xiong and Li, "LETOR", 2007, section 3.3). */
#include "data/transform.h"

const gr_transform gr_transform_query = {
    .about = {
        .name = "query",
        .summary = "each feature to [0, 1] within each query, as in LETOR",
        .details = "value -> (value - min) / (max - min), with the minimum and maximum of the "
                   "feature among the documents of the query. A feature that is constant within a "
                   "query becomes 0 there. Missing and infinite values are ignored and left "
                   "unchanged. Nothing is stored: every query is rescaled by its own documents.",
    },
    .by_query = true,
    .scale = gr_scale_of_range,
};
