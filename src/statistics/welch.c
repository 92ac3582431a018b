/* SPDX-License-Identifier: Apache-2.0 */
/* Welch's unpaired t test ("The generalization of Student's problem when several different
 * population variances are involved", 1947). The p-values printed in the McRank paper are of this
 * kind. */
#include "statistics/sample.h"

#include <math.h>

static gradus_status run(const gr_pairs *pairs, const gr_test_settings *settings,
                         gr_verdict *verdict, gradus_error *err)
{
    const double n = (double)pairs->count;
    const gr_moments a = gr_moments_of(pairs->a, pairs->count);
    const gr_moments b = gr_moments_of(pairs->b, pairs->count);
    const double both = hypot(a.deviation, b.deviation);
    const double u = both > 0.0 ? a.deviation / both : 1.0,
                 v = both > 0.0 ? b.deviation / both : 1.0;
    const double freedom =
        (n - 1.0) * (u * u + v * v) * (u * u + v * v) / (u * u * u * u + v * v * v * v);

    (void)err;
    gr_student_verdict(b.mean - a.mean, both / sqrt(n), freedom, settings, verdict);
    return GRADUS_OK;
}

const gr_test gr_test_welch = {
    .about = {
        .name = "welch",
        .summary = "unpaired two-sample t test with unequal variances",
        .details =
            "t = (mean b - mean a) / sqrt(u + v), u = var a / n, v = var b / n, with (u + v)^2 / "
            "(u^2 / (n - 1) + v^2 / (n - 1)) degrees of freedom (Welch 1947). Ignores that both "
            "systems were measured on the same queries, so it has less power than the paired "
            "tests; use it to compare with papers that print means and standard deviations. The "
            "interval is the t interval. Equal to R's t.test(b, a). All values equal in each "
            "system: p = 1, or 0 if the two differ. A single query: no p-value.",
    },
    .run = run,
};
