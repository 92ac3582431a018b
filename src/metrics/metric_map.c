/* SPDX-License-Identifier: Apache-2.0 */
/* Average precision; its mean over queries is MAP. The expectation over the orders of tied
 * documents follows McSherry and Najork (2008). */
#include "metrics/metric.h"

#include <math.h>

/* Sums over j = 1..q of 1/(a + j) and (j - 1)/(a + j): the positions of a tie group that follows a
 * documents. */
typedef struct place_sums {
    double ones, ranks;
} place_sums;

static place_sums sum_places(size_t a, size_t q)
{
    place_sums sums = { 0.0, 0.0 };

    for (size_t j = 1; j <= q; j++) {
        sums.ones += 1.0 / (double)(a + j);
        sums.ranks += (double)(j - 1) / (double)(a + j);
    }
    return sums;
}

/* Expected sum of precisions over the positions of a tie group with r relevant of m documents in
 * random order, `before` relevant documents being ahead of the group. */
static double group_sum(place_sums sums, double r, double m, double before)
{
    const double ahead_in_group = m > 1.0 ? (r - 1.0) / (m - 1.0) : 0.0;

    return r / m * ((before + 1.0) * sums.ones + ahead_in_group * sums.ranks);
}

/* A tie group that extends past the cutoff, if the divisor counts relevant documents found: the
 * mean over the number h of its r relevant (of m) documents that are among its first q positions.
 * `sum` and `before` are totals over the groups ahead. */
static double mean_over_cut(place_sums sums, double sum, double before, double r, double m,
                            double q)
{
    const double low = r + q > m ? r + q - m : 0.0, high = r < q ? r : q;
    double total = 0.0, mean = 0.0, weight;

    /* Weights relative to the most likely h; their sum normalises them. */
    const double guess = floor((q + 1.0) * (r + 1.0) / (m + 2.0));
    const double mode = guess < low ? low : guess > high ? high : guess;

    for (int direction = -1; direction <= 1; direction += 2) {
        weight = 1.0;
        for (double h = mode; h >= low && h <= high && weight > 1e-18; h += direction) {
            const double found = before + h;

            if (direction < 0 || h > mode) {
                total += weight;
                if (found > 0.0)
                    mean += weight * (sum + group_sum(sums, h, q, before)) / found;
            }
            weight *= direction > 0 ? (r - h) * (q - h) / ((h + 1.0) * (m - r - q + h + 1.0))
                                    : h * (m - r - q + h) / ((r - h + 1.0) * (q - h + 1.0));
        }
    }
    return mean / total;
}

static double divisor_of(const gr_ranked *ranked, size_t depth, double found)
{
    switch (ranked->settings->convention.divisor) {
    case GR_DIVISOR_RELEVANT:
        return (double)ranked->relevant;
    case GR_DIVISOR_DEPTH:
        return (double)gr_least(ranked->relevant, depth);
    case GR_DIVISOR_FOUND:
        return found > 0.0 ? found : 1.0;
    }
    return 1.0;
}

static double map_of_list(const gr_ranked *ranked, size_t depth)
{
    const gr_convention *convention = &ranked->settings->convention;
    const size_t k = convention->whole_map ? SIZE_MAX : depth;
    const size_t last = gr_least(k, ranked->count);
    double sum = 0.0, before = 0.0;

    if (ranked->relevant == 0)
        return NAN;
    for (size_t g = 0; g < ranked->groups; g++) {
        const size_t start = gr_group_start(ranked, g), end = ranked->ends[g];

        if (start >= last)
            break;
        const size_t places = gr_least(end, last) - start;
        const double r = (double)gr_relevant_between(ranked, start, end), m = (double)(end - start);

        if (r == 0.0)
            continue;
        const place_sums sums = sum_places(start, places);

        if (end > last && convention->divisor == GR_DIVISOR_FOUND)
            return mean_over_cut(sums, sum, before, r, m, (double)places);
        sum += group_sum(sums, r, m, before);
        before += r;
    }
    return sum / divisor_of(ranked, k, before);
}

const gr_metric gr_metric_map = {
    .about = { .name = "map",
               .summary = "mean average precision: the mean of precision at each relevant document",
               .details =
                   "AP@k = the sum of P@i over ranks i <= k with a relevant document, divided "
                   "by the number of relevant documents (or min(that, k), or the number found "
                   "up to k: --map-divisor). Relevant: label >= --relevant. A query without "
                   "relevant documents is empty. Ties: exact expectation over the orders of "
                   "tied documents: for the j-th position of a group of m documents with r "
                   "relevant, a documents and R relevant ahead, (r/m) (R + 1 + "
                   "(j-1)(r-1)/(m-1)) / (a+j). Cost: O(n log n). Source: McSherry and Najork "
                   "2008." },
    .aliases = "map_cut average_precision",
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .empty_may_be_one = true,
    .empty_as_map = true,
    .of_list = map_of_list,
};
