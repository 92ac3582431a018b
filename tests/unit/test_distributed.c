/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed training: the ranks are threads (rank_team.h), and every one of them must get the bytes
 * of the model that a single process gets. */
#include "model_bytes.h"
#include "query_sets.h"
#include "rank_team.h"
#include "synthetic_sets.h"
#include "train_model.h"

#include "backend/share.h"
#include "base/error.h"
#include "data/share_rows.h"

enum { MAX_RANKS = 20 };

/* A training that all ranks take part in. */
typedef struct shared_run {
    const gradus_dataset *train, *valid;
    gradus_options *options;
    size_t threads;
    size_t fails; /* this rank gives up after a round; SIZE_MAX: none */
    char *bytes[MAX_RANKS];
    size_t sizes[MAX_RANKS];
    gradus_error errors[MAX_RANKS];
} shared_run;

static bool step_through(gradus_training *training, bool gives_up, gradus_error *err)
{
    bool done = false;

    while (!done) {
        if (gradus_training_step(training, &done, err) != GRADUS_OK)
            return false;
        if (gives_up) {
            gr_fail(err, GRADUS_NO_MEMORY, "rank gives up");
            return false;
        }
    }
    return true;
}

static bool train_rank(const gradus_collectives *with, void *user)
{
    shared_run *run = user;
    gradus_error *err = &run->errors[with->rank];
    gradus_context *context = gradus_context_new(run->threads, err);
    const gradus_training_input input = { .train = run->train, .valid = run->valid };
    gradus_training *training;
    gradus_model *model = NULL;

    gradus_context_set_collectives(context, with);
    training = gradus_training_new(context, &input, run->options, err);
    if (training && step_through(training, with->rank == run->fails, err))
        model = gradus_training_finish(training, err);
    if (model)
        run->bytes[with->rank] = model_bytes(model, &run->sizes[with->rank]);
    gradus_model_free(model);
    gradus_training_free(training);
    gradus_context_free(context);
    return run->bytes[with->rank] != NULL;
}

static void check_ranks(shared_run *run, size_t size, uint64_t seed, const char *wanted,
                        size_t bytes)
{
    run->fails = SIZE_MAX;
    memset(run->bytes, 0, sizeof run->bytes);
    if (rank_team_run(size, seed, train_rank, run, NULL, NULL) > 0)
        for (size_t i = 0; i < size; i++)
            print_error("rank %zu of %zu: %s\n", i, size, run->errors[i].message);
    for (size_t i = 0; i < size; i++) {
        assert_non_null(run->bytes[i]);
        if (run->sizes[i] != bytes || memcmp(run->bytes[i], wanted, bytes) != 0)
            print_error("rank %zu of %zu, '%s' with '%s'\n", i, size,
                        gradus_options_value(run->options, "method"),
                        gradus_options_value(run->options, "loss"));
        assert_int_equal(run->sizes[i], bytes);
        assert_memory_equal(run->bytes[i], wanted, bytes);
        free(run->bytes[i]);
    }
}

/* Compares 2, 3 (delayed, of two threads) and 5 ranks with a single process. */
static void check_shares(const gradus_dataset *train, const gradus_dataset *valid,
                         const char *const *pairs)
{
    gradus_options *options = train_options(pairs);
    gradus_model *model = train_model(1, train, valid, pairs);
    size_t size;
    char *wanted = model_bytes(model, &size);
    shared_run run = { .train = train, .valid = valid, .options = options, .threads = 1 };

    check_ranks(&run, 2, 0, wanted, size);
    if (!UNDER_TSAN)
        check_ranks(&run, 5, 0, wanted, size);
    run.threads = 2;
    check_ranks(&run, 3, 77, wanted, size);
    free(wanted);
    gradus_model_free(model);
    gradus_options_free(options);
}

static const char *const methods[] = { "regression", "cocr",     "mcrank",  "mcrank-ordinal",
                                       "lambdamart", "propodds", "orboost", "pairrank" };

static void test_every_method(void **state)
{
    query_set train = make_query_set(40, 5, true), valid = make_query_set(20, 6, true);

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        check_shares(train.data, valid.data,
                     PAIRS("method", methods[m], "rounds", "6", "leaves", "7"));
    end_query_set(&train);
    end_query_set(&valid);
}

static void test_every_method_on_samples(void **state)
{
    query_set train = make_query_set(60, 7, false);

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        check_shares(train.data, NULL,
                     PAIRS("method", methods[m], "rounds", "5", "row-fraction", "0.6",
                           "query-fraction", "0.8", "feature-fraction", "0.7", "bin-sample", "50"));
    check_shares(train.data, NULL,
                 PAIRS("method", "regression", "rounds", "5", "query-fraction", "0.001"));
    end_query_set(&train);
}

