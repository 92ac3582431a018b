/* SPDX-License-Identifier: Apache-2.0 */
/* Counters and histograms of requests and scores. */
#include "counters.h"

#include <math.h>

const double latency_bounds[LATENCY_BUCKETS] = { 0.0001, 0.00025, 0.0005, 0.001, 0.0025,
                                                 0.005,  0.01,    0.025,  0.05,  0.1,
                                                 0.25,   0.5,     1.0,    2.5 };
const double score_bounds[SCORE_BUCKETS] = { -100.0, -30.0, -10.0, -3.0, -1.0, -0.3,
                                             -0.1,   -0.03, 0.0,   0.03, 0.1,  0.3,
                                             1.0,    3.0,   10.0,  30.0, 100.0 };
const char *const error_kind_names[ERROR_KINDS] = {
    [ERROR_SYNTAX] = "syntax",       [ERROR_TOKEN] = "token",
    [ERROR_NOT_FOUND] = "not_found", [ERROR_METHOD] = "method",
    [ERROR_TOO_LARGE] = "too_large", [ERROR_MEDIA_TYPE] = "media_type",
    [ERROR_CONTENT] = "content",     [ERROR_BUSY] = "busy",
    [ERROR_INTERNAL] = "internal",   [ERROR_UNAVAILABLE] = "unavailable",
};

/* The first bucket whose bound is at least the value. */
static size_t bucket_of(const double *bounds, size_t count, double value)
{
    size_t b = 0;

    while (b < count && value > bounds[b])
        b++;
    return b;
}

void count_latency(latency_histogram *h, double seconds)
{
    const size_t b = bucket_of(latency_bounds, LATENCY_BUCKETS, seconds);

    atomic_fetch_add_explicit(&h->counts[b], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->microseconds, (uint_fast64_t)(seconds * 1e6 + 0.5),
                              memory_order_relaxed);
}

void count_rows(model_statistics *m, const double *scores, size_t count)
{
    uint_fast64_t counts[SCORE_BUCKETS + 1] = { 0 };
    double sum = 0.0;

    for (size_t r = 0; r < count; r++) {
        counts[bucket_of(score_bounds, SCORE_BUCKETS, scores[r])]++;
        sum += scores[r];
    }
    atomic_fetch_add_explicit(&m->rows, count, memory_order_relaxed);
    for (size_t b = 0; b <= SCORE_BUCKETS; b++)
        if (counts[b])
            atomic_fetch_add_explicit(&m->scores[b], counts[b], memory_order_relaxed);
    if (fabs(sum) < 1e12)
        atomic_fetch_add_explicit(&m->score_sum, (int_fast64_t)llround(sum * 1e6),
                                  memory_order_relaxed);
}
