/* SPDX-License-Identifier: Apache-2.0 */
/* The options of boosted Gaussians. */
#include "learners/gaussians/gaussians.h"

static const char *const searches[] = { "newton", "exact", NULL };

const gr_param gr_gaussian_params[] = {
    GR_PARAM_TEXT(
        gr_gaussian_options, bandwidth, "widths", "LIST", "auto",
        "gaussians: bandwidths to choose from, in units of the features; auto: 0.25, 0.5, "
        "1 and 2 standard deviations of each feature"),
    GR_PARAM_COUNT(gr_gaussian_options, centres, "centres", "N", 256, 2, 65534,
                   "gaussians: maximum centres per feature; the search is exact with one per "
                   "distinct value"),
    GR_PARAM_CHOICE(gr_gaussian_options, search, "kernel-search", "HOW", "newton", searches,
                    "gaussians: how kernels are compared: by the decrease of the loss to second "
                    "order, or exactly, each with its best weight; exact is far slower"),
    GR_PARAM_END,
};

GR_OPTION_BLOCK(gaussian);
