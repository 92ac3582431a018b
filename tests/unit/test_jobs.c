/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel jobs: each runs once, the failure with the lowest index is reported, and the caller can
 * cancel. */
#include "checks.h"

#include "base/context.h"
#include "experiments/jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOBS = 40 };

typedef struct work {
    atomic_int ran[JOBS];
    size_t fails_at, also_at; /* SIZE_MAX: none */
    atomic_size_t threads_seen;
    struct gr_bin_cache *share;
    bool asks; /* whether jobs call gr_progress */
} work;

static gradus_status job(void *argument, size_t index, gradus_context *context, gradus_error *err)
{
    work *w = argument;

    atomic_fetch_add(&w->ran[index], 1);
    atomic_store(&w->threads_seen, gradus_context_threads(context));
    assert_ptr_equal(context->bins, w->share);
    if (index == w->fails_at || index == w->also_at)
        return gr_fail(err, GRADUS_BAD_NUMBER, "job %zu", index);
    for (int i = 0; w->asks && i < 3; i++)
        GR_TRY(gr_progress(context, "inner", (double)i / 3.0, err));
    return GRADUS_OK;
}

typedef struct limits {
    uint64_t each;
    atomic_size_t wrong;
} limits;

static gradus_status compare_limit(void *argument, size_t index, gradus_context *context,
                                   gradus_error *err)
{
    limits *l = argument;

    (void)index;
    (void)err;
    if (context->max_memory != l->each)
        atomic_fetch_add(&l->wrong, 1);
    return GRADUS_OK;
}

/* The memory limit applies to all workers together. */
static void test_memory_is_shared_out(void **state)
{
    static const struct {
        size_t threads, jobs;
        uint64_t limit, each;
    } cases[] = { { 4, JOBS, 4000, 1000 },
                  { 4, 2, 4000, 2000 },
                  { 1, JOBS, 4000, 4000 },
                  { 4, JOBS, 3, 1 },
                  { 4, JOBS, 0, 0 } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_context *context = gradus_context_new(cases[i].threads, &err);
        limits l = { .each = cases[i].each };

        gradus_context_set_max_memory(context, cases[i].limit);
        assert_int_equal(gr_jobs_run(context, "jobs", cases[i].jobs, compare_limit, &l, &err),
                         GRADUS_OK);
        assert_int_equal(atomic_load(&l.wrong), 0);
        gradus_context_free(context);
    }
}

static void test_each_once(void **state)
{
    static const size_t threads[] = { 1, 2, 7 };

    (void)state;
    for (size_t t = 0; t < 3; t++)
        for (size_t count = 0; count <= JOBS; count += 8) {
            gradus_error err = { GRADUS_OK, "" };
            gradus_context *context = gradus_context_new(threads[t], &err);
            work w = { .fails_at = SIZE_MAX, .also_at = SIZE_MAX, .asks = true };

            assert_int_equal(gr_jobs_run(context, "jobs", count, job, &w, &err), GRADUS_OK);
            for (size_t i = 0; i < JOBS; i++)
                assert_int_equal(atomic_load(&w.ran[i]), i < count);
            gradus_context_free(context);
        }
    work w = { .fails_at = SIZE_MAX, .also_at = SIZE_MAX };

    assert_int_equal(gr_jobs_run(NULL, "jobs", 3, job, &w, NULL), GRADUS_OK);
    assert_int_equal(atomic_load(&w.ran[2]), 1);
}

/* With fewer jobs than threads each gets several threads. */
static void test_threads_are_shared_out(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(6, &err);
    work w = { .fails_at = SIZE_MAX, .also_at = SIZE_MAX };

    (void)state;
    w.share = context->bins = (struct gr_bin_cache *)&w; /* passed on, never dereferenced */
    assert_int_equal(gr_jobs_run(context, "jobs", 2, job, &w, &err), GRADUS_OK);
    assert_int_equal(atomic_load(&w.threads_seen), 3);
    assert_int_equal(gr_jobs_run(context, "jobs", 30, job, &w, &err), GRADUS_OK);
    assert_int_equal(atomic_load(&w.threads_seen), 1);
    context->bins = NULL;
    gradus_context_free(context);
}