static void test_losses_and_tree_options(void **state)
{
    query_set train = make_query_set(50, 8, true), valid = make_query_set(20, 9, true);

    (void)state;
    for (size_t i = 0; i < 4; i++)
        check_shares(train.data, valid.data,
                     PAIRS("method", "regression", "loss",
                           ((const char *const[]){ "absolute", "huber", "quantile", "squared" })[i],
                           "rounds", "5", "row-fraction", i % 2 ? "0.7" : "1"));
    check_shares(train.data, valid.data,
                 PAIRS("method", "pairrank", "pair-loss", "logistic", "rounds", "4"));
    check_shares(train.data, valid.data,
                 PAIRS("method", "lambdamart", "rounds", "5", "bins", "1000", "grow", "level"));
    check_shares(train.data, valid.data,
                 PAIRS("method", "lambdamart", "rounds", "6", "monotone", "1:+,2:-", "min-rows",
                       "9", "train-eval-every", "2"));
    end_query_set(&train);
    end_query_set(&valid);
}

/* Enough rows for least squares on a grid (boost/leaf_grid.h). */
static void test_many_rows(void **state)
{
    query_set train = make_query_set(6800, 21, true);

    (void)state;
    check_shares(train.data, NULL, PAIRS("method", "regression", "rounds", "3", "leaves", "12"));
    end_query_set(&train);
}

/* Weights, sparse rows and bundles of sparse features. */
static void test_weighted_and_sparse_rows(void **state)
{
    const set_kind kinds[] = {
        { .rows = 900, .features = 40, .queries = 70, .row_weights = true, .query_weights = true },
        { .rows = 900, .features = 60, .queries = 70, .sparse = true, .query_weights = true },
        { .rows = 900, .features = 60, .queries = 70, .sparse = true, .feature_names = true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        gradus_dataset *train = random_set(&kinds[i], 40 + i);

        check_shares(train, NULL, PAIRS("method", "regression", "rounds", "5", "min-rows", "5"));
        check_shares(train, NULL,
                     PAIRS("method", "regression", "rounds", "5", "min-rows", "5", "loss", "huber",
                           "bin-sample", "200"));
        gradus_dataset_free(train);
    }
}

/* Each rank uses its rows of a binned file in place. */
static void test_binned_file(void **state)
{
    const set_kind kinds[] = {
        { .rows = 900, .features = 40, .queries = 70, .row_weights = true },
        { .rows = 900, .features = 60, .queries = 70, .sparse = true },
    };
    const char *const pairs[] = { "method", "regression", "rounds", "5", "min-rows", "5", NULL };
    const char *plain = temporary_path("plain.bin");
    char *from = strdup(plain), *to = strdup(temporary_path("binned.bin"));

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        gradus_dataset *train = random_set(&kinds[i], 40 + i);
        gradus_model *model = train_model(1, train, NULL, pairs);
        const char *const paths[] = { from };
        gradus_options *options = train_options(pairs);
        size_t size;
        char *wanted = model_bytes(model, &size);

        assert_int_equal(gradus_dataset_write(NULL, train, from, NULL, NULL), GRADUS_OK);
        assert_int_equal(gradus_bin_files(NULL, paths, 1, NULL, NULL, to, NULL), GRADUS_OK);
        gradus_dataset *binned = gradus_dataset_read(NULL, to, NULL, NULL);
        shared_run run = { .train = binned, .options = options, .threads = 2 };

        check_ranks(&run, 2, 0, wanted, size);
        check_ranks(&run, 3, 77, wanted, size);
        free(wanted);
        gradus_options_free(options);
        gradus_dataset_free(binned);
        gradus_model_free(model);
        gradus_dataset_free(train);
    }
    assert_int_equal(unlink(from) | unlink(to), 0);
    free(from);
    free(to);
}

/* Grades of a synthetic set with masked groups of features, and more rows than a block. */
static void test_web_data(void **state)
{
    gradus_dataset *train = make_synth(2, "web", PAIRS("queries", UNDER_TSAN ? "20" : "150"));

    (void)state;
    check_shares(train, NULL, PAIRS("method", "lambdamart", "rounds", "3"));
    check_shares(train, NULL, PAIRS("method", "propodds", "rounds", "3"));
    check_shares(train, NULL, PAIRS("method", "mcrank", "rounds", "2", "row-fraction", "0.9"));
    gradus_dataset_free(train);
}

