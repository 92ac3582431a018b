/* SPDX-License-Identifier: Apache-2.0 */
/* Expected reciprocal rank (Chapelle, Metzler, Zhang and Grinspan 2009): a user scans the list from
 * the top and stops at each document with a probability given by its grade; ERR is the expectation
 * of 1 / (rank at which the user stops).
 *
 * Ties: let stopped(x) be the probability that the user stops within the first x documents of a tie
 * group in random order. The user stops at position x with probability stopped(x) - stopped(x - 1),
 * which gives the expectation over all orders. stopped(x) = 1 - P(x), where P(x) is the mean over
 * all subsets of x documents of the product of their probabilities of not stopping. P is built up
 * grade by grade: among x documents drawn from the enlarged set, h have the new grade with
 * hypergeometric probability. */
#include "metrics/metric.h"

#include <math.h>

static const double NEGLIGIBLE = 1e-18;

static double stop_probability(const gr_settings *settings, double label)
{
    if (settings->convention.stop == GR_STOP_LABEL)
        return label;
    return ldexp(1.0, (int)(label - settings->max_grade)) - ldexp(1.0, -(int)settings->max_grade);
}

/* Documents of one grade that are added to a set. */
typedef struct joining {
    double others, same;        /* numbers of documents */
    const double *old;          /* stopped(x) of the set */
    const double *stopped_same; /* probability of stopping among h of them */
} joining;

/* Probability that the user has stopped after x - h documents of the set and h of the added ones.
 */
static double stopped_by(const joining *set, double x, double h)
{
    const double before = set->old[(size_t)(x - h)];

    return before + (1.0 - before) * set->stopped_same[(size_t)h];
}

/* The hypergeometric mean over h, from the most likely h outwards: weights relative to the mode
 * need no factorials, and their sum normalises them exactly. */
static double joined(const joining *set, double x)
{
    const double n = set->same, t = set->others;
    const double low = x > t ? x - t : 0.0, high = x < n ? x : n;
    const double guess = floor((x + 1.0) * (n + 1.0) / (n + t + 2.0));
    const double mode = guess < low ? low : guess > high ? high : guess;
    double total = 1.0, sum = stopped_by(set, x, mode), weight = 1.0;

    for (double h = mode; h < high && weight > NEGLIGIBLE; h++) {
        weight *= (n - h) * (x - h) / ((h + 1.0) * (t - x + h + 1.0));
        total += weight;
        sum += weight * stopped_by(set, x, h + 1.0);
    }
    weight = 1.0;
    for (double h = mode; h > low && weight > NEGLIGIBLE; h--) {
        weight *= h * (t - x + h) / ((n - h + 1.0) * (x - h + 1.0));
        total += weight;
        sum += weight * stopped_by(set, x, h - 1.0);
    }
    return sum / total;
}

/* stopped(0..last) of the enlarged set. It is non-decreasing, so once it equals 1 it stays 1. */
static void join(const joining *set, size_t last, double *now)
{
    const size_t members = (size_t)(set->others + set->same);
    size_t x = 0;

    for (; x <= gr_least(last, members); x++) {
        now[x] = joined(set, (double)x);
        if (now[x] >= 1.0)
            break;
    }
    for (; x <= last; x++)
        now[x] = 1.0;
}

/* stopped(0..last) of the tie group start..end-1; the result is in the list's work memory. */
static const double *stopped_in_group(const gr_ranked *ranked, size_t start, size_t end,
                                      size_t last)
{
    double *now = ranked->work, *old = now + ranked->count + 2, *same = old + ranked->count + 2;
    joining set = { .others = 0.0, .stopped_same = same };

    old[0] = 0.0;
    for (size_t i = start, j; i < end; i = j) {
        const double stop = stop_probability(ranked->settings, ranked->labels[i]);

        for (j = i + 1; j < end && ranked->labels[j] == ranked->labels[i]; j++)
            continue;
        set.same = (double)(j - i);
        set.old = old;
        for (size_t h = 0; h <= gr_least(j - i, last); h++)
            same[h] = h == 0 ? 0.0 : stop < 1.0 ? -expm1((double)h * log1p(-stop)) : 1.0;
        join(&set, last, now);
        double *kept = now;
        now = old;
        old = kept;
        set.others += set.same;
    }
    return old;
}

static double expected_in_group(const gr_ranked *ranked, size_t start, size_t end, size_t last,
                                double *still_reading)
{
    const double *stopped = stopped_in_group(ranked, start, end, last);
    double sum = 0.0;

    for (size_t x = 1; x <= last; x++)
        sum += (stopped[x] - stopped[x - 1]) / (double)(start + x);
    sum *= *still_reading;
    *still_reading *= 1.0 - stopped[last];
    return sum;
}

static double err_of_list(const gr_ranked *ranked, size_t depth)
{
    const size_t last = gr_least(depth, ranked->count);
    double still_reading = 1.0, expected = 0.0;

    if (ranked->ideal_count == 0 || stop_probability(ranked->settings, ranked->ideal[0]) <= 0.0)
        return NAN;
    for (size_t g = 0; g < ranked->groups; g++) {
        const size_t start = gr_group_start(ranked, g), end = ranked->ends[g];

        if (start >= last || still_reading < NEGLIGIBLE)
            break;
        if (end - start > 1) {
            expected +=
                expected_in_group(ranked, start, end, gr_least(end, last) - start, &still_reading);
            continue;
        }
        const double stops = stop_probability(ranked->settings, ranked->labels[start]);

        expected += still_reading * stops / (double)end;
        still_reading *= 1.0 - stops;
    }
    return expected;
}

const gr_metric gr_metric_err = {
    .about = { .name = "err",
               .summary = "expected reciprocal rank of the document at which the user stops",
               .details =
                   "ERR@k = the sum over ranks i = 1..k of R_i / i times the product over j < "
                   "i of (1 - R_j), with R = (2^y - 1) / 2^K. K is --max-grade: the "
                   "convention's, or else the largest label in the data; since the value "
                   "depends on it, K is printed with the convention. (CatBoost's convention "
                   "uses R = y.) A query in which every R is 0 is empty, and counts 0 unless "
                   "such queries are skipped. Ties: exact expectation over the orders of tied "
                   "documents, from the mean over subsets of the product of 1 - R. Cost: O(n "
                   "log n) without ties, and at most O(grades * min(k, m) * sqrt(m)) for a "
                   "group of m tied documents. Source: Chapelle, Metzler, Zhang and Grinspan "
                   "2009." },
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .labels = GR_LABELS_STOP,
    .of_list = err_of_list,
};
