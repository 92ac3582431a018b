/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a call: its threads and the callbacks for notes and progress. */
#ifndef GR_BASE_CONTEXT_H
#define GR_BASE_CONTEXT_H

#include "base/pool.h"

struct gradus_context {
    gr_pool *pool;
    gradus_note_function note;
    void *note_user;
    gradus_progress_function progress;
    void *progress_user;
    uint64_t max_memory;       /* bytes; 0: no limit */
    struct gr_bin_cache *bins; /* cache for trainings on the same data (bins/bins.h); NULL: none */
    bool owns_bins;            /* false: they belong to the context that this one was split from */
    const gradus_collectives *collectives; /* NULL: one process */
    const gradus_device *device;           /* NULL: the processor only */
    size_t wide_features;                  /* see gr_wide_features; 0: the default. For tests */
};

static inline gr_pool *gr_pool_of(const gradus_context *context)
{
    return context ? context->pool : NULL;
}

/* Sparse data with at least this many features, few of them used, are trained on and scored without
 * the unused ones (data/used_columns.h). */
static inline size_t gr_wide_features(const gradus_context *context)
{
    return context && context->wide_features ? context->wide_features : 16384;
}

/* Reports something that is not an error: "the rows of 12 queries are not contiguous;
 * regrouped". */
void gr_note(const gradus_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails if the estimated bytes exceed the context's limit. what: "'ranknet' on 9 features". */
gradus_status gr_check_memory(const gradus_context *context, const char *what, double bytes,
                              gradus_error *err);

/* Reports progress from 0 to 1; returns GRADUS_CANCELLED if the progress callback asks to stop. */
gradus_status gr_progress(const gradus_context *context, const char *what, double done,
                          gradus_error *err);

#endif
