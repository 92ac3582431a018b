/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: contexts, which hold the thread pool and the callbacks. */
#include "api/api_arguments.h"
#include "bins/bins.h"

#include <stdlib.h>

gradus_context *gradus_context_new(size_t threads, gradus_error *err)
{
    gradus_context *context = calloc(1, sizeof *context);

    if (!context) {
        gr_fail_memory(err, "a context");
        return NULL;
    }
    context->pool = gr_pool_new(threads, err);
    if (!context->pool) {
        free(context);
        return NULL;
    }
    gr_pool_set_context(context->pool, context);
    return context;
}

void gradus_context_free(gradus_context *context)
{
    if (!context)
        return;
    if (context->owns_bins)
        gr_bin_cache_free(context->bins);
    gr_pool_free(context->pool);
    free(context);
}

size_t gradus_context_threads(const gradus_context *context)
{
    return gr_pool_threads(gr_pool_of(context));
}

void gradus_context_set_max_memory(gradus_context *context, uint64_t bytes)
{
    if (!GR_GIVEN(NULL, context))
        return;
    context->max_memory = bytes;
}

void gradus_context_set_collectives(gradus_context *context, const gradus_collectives *collectives)
{
    if (!GR_GIVEN(NULL, context))
        return;
    context->collectives = collectives;
}

void gradus_context_on_progress(gradus_context *context, gradus_progress_function progress,
                                void *user)
{
    if (!GR_GIVEN(NULL, context))
        return;
    context->progress = progress;
    context->progress_user = user;
}

void gradus_context_on_note(gradus_context *context, gradus_note_function note, void *user)
{
    if (!GR_GIVEN(NULL, context))
        return;
    context->note = note;
    context->note_user = user;
}

gradus_note_function gradus_context_note(const gradus_context *context, void **user)
{
    if (!GR_GIVEN(NULL, context, user))
        return NULL;
    *user = context->note_user;
    return context->note;
}

gradus_progress_function gradus_context_progress(const gradus_context *context, void **user)
{
    if (!GR_GIVEN(NULL, context, user))
        return NULL;
    *user = context->progress_user;
    return context->progress;
}

gradus_context *gradus_context_split(const gradus_context *context, size_t parts, size_t threads,
                                     gradus_error *err)
{
    gradus_context *part = gradus_context_new(threads, err);

    if (!part || !context)
        return part;
    const uint64_t memory = context->max_memory / (parts ? parts : 1);

    part->max_memory = context->max_memory && !memory ? 1 : memory; /* 0: no limit */
    part->bins = context->bins;
    return part;
}

gradus_status gradus_context_share_bins(gradus_context *context, const gradus_dataset *const *sets,
                                        size_t count, gradus_error *err)
{
    if (!GR_GIVEN(err, context) || (count && !GR_GIVEN(err, sets)))
        return GRADUS_BAD_ARGUMENT;
    gr_bin_cache *bins = count ? gr_bin_cache_new(sets, count, err) : NULL;

    if (count && !bins)
        return GRADUS_NO_MEMORY;
    if (context->owns_bins)
        gr_bin_cache_free(context->bins);
    context->bins = bins;
    context->owns_bins = bins != NULL;
    return GRADUS_OK;
}
