/* SPDX-License-Identifier: Apache-2.0 */
/* The calibrated ensemble: its members against the same ones built by hand, identical bytes for any
 * number of threads and after a checkpoint, members left out, and data with little to learn. */
#include "model_bytes.h"
#include "train_model.h"
#include "synthetic_sets.h"

#include "seal.h"

#include "gradus.h"
#include "data/split.h"
#include "data/subset.h"
#include "model/model.h"
#include "model/model_read.h"

#define QUICK                                                                                      \
    "method", "calibrated", "rounds", "7", "rounds-grid", "2,4", "leaves-grid", "3,6",             \
        "terms-grid", "2"

static gradus_dataset *make(const char *first)
{
    return make_synth(1, "mcrank",
                      PAIRS("queries", "12", "documents", "12", "features", "4", "grade-fractions",
                            "60,25,15", "first-query", first));
}

static gradus_model *train_with(size_t threads, const gradus_training_input *input,
                                const char *const *pairs, size_t stop, gradus_error *err)
{
    gradus_options *options = train_options(pairs);
    gradus_context *context = gradus_context_new(threads, err);
    gradus_training *training = gradus_training_new(context, input, options, err);
    gradus_model *model = NULL;
    gradus_status status = training ? GRADUS_OK : GRADUS_BAD_ARGUMENT;
    bool done = false;

    for (size_t r = 0; status == GRADUS_OK && !done && r < stop; r++)
        status = gradus_training_step(training, &done, err);
    if (status == GRADUS_OK)
        model = done ? gradus_training_finish(training, err)
                     : gradus_training_checkpoint(training, err);
    gradus_training_free(training);
    gradus_context_free(context);
    gradus_options_free(options);
    return model;
}

static const char *temporary(void)
{
    static char path[64];

    snprintf(path, sizeof path, "/tmp/test_calibrated_%d.model", (int)getpid());
    return path;
}

