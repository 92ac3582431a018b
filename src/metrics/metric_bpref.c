/* SPDX-License-Identifier: Apache-2.0 */
/* Binary preference (Buckley and Voorhees 2004), as trec_eval computes it. */
#include "metrics/metric.h"

#include <math.h>

typedef struct judged_counts {
    double relevant, others; /* judged documents of a tie group */
} judged_counts;

static judged_counts count_judged(const gr_ranked *ranked, size_t start, size_t end)
{
    judged_counts counts = { 0.0, 0.0 };

    for (size_t i = start; i < end; i++) {
        if (ranked->judged && !ranked->judged[i])
            continue;
        if (gr_is_relevant(&ranked->settings->convention, ranked->labels[i]))
            counts.relevant++;
        else
            counts.others++;
    }
    return counts;
}

/* Mean of min(before + u, most) over u = 0..w: of the w tied irrelevant documents any number u is
 * ahead of a tied relevant document, all numbers being equally likely. */
static double mean_ahead(double before, double w, double most)
{
    const double free_steps = fmin(fmax(most - before, 0.0), w); /* largest u <= most - before */
    const double rising = (free_steps + 1.0) * (before + free_steps / 2.0);

    if (before >= most)
        return most;
    return (rising + (w - free_steps) * most) / (w + 1.0);
}

static double bpref_of_list(const gr_ranked *ranked, size_t depth)
{
    const double relevant = (double)ranked->relevant;
    const double others = (double)(ranked->ideal_count - ranked->relevant);
    const double most = fmin(relevant, others);
    double before = 0.0, sum = 0.0;

    (void)depth;
    if (ranked->relevant == 0)
        return NAN;
    for (size_t g = 0; g < ranked->groups; g++) {
        const judged_counts here = count_judged(ranked, gr_group_start(ranked, g), ranked->ends[g]);
        const double ahead = mean_ahead(before, here.others, relevant);

        sum += here.relevant * (ahead > 0.0 ? 1.0 - ahead / most : 1.0);
        before += here.others;
    }
    return fmax(sum / relevant, 0.0);
}

const gr_metric gr_metric_bpref = {
    .about = { .name = "bpref",
               .summary = "binary preference: judged irrelevant documents ahead of relevant ones",
               .details =
                   "bpref = (1/R) times the sum over retrieved relevant documents of 1 - "
                   "min(irrelevant documents ahead, R) / min(R, N), with R relevant and N "
                   "irrelevant judged documents. Unjudged documents are ignored, which makes "
                   "the measure robust to incomplete judgements. Same definition as trec_eval. "
                   "A query without relevant documents is empty. Ties: exact expectation; each "
                   "number of tied irrelevant documents ahead is equally likely. Cost: O(n log "
                   "n). Source: Buckley and Voorhees 2004." },
    .low = 0,
    .high = 1,
    .empty_may_be_one = true,
    .of_list = bpref_of_list,
};
