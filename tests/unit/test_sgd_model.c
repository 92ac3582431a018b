/* SPDX-License-Identifier: Apache-2.0 */
/* Combined regression and ranking from rows to a file, through the public header: every kind of
 * model scores the same after reading, resuming from checkpoints gives the same bytes, memory stays
 * bounded. */
#include "train_model.h"
#include "checks.h"

#include "learners/sgd/sgd_random.h"
#include "model/model.h"
#include "model/model_read.h"

#include "seal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 300, FEATURES = 37, QUERIES = 6 };

static float labels[ROWS];
static uint64_t starts[QUERIES + 1], row_starts[ROWS + 1];
static uint32_t columns[ROWS * FEATURES];
static float entries[ROWS * FEATURES], values[ROWS * FEATURES];
static char folder[] = "/tmp/gradus-sgd-XXXXXX", path[64], other_path[64];

static float number(uint64_t stream, uint64_t place)
{
    return (float)((double)(int64_t)gr_sgd_random(stream, place) * 0x1p-63);
}

/* A quarter of the values are non-zero. */
static int set_up(void **state)
{
    (void)state;
    for (size_t q = 0; q <= QUERIES; q++)
        starts[q] = q * ROWS / QUERIES;
    for (size_t r = 0, at = 0; r < ROWS; r++) {
        double score = 0.3 * (double)number(2, r);

        for (size_t f = 0; f < FEATURES; f++) {
            const float value = gr_sgd_random(3, r * FEATURES + f) % 4 ? 0.0f : number(f + 10, r);

            values[r * FEATURES + f] = value;
            score += (double)value * (f % 2 ? 1.0 : -0.5);
            if (value != 0.0f) {
                columns[at] = (uint32_t)f;
                entries[at++] = value;
            }
        }
        row_starts[r + 1] = at;
        labels[r] = score < 0.0 ? 0.0f : score < 0.8 ? 1.0f : 2.0f;
    }
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(other_path, sizeof other_path, "%s/b", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    unlink(other_path);
    return rmdir(folder);
}

static gradus_dataset *rows_of(bool sparse, const float *targets)
{
    gradus_arrays arrays = { .rows = ROWS,
                             .features = FEATURES,
                             .labels = targets,
                             .queries = QUERIES,
                             .query_starts = starts };
    gradus_dataset *data;

    if (sparse) {
        arrays.row_starts = row_starts;
        arrays.columns = columns;
        arrays.entries = entries;
    } else {
        arrays.values = values;
        arrays.stride = FEATURES;
    }
    data = gradus_dataset_borrow(&arrays, NULL);
    assert_non_null(data);
    return data;
}

/* Arguments: name, value, ... */
static gradus_options *options_of(const char *const *words)
{
    gradus_options *options = gradus_options_new("train", NULL);
    gradus_error err = { GRADUS_OK, "" };

    gradus_options_set(options, "method", "crr", NULL);
    gradus_options_set(options, "steps", "3000", NULL);
    gradus_options_set(options, "rounds", "8", NULL);
    for (; words[0]; words += 2)
        if (gradus_options_set(options, words[0], words[1], &err) != GRADUS_OK) {
            print_error("%s\n", err.message);
            fail();
        }
    return options;
}
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static gradus_model *trained(size_t threads, const gradus_dataset *data, const char *const *words)
{
    return train_by_options(threads, data, data, options_of(words));
}

static const char *const *const kinds[] = {
    WORDS("alpha", "0.5"),
    WORDS("method", "ranksvm"),
    WORDS("loss", "logistic"),
    WORDS("average", "true", "shards", "3"),
    WORDS("step-rule", "adagrad", "precision", "double", "average", "true"),
    WORDS("hash-bits", "5"),
    WORDS("landmarks", "20"),
    WORDS("one-vs-all", "true", "average", "true", "lambda", "0.02"),
    WORDS("one-vs-all", "true", "loss", "hinge"),
    WORDS("one-vs-all", "true", "loss", "logistic", "hash-bits", "9"),
    WORDS("lambda", "0.1,0.001", "alpha", "0,1", "keep", "best"),
    WORDS("l1", "0.01", "sampling", "by-query", "listwise-weight", "0.5"),
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static char *bytes_of(const char *from, size_t *size)
{
    FILE *file = fopen(from, "rb");
    char *bytes = malloc(1 << 20);

    assert_non_null(file);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void test_models_survive_a_file_and_score_sparse_rows(void **state)
{
    gradus_dataset *sparse = rows_of(true, labels), *dense = rows_of(false, labels);

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        gradus_model *model = trained(1, sparse, kinds[k]), *read;
        double scores[3][ROWS];

        assert_int_equal(gradus_model_write(model, path, NULL), GRADUS_OK);
        read = gradus_model_read(path, NULL);
        assert_non_null(read);
        assert_int_equal(gradus_model_score(NULL, model, sparse, scores[0], NULL), GRADUS_OK);
        assert_int_equal(gradus_model_score(NULL, read, sparse, scores[1], NULL), GRADUS_OK);
        assert_int_equal(gradus_model_score(NULL, read, dense, scores[2], NULL), GRADUS_OK);
        assert_memory_equal(scores[0], scores[1], sizeof scores[0]);
        assert_memory_equal(scores[0], scores[2], sizeof scores[0]);
        gradus_model_free(model);
        gradus_model_free(read);
    }
    gradus_dataset_free(sparse);
    gradus_dataset_free(dense);
}

static void test_threads_change_no_byte(void **state)
{
    gradus_dataset *data = rows_of(false, labels);

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        gradus_model *one = trained(1, data, kinds[k]), *three = trained(3, data, kinds[k]);

        check_same_model(one, three);
        gradus_model_free(one);
        gradus_model_free(three);
    }
    gradus_dataset_free(data);
}

/* Trains up to a round, writes a checkpoint, reads it and resumes. */
static gradus_model *resumed(const gradus_dataset *data, const char *const *words, size_t rounds)
{
    gradus_options *options = options_of(words);
    gradus_training_input input = { .train = data, .valid = data };
    gradus_training *training = gradus_training_new(NULL, &input, options, NULL);
    gradus_model *checkpoint, *model;
    gradus_error err = { GRADUS_OK, "" };
    bool done = false;

    for (size_t i = 0; i < rounds; i++)
        assert_int_equal(gradus_training_step(training, &done, NULL), GRADUS_OK);
    checkpoint = gradus_training_checkpoint(training, NULL);
    assert_int_equal(gradus_model_write(checkpoint, path, NULL), GRADUS_OK);
    gradus_model_free(checkpoint);
    gradus_training_free(training);
    input.start = gradus_model_read(path, NULL);
    input.resume = true;
    training = gradus_training_new(NULL, &input, options, &err);
    if (!training)
        print_error("%s\n", err.message);
    assert_non_null(training);
    while (!done)
        assert_int_equal(gradus_training_step(training, &done, NULL), GRADUS_OK);
    model = gradus_training_finish(training, NULL);
    assert_non_null(model);
    gradus_training_free(training);
    gradus_model_free((gradus_model *)(uintptr_t)input.start);
    gradus_options_free(options);
    return model;
}

static void test_checkpoints_go_on_to_the_same_bytes(void **state)
{
    gradus_dataset *data = rows_of(true, labels);

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        gradus_model *whole = trained(1, data, kinds[k]), *parts = resumed(data, kinds[k], 5);

        check_same_model(whole, parts);
        gradus_model_free(whole);
        gradus_model_free(parts);
    }
    gradus_dataset_free(data);
}

