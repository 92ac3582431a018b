/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring: datasets and rows in memory against a plain evaluation of the model's nodes. */
#include "checks.h"

#include "base/rng.h"
#include "sample_model.h"

enum { ROWS = 1300, MORE_FEATURES = 5, MAX_OUTPUTS = 8 };

/* Rows in queries of odd sizes, dense and sparse; one in four values is 0, some are missing. */
typedef struct sets {
    float values[ROWS * MORE_FEATURES], labels[ROWS], entries[ROWS * MORE_FEATURES];
    uint64_t query_starts[ROWS + 1], row_starts[ROWS + 1];
    uint32_t columns[ROWS * MORE_FEATURES];
    gradus_dataset *dense, *sparse;
} sets;

static void make_values(sets *s, size_t features)
{
    gr_rng rng = gr_rng_for(3, "predict", features);
    uint64_t used = 0;

    memset(s, 0, sizeof *s);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t f = 0; f < features; f++) {
            const uint64_t kind = gr_rng_below(&rng, 8);
            const float value = kind < 2 ? 0.0f : kind == 2 ? NAN : (float)gr_rng_normal(&rng);

            s->values[r * MORE_FEATURES + f] = value;
            if (kind >= 2) {
                s->columns[used] = (uint32_t)f;
                s->entries[used++] = value;
            }
        }
        s->row_starts[r + 1] = used;
    }
}

static sets *make_sets(size_t features)
{
    sets *s = malloc(sizeof *s);
    gradus_arrays arrays = { .rows = ROWS,
                             .features = features,
                             .values = s->values,
                             .stride = MORE_FEATURES,
                             .labels = s->labels,
                             .query_starts = s->query_starts };

    make_values(s, features);
    for (size_t end = 0; end < ROWS; arrays.queries++) {
        const size_t size = 1 + arrays.queries * 37 % 700;

        end = ROWS - end < size ? ROWS : end + size;
        s->query_starts[arrays.queries + 1] = end;
    }
    s->dense = gradus_dataset_borrow(&arrays, NULL);
    arrays.values = NULL;
    arrays.row_starts = s->row_starts;
    arrays.columns = s->columns;
    arrays.entries = s->entries;
    s->sparse = gradus_dataset_borrow(&arrays, NULL);
    assert_non_null(s->dense);
    assert_non_null(s->sparse);
    return s;
}

static void free_sets(sets *s)
{
    gradus_dataset_free(s->dense);
    gradus_dataset_free(s->sparse);
    free(s);
}

/* Query by query and row by row, with the reference implementation. */
static void score_plainly(const gradus_model *model, const gradus_dataset *data, double *scores,
                          double *probabilities)
{
    const gradus_arrays *a = &data->arrays;
    const gr_forest *forest = gr_model_forest(model);
    gr_spread spreads[MORE_FEATURES];

    for (size_t q = 0; q < a->queries; q++) {
        const size_t from = (size_t)a->query_starts[q], to = (size_t)a->query_starts[q + 1];
        float *rows = gr_new_array((to - from) * MORE_FEATURES, sizeof *rows);

        for (size_t r = from; r < to; r++)
            gr_dataset_row(data, r, rows + (r - from) * MORE_FEATURES);
        if (model->transform.transform)
            gr_transform_rows(&model->transform, rows, to - from, MORE_FEATURES, spreads);
        for (size_t r = from; r < to; r++) {
            double raw[MAX_OUTPUTS];

            gr_forest_row(forest, rows + (r - from) * MORE_FEATURES, SIZE_MAX, raw);
            scores[r] = gr_scorer_score(&model->scorer, raw, 1);
            if (probabilities)
                gr_scorer_probabilities(&model->scorer, raw, 1,
                                        probabilities + r * model->scorer.levels);
        }
        free(rows);
    }
}

typedef struct listener {
    int notes, steps;
    char last[512];
    bool cancel;
} listener;

static void keep_note(void *user, const char *note)
{
    listener *l = user;

    l->notes++;
    snprintf(l->last, sizeof l->last, "%s", note);
}

static bool keep_step(void *user, const char *what, double done)
{
    listener *l = user;

    assert_string_equal(what, "scoring");
    assert_true(done > 0.0 && done <= 1.0);
    l->steps++;
    return !l->cancel;
}

