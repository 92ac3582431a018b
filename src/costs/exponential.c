#include "costs/cost.h"

#include <math.h>

static double exponential(double truth, double guess)
{
    return fabs(ldexp(1.0, (int)truth) - ldexp(1.0, (int)guess));
}

const gr_cost gr_cost_exponential = {
    .about = { .name = "exponential",
               .summary = "|2^y - 2^k|: the difference of exponential gains",
               .details = "The gain of NDCG that a wrong grade hides or pretends. For K = 4 and "
                          "y = 3 the costs of k = 0..4 are 7, 6, 4, 0, 8." },
    .of = exponential,
};
