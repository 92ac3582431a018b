/* SPDX-License-Identifier: Apache-2.0 */
/* Optimistic ERR (Ruan, Lin and Tsai 2014): an upper bound of the effect of a wrong grade on
 * ERR. */
#include "costs/cost.h"

static double oerr(double truth, double guess, double base)
{
    const double difference = gr_cost_raise(base, truth) - gr_cost_raise(base, guess);

    return difference * difference;
}

const gr_cost gr_cost_oerr = {
    .about = { .name = "oerr",
               .summary = "(B^y - B^k)^2, 'oerr:B' (B = 2): optimistic ERR, errors among high "
                          "grades count most",
               .details =
                   "With B = 2, as in the paper, for K = 4 and y = 3 the costs of k = 0..4 "
                   "are 49, 36, 16, 0, 64. Grades up to 511 only, so that costs are finite. B is "
                   "between 0.001 and 1000." },
    .parameter = 2.0,
    .least = 0.001,
    .most = 1000.0,
    .of = oerr,
};