static double *probabilities_of(const gradus_model *model, const gradus_dataset *data,
                                size_t levels)
{
    gradus_error err = { GRADUS_OK, "" };
    double *p = calloc(gradus_dataset_rows(data) * levels, sizeof *p);

    if (gradus_model_probabilities(NULL, model, data, p, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return p;
}

/* The queries that calibrated uses for a part. */
static gradus_dataset *part_of(const gradus_dataset *data, const char *shares, size_t part)
{
    const gr_split_options options = { .shares = shares, .seed = 1 };
    const size_t queries = gradus_dataset_queries(data);
    size_t parts_of[64], chosen[64], count = 0, parts;

    assert_int_equal(gr_split_queries(queries, &options, parts_of, &parts, NULL), GRADUS_OK);
    for (size_t q = 0; q < queries; q++)
        if (parts_of[q] == part)
            chosen[count++] = q;
    return gr_dataset_subset(data, chosen, count, NULL, NULL);
}

/* AdaBoost.MH on the first part, calibrated by ls on the second. */
static gradus_model *by_hand(const gradus_dataset *train, const char *const *pairs,
                             gradus_model **raw)
{
    gradus_dataset *learn = part_of(train, "0.75,0.25", 0);
    gradus_dataset *calibrate = part_of(train, "0.75,0.25", 1);
    gradus_options *options = gradus_options_new("calibrate", NULL);
    gradus_error err = { GRADUS_OK, "" };

    *raw = train_model(1, learn, NULL, pairs);
    gradus_model *made = gradus_calibrate(NULL, *raw, calibrate, options, &err);

    if (!made)
        fail_msg("%s", err.message);
    gradus_options_free(options);
    gradus_dataset_free(learn);
    gradus_dataset_free(calibrate);
    return made;
}

/* At rate 0 two members have equal weight: the mean of what the separate functions compute. */
static void test_members_are_those_made_by_hand(void **state)
{
    enum { LEVELS = 3 };
    gradus_dataset *train = make("1"), *valid = make("1001"), *test = make("2001");
    gradus_model *raw[2];
    gradus_model *tree = by_hand(
        train,
        PAIRS("method", "adaboost-mh", "leaves", "5", "rounds", "4", "train-eval-every", "0"),
        &raw[0]);
    gradus_model *product = by_hand(train,
                                    PAIRS("method", "adaboost-mh", "base", "product", "terms", "2",
                                          "rounds", "4", "train-eval-every", "0"),
                                    &raw[1]);
    gradus_model *all = train_model(2, train, valid,
                                    PAIRS("method", "calibrated", "rounds", "4", "rounds-grid", "4",
                                          "leaves-grid", "5", "terms-grid", "2", "calibrations",
                                          "ls", "rates", "0", "calibration-fraction", "0.25"));
    double *a = probabilities_of(tree, test, LEVELS), *b = probabilities_of(product, test, LEVELS);
    double *mixed = probabilities_of(all, test, LEVELS);
    gradus_model_info facts;

    (void)state;
    gradus_model_describe(all, &facts);
    assert_int_equal(facts.members, 2);
    assert_int_equal(facts.grades, LEVELS);
    for (size_t i = 0; i < gradus_dataset_rows(test) * LEVELS; i++)
        CHECK_NEAR(mixed[i], 0.5 * (a[i] + b[i]), 1e-12);
    free(a);
    free(b);
    free(mixed);
    gradus_model_free(all);
    gradus_model_free(tree);
    gradus_model_free(product);
    gradus_model_free(raw[0]);
    gradus_model_free(raw[1]);
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    gradus_dataset_free(test);
}

/* Three base models on up to eight threads: trained in parallel, and one after another. */
static void test_models_are_the_same_bytes_for_any_threads(void **state)
{
    static const size_t threads[] = { 2, 3, 8 };
    static const char *const families[] = { "ls+ell", "linear,ordinal", "ls,linear" };
    gradus_dataset *train = make("1"), *valid = make("1001");

    (void)state;
    for (size_t f = 0; f < 3; f++) {
        gradus_model *one = train_model(1, train, valid, PAIRS(QUICK, "calibrations", families[f]));

        for (size_t t = 0; t < 3; t++) {
            gradus_model *other =
                train_model(threads[t], train, valid, PAIRS(QUICK, "calibrations", families[f]));

            check_same_model(one, other);
            gradus_model_free(other);
        }
        gradus_model_free(one);
    }
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
}

static void check_resume(const gradus_dataset *train, const gradus_dataset *valid,
                         const char *const *pairs, size_t stop)
{
    gradus_training_input input = { .train = train, .valid = valid };
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *whole = train_model(1, train, valid, pairs);
    gradus_model *part = train_with(2, &input, pairs, stop, &err);

    assert_non_null(part);
    assert_int_equal(gradus_model_write(part, temporary(), &err), GRADUS_OK);
    gradus_model *read = gradus_model_read(temporary(), &err);

    unlink(temporary());
    assert_non_null(read);
    input.start = read;
    input.resume = true;
    gradus_model *resumed = train_with(2, &input, pairs, SIZE_MAX, &err);

    if (!resumed)
        fail_msg("after %zu rounds: %s", stop, err.message);
    check_same_model(whole, resumed);
    gradus_model_free(whole);
    gradus_model_free(part);
    gradus_model_free(read);
    gradus_model_free(resumed);
}

/* Interrupted before the first combination, at one, between two, and at the end. */
static void test_resumed_training_gives_the_same_bytes(void **state)
{
    gradus_dataset *train = make("1"), *valid = make("1001");

    (void)state;
    for (size_t stop = 1; stop < 7; stop++)
        check_resume(train, valid, PAIRS(QUICK, "calibrations", stop % 2 ? "ls" : "linear+ls"),
                     stop);
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
}

/* Labels that one cut separates, and a constant feature. */
typedef struct tiny {
    float values[60], labels[30];
    uint64_t starts[7];
    gradus_arrays arrays;
} tiny;

static gradus_dataset *make_tiny(tiny *t, bool told_apart)
{
    for (size_t r = 0; r < 30; r++) {
        t->labels[r] = (float)(r % 5 == 0);
        t->values[2 * r] = told_apart ? t->labels[r] : 1.0f;
        t->values[2 * r + 1] = 1.0f;
    }
    for (uint64_t q = 0; q < 7; q++)
        t->starts[q] = 5 * q;
    t->arrays = (gradus_arrays){ .rows = 30,
                                 .features = 2,
                                 .stride = 2,
                                 .values = t->values,
                                 .labels = t->labels,
                                 .queries = 6,
                                 .query_starts = t->starts };
    return gradus_dataset_borrow(&t->arrays, NULL);
}

/* Two grades that the first round separates, or that nothing does: base models stop, outputs are
 * constant, and the model is still valid. */
static void test_little_to_learn(void **state)
{
    static const char *const families[] = { "cpc", "rbc", "cpc+rbc" };

    (void)state;
    for (int told_apart = 0; told_apart < 2; told_apart++)
        for (size_t f = 0; f < 3; f++) {
            tiny t;
            gradus_dataset *data = make_tiny(&t, told_apart);
            const char *const *pairs = PAIRS(QUICK, "calibrations", families[f]);
            gradus_model *model = train_model(2, data, data, pairs);
            double scores[30];

            assert_int_equal(gradus_model_score(NULL, model, data, scores, NULL), GRADUS_OK);
            for (size_t r = 0; r < 30; r++)
                assert_true(told_apart ? (scores[r] > scores[1]) == (r % 5 == 0)
                                       : scores[r] == scores[0]);
            gradus_model_free(model);
            gradus_dataset_free(data);
        }
}

/* At an extremely large rate only the best members count; base models without any of them are
 * dropped. */
static void test_members_without_weight_are_left_out(void **state)
{
    gradus_dataset *train = make("1"), *valid = make("1001");
    gradus_model *all =
        train_model(1, train, valid, PAIRS(QUICK, "calibrations", "ls+ell", "rates", "0"));
    gradus_model *best =
        train_model(1, train, valid, PAIRS(QUICK, "calibrations", "ls+ell", "rates", "1e300"));
    gradus_model_info facts;
    size_t bases = 0;

    (void)state;
    gradus_model_describe(all, &facts);
    assert_int_equal(facts.members, 6);
    for (size_t n = 0; n < all->node_count; n++)
        bases += all->nodes[n].kind == &gr_node_votes;
    assert_int_equal(bases, 3); /* one each */
    gradus_model_describe(best, &facts);
    assert_in_range(facts.members, 1, 5);
    assert_true(best->node_count < all->node_count);
    gradus_model_free(all);
    gradus_model_free(best);
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
}

static void check_refused(const gradus_training_input *input, const char *const *pairs,
                          const char *why)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = train_with(1, input, pairs, SIZE_MAX, &err);

    assert_null(model);
    if (!strstr(err.message, why))
        fail_msg("'%s' says nothing of '%s'", err.message, why);
}

static void test_what_cannot_be(void **state)
{
    gradus_dataset *train = make("1"), *valid = make("1001");
    gradus_training_input input = { .train = train };

    (void)state;
    check_refused(&input, PAIRS(QUICK), "validation data, and there are none");
    input.valid = valid;
    check_refused(&input, PAIRS(QUICK, "train-eval-every", "1"), "'train-eval-every'");
    check_refused(&input, PAIRS(QUICK, "calibrations", "cpc,platt"), "'platt'");
    check_refused(&input, PAIRS(QUICK, "calibrations", "cpc+"), "not ''");
    check_refused(&input, PAIRS(QUICK, "calibrations", "ls,cpc"), "'ls' twice");
    check_refused(&input, PAIRS(QUICK, "calibration-fraction", "0.001"), "calibrate with");
    check_refused(&input, PAIRS("method", "calibrated", "leaves-grid", "2,2"), "twice");
    check_refused(&input, PAIRS("method", "calibrated", "leaves-grid", "2.5"), "whole");
    check_refused(&input, PAIRS("method", "calibrated", "terms-grid", "65"), "64");
    check_refused(&input, PAIRS("method", "calibrated", "rounds-grid", "5,4"), "ascend");
    check_refused(&input, PAIRS("method", "calibrated", "rates", "-1"), "rates");
    check_refused(&input,
                  PAIRS("method", "calibrated", "leaves-grid", "none", "terms-grid", "none"),
                  "no base models to train");
    check_refused(&input,
                  PAIRS("method", "calibrated", "leaves-grid",
                        "2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22", "calibrations",
                        "cpc+rbc"),
                  "at most 256");
    check_refused(&input, PAIRS("method", "calibrated", "leaves", "5"), "'leaves'");
    check_refused(&input, PAIRS("method", "adaboost-mh", "rates", "5"), "'rates'");
    input.start = train_model(1, train, valid, PAIRS(QUICK));
    check_refused(&input, PAIRS(QUICK), "checkpoints");
    gradus_model_free((gradus_model *)(uintptr_t)input.start);
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
}

/* Reads a file with valid checksums and scores with it if it is accepted: it is rejected with a
 * reason, scores every row, or names the row that it cannot score. */
static bool scores_with(char *bytes, size_t size, const gradus_dataset *data)
{
    char *aligned = aligned_alloc(64, seal_align(size));
    gradus_error err = { GRADUS_OK, "" };
    double scores[200];

    memcpy(aligned, bytes, size);
    gradus_model *model = gr_model_parse(aligned, size, "damaged", &err);

    if (!model)
        assert_true(err.status == GRADUS_BAD_FORMAT && strstr(err.message, "'damaged'"));
    else if (gradus_model_score(NULL, model, data, scores, &err) != GRADUS_OK)
        assert_true(err.message[0] != '\0');
    else
        for (size_t r = 0; r < gradus_dataset_rows(data); r++)
            assert_true(isfinite(scores[r]));
    gr_model_free(model);
    free(aligned);
    return model != NULL;
}

/* Modified bytes in sections and counts in the header: rejected, or scored without harm. */
static void check_damage(const gradus_model *model, const gradus_dataset *data)
{
    static const char *const edits[][2] = {
        { "\"members\":", "\"members\":0" },       { "\"members\":", "\"members\":9" },
        { "\"reciprocal\":", "\"reciprocal\":7" }, { "\"probabilities\":", "\"probabilities\":2" },
        { "\"columns\":", "\"columns\":0" },       { "\"inputs\":[", "\"inputs\":[99," },
        { "\"method\":", "\"method\":4" },         { "\"outputs\":", "\"outputs\":7" },
    };
    size_t size, edited, taken = 0, tried = 0;
    char *bytes = model_bytes(model, &size);
    const size_t begin = seal_align(SEAL_FRONT + (size_t)seal_get(bytes, 16, 8));

    for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
        char *other = seal_edited(bytes, size, edits[e][0], edits[e][1], &edited);

        if (other)
            scores_with(other, edited, data);
        free(other);
    }
    for (size_t at = begin; at < size; at += 1 + at % 3) {
        const char before = bytes[at];

        bytes[at] = (char)(before ^ (at % 2 ? 0x80 : 0x7f));
        seal_model(bytes, size);
        taken += scores_with(bytes, size, data);
        tried++;
        bytes[at] = before;
    }
    assert_in_range(taken, 1, tried - 1);
    seal_model(bytes, size);
    assert_true(scores_with(bytes, size, data));
    free(bytes);
}

