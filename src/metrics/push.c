/* The p-norm push (Rudin 2009). */
#include "metrics/pairs.h"

#include <math.h>

/* From the end of the list up, so that the relevant documents under a run are known. */
static double sum_of_powers(const gr_ranked *ranked, double relevant, double power)
{
    double under = 0.0, sum = 0.0;

    for (size_t end = ranked->count, start; end > 0; end = start) {
        for (start = end - 1; start > 0; start--)
            if (ranked->scores[start - 1] != ranked->scores[end - 1])
                break;
        const double good = (double)gr_relevant_between(ranked, start, end);
        const double bad = (double)(end - start) - good;

        if (bad > 0.0)
            sum += bad * pow((under + good / 2.0) / relevant, power);
        under += good;
    }
    return sum;
}

static double push_of_list(const gr_ranked *ranked, size_t depth)
{
    const double relevant = (double)gr_relevant_between(ranked, 0, ranked->count);
    const double others = (double)ranked->count - relevant;
    const double power = ranked->settings->push_power;

    (void)depth;
    if (!(relevant * others > 0.0))
        return NAN;
    return pow(sum_of_powers(ranked, relevant, power) / others, 1.0 / power);
}

const gr_metric gr_metric_push = {
    .about = { .name = "push",
               .summary = "p-norm push: how high irrelevant documents stand, the highest most",
               .details =
                   "((1/n-) times the sum over irrelevant documents of (share of the relevant "
                   "documents ranked under it)^p)^(1/p), equal scores counting one half, p = "
                   "--push-power. p = 1 is 1 - auc; large p looks only at the top. Queries "
                   "without a relevant or an irrelevant document are left out and counted as "
                   "empty. Lower is better. Cost: O(n log n). Source: Rudin 2009." },
    .low = 0,
    .high = 1,
    .lower_is_better = true,
    .pairs = true,
    .of_list = push_of_list,
};
