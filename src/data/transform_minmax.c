/* SPDX-License-Identifier: Apache-2.0 */
#include "data/transform.h"

const gr_transform gr_transform_minmax = {
    .about = {
        .name = "minmax",
        .summary = "each feature to [0, 1] over all rows",
        .details = "value -> (value - min) / (max - min), with the least and greatest value of the "
                   "feature in the set. A feature with one value becomes 0. Missing and infinite "
                   "values are left out and stay as they are. Sparse rows whose least value is 0 "
                   "stay sparse.",
    },
    .settle = gr_settle_range,
};