static void test_two_grades_have_probabilities(void **state)
{
    float two[ROWS];
    gradus_dataset *data;
    gradus_model *model;
    gradus_model_info facts;
    double scores[ROWS], probabilities[2 * ROWS], right = 0.0;

    (void)state;
    for (size_t r = 0; r < ROWS; r++)
        two[r] = labels[r] > 0.0f ? 1.0f : 0.0f;
    data = rows_of(true, two);
    model = trained(1, data, WORDS("loss", "logistic", "lambda", "0.01"));
    gradus_model_describe(model, &facts);
    assert_true(facts.probabilities);
    assert_int_equal(gradus_model_score(NULL, model, data, scores, NULL), GRADUS_OK);
    assert_int_equal(gradus_model_probabilities(NULL, model, data, probabilities, NULL), GRADUS_OK);
    for (size_t r = 0; r < ROWS; r++) {
        CHECK_NEAR(probabilities[2 * r] + probabilities[2 * r + 1], 1.0, 1e-12);
        CHECK_NEAR(scores[r], probabilities[2 * r + 1], 1e-12);
        right += (scores[r] > 0.5) == (two[r] > 0.5f);
    }
    assert_true(right > 0.8 * ROWS);
    gradus_model_free(model);
    gradus_dataset_free(data);
}

