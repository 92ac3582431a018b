/* SPDX-License-Identifier: Apache-2.0 */
/* For every method and every learner: the bytes of the model depend neither on the
 * number of threads nor on the instruction set, a written model is read back unchanged, and a model
 * cut to its first rounds is the model of those rounds. */
#include "cpu_limit.h"
#include "method_pairs.h"
#include "model_bytes.h"
#include "synthetic_sets.h"

#include "kernels/kernels.h"
#include "base/context.h"
#include "model/members.h"
#include "model/model_read.h"
#include "model/model_view.h"

enum { ROUNDS = 3 };

static gradus_dataset *train, *test;

static int set_up(void **state)
{
    (void)state;
    train = make_synth(1, "mcrank", PAIRS("queries", "20", "documents", "25", "features", "6"));
    test = make_synth(1, "mcrank",
                      PAIRS("queries", "8", "documents", "10", "features", "6", "seed", "2"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(test);
    return 0;
}

/* The model after `rounds` rounds of ROUNDS. */
static gradus_model *trained(const method_pair *pair, size_t threads, size_t rounds)
{
    const gradus_training_input input = { .train = train, .valid = test };
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = pair_options(pair, "3");
    gradus_context *context = gradus_context_new(threads, &err);
    gradus_training *training;
    gradus_model *model = NULL;
    bool done = false;

    if (pair->learner->rounds)
        gradus_options_set(options, "keep", "last", &err);
    training = gradus_training_new(context, &input, options, &err);

    for (size_t i = 0; training && err.status == GRADUS_OK && i < rounds && !done; i++)
        gradus_training_step(training, &done, &err);
    if (training && err.status == GRADUS_OK)
        model = gradus_training_finish(training, &err);
    if (!model)
        fail_pair(pair, err.message);
    gradus_training_free(training);
    gradus_context_free(context);
    gradus_options_free(options);
    return model;
}

static double *scores_of(const method_pair *pair, const gradus_model *model)
{
    double *scores = calloc(gradus_dataset_rows(test), sizeof *scores);
    gradus_error err = { GRADUS_OK, "" };

    if (gradus_model_score(NULL, model, test, scores, &err) != GRADUS_OK)
        fail_pair(pair, err.message);
    return scores;
}

/* Frees the second model. */
static void check_same_scores(const method_pair *pair, const char *how, const gradus_model *a,
                              gradus_model *b)
{
    double *wanted = scores_of(pair, a), *found = scores_of(pair, b);

    if (memcmp(wanted, found, gradus_dataset_rows(test) * sizeof *wanted) != 0)
        fail_pair(pair, how);
    free(wanted);
    free(found);
    gradus_model_free(b);
}

static void check_file(const method_pair *pair, const gradus_model *model, const char *bytes,
                       size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *read = gr_model_parse(bytes, size, "written", &err);
    size_t again_size;
    char *again;

    if (!read)
        fail_pair(pair, err.message);
    again = model_bytes(read, &again_size);
    if (size != again_size || memcmp(bytes, again, size) != 0)
        fail_pair(pair, "a model that is read is written differently");
    check_same_scores(pair, "a model that is read scores differently", model, read);
    free(again);
}

static void check_same_bytes(const method_pair *pair, const char *how, size_t threads,
                             const char *wanted, size_t size)
{
    gradus_model *model = trained(pair, threads, SIZE_MAX);
    size_t found_size;
    char *found = model_bytes(model, &found_size);

    if (found_size != size || memcmp(found, wanted, size) != 0)
        fail_pair(pair, how);
    free(found);
    gradus_model_free(model);
}

static void check_bytes(const method_pair *pair)
{
    static const size_t threads[] = { 2, 3, 8 };
    gradus_model *model = trained(pair, 1, SIZE_MAX);
    char how[80];
    size_t size;
    char *bytes = model_bytes(model, &size);

    check_file(pair, model, bytes, size);
    for (size_t t = 0; t < 3; t++) {
        snprintf(how, sizeof how, "%zu threads give other bytes than 1", threads[t]);
        check_same_bytes(pair, how, threads[t], bytes, size);
    }
    for (gr_cpu cpu = gr_cpu_here(); cpu-- > 0;) {
        snprintf(how, sizeof how, "the bytes of a processor with only %s differ",
                 gr_cpu_names[cpu]);
        assert_true(limit_cpu(gr_cpu_names[cpu]));
        check_same_bytes(pair, how, 1, bytes, size);
    }
    assert_true(limit_cpu(NULL));
    free(bytes);
    gradus_model_free(model);
}

static void test_files_threads_and_instruction_sets_change_no_byte(void **state)
{
    const gradus_training_input input = { .train = train, .valid = test };

    (void)state;
    check_pairs(PAIRS_COVERING, &input, check_bytes);
}

static size_t truncated;

/* Kinds without `first` cannot be truncated: they count as one round, or training must be repeated
 * with fewer. */
static void check_truncation(const method_pair *pair)
{
    gradus_model *model = trained(pair, 1, SIZE_MAX);
    const size_t rounds = gr_model_rounds(model);

    if (gr_model_core(model)->kind->first && pair->learner->rounds && rounds != ROUNDS)
        fail_pair(pair, "the model does not have the rounds requested");
    for (size_t k = 1; k < rounds; k++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_model *view = gr_model_view(model, NULL, k, NULL, &err), *wanted;

        if (!view) {
            if (gr_model_core(model)->kind->first || err.status != GRADUS_BAD_ARGUMENT)
                fail_pair(pair, err.message);
            break;
        }
        wanted = trained(pair, 1, k);
        check_same_scores(pair, "the first rounds of a model score differently", wanted, view);
        gradus_model_free(wanted);
        truncated++;
    }
    gradus_model_free(model);
}

static void test_first_rounds_are_the_model_of_those_rounds(void **state)
{
    const gradus_training_input input = { .train = train, .valid = test };

    (void)state;
    truncated = 0;
    check_pairs(PAIRS_COVERING, &input, check_truncation);
    assert_true(truncated > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_threads_and_instruction_sets_change_no_byte),
        one_thread_test(test_first_rounds_are_the_model_of_those_rounds),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
