/* SPDX-License-Identifier: Apache-2.0 */
/* What a call works with: threads, and somebody to tell notes to. */
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
    struct gr_bin_share *bins; /* what trainings on the same data share (data/bins.h); NULL: none */
};

static inline gr_pool *gr_pool_of(const gradus_context *context)
{
    return context ? context->pool : NULL;
}

/* Tells the user something that is not an error: "rows of 12 queries were scattered; regrouped". */
void gr_note(const gradus_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails if an estimate of bytes is more than the context's limit. what: "'ranknet' on 9 features". */
gradus_status gr_check_memory(const gradus_context *context, const char *what, double bytes,
                              gradus_error *err);

/* Tells how much of the work is done, 0 to 1; GRADUS_CANCELLED if the user wants no more of it. */
gradus_status gr_progress(const gradus_context *context, const char *what, double done,
                          gradus_error *err);

#endif
