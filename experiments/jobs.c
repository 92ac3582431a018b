/* SPDX-License-Identifier: Apache-2.0 */
/* Runs independent jobs in parallel and combines their progress, cancellation and errors. */
#include "experiments/jobs.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct worker {
    struct team *team;
    gradus_context *context;
    double done; /* fraction done of its current job */
} worker;

typedef struct team {
    gradus_context *context; /* the caller's */
    const char *what;
    size_t count;
    gr_job job;
    void *argument;
    pthread_mutex_t lock; /* guards the fields below */
    size_t ended;
    worker *workers;
    size_t worker_count;
    size_t failed; /* the failed job with the lowest index; SIZE_MAX: none */
    gradus_error error;
} team;

static bool over(const team *t)
{
    return t->failed != SIZE_MAX;
}

static void note_failure(team *t, size_t index, const gradus_error *error)
{
    if (index < t->failed) {
        t->failed = index;
        t->error = *error;
    }
}

/* Reports overall progress to the caller. Requires the lock. */
static bool tell(team *t)
{
    double done = (double)t->ended;
    gradus_error error;

    for (size_t w = 0; w < t->worker_count; w++)
        done += t->workers[w].done;
    if (gr_progress(t->context, t->what, done < (double)t->count ? done / (double)t->count : 1.0,
                    &error) != GRADUS_OK)
        note_failure(t, 0, &error);
    return !over(t);
}

/* Receives the progress of a job. Cancels the job if another one has failed. */
static bool hear(void *user, const char *what, double done)
{
    worker *w = user;
    team *t = w->team;

    pthread_mutex_lock(&t->lock);
    if (strcmp(what, "fitting") != 0) /* "fitting" is only a cancellation check */
        w->done = done < 0.99 ? done : 0.99;
    const bool go_on = !over(t) && tell(t);

    pthread_mutex_unlock(&t->lock);
    return go_on;
}

static void work(void *argument, size_t index, size_t at)
{
    team *t = argument;
    worker *w = &t->workers[at];
    gradus_error error = { GRADUS_OK, "" };

    pthread_mutex_lock(&t->lock);
    const bool idle = over(t);

    pthread_mutex_unlock(&t->lock);
    if (idle)
        return;
    const gradus_status status = t->job(t->argument, index, w->context, &error);

    pthread_mutex_lock(&t->lock);
    w->done = 0.0;
    t->ended++;
    if (status == GRADUS_OK)
        tell(t);
    else if (status != GRADUS_CANCELLED || !over(t))
        note_failure(t, index, &error);
    pthread_mutex_unlock(&t->lock);
}

/* Splits the memory limit evenly among workers; 0: no limit. */
static uint64_t fraction_of_memory(const team *t)
{
    const uint64_t limit = t->context ? t->context->max_memory : 0;
    const uint64_t each = limit / t->worker_count;

    return limit && !each ? 1 : each;
}

static gradus_status run_team(team *t, gr_pool *pool, size_t threads_each, gradus_error *err)
{
    for (size_t w = 0; w < t->worker_count; w++) {
        t->workers[w].team = t;
        t->workers[w].context = gradus_context_new(threads_each, err);
        if (!t->workers[w].context)
            return GRADUS_NO_MEMORY;
        t->workers[w].context->max_memory = fraction_of_memory(t);
        gradus_context_on_progress(t->workers[w].context, hear, &t->workers[w]);
        t->workers[w].context->bins = t->context ? t->context->bins : NULL;
    }
    gr_pool_run(pool, t->count, work, t);
    return over(t) ? gr_fail(err, t->error.status, "%s", t->error.message) : GRADUS_OK;
}

gradus_status gr_jobs_run(gradus_context *context, const char *what, size_t count, gr_job job,
                          void *argument, gradus_error *err)
{
    const size_t threads = context ? gradus_context_threads(context) : 1;
    const size_t workers = count < threads ? (count ? count : 1) : threads;
    team t = { .context = context,
               .what = what,
               .count = count,
               .job = job,
               .argument = argument,
               .failed = SIZE_MAX,
               .worker_count = workers };
    gr_pool *pool = gr_pool_new(workers, err);

    if (!pool)
        return GRADUS_NO_MEMORY;
    t.workers = gr_new_array(workers, sizeof *t.workers);
    pthread_mutex_init(&t.lock, NULL);
    const gradus_status status =
        t.workers ? run_team(&t, pool, threads / workers, err) : gr_fail_memory(err, "jobs");

    for (size_t w = 0; t.workers && w < workers; w++)
        gradus_context_free(t.workers[w].context);
    pthread_mutex_destroy(&t.lock);
    free(t.workers);
    gr_pool_free(pool);
    return status;
}
