/* SPDX-License-Identifier: Apache-2.0 */
/* Student's paired t test ("The probable error of a mean", 1908). */
#include "statistics/sample.h"

static gradus_status run(const gr_pairs *pairs, const gr_test_settings *settings,
                         gr_verdict *verdict, gradus_error *err)
{
    (void)err;
    gr_paired_t(pairs, settings, verdict);
    return GRADUS_OK;
}

const gr_test gr_test_t = {
    .about = {
        .name = "t",
        .summary = "paired t test on the differences by query",
        .details =
            "t = m / (s / sqrt(n)) with the mean m and standard deviation s of the n differences "
            "b - a, with n - 1 degrees of freedom (Student 1908). Assumes independent queries and "
            "an approximately normal mean difference, which a few dozen queries ensure. The "
            "interval is m -+ t-quantile * s / sqrt(n). Equal to R's t.test(b, a, paired = TRUE). "
            "All differences zero: p = 1. All equal and not zero: t is infinite, p = 0. A single "
            "query: no p-value.",
    },
    .run = run,
};