static void test_one_against_all_has_probabilities(void **state)
{
    gradus_dataset *data = rows_of(true, labels);
    double scores[ROWS], probabilities[3 * ROWS], right = 0.0;

    (void)state;
    for (size_t k = 7; k < 10; k++) {
        gradus_model *model = trained(1, data, kinds[k]);

        assert_int_equal(gradus_model_score(NULL, model, data, scores, NULL), GRADUS_OK);
        assert_int_equal(gradus_model_probabilities(NULL, model, data, probabilities, NULL),
                         GRADUS_OK);
        right = 0.0;
        for (size_t r = 0; r < ROWS; r++) {
            const double *p = probabilities + 3 * r;
            const size_t best = p[0] >= p[1] && p[0] >= p[2] ? 0 : p[1] >= p[2] ? 1 : 2;

            CHECK_NEAR(p[0] + p[1] + p[2], 1.0, 1e-12);
            CHECK_NEAR(scores[r], (double)best, 0.0);
            right += scores[r] == (double)labels[r];
        }
        assert_true(right > 0.55 * ROWS);
        gradus_model_free(model);
    }
    gradus_dataset_free(data);
}

static void check_refused(const char *const *words, bool valid, const char *part)
{
    gradus_dataset *data = rows_of(false, labels);
    gradus_options *options = options_of(words);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = gradus_train(NULL, data, valid ? data : NULL, options, &err);

    assert_null(model);
    if (!strstr(err.message, part))
        print_error("'%s' does not say '%s'\n", err.message, part);
    assert_non_null(strstr(err.message, part));
    gradus_options_free(options);
    gradus_dataset_free(data);
}

static void test_options_that_do_not_go_together(void **state)
{
    (void)state;
    check_refused(WORDS("lambda", "1,2"), false, "validation data select");
    check_refused(WORDS("landmarks", "10", "hash-bits", "4"), true, "use one of them");
    check_refused(WORDS("landmarks", "1000"), true, "the data have 300 rows");
    check_refused(WORDS("kernel", "linear"), true, "'kernel' is for kernels with landmarks");
    check_refused(WORDS("bandwidth", "2"), true, "'bandwidth' is for kernels with landmarks");
    check_refused(WORDS("method", "ranksvm", "learner", "linear", "steps", "9"), true,
                  "'steps' is for the learner 'sgd'");
    check_refused(WORDS("loss", "absolute"), true, "'loss absolute' is for regression");
    check_refused(WORDS("learner", "gbrt"), true, "the learner 'gbrt' is not for 'crr'");
    check_refused(WORDS("method", "regression", "learner", "sgd"), true, "is not for 'regression'");
    check_refused(WORDS("method", "lambdamart", "alpha", "1"), true, "'alpha' is for the learner");
    check_refused(WORDS("method", "ranksvm", "loss", "squared"), true, "'loss squared' is for crr");
}

/* Whether the sealed bytes are read as a model; if so, the model must score, or report why not. */
static bool is_read(char *bytes, size_t size)
{
    gradus_dataset *data = rows_of(true, labels);
    gradus_error err = { GRADUS_OK, "" };
    char *aligned = aligned_alloc(64, (size + 63) / 64 * 64);
    double scores[ROWS];
    gradus_model *model;

    seal_model(bytes, size);
    memcpy(aligned, bytes, size);
    model = gr_model_parse(aligned, size, "damaged", &err);
    if (model)
        gradus_model_score(NULL, model, data, scores, &err);
    gr_model_free(model);
    free(aligned);
    gradus_dataset_free(data);
    return model;
}

static void put(char *bytes, size_t size, const char *old, const char *new)
{
    char *at = memmem(bytes, size, old, strlen(old));

    assert_non_null(at);
    memcpy(at, new, strlen(new));
}

