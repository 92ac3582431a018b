/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of exponential gains. */
#include "costs/cost.h"

#include <math.h>

static double exponential(double truth, double guess, double base)
{
    return fabs(gr_cost_raise(base, truth) - gr_cost_raise(base, guess));
}

const gr_cost gr_cost_exponential = {
    .about = { .name = "exponential",
               .summary =
                   "|B^y - B^k|, 'exponential:B' (B = 2): the difference of exponential gains",
               .details = "With B = 2, the error in the gain of NDCG caused by a wrong grade: for "
                          "K = 4 and y = 3 the costs of k = 0..4 are 7, 6, 4, 0, 8. A larger B "
                          "penalises errors among high grades more, a B between 0 and 1 those "
                          "among low grades. B is between 0.001 and 1000; with B = 1 all costs "
                          "are 0." },
    .parameter = 2.0,
    .least = 0.001,
    .most = 1000.0,
    .of = exponential,
};