static void scores_alike(const gradus_model *model, const gradus_dataset *data, size_t threads)
{
    const size_t levels = model->scorer.levels;
    const bool knows = gr_scorer_knows_probabilities(&model->scorer);
    gr_pool *pool = threads ? gr_pool_new(threads, NULL) : NULL;
    gradus_context context = { .pool = pool };
    double wanted[ROWS], found[ROWS];
    double *wanted_share = gr_new_array(ROWS * levels, sizeof(double));
    double *found_share = gr_new_array(ROWS * levels, sizeof(double));

    score_plainly(model, data, wanted, knows ? wanted_share : NULL);
    assert_int_equal(gradus_model_score(&context, model, data, found, NULL), GRADUS_OK);
    assert_memory_equal(found, wanted, sizeof wanted);
    if (knows) {
        assert_int_equal(gradus_model_probabilities(&context, model, data, found_share, NULL),
                         GRADUS_OK);
        assert_memory_equal(found_share, wanted_share, ROWS * levels * sizeof(double));
    }
    free(wanted_share);
    free(found_share);
    gr_pool_free(pool);
}

static void test_scores_are_those_of_the_reference(void **state)
{
    (void)state;
    for (size_t features = SAMPLE_FEATURES; features <= MORE_FEATURES; features += 2) {
        sets *s = make_sets(features);

        for (size_t i = 0; i < SAMPLE_KINDS; i++) {
            gradus_model *model = sample_model(&sample_kinds[i]);

            for (size_t threads = 0; threads < 4; threads++) {
                scores_alike(model, s->dense, threads);
                scores_alike(model, s->sparse, threads);
            }
            gradus_model_free(model);
        }
        free_sets(s);
    }
}

/* Rows in memory form one query; scored one by one they have the same scores. */
static void test_rows_of_the_caller_are_scored_alike(void **state)
{
    sets *s = make_sets(SAMPLE_FEATURES);
    const gradus_arrays one_query = { .rows = ROWS,
                                      .features = SAMPLE_FEATURES,
                                      .values = s->values,
                                      .stride = MORE_FEATURES,
                                      .labels = s->labels };
    gradus_dataset *data = gradus_dataset_borrow(&one_query, NULL);
    double together[ROWS], scores[ROWS], shares[ROWS * MAX_OUTPUTS];

    (void)state;
    for (size_t i = 0; i < SAMPLE_KINDS; i++) {
        gradus_model *model = sample_model(&sample_kinds[i]);
        const bool knows = gr_scorer_knows_probabilities(&model->scorer);

        assert_int_equal(gradus_model_score(NULL, model, data, together, NULL), GRADUS_OK);
        assert_int_equal(gradus_model_score_rows(model, s->values, ROWS, SAMPLE_FEATURES,
                                                 MORE_FEATURES, scores, knows ? shares : NULL,
                                                 NULL),
                         GRADUS_OK);
        assert_memory_equal(scores, together, sizeof scores);
        for (size_t r = 0; r < ROWS && !sample_kinds[i].by_query; r++) {
            double score, share[MAX_OUTPUTS];

            assert_int_equal(gradus_model_score_rows(model, s->values + r * MORE_FEATURES, 1,
                                                     SAMPLE_FEATURES, SAMPLE_FEATURES, &score,
                                                     knows ? share : NULL, NULL),
                             GRADUS_OK);
            assert_memory_equal(&score, &together[r], sizeof score);
            if (knows)
                assert_memory_equal(share, shares + r * model->scorer.levels,
                                    model->scorer.levels * sizeof(double));
        }
        gradus_model_free(model);
    }
    gradus_dataset_free(data);
    free_sets(s);
}

