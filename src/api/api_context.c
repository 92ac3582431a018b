/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: contexts, which hold the thread pool and the callbacks. */
#include "api/api_arguments.h"
#include "base/context.h"

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
