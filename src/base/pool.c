/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool. It is not OpenMP because it has to survive fork() in a host program, must not
 * clash with another OpenMP runtime there, and must be visible to the thread sanitizer.
 * gr_pool_run publishes a task and starts a new round; all threads then claim task indices from one
 * atomic counter. */
#include "base/pool.h"

#include "base/context.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct gr_pool {
    size_t threads; /* including the calling thread */
    pid_t process;  /* the process that started the helpers; a forked child has none of them */
    pthread_t *helpers;
    size_t started; /* running helpers */
    bool crowded;   /* more threads than processors: never spin */
    unsigned spins; /* checks before the caller sleeps; adaptive */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    atomic_ulong round;   /* counts calls of gr_pool_run */
    atomic_size_t busy;   /* helpers still in this round */
    atomic_size_t asleep; /* helpers waiting on `work` */
    atomic_bool waiting;  /* the caller waits on `done` */
    atomic_bool closing;
    gr_task task;
    void *argument;
    size_t count;
    atomic_size_t next;
    const gradus_context *context; /* its progress function decides whether to stop */
    atomic_bool asking;            /* a thread is calling it */
    atomic_bool cancelled;         /* it returned false */
};

typedef struct helper_start {
    gr_pool *pool;
    size_t worker;
} helper_start;

static void take_tasks(gr_pool *pool, size_t worker)
{
    for (;;) {
        const size_t index = atomic_fetch_add(&pool->next, 1);

        if (index >= pool->count)
            return;
        pool->task(pool->argument, index, worker);
    }
}

/* Rounds often follow each other within microseconds, and waking a thread takes as long. Threads
 * therefore spin for a while before they sleep. A thread that spun for nothing (its peer was
 * descheduled) spins for less time next round. */
enum { MAX_SPINS = 10000, LEAST_SPINS = 250 };

static unsigned next_spins(unsigned spins, bool in_vain)
{
    if (in_vain)
        return spins / 4 > LEAST_SPINS ? spins / 4 : LEAST_SPINS;
    return 2 * spins < MAX_SPINS ? 2 * spins : MAX_SPINS;
}

static inline void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static bool has_work(gr_pool *pool, unsigned long seen)
{
    return atomic_load(&pool->round) != seen || atomic_load(&pool->closing);
}

/* A sleeper registers in `asleep` before its last check; gr_pool_run publishes the round before it
 * checks for sleepers. One of them always notices the other, so no wake-up is lost. The same holds
 * for `waiting` and `busy` when the caller waits for its helpers. */
static void await_work(gr_pool *pool, unsigned long seen, unsigned *spins)
{
    for (unsigned spin = 0; spin < *spins && !pool->crowded; spin++) {
        if (has_work(pool, seen)) {
            *spins = next_spins(*spins, false);
            return;
        }
        rest();
    }
    *spins = next_spins(*spins, true);
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->asleep, 1);
    while (!has_work(pool, seen))
        pthread_cond_wait(&pool->work, &pool->lock);
    atomic_fetch_sub(&pool->asleep, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void await_helpers(gr_pool *pool)
{
    for (unsigned spin = 0; spin < pool->spins && !pool->crowded; spin++) {
        if (atomic_load(&pool->busy) == 0) {
            pool->spins = next_spins(pool->spins, false);
            return;
        }
        rest();
    }
    pool->spins = next_spins(pool->spins, true);
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->waiting, true);
    while (atomic_load(&pool->busy) > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    atomic_store(&pool->waiting, false);
    pthread_mutex_unlock(&pool->lock);
}

static void *helper_main(void *argument)
{
    const helper_start start = *(helper_start *)argument;
    gr_pool *pool = start.pool;
    unsigned spins = LEAST_SPINS;

    free(argument);
    for (unsigned long seen = 0;; seen++) {
        await_work(pool, seen, &spins);
        if (atomic_load(&pool->closing))
            return NULL;
        take_tasks(pool, start.worker);
        if (atomic_fetch_sub(&pool->busy, 1) == 1 && atomic_load(&pool->waiting)) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->lock);
        }
    }
}

static size_t processors(void)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    return (size_t)CPU_COUNT(&allowed);
}

static bool start_helper(gr_pool *pool, size_t worker)
{
    helper_start *start = malloc(sizeof *start);

    if (!start)
        return false;
    *start = (helper_start){ pool, worker };
    if (pthread_create(&pool->helpers[worker - 1], NULL, helper_main, start) != 0) {
        free(start);
        return false;
    }
    pool->started++;
    return true;
}

/* The initial state, without helpers. In a forked child this overwrites whatever the parent had at
 * the time of the fork: a lock held by another of its threads, conditions its helpers waited on. */
static void reset(gr_pool *pool)
{
    pool->process = getpid();
    pool->started = 0;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    atomic_store(&pool->round, 0);
    atomic_store(&pool->busy, 0);
    atomic_store(&pool->asleep, 0);
    atomic_store(&pool->waiting, false);
    atomic_store(&pool->closing, false);
    atomic_store(&pool->asking, false);
}

static bool start_helpers(gr_pool *pool)
{
    for (size_t worker = 1; worker < pool->threads; worker++)
        if (!start_helper(pool, worker))
            return false;
    return true;
}

