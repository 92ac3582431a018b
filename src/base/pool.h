/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of threads that share out numbered tasks. NULL is a pool of one: the caller. */
#ifndef GR_BASE_POOL_H
#define GR_BASE_POOL_H

#include "base/error.h"

typedef struct gr_pool gr_pool;

/* threads 0: one for each processor this process may use. After fork() the pool works in the parent
 * and in the child, which starts its own threads at the next gr_pool_run. */
gr_pool *gr_pool_new(size_t threads, gradus_error *err);
void gr_pool_free(gr_pool *pool);
size_t gr_pool_threads(const gr_pool *pool);

/* Runs task(argument, index, worker) for each index below count, each once, in any order and on
 * any thread; worker is below gr_pool_threads. Returns when all are done. Tasks may not start
 * tasks of the same pool. */
typedef void (*gr_task)(void *argument, size_t index, size_t worker);
void gr_pool_run(gr_pool *pool, size_t count, gr_task task, void *argument);

/* Cancelling. The pool of a context asks the context's progress function whether to stop, and
 * remembers that it was to. Work that may take longer than a second calls one of these every few
 * milliseconds, on any thread, in tasks or between them. */
bool gr_pool_cancelled(gr_pool *pool);
/* The same as a status, GRADUS_CANCELLED. A function that returned early because of
 * gr_pool_cancelled, and has no status, leaves it to its caller to call this. */
gradus_status gr_pool_check(gr_pool *pool, gradus_error *err);
/* As gr_pool_run, but asks before each task; the tasks after a cancellation are not run. */
gradus_status gr_pool_try(gr_pool *pool, size_t count, gr_task task, void *argument,
                          gradus_error *err);
/* Where work begins: forgets that earlier work of the same context was cancelled. */
void gr_pool_begin(gr_pool *pool);
/* The context whose progress function is asked; NULL: none. */
void gr_pool_set_context(gr_pool *pool, const gradus_context *context);

/* Makes items 0, 1, ... in parallel and takes them in order, `slots` at a time, so that a stream
 * of any length needs memory for `slots` items only. make may run on any thread and must use only
 * its slot; take runs on the caller, in order. Stops at the first failure in order; make and take
 * return GRADUS_OK to go on. */
typedef struct gr_stream {
    gradus_status (*make)(void *argument, size_t index, size_t slot, gradus_error *err);
    gradus_status (*take)(void *argument, size_t index, size_t slot, gradus_error *err);
    void *argument;
    size_t slots;                  /* at most GR_STREAM_SLOTS */
    const gradus_context *context; /* whom to tell of progress; NULL: nobody */
    const char *what;              /* what the stream does, for that */
} gr_stream;

enum { GR_STREAM_SLOTS = 64 };
/* A number of slots that keeps the pool's threads busy. */
size_t gr_stream_slots(const gr_pool *pool);
gradus_status gr_pool_stream(gr_pool *pool, size_t count, const gr_stream *stream,
                             gradus_error *err);

#endif