static void test_damaged_ensembles_do_no_harm(void **state)
{
    gradus_dataset *train = make("1"), *valid = make("1001");
    gradus_model *model = train_model(1, train, valid,
                                      PAIRS("method", "calibrated", "rounds", "2", "rounds-grid",
                                            "2", "leaves-grid", "3", "terms-grid", "2",
                                            "calibrations", "ls,linear,ordinal", "rates", "0"));
    static const char *const ways[] = { "borda", "reciprocal-rank", "standardized" };
    gradus_options *options = gradus_options_new("ensemble", NULL);
    const gradus_model *const members[] = { model, model };

    (void)state;
    check_damage(model, valid);
    for (size_t w = 0; w < 3; w++) {
        gradus_options_set(options, "way", ways[w], NULL);
        gradus_model *fused = gradus_ensemble(NULL, members, 2, NULL, options, NULL);

        assert_non_null(fused);
        check_damage(fused, valid);
        gradus_model_free(fused);
    }
    gradus_options_free(options);
    gradus_model_free(model);
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_are_those_made_by_hand),
        cmocka_unit_test(test_models_are_the_same_bytes_for_any_threads),
        cmocka_unit_test(test_resumed_training_gives_the_same_bytes),
        cmocka_unit_test(test_little_to_learn),
        one_thread_test(test_members_without_weight_are_left_out),
        one_thread_test(test_what_cannot_be),
        one_thread_test(test_damaged_ensembles_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
