/* SPDX-License-Identifier: Apache-2.0 */
/* Min-max scaling over all rows. */
#include "data/transform.h"

const gr_transform gr_transform_minmax = {
    .about = {
        .name = "minmax",
        .summary = "each feature to [0, 1] over all rows",
        .details = "value -> (value - min) / (max - min), with the minimum and maximum of the "
                   "feature in the set. A constant feature becomes 0. Missing and infinite values "
                   "are ignored and left unchanged. Sparse rows stay sparse if the minimum of "
                   "every feature is 0.",
    },
    .scale = gr_scale_of_range,
};
