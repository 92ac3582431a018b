/* Optimistic ERR (Ruan, Lin and Tsai 2014): an upper bound of what a wrong grade costs in ERR. */
#include "costs/cost.h"

#include <math.h>

static double oerr(double truth, double guess)
{
    const double difference = ldexp(1.0, (int)truth) - ldexp(1.0, (int)guess);

    return difference * difference;
}

const gr_cost gr_cost_oerr = {
    .about = { .name = "oerr",
               .summary = "(2^y - 2^k)^2: optimistic ERR, mistakes among high grades count most",
               .details = "For K = 4 and y = 3 the costs of k = 0..4 are 49, 36, 16, 0, 64. "
                          "Grades up to 511, so that costs stay finite." },
    .of = oerr,
};