static void test_too_few_features_are_an_error(void **state)
{
    sets *s = make_sets(SAMPLE_FEATURES - 1);
    gradus_model *model = sample_model(&sample_kinds[0]);
    gradus_error err = { GRADUS_OK, "" };
    double scores[ROWS];

    (void)state;
    assert_int_equal(gradus_model_score(NULL, model, s->dense, scores, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "the model has 3 features, the data 2"));
    assert_int_equal(gradus_model_score(NULL, model, s->sparse, scores, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_model_score_rows(model, s->values, 1, 2, 2, scores, NULL, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "the model has 3 features, the rows 2");
    gradus_model_free(model);
    free_sets(s);
}

static void test_more_features_are_noted_once(void **state)
{
    sets *s = make_sets(MORE_FEATURES);
    gradus_model *model = sample_model(&sample_kinds[0]);
    listener heard = { .notes = 0 };
    const gradus_context context = { .note = keep_note, .note_user = &heard };
    double scores[ROWS];

    (void)state;
    assert_int_equal(gradus_model_score((gradus_context *)&context, model, s->dense, scores, NULL),
                     GRADUS_OK);
    assert_int_equal(heard.notes, 1);
    assert_string_equal(heard.last, "the model has 3 features, the data 5: the last 2 are ignored");
    gradus_model_free(model);
    free_sets(s);
}

static void test_wrong_calls_are_refused(void **state)
{
    sets *s = make_sets(SAMPLE_FEATURES);
    gradus_model *model = sample_model(&sample_kinds[0]);
    gradus_error err = { GRADUS_OK, "" };
    double scores[ROWS];

    (void)state;
    assert_int_equal(gradus_model_probabilities(NULL, model, s->dense, scores, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "method 'mcrank' gives a score, not grade probabilities");
    assert_int_equal(gradus_model_score_rows(model, s->values, 1, 3, 3, NULL, scores, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_model_score_rows(model, s->values, 2, 3, 2, scores, NULL, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_model_score_rows(model, NULL, 2, 3, 3, scores, NULL, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_model_score(NULL, model, s->dense, NULL, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_model_score(NULL, NULL, s->dense, scores, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_model_probabilities(NULL, model, s->dense, NULL, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_model_score_rows(model, NULL, 0, 3, 3, scores, NULL, &err), GRADUS_OK);
    gradus_model_free(model);
    free_sets(s);
}

static void test_scoring_can_be_cancelled(void **state)
{
    sets *s = make_sets(SAMPLE_FEATURES);
    gradus_model *model = sample_model(&sample_kinds[0]);
    listener heard = { .cancel = true };
    gradus_context context = { .progress = keep_step, .progress_user = &heard };
    double scores[ROWS];

    (void)state;
    assert_int_equal(gradus_model_score(&context, model, s->dense, scores, NULL), GRADUS_CANCELLED);
    assert_int_equal(heard.steps, 1);
    heard.cancel = false;
    assert_int_equal(gradus_model_score(&context, model, s->dense, scores, NULL), GRADUS_OK);
    gradus_model_free(model);
    free_sets(s);
}

/* A kind of node: its first input minus twice its second; NAN for rows whose first value is above
 * 2. */
static size_t two_columns(const void *own)
{
    (void)own;
    return 2;
}

static size_t some_scratch(const void *own, size_t rows)
{
    (void)own;
    return rows * sizeof(double);
}

static void take_apart(const void *own, const gr_batch *batch, double *out)
{
    double *spare = batch->scratch;

    (void)own;
    for (size_t r = 0; r < batch->rows; r++)
        spare[r] = 2.0 * batch->inputs[1][r];
    for (size_t r = 0; r < batch->rows; r++) {
        out[r] =
            batch->values[r * batch->stride] > 2.0f ? (double)NAN : batch->inputs[0][r] - spare[r];
        out[batch->rows + r] = 7.0;
    }
}

static void keep(void *own)
{
    (void)own;
}

static const gr_node_kind apart = { .about = { "apart", "", "" },
                                    .columns = two_columns,
                                    .scratch = some_scratch,
                                    .apply = take_apart,
                                    .free = keep };

static void test_nodes_take_the_outputs_of_earlier_ones(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[0]), *other = sample_model(&sample_kinds[0]);
    const gr_node forest = { .kind = other->nodes[0].kind,
                             .state = other->nodes[0].state,
                             .borrowed = true };
    const gr_node first = { .kind = &apart, .inputs = { 1, 0 }, .input_count = 2 };
    const gr_node last = { .kind = &apart, .inputs = { 2, 1 }, .input_count = 2 };
    float rows[600 * 3];
    double plain[600], scores[600];
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t i = 0; i < 1800; i++)
        rows[i] = (float)(i % 7) / 4.0f - 0.5f;
    assert_int_equal(gr_model_run_rows(model, rows, 600, 3, plain, NULL, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(model, &forest, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(model, &first, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(model, &last, NULL), GRADUS_OK);
    assert_int_equal(gr_model_run_rows(model, rows, 600, 3, scores, NULL, NULL), GRADUS_OK);
    for (size_t r = 0; r < 600; r++) /* (s - 2 s) - 2 s */
        CHECK_NEAR(scores[r], -3.0 * plain[r], 1e-12);
    rows[3 * 555] = 2.5f;
    assert_int_equal(gr_model_run_rows(model, rows, 600, 3, scores, NULL, &err), GRADUS_BAD_NUMBER);
    assert_string_equal(err.message, "row 556: the model's score is not finite");
    gr_model_free(model);
    gr_model_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_are_those_of_the_reference),
        cmocka_unit_test(test_rows_of_the_caller_are_scored_alike),
        cmocka_unit_test(test_too_few_features_are_an_error),
        cmocka_unit_test(test_more_features_are_noted_once),
        cmocka_unit_test(test_wrong_calls_are_refused),
        cmocka_unit_test(test_scoring_can_be_cancelled),
        cmocka_unit_test(test_nodes_take_the_outputs_of_earlier_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