/* More ranks than features, and than blocks of features. */
static void test_many_ranks(void **state)
{
    static const char *const trained[] = { "regression", "lambdamart", "mcrank", "regression" };
    const set_kind kind = { .rows = 900, .features = 60, .queries = 70, .sparse = true };
    query_set few = make_query_set(60, 5, true);
    gradus_dataset *sparse = random_set(&kind, 40);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const gradus_dataset *train = i < 3 ? few.data : sparse;
        const char *const *pairs = PAIRS("method", trained[i], "rounds", "2", "min-rows", "5");
        gradus_options *options = train_options(pairs);
        gradus_model *model = train_model(1, train, NULL, pairs);
        shared_run run = { .train = train, .options = options, .threads = 1 };
        size_t size;
        char *wanted = model_bytes(model, &size);

        check_ranks(&run, UNDER_TSAN ? 9 : MAX_RANKS, 0, wanted, size);
        free(wanted);
        gradus_model_free(model);
        gradus_options_free(options);
    }
    gradus_dataset_free(sparse);
    end_query_set(&few);
}

/* More rows than a chunk of sums, and shares that end inside one. */
static void test_linear(void **state)
{
    static const char *const linear[] = { "regression", "cocr", "propodds" };
    const set_kind sparse = { .rows = 900, .features = 60, .queries = 70, .sparse = true };
    const set_kind dense = { .rows = 3000, .features = 9, .queries = 70, .row_weights = true };
    gradus_dataset *web = make_synth(2, "web", PAIRS("queries", UNDER_TSAN ? "20" : "170"));
    gradus_dataset *few = random_set(&sparse, 41), *weighted = random_set(&dense, 42);
    query_set train = make_query_set(300, 5, true), valid = make_query_set(20, 6, true);

    (void)state;
    check_shares(web, NULL, PAIRS("method", "regression", "learner", "linear"));
    check_shares(few, NULL, PAIRS("method", "regression", "learner", "linear"));
    check_shares(weighted, NULL, PAIRS("method", "regression", "learner", "linear"));
    for (size_t m = 0; m < sizeof linear / sizeof *linear; m++)
        check_shares(train.data, valid.data,
                     PAIRS("method", linear[m], "learner", "linear", "ridge", "1"));
    gradus_dataset_free(web);
    gradus_dataset_free(few);
    gradus_dataset_free(weighted);
    end_query_set(&train);
    end_query_set(&valid);
}

/* Many values, most of them those of one rank: what one message has must not depend on the share. */
static void test_unequal_shares(void **state)
{
    enum { ROWS = 66000, FEATURES = 96 };
    const uint64_t starts[] = { 0, 50000, ROWS };
    float *values = malloc((size_t)ROWS * FEATURES * sizeof *values);
    float *labels = malloc(ROWS * sizeof *labels);
    gr_rng rng = gr_rng_for(4, "rows", 0);

    (void)state;
    for (size_t i = 0; i < (size_t)ROWS * FEATURES; i++)
        values[i] = (float)(i * 7919 % 101);
    for (size_t r = 0; r < ROWS; r++)
        labels[r] = (float)gr_rng_below(&rng, 3);
    const gradus_arrays arrays = { .rows = ROWS,
                                   .features = FEATURES,
                                   .stride = FEATURES,
                                   .values = values,
                                   .labels = labels,
                                   .queries = 2,
                                   .query_starts = starts };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);
    const char *const *pairs =
        PAIRS("method", "regression", "rounds", "1", "leaves", "3", "bins", "15");
    gradus_options *options = train_options(pairs);
    gradus_model *model = train_model(1, data, NULL, pairs);
    shared_run run = { .train = data, .options = options, .threads = 1 };
    size_t size;
    char *wanted = model_bytes(model, &size);

    check_ranks(&run, 2, 0, wanted, size);
    free(wanted);
    gradus_model_free(model);
    gradus_options_free(options);
    gradus_dataset_free(data);
    free(values);
    free(labels);
}

/* The sum of |gradients| is a power of two, which a scale depends on. */
static void test_sums_next_to_a_power_of_two(void **state)
{
    enum { ROWS = 16384, QUERIES = 64 };
    float *values = malloc(2 * ROWS * sizeof *values), *labels = malloc(ROWS * sizeof *labels);
    uint64_t starts[QUERIES + 1];
    gr_rng rng = gr_rng_for(3, "rows", 0);

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        values[2 * r] = (float)gr_rng_below(&rng, 1000);
        values[2 * r + 1] = (float)gr_rng_below(&rng, 1000);
        labels[r] = r % 2 ? 1.5f : 0.5f;
    }
    for (size_t q = 0; q <= QUERIES; q++)
        starts[q] = q * ROWS / QUERIES;
    const gradus_arrays arrays = { .rows = ROWS,
                                   .features = 2,
                                   .stride = 2,
                                   .values = values,
                                   .labels = labels,
                                   .queries = QUERIES,
                                   .query_starts = starts };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);

    check_shares(data, NULL, PAIRS("method", "regression", "rounds", "3"));
    gradus_dataset_free(data);
    free(values);
    free(labels);
}

