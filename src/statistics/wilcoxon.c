/* SPDX-License-Identifier: Apache-2.0 */
/* Wilcoxon's signed-rank test ("Individual comparisons by ranking methods", 1945), with the case
 * distinctions of R's wilcox.test(paired = TRUE). */
#include "base/memory.h"
#include "base/sort.h"
#include "base/special.h"
#include "statistics/sample.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_BELOW = 50 };

typedef struct signed_ranks {
    size_t count; /* number of nonzero differences */
    size_t zeros;
    double positive;   /* sum of the ranks of positive differences */
    double tied_cubes; /* sum of t^3 - t over groups of t ties */
} signed_ranks;

/* order: positions by ascending size. Ties share their mean rank. */
static void sum_ranks(const double *sizes, const double *kept, const size_t *order,
                      signed_ranks *ranks)
{
    for (size_t start = 0, end; start < ranks->count; start = end) {
        for (end = start + 1; end < ranks->count && sizes[order[end]] == sizes[order[start]];)
            end++;
        const double tied = (double)(end - start);
        const double rank = 0.5 * (double)(start + 1 + end);

        ranks->tied_cubes += tied * (tied - 1.0) * (tied + 1.0);
        for (size_t i = start; i < end; i++)
            if (kept[order[i]] > 0.0)
                ranks->positive += rank;
    }
}

static gradus_status rank_differences(const gr_pairs *pairs, signed_ranks *ranks, gradus_error *err)
{
    const size_t n = pairs->count;
    double *kept = gr_new_array(n, sizeof *kept);
    double *sizes = gr_new_array(n, sizeof *sizes);
    size_t *order = gr_new_array(n, sizeof *order);
    gr_keyed *scratch = gr_new_array(n, GR_SORT_SCRATCH(1));
    const bool ready = kept && sizes && order && scratch;

    *ranks = (signed_ranks){ 0, 0, 0.0, 0.0 };
    if (ready) {
        for (size_t i = 0; i < n; i++)
            if (pairs->differences[i] != 0.0)
                kept[ranks->count++] = pairs->differences[i];
        ranks->zeros = n - ranks->count;
        for (size_t i = 0; i < ranks->count; i++)
            sizes[i] = fabs(kept[i]);
        gr_sort_ascending(sizes, ranks->count, order, scratch);
        sum_ranks(sizes, kept, order, ranks);
    }
    free(kept);
    free(sizes);
    free(order);
    free(scratch);
    return ready ? GRADUS_OK : gr_fail_memory(err, "ranks of differences");
}

/* The fraction of the 2^n sign assignments whose positive ranks sum to at most v. Counts stay below
 * 2^50 and are exact. */
static double exact_lower(double v, size_t n)
{
    double counts[EXACT_BELOW * (EXACT_BELOW - 1) / 2 + 1] = { 1.0 };
    size_t most = 0;
    double sum = 0.0;

    for (size_t rank = 1; rank <= n; rank++) {
        most += rank;
        for (size_t s = most; s >= rank; s--)
            counts[s] += counts[s - rank];
    }
    for (size_t s = 0; s <= most && (double)s <= v; s++)
        sum += counts[s];
    return ldexp(sum, -(int)n);
}

static double exact_p(const signed_ranks *ranks, bool one_sided)
{
    const double all = 0.5 * (double)ranks->count * (double)(ranks->count + 1);

    /* The distribution is symmetric: P(V >= v) = P(V <= all - v). */
    return gr_p_of_tails(exact_lower(ranks->positive, ranks->count),
                         exact_lower(all - ranks->positive, ranks->count), one_sided);
}

static double normal_p(const signed_ranks *ranks, bool one_sided)
{
    const double n = (double)ranks->count;
    const double centre = ranks->positive - n * (n + 1.0) / 4.0;
    const double deviation =
        sqrt(n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ranks->tied_cubes / 48.0);
    const double correction = one_sided || centre > 0.0 ? 0.5 : centre < 0.0 ? -0.5 : 0.0;
    const double z = (centre - correction) / deviation;

    return gr_p_of_tails(gr_normal_lower(z), gr_normal_upper(z), one_sided);
}

static gradus_status run(const gr_pairs *pairs, const gr_test_settings *settings,
                         gr_verdict *verdict, gradus_error *err)
{
    signed_ranks ranks;

    GR_TRY(rank_differences(pairs, &ranks, err));
    gr_paired_t(pairs, settings, verdict); /* for its interval */
    verdict->statistic = ranks.positive;
    verdict->df = (double)NAN;
    if (ranks.count == 0)
        verdict->p = 1.0;
    else if (ranks.count < EXACT_BELOW && ranks.tied_cubes == 0.0 && ranks.zeros == 0)
        verdict->p = exact_p(&ranks, settings->one_sided);
    else
        verdict->p = normal_p(&ranks, settings->one_sided);
    return GRADUS_OK;
}

const gr_test gr_test_wilcoxon = {
    .about = {
        .name = "wilcoxon",
        .summary = "Wilcoxon signed-rank test on the differences by query",
        .details =
            "V = sum of the ranks of |b - a| over the queries where b is better (Wilcoxon 1945). "
            "Zero differences are dropped; ties share their mean rank. For fewer than 50 "
            "differences without ties and zeros p is exact; otherwise V is normal with mean "
            "n(n+1)/4, variance n(n+1)(2n+1)/24 - sum(t^3 - t)/48 over groups of t ties, and a "
            "continuity correction of 1/2. Equal to R's wilcox.test(b, a, paired = TRUE); as in "
            "R, differences are tied only if their absolute values are bit-identical. Assumes "
            "differences symmetric about their centre. The interval is the t interval for the "
            "mean difference. All differences zero: p = 1.",
    },
    .run = run,
};
