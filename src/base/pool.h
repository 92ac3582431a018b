/* SPDX-License-Identifier: Apache-2.0 */
/* A thread pool that runs numbered tasks. A NULL pool runs everything on the calling thread. */
#ifndef GR_BASE_POOL_H
#define GR_BASE_POOL_H

#include "base/error.h"

typedef struct gr_pool gr_pool;

/* threads 0: one per processor available to this process. After fork() the pool works in the parent
 * and in the child; the child starts its own threads at the next gr_pool_run. */
gr_pool *gr_pool_new(size_t threads, gradus_error *err);
void gr_pool_free(gr_pool *pool);
size_t gr_pool_threads(const gr_pool *pool);

/* Runs task(argument, index, worker) once for each index below count, in any order and on any
 * thread; worker is below gr_pool_threads. Returns when all are done. Tasks must not start tasks of
 * the same pool. */
typedef void (*gr_task)(void *argument, size_t index, size_t worker);
void gr_pool_run(gr_pool *pool, size_t count, gr_task task, void *argument);

/* Cancellation. The pool asks its context's progress function whether to stop, and remembers the
 * answer "stop". Work that may take longer than a second calls one of these every few milliseconds,
 * on any thread, inside or between tasks. */
bool gr_pool_cancelled(gr_pool *pool);
/* The same as a status, GRADUS_CANCELLED. A function without a status that returns early after
 * gr_pool_cancelled relies on its caller to call this. */
gradus_status gr_pool_check(gr_pool *pool, gradus_error *err);
/* As gr_pool_run, but checks for cancellation before each task and skips the remaining tasks. */
gradus_status gr_pool_try(gr_pool *pool, size_t count, gr_task task, void *argument,
                          gradus_error *err);
/* Call at the start of new work: clears an earlier cancellation in the same context. */
void gr_pool_begin(gr_pool *pool);
/* Sets the context whose progress function is asked; NULL: none. */
void gr_pool_set_context(gr_pool *pool, const gradus_context *context);

/* Makes items 0, 1, ... in parallel and takes them in order, `slots` at a time, so that a stream of
 * any length needs memory for `slots` items only. make may run on any thread and must use only its
 * slot; take runs on the calling thread, in order. Stops at the first failure in item order. */
typedef struct gr_stream {
    gradus_status (*make)(void *argument, size_t index, size_t slot, gradus_error *err);
    gradus_status (*take)(void *argument, size_t index, size_t slot, gradus_error *err);
    void *argument;
    size_t slots;                  /* maximum GR_STREAM_SLOTS */
    const gradus_context *context; /* receives progress; NULL: none */
    const char *what;              /* description of the work, for progress */
} gr_stream;

enum { GR_STREAM_SLOTS = 64 };
/* A number of slots that keeps the pool's threads busy: several per thread. */
size_t gr_stream_slots(const gr_pool *pool);
gradus_status gr_pool_stream(gr_pool *pool, size_t count, const gr_stream *stream,
                             gradus_error *err);

#endif
