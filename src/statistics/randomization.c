/* SPDX-License-Identifier: Apache-2.0 */
/* Fisher's sign-flip randomisation test (The Design of Experiments, 1935, section 21): if the
 * systems do not differ, each difference could equally well have had the opposite sign. */
#include "base/memory.h"
#include "base/ranges.h"
#include "base/rng.h"
#include "statistics/sample.h"

#include <math.h>
#include <stdlib.h>

enum {
    EXACT_MAX = 20,   /* maximum differences for enumerating all 2^n assignments */
    BLOCK_BITS = 12,  /* 2^12 assignments per task */
    FLIPS_A_TASK = 64 /* random assignments per task */
};

typedef struct flipping {
    const double *kept; /* [count]: the nonzero differences */
    size_t count;
    double threshold; /* sums at or above this count as hits */
    const gr_test_settings *settings;
    uint64_t *hits; /* [task] */
} flipping;

static bool counts(const flipping *f, double sum)
{
    return (f->settings->one_sided ? sum : fabs(sum)) >= f->threshold;
}

/* Enumerates 2^12 assignments from task * 2^12 on in Gray code order, in which successive
 * assignments differ in one sign. */
static void enumerate(void *argument, gr_range range)
{
    const flipping *f = argument;
    const uint64_t first = range.first;
    double sum = 0.0;
    uint64_t hits = 0;

    for (size_t i = 0; i < f->count; i++)
        sum += (first ^ first >> 1) >> i & 1 ? -f->kept[i] : f->kept[i];
    for (uint64_t code = first;;) {
        hits += counts(f, sum);
        if (++code == range.end)
            break;
        const int changed = __builtin_ctzll(code);
        const bool negative = (code ^ code >> 1) >> changed & 1;
        sum += negative ? -2.0 * f->kept[changed] : 2.0 * f->kept[changed];
    }
    f->hits[range.index] = hits;
}

static double flipped_sum(const flipping *f, uint64_t resample)
{
    gr_rng rng = gr_rng_for(f->settings->seed, "randomization", resample);
    double sum = 0.0;

    for (size_t start = 0; start < f->count; start += 32) {
        const size_t end = start + 32 < f->count ? start + 32 : f->count;
        uint32_t signs = gr_rng_word(&rng);

        for (size_t i = start; i < end; i++, signs >>= 1)
            sum += signs & 1 ? -f->kept[i] : f->kept[i];
    }
    return sum;
}

static void flip_at_random(void *argument, gr_range range)
{
    const flipping *f = argument;
    uint64_t hits = 0;

    for (uint64_t r = range.first; r < range.end; r++)
        hits += counts(f, flipped_sum(f, r));
    f->hits[range.index] = hits;
}

static gradus_status share_of_hits(flipping *f, double *p, gradus_error *err)
{
    const bool exact = f->count <= EXACT_MAX;
    const size_t all = exact ? (size_t)1 << f->count : (size_t)f->settings->resamples;
    const size_t a_task = exact ? (size_t)1 << BLOCK_BITS : FLIPS_A_TASK;
    const size_t tasks = gr_range_count(all, a_task);
    gradus_status status;
    uint64_t hits = 0;

    f->hits = gr_new_array(tasks, sizeof *f->hits);
    if (!f->hits)
        return gr_fail_memory(err, "randomization");
    status =
        gr_try_ranges(f->settings->pool, all, a_task, exact ? enumerate : flip_at_random, f, err);
    for (size_t t = 0; status == GRADUS_OK && t < tasks; t++)
        hits += f->hits[t];
    free(f->hits);
    /* the observed assignment counts as one of the random ones */
    *p = exact ? (double)hits / (double)all : (double)(hits + 1) / (double)(all + 1);
    return status;
}

static gradus_status p_value(const gr_pairs *pairs, const gr_test_settings *settings, double *kept,
                             double *p, gradus_error *err)
{
    const double slack = gr_rounding_slack(pairs->differences, pairs->count);
    flipping f = { kept, 0, 0.0, settings, NULL };
    double sum = 0.0;

    for (size_t i = 0; i < pairs->count; i++) {
        sum += pairs->differences[i];
        if (pairs->differences[i] != 0.0)
            kept[f.count++] = pairs->differences[i];
    }
    f.threshold = (settings->one_sided ? sum : fabs(sum)) - slack;
    return share_of_hits(&f, p, err);
}

static gradus_status run(const gr_pairs *pairs, const gr_test_settings *settings,
                         gr_verdict *verdict, gradus_error *err)
{
    double *kept = gr_new_array(pairs->count, sizeof *kept);
    double *means = gr_new_array((size_t)settings->resamples, sizeof *means);
    gradus_status status = GRADUS_NO_MEMORY;

    verdict->df = (double)NAN;
    verdict->statistic = gr_moments_of(pairs->differences, pairs->count).mean;
    if (kept && means) {
        status = p_value(pairs, settings, kept, &verdict->p, err);
        if (status == GRADUS_OK)
            status = gr_bootstrap_means(pairs->differences, pairs->count, settings, means, err);
        if (status == GRADUS_OK)
            status = gr_percentile_interval(means, pairs, settings, verdict, err);
    } else {
        gr_fail_memory(err, "randomization");
    }
    free(kept);
    free(means);
    return status;
}

const gr_test gr_test_randomization = {
    .about = {
        .name = "randomization",
        .summary = "sign-flip randomisation test of the mean difference",
        .details =
            "p is the fraction of sign assignments of the n differences whose mean is at least as "
            "far from zero as the observed mean (Fisher 1935). All 2^n are enumerated for up to "
            "20 nonzero differences; beyond that --resamples are drawn at random and p is (count "
            "+ 1) / (resamples + 1), never below 1 / (resamples + 1). Assumes only that each "
            "difference could equally have had the opposite sign. Sums within 1e-12 of the sum of "
            "absolute differences count as equal, so that rounding does not matter. The statistic "
            "is the mean difference, the interval its percentile bootstrap interval. Cost: "
            "resamples x queries. All differences zero: p = 1.",
    },
    .run = run,
};