static void test_failure(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 4; threads++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_context *context = gradus_context_new(threads, &err);
        work w = { .fails_at = 4, .also_at = 39 };

        assert_int_equal(gr_jobs_run(context, "jobs", JOBS, job, &w, &err), GRADUS_BAD_NUMBER);
        if (threads == 1) {
            assert_string_equal(err.message, "job 4");
            assert_int_equal(atomic_load(&w.ran[5]), 0); /* nothing starts after it */
        }
        assert_int_equal(atomic_load(&w.ran[0]), 1);
        gradus_context_free(context);
    }
}

typedef struct watcher {
    size_t calls, stop_after;
    double last;
} watcher;

static bool watch(void *user, const char *what, double done)
{
    watcher *w = user;

    assert_string_equal(what, "jobs");
    assert_true(done >= 0.0 && done <= 1.0);
    w->last = done;
    return ++w->calls < w->stop_after;
}

static void test_progress_and_cancelling(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 3; threads++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_context *context = gradus_context_new(threads, &err);
        watcher all = { .stop_after = SIZE_MAX }, some = { .stop_after = 10 };
        work w = { .fails_at = SIZE_MAX, .also_at = SIZE_MAX, .asks = true };
        size_t ran = 0;

        gradus_context_on_progress(context, watch, &all);
        assert_int_equal(gr_jobs_run(context, "jobs", JOBS, job, &w, &err), GRADUS_OK);
        assert_true(all.calls >= JOBS);
        CHECK_NEAR(all.last, 1.0, 0.0);
        memset(w.ran, 0, sizeof w.ran);
        gradus_context_on_progress(context, watch, &some);
        assert_int_equal(gr_jobs_run(context, "jobs", JOBS, job, &w, &err), GRADUS_CANCELLED);
        for (size_t i = 0; i < JOBS; i++)
            ran += (size_t)atomic_load(&w.ran[i]);
        assert_true(ran < JOBS);
        gradus_context_free(context);
    }
}

typedef struct pair {
    pthread_t caller;
    atomic_bool started; /* the job of the other thread */
    size_t calls;        /* by the caller, after the end of its own job */
} pair;

static gradus_status wait_or_work(void *argument, size_t index, gradus_context *context,
                                  gradus_error *err)
{
    pair *p = argument;

    (void)index;
    if (pthread_equal(pthread_self(), p->caller)) {
        while (!atomic_load(&p->started))
            usleep(1000);
        return GRADUS_OK;
    }
    atomic_store(&p->started, true);
    for (size_t i = 0; i < 20000; i++, usleep(1000))
        GR_TRY(gr_progress(context, "fitting", 0.0, err));
    return GRADUS_OK;
}

/* Cancels, but only in the caller's thread, as signals in Python. */
static bool cancel_by_caller(void *user, const char *what, double done)
{
    pair *p = user;

    (void)what;
    if (pthread_equal(pthread_self(), p->caller) && done >= 0.5)
        p->calls++;
    return p->calls < 2; /* the first is at the end of its job */
}

/* The caller has no job left while another thread works: it is still asked whether to continue. */
static void test_the_waiting_caller_can_cancel(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(2, &err);
    pair p = { .caller = pthread_self() };

    (void)state;
    gradus_context_on_progress(context, cancel_by_caller, &p);
    assert_int_equal(gr_jobs_run(context, "jobs", 2, wait_or_work, &p, &err), GRADUS_CANCELLED);
    gradus_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once),
        cmocka_unit_test(test_threads_are_shared_out),
        cmocka_unit_test(test_memory_is_shared_out),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_progress_and_cancelling),
        cmocka_unit_test(test_the_waiting_caller_can_cancel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
