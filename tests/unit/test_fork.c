/* SPDX-License-Identifier: Apache-2.0 */
/* A context created before fork() works in the parent and in the child. */
#include "synthetic_sets.h"

#include "base/context.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

enum { SECONDS = 30 }; /* timeout for a child that hangs */

static char folder[64], parent_path[128], child_path[128];
static gradus_dataset *data;

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    in_folder(parent_path, folder, "parent.model");
    in_folder(child_path, folder, "child.model");
    data = make_synth(1, "web", PAIRS("queries", "40"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(data);
    unlink(parent_path);
    unlink(child_path);
    return rmdir(folder);
}

/* Trains, scores and writes the model; false on failure. */
static bool train_and_score(gradus_context *context, const char *path)
{
    gradus_options *options = gradus_options_new("train", NULL);
    double *scores = malloc(gradus_dataset_rows(data) * sizeof *scores);
    gradus_model *model = NULL;
    bool good = false;

    if (options && scores && gradus_options_set(options, "rounds", "3", NULL) == GRADUS_OK)
        model = gradus_train(context, data, NULL, options, NULL);
    if (model)
        good = gradus_model_score(context, model, data, scores, NULL) == GRADUS_OK &&
               gradus_model_write(model, path, NULL) == GRADUS_OK;
    gradus_model_free(model);
    gradus_options_free(options);
    free(scores);
    return good;
}

/* Runs work(context) in a forked child that then frees the context; true if it succeeded. */
static bool child_does(gradus_context *context, bool (*work)(gradus_context *))
{
    int status = 0;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        const bool good = work(context);

        gradus_context_free(context);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool child_trains(gradus_context *context)
{
    return train_and_score(context, child_path);
}

static bool child_rests(gradus_context *context)
{
    (void)context;
    return true;
}

static bool grandchild_trains(gradus_context *context)
{
    return child_trains(context) && child_does(context, child_trains);
}

static void check_same_models(void)
{
    size_t sizes[2];
    char *parents = file_bytes(parent_path, &sizes[0]);
    char *childs = file_bytes(child_path, &sizes[1]);

    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(parents, childs, sizes[0]);
    free(parents);
    free(childs);
}

static bool skipped(void)
{
    if (UNDER_TSAN)
        print_message("skipped: the thread sanitizer allows no threads after fork()\n");
    return UNDER_TSAN;
}

static void test_parent_and_child_train_the_same_model(void **state)
{
    gradus_context *context = gradus_context_new(4, NULL);

    (void)state;
    if (!skipped()) {
        assert_true(
            train_and_score(context, parent_path)); /* the helper threads are running by now */
        assert_true(child_does(context, child_trains));
        check_same_models();
        assert_true(train_and_score(context, parent_path));
        check_same_models();
        assert_true(child_does(context, grandchild_trains));
        check_same_models();
    }
    gradus_context_free(context);
}

static void test_child_frees_a_context_it_did_not_use(void **state)
{
    gradus_context *context = gradus_context_new(4, NULL);

    (void)state;
    if (!skipped()) {
        assert_true(child_does(context, child_rests));
        assert_true(train_and_score(context, parent_path));
    }
    gradus_context_free(context);
}

typedef struct busy_parent {
    gradus_context *context;
    atomic_size_t rounds; /* finished so far */
    atomic_bool over;
} busy_parent;

static void add_one(void *argument, size_t index, size_t worker)
{
    (void)index;
    (void)worker;
    atomic_fetch_add((atomic_size_t *)argument, 1);
}

static void *run_rounds(void *argument)
{
    busy_parent *busy = argument;

    while (!atomic_load(&busy->over)) {
        atomic_size_t sum = 0;

        gr_pool_run(gr_pool_of(busy->context), 8, add_one, &sum);
        assert_int_equal(atomic_load(&sum), 8);
        atomic_fetch_add(&busy->rounds, 1);
    }
    return NULL;
}

static bool child_runs_tasks(gradus_context *context)
{
    atomic_size_t sum = 0;

    gr_pool_run(gr_pool_of(context), 1000, add_one, &sum);
    return atomic_load(&sum) == 1000;
}

/* Locks and counters of the pool may be in any state at that moment. The first fork waits for a round
 * of all threads: a thread that is just starting may hold a lock of the address sanitizer, which does
 * not release it in the child. */
static void test_fork_while_another_thread_is_in_the_pool(void **state)
{
    busy_parent busy = { .context = gradus_context_new(4, NULL) };
    pthread_t thread;

    (void)state;
    if (!skipped()) {
        assert_int_equal(pthread_create(&thread, NULL, run_rounds, &busy), 0);
        while (atomic_load(&busy.rounds) == 0)
            sched_yield();
        for (int again = 0; again < 30; again++)
            assert_true(child_does(busy.context, child_runs_tasks));
        atomic_store(&busy.over, true);
        pthread_join(thread, NULL);
    }
    gradus_context_free(busy.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parent_and_child_train_the_same_model),
        cmocka_unit_test(test_child_frees_a_context_it_did_not_use),
        cmocka_unit_test(test_fork_while_another_thread_is_in_the_pool),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