/* All ranks end when one of them fails. */
static void test_a_failing_rank(void **state)
{
    query_set train = make_query_set(30, 5, false);
    gradus_options *options = train_options(PAIRS("method", "lambdamart", "rounds", "9"));
    shared_run run = { .train = train.data, .options = options, .threads = 1, .fails = 1 };

    (void)state;
    assert_int_equal(rank_team_run(3, 5, train_rank, &run, NULL, NULL), 3);
    assert_string_equal(run.errors[1].message, "rank gives up");
    assert_string_equal(run.errors[0].message, "another rank is lost");
    assert_string_equal(run.errors[2].message, "another rank is lost");
    gradus_options_free(options);
    end_query_set(&train);
}

static void check_refused(const gradus_dataset *train, const char *const *pairs, const char *why)
{
    gradus_options *options = train_options(pairs);
    shared_run run = { .train = train, .options = options, .threads = 1, .fails = SIZE_MAX };

    assert_int_equal(rank_team_run(3, 0, train_rank, &run, NULL, NULL), 3);
    for (size_t i = 0; i < 3; i++)
        if (!strstr(run.errors[i].message, why))
            fail_msg("'%s' does not contain '%s'", run.errors[i].message, why);
    gradus_options_free(options);
}

static void test_refused(void **state)
{
    query_set train = make_query_set(30, 5, false), small = make_query_set(2, 5, false);
    query_set smallest = make_query_set(1, 5, false);

    (void)state;
    static const char *const refused[][2] = {
        { "ranksvm", "pairrank" },        { "crr", "pairrank" },
        { "svor-imc", "propodds" },       { "ranknet", "lambdamart" },
        { "listnet", "lambdamart" },      { "netreg", "regression" },
        { "adaboost-mh", "mcrank" },      { "calibrated", "mcrank" },
        { "rankboost", "pairrank" },      { "adarank-map", "lambdamart" },
        { "adarank-ndcg", "lambdamart" }, { "coordinate-ascent", "lambdamart" },
    };
    static const char *const learners[] = { "m5p", "bagged-m5p", "gaussians" };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_refused(train.data, PAIRS("method", refused[i][0]), refused[i][1]);
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        check_refused(train.data, PAIRS("method", "regression", "learner", learners[i]),
                      "or one process with more threads");
    check_refused(train.data, PAIRS("method", "pairrank", "within", "all"), "'within all'");
    check_refused(small.data, PAIRS("method", "regression"), "3 processes, but only 2 queries");
    check_refused(smallest.data, PAIRS("method", "regression"), "3 processes, but only 1 query:");
    end_query_set(&train);
    end_query_set(&small);
    end_query_set(&smallest);
}

/* Every query belongs to one rank, every rank has a query, and rows are balanced. */
static void test_cuts(void **state)
{
    gr_rng rng = gr_rng_for(1, "cuts", 0);

    (void)state;
    for (size_t queries = 1; queries < 40; queries++) {
        uint64_t starts[41] = { 0 };

        for (size_t q = 0; q < queries; q++)
            starts[q + 1] = starts[q] + 1 + gr_rng_below(&rng, q % 7 ? 10 : 200);
        for (size_t size = 1; size < 9; size++) {
            const gradus_collectives with = { .rank = 0, .size = size };
            gr_share *share = gr_share_new(&with, starts, queries, NULL);

            assert_int_equal(share->query_cuts[0], 0);
            assert_int_equal(share->query_cuts[size], queries);
            for (size_t i = 0; i < size; i++) {
                assert_true(share->query_cuts[i + 1] >= share->query_cuts[i] + (queries >= size));
                assert_int_equal(share->row_cuts[i + 1], starts[share->query_cuts[i + 1]]);
            }
            gr_share_free(share);
        }
    }
    const gradus_collectives with = { .rank = 0, .size = 2 };
    const uint64_t even[] = { 0, 10, 20, 30, 40 };
    gr_share *share = gr_share_new(&with, even, 4, NULL);

    assert_int_equal(share->row_cuts[1], 20);
    gr_share_free(share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_every_method_on_samples),
        cmocka_unit_test(test_losses_and_tree_options),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_weighted_and_sparse_rows),
        cmocka_unit_test(test_binned_file),
        cmocka_unit_test(test_web_data),
        cmocka_unit_test(test_many_ranks),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_unequal_shares),
        cmocka_unit_test(test_sums_next_to_a_power_of_two),
        cmocka_unit_test(test_a_failing_rank),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
