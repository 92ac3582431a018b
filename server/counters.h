/* SPDX-License-Identifier: Apache-2.0 */
/* What GET /metrics reports: counters that any thread may increment. */
#ifndef SERVER_COUNTERS_H
#define SERVER_COUNTERS_H

#include "gradus.h"

#include <stdatomic.h>

enum { LATENCY_BUCKETS = 14, SCORE_BUCKETS = 17, MAX_ROUTES = 32 };
extern const double latency_bounds[LATENCY_BUCKETS]; /* seconds, ascending; above them: +Inf */
extern const double score_bounds[SCORE_BUCKETS];

/* The sum of a histogram is an integer, so that it can be added to atomically: microseconds of
 * latencies, millionths of scores. */
typedef struct latency_histogram {
    atomic_uint_fast64_t counts[LATENCY_BUCKETS + 1];
    atomic_uint_fast64_t microseconds;
} latency_histogram;

/* Of one model name. */
typedef struct model_statistics {
    atomic_uint_fast64_t rows, reloads, failed_reloads;
    atomic_uint_fast64_t scores[SCORE_BUCKETS + 1];
    atomic_int_fast64_t score_sum; /* millionths */
} model_statistics;

/* Of a shadow model beside the main one. */
typedef struct shadow_statistics {
    atomic_uint_fast64_t requests, failures;
    atomic_uint_fast64_t rows, moved;      /* documents, and those at another rank */
    atomic_uint_fast64_t first_changed;    /* requests with another first document */
    atomic_uint_fast64_t rank_differences; /* sum of |difference of ranks| */
} shadow_statistics;

/* Kinds of errors, the label `kind` of gradus_request_errors_total. */
typedef enum error_kind {
    ERROR_SYNTAX,      /* 400 */
    ERROR_TOKEN,       /* 401 */
    ERROR_NOT_FOUND,   /* 404 */
    ERROR_METHOD,      /* 405 */
    ERROR_TOO_LARGE,   /* 413 */
    ERROR_MEDIA_TYPE,  /* 415 */
    ERROR_CONTENT,     /* 422 */
    ERROR_BUSY,        /* 429 */
    ERROR_INTERNAL,    /* 500 */
    ERROR_UNAVAILABLE, /* 503 */
    ERROR_KINDS
} error_kind;
extern const char *const error_kind_names[ERROR_KINDS];

/* Of the whole server. */
typedef struct server_counters {
    atomic_uint_fast64_t requests[MAX_ROUTES]; /* by route */
    atomic_uint_fast64_t errors[ERROR_KINDS];
    atomic_size_t answering;               /* requests now */
    latency_histogram latency[MAX_ROUTES]; /* by route */
    shadow_statistics shadow;
} server_counters;

void count_latency(latency_histogram *h, double seconds);
/* Counts scored rows, and their scores. */
void count_rows(model_statistics *m, const double *scores, size_t count);

#endif