gr_pool *gr_pool_new(size_t threads, gradus_error *err)
{
    gr_pool *pool = calloc(1, sizeof *pool);

    if (!pool)
        goto no_memory;
    pool->threads = threads ? threads : processors();
    pool->crowded = pool->threads > processors();
    pool->spins = LEAST_SPINS;
    reset(pool);
    pool->helpers = calloc(pool->threads, sizeof *pool->helpers);
    if (!pool->helpers)
        goto no_memory;
    if (!start_helpers(pool))
        goto no_thread;
    return pool;

no_thread:
    gr_fail(err, GRADUS_NO_MEMORY, "cannot start %zu threads", pool->threads);
    gr_pool_free(pool);
    return NULL;
no_memory:
    gr_fail_memory(err, "a thread pool");
    gr_pool_free(pool);
    return NULL;
}

/* A forked child has no helpers to join, and destroying a condition that the parent's helpers
 * waited on would block. */
static void stop_helpers(gr_pool *pool)
{
    if (pool->process != getpid())
        return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->closing, true);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (size_t h = 0; h < pool->started; h++)
        pthread_join(pool->helpers[h], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
}

void gr_pool_free(gr_pool *pool)
{
    if (!pool)
        return;
    stop_helpers(pool);
    free(pool->helpers);
    free(pool);
}

size_t gr_pool_threads(const gr_pool *pool)
{
    return pool ? pool->threads : 1;
}

void gr_pool_run(gr_pool *pool, size_t count, gr_task task, void *argument)
{
    if (!pool || pool->threads == 1 || count < 2) {
        for (size_t index = 0; index < count; index++)
            task(argument, index, 0);
        return;
    }
    if (pool->process != getpid()) {
        reset(pool);
        (void)start_helpers(pool); /* if some cannot start, the others do their work */
    }
    pool->task = task;
    pool->argument = argument;
    pool->count = count;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->busy, pool->started);
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->asleep) > 0) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
    }
    take_tasks(pool, 0);
    await_helpers(pool);
}

void gr_pool_begin(gr_pool *pool)
{
    if (pool)
        atomic_store(&pool->cancelled, false);
}

void gr_pool_set_context(gr_pool *pool, const gradus_context *context)
{
    pool->context = context;
}

bool gr_pool_cancelled(gr_pool *pool)
{
    if (!pool)
        return false;
    if (!atomic_load(&pool->cancelled) && !atomic_exchange(&pool->asking, true)) {
        if (gr_progress(pool->context, "fitting", 0.0, NULL) != GRADUS_OK)
            atomic_store(&pool->cancelled, true);
        atomic_store(&pool->asking, false);
    }
    return atomic_load(&pool->cancelled);
}

gradus_status gr_pool_check(gr_pool *pool, gradus_error *err)
{
    return gr_pool_cancelled(pool) ? gr_fail(err, GRADUS_CANCELLED, "fitting was cancelled")
                                   : GRADUS_OK;
}

typedef struct trying {
    gr_pool *pool;
    gr_task task;
    void *argument;
} trying;

static void try_task(void *argument, size_t index, size_t worker)
{
    const trying *all = argument;

    if (!gr_pool_cancelled(all->pool))
        all->task(all->argument, index, worker);
}

gradus_status gr_pool_try(gr_pool *pool, size_t count, gr_task task, void *argument,
                          gradus_error *err)
{
    trying all = { pool, task, argument };

    gr_pool_run(pool, count, try_task, &all);
    return pool && atomic_load(&pool->cancelled) ? gr_pool_check(pool, err) : GRADUS_OK;
}

typedef struct wave {
    const gr_stream *stream;
    size_t first;
    gradus_status status[GR_STREAM_SLOTS];
    gradus_error errors[GR_STREAM_SLOTS];
} wave;

static void make_slot(void *argument, size_t slot, size_t worker)
{
    wave *w = argument;

    (void)worker;
    w->status[slot] = w->stream->make(w->stream->argument, w->first + slot, slot, &w->errors[slot]);
}

size_t gr_stream_slots(const gr_pool *pool)
{
    const size_t slots = 4 * gr_pool_threads(pool);

    return slots < GR_STREAM_SLOTS ? slots : GR_STREAM_SLOTS;
}

static gradus_status take_wave(wave *w, size_t count, gradus_error *err)
{
    const gr_stream *stream = w->stream;

    for (size_t slot = 0; slot < count; slot++) {
        if (w->status[slot] != GRADUS_OK) {
            if (err)
                *err = w->errors[slot];
            return w->status[slot];
        }
        GR_TRY(stream->take(stream->argument, w->first + slot, slot, err));
    }
    return GRADUS_OK;
}

gradus_status gr_pool_stream(gr_pool *pool, size_t count, const gr_stream *stream,
                             gradus_error *err)
{
    gradus_status status = GRADUS_OK;
    wave *w = malloc(sizeof *w); /* too large for the stack: 64 error messages */

    if (!w)
        return gr_fail_memory(err, "a stream of tasks");
    w->stream = stream;
    for (w->first = 0; w->first < count && status == GRADUS_OK; w->first += stream->slots) {
        const size_t left = count - w->first;
        const size_t now = left < stream->slots ? left : stream->slots;

        gr_pool_run(pool, now, make_slot, w);
        status = take_wave(w, now, err);
        if (status == GRADUS_OK)
            status = gr_progress(stream->context, stream->what,
                                 (double)(w->first + now) / (double)count, err);
    }
    free(w);
    return status;
}