static void test_damaged_models_are_refused(void **state)
{
    static const char *const changes[][2] = { { "\"bits\":5", "\"bits\":6" },
                                              { "\"bits\":5", "\"bits\":0" },
                                              { "\"bits\":5", "\"bist\":5" },
                                              { "\"features\":37,\"bits\"",
                                                "\"features\":36,\"bits\"" } };
    gradus_dataset *data = rows_of(true, labels);
    gradus_model *model = trained(1, data, kinds[5]);
    const double nan = NAN;
    size_t size, refused = 0;
    char *whole, *bytes;

    (void)state;
    assert_int_equal(gradus_model_write(model, path, NULL), GRADUS_OK);
    whole = bytes_of(path, &size);
    bytes = malloc(size);
    memcpy(bytes, whole, size);
    assert_true(is_read(bytes, size));
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
        memcpy(bytes, whole, size);
        put(bytes, size, changes[c][0], changes[c][1]);
        assert_false(is_read(bytes, size));
    }
    for (size_t at = seal_align(32 + (size_t)seal_get(whole, 16, 8)); at + 8 <= size; at += 8) {
        memcpy(bytes, whole, size);
        memcpy(bytes + at, &nan, sizeof nan);
        refused += !is_read(bytes, size);
    }
    assert_true(refused >= 33); /* the bias and all buckets */
    free(whole);
    free(bytes);
    gradus_model_free(model);
    gradus_dataset_free(data);
}

static size_t anonymous_kilobytes(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    unsigned long found = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %lu kB", &found) == 1)
            break;
    if (file)
        fclose(file);
    return found;
}

/* The memory that training on a mapped file with this many features adds to the process. */
static double memory_of_training(size_t features)
{
    enum { MANY = 3000 };
    float *wide = calloc(MANY * features, sizeof *wide), *targets = calloc(MANY, sizeof *targets);
    const gradus_arrays arrays = {
        .rows = MANY, .features = features, .values = wide, .stride = features, .labels = targets
    };
    gradus_options *form = gradus_options_new("write", NULL);
    gradus_options *options =
        options_of(WORDS("alpha", "0.5", "shards", "1", "one-query", "true", "transform", "none"));
    gradus_training_input input = { .valid = NULL };
    gradus_dataset *data;
    gradus_training *training;
    bool done = false;
    size_t before, after;

    for (size_t i = 0; i < MANY * features; i++)
        wide[i] = number(1, i % 977);
    for (size_t r = 0; r < MANY; r++)
        targets[r] = (float)(r % 3);
    data = gradus_dataset_borrow(&arrays, NULL);
    gradus_options_set(form, "output-format", "binary", NULL);
    assert_int_equal(gradus_dataset_write(NULL, data, path, form, NULL), GRADUS_OK);
    gradus_dataset_free(data);
    free(wide);
    free(targets);
    before = anonymous_kilobytes();
    data = gradus_dataset_read(NULL, path, NULL, NULL);
    assert_non_null(data);
    input.train = data;
    training = gradus_training_new(NULL, &input, options, NULL);
    assert_non_null(training);
    while (!done)
        assert_int_equal(gradus_training_step(training, &done, NULL), GRADUS_OK);
    after = anonymous_kilobytes();
    gradus_training_free(training);
    gradus_dataset_free(data);
    gradus_options_free(form);
    gradus_options_free(options);
    return after > before ? (double)(after - before) : 0.0;
}

/* Rows are read in place from the mapped file: 12 MB of them take less than 3 MB of private memory.
 */
static void test_memory_does_not_grow_with_the_values(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__)
    SKIP_TEST("the thread sanitizer keeps memory of its own");
#endif
    if (anonymous_kilobytes() == 0)
        SKIP_TEST("the kernel does not tell what memory is in use");
    memory_of_training(2);
    assert_true(memory_of_training(1000) < 3000.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_models_survive_a_file_and_score_sparse_rows),
        cmocka_unit_test(test_threads_change_no_byte),
        one_thread_test(test_checkpoints_go_on_to_the_same_bytes),
        one_thread_test(test_two_grades_have_probabilities),
        one_thread_test(test_one_against_all_has_probabilities),
        one_thread_test(test_options_that_do_not_go_together),
        one_thread_test(test_damaged_models_are_refused),
        cmocka_unit_test(test_memory_does_not_grow_with_the_values),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
