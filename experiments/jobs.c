/* SPDX-License-Identifier: Apache-2.0 */
/* Runs independent jobs in parallel and combines their progress, cancellation and errors. */
#include "experiments/jobs.h"

#include "base/error.h"
#include "base/memory.h"
#include "experiments/helpers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct worker {
    struct team *team;
    gradus_context *context;
    pthread_t thread;
    double done; /* fraction done of its current job */
} worker;

typedef struct team {
    gradus_context *context; /* the caller's */
    const char *what;
    size_t count;
    gr_job job;
    void *argument;
    pthread_mutex_t lock; /* guards the fields below */
    size_t next;          /* the next job to start */
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
    if (gr_send_progress(t->context, t->what,
                         done < (double)t->count ? done / (double)t->count : 1.0,
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

static void work(worker *w, size_t index)
{
    team *t = w->team;
    gradus_error error = { GRADUS_OK, "" };
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

/* A thread of the team: runs jobs until none is left. */
static void *serve(void *argument)
{
    worker *w = argument;
    team *t = w->team;

    for (;;) {
        pthread_mutex_lock(&t->lock);
        const size_t index = over(t) ? t->count : t->next;

        t->next = index < t->count ? index + 1 : index;
        pthread_mutex_unlock(&t->lock);
        if (index >= t->count)
            return NULL;
        work(w, index);
    }
}

/* Starts the threads other than the caller's. *started: how many are to be joined. */
static gradus_status start(team *t, size_t threads_each, size_t *started, gradus_error *err)
{
    for (size_t w = 0; w < t->worker_count; w++) {
        t->workers[w].team = t;
        t->workers[w].context =
            gradus_context_split(t->context, t->worker_count, threads_each, err);
        if (!t->workers[w].context)
            return err ? err->status : GRADUS_NO_MEMORY;
        gradus_context_on_progress(t->workers[w].context, hear, &t->workers[w]);
    }
    for (size_t w = 1; w < t->worker_count; w++) {
        if (pthread_create(&t->workers[w].thread, NULL, serve, &t->workers[w]) != 0)
            return gr_fail(err, GRADUS_NO_MEMORY, "cannot start thread %zu of %zu", w + 1,
                           t->worker_count);
        ++*started;
    }
    return GRADUS_OK;
}

/* Waits for a thread. Meanwhile it reports progress ten times per second: a caller that handles
 * signals in its own thread, as Python does, can then cancel. */
static void await(team *t, pthread_t thread)
{
    struct timespec until;

    for (;;) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_timedjoin_np(thread, NULL, &until) != ETIMEDOUT)
            return;
        pthread_mutex_lock(&t->lock);
        if (!over(t))
            tell(t);
        pthread_mutex_unlock(&t->lock);
    }
}

static gradus_status run_team(team *t, size_t threads_each, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    size_t started = 0;
    const gradus_status status = start(t, threads_each, &started, &fault);

    if (status == GRADUS_OK) {
        serve(&t->workers[0]);
    } else {
        pthread_mutex_lock(&t->lock);
        note_failure(t, 0, &fault);
        pthread_mutex_unlock(&t->lock);
    }
    for (size_t w = 1; w <= started; w++)
        await(t, t->workers[w].thread);
    return over(t) ? gr_fail(err, t->error.status, "%s", t->error.message) : GRADUS_OK;
}

gradus_status gr_jobs_run(gradus_context *context, const char *what, size_t count, gr_job job,
                          void *argument, gradus_error *err)
{
    const size_t threads = gradus_context_threads(context);
    const size_t workers = count < threads ? (count ? count : 1) : threads;
    team t = { .context = context,
               .what = what,
               .count = count,
               .job = job,
               .argument = argument,
               .failed = SIZE_MAX,
               .worker_count = workers,
               .workers = gr_new_array(workers, sizeof *t.workers) };

    if (!t.workers)
        return gr_fail_memory(err, "jobs");
    pthread_mutex_init(&t.lock, NULL);
    const gradus_status status = run_team(&t, threads / workers, err);

    for (size_t w = 0; w < workers; w++)
        gradus_context_free(t.workers[w].context);
    pthread_mutex_destroy(&t.lock);
    free(t.workers);
    return status;
}
