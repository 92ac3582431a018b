/* SPDX-License-Identifier: Apache-2.0 */
/* Measures and selection of the experiments on combined regression and ranking. */
#include "checks.h"

#include "data/dataset.h"
#include "experiments/papers/paper_crr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gr_crr_values values_of(const double *outputs, const float *labels, size_t rows,
                               double weight)
{
    gr_crr_values values;

    assert_int_equal(gr_crr_measure(outputs, labels, rows, weight, &values, NULL), GRADUS_OK);
    return values;
}

/* Pairs: (2, 0), (2, 0), (2, -1) right; (0, 0) and (0, 0) half each; (0, -1) right. */
static void test_measures_worked_by_hand(void **state)
{
    const double outputs[] = { 0.0, 2.0, 0.0, -1.0, 0.0 };
    const float labels[] = { 0.0f, 1.0f, 1.0f, 0.0f, 0.0f };
    const double half = 0.25, up = 1.0 / (1.0 + exp(-2.0)), down = 1.0 / (1.0 + exp(1.0));
    gr_crr_values values = values_of(outputs, labels, 5, 1.0);

    (void)state;
    CHECK_NEAR(values.auc_loss, 1.0 / 6.0, 1e-15);
    CHECK_NEAR(values.mse, (3.0 * half + (1.0 - up) * (1.0 - up) + down * down) / 5.0, 1e-12);
    CHECK_NEAR(values.accuracy, 0.8, 1e-15); /* between 2 and 0 */
    values = values_of(outputs, labels, 5, 4.0);
    CHECK_NEAR(values.auc_loss, 1.0 / 6.0, 1e-15);
    CHECK_NEAR(values.mse, (6.0 * half + 4.0 * (1.0 - up) * (1.0 - up) + down * down) / 11.0,
               1e-12);
    CHECK_NEAR(values.accuracy, 9.0 / 11.0, 1e-15); /* between 0 and -1 */
}

static void test_edges(void **state)
{
    const double outputs[] = { 3.0, 1.0 };
    const float ones[] = { 1.0f, 1.0f }, wrong[] = { 0.0f, 1.0f };

    (void)state;
    assert_true(isnan(values_of(outputs, ones, 2, 1.0).auc_loss));
    CHECK_NEAR(values_of(outputs, ones, 2, 1.0).accuracy, 1.0, 0.0);
    CHECK_NEAR(values_of(outputs, wrong, 2, 1.0).auc_loss, 1.0, 0.0);
    CHECK_NEAR(values_of(outputs, wrong, 2, 0.25).accuracy, 0.8, 1e-15); /* no row is classified as
                                                                            positive */
}

static void test_the_best_lambda_is_picked(void **state)
{
    static const char text[] = "{\"valid auc\":[0.3,0.1,0.12],\"valid mse\":[0.4,0.6,0.44],"
                               "\"auc\":[1,2,3],\"mse\":[4,5,6],\"accuracy\":[7,8,9]}";
    static const char other[] = "{\"valid auc\":[0.2],\"valid mse\":[0.2,0.4],\"auc\":[1,2]}";
    gr_json *root = gr_json_parse(text, strlen(text), NULL);
    gr_crr_values values;

    (void)state;
    assert_non_null(root);
    assert_int_equal(gr_crr_pick(root, GR_CRR_BY_AUC, &values), 1);
    CHECK_NEAR(values.auc_loss + values.mse + values.accuracy, 15.0, 0.0);
    assert_int_equal(gr_crr_pick(root, GR_CRR_BY_MSE, &values), 0);
    CHECK_NEAR(values.auc_loss + values.mse + values.accuracy, 12.0, 0.0);
    assert_int_equal(gr_crr_pick(root, GR_CRR_BY_BOTH, &values), 2); /* 1.2 + 1.1 */
    gr_json_free(root);
    root = gr_json_parse(other, strlen(other), NULL);
    assert_non_null(root);
    assert_int_equal(gr_crr_pick(root, GR_CRR_BY_AUC, &values), SIZE_MAX);
    assert_int_equal(gr_crr_pick(NULL, GR_CRR_BY_MSE, &values), SIZE_MAX);
    gr_json_free(root);
}

static void test_rows_are_taken(void **state)
{
    const float entries[] = { 1, 2, 3, 4, 5 }, labels[] = { 7, 3, 7 };
    const uint32_t columns[] = { 0, 4, 1, 2, 3 };
    const uint64_t starts[] = { 0, 2, 3, 5 }, queries[] = { 0, 2, 3 };
    const gradus_dataset data = { .arrays = { .rows = 3,
                                              .features = 5,
                                              .row_starts = starts,
                                              .columns = columns,
                                              .entries = entries,
                                              .labels = labels,
                                              .queries = 2,
                                              .query_starts = queries } };
    const size_t rows[] = { 2, 1 };
    gradus_dataset *made = gr_crr_rows(&data, rows, 2, 7, 7, NULL), *flat;
    uint64_t one_query[2];

    (void)state;
    assert_non_null(made);
    assert_int_equal(made->arrays.rows, 2);
    assert_int_equal(made->arrays.queries, 1);
    assert_int_equal(made->arrays.query_starts[1], 2);
    CHECK_NEAR(made->arrays.labels[0], 1.0, 0.0);
    CHECK_NEAR(made->arrays.labels[1], 0.0, 0.0);
    CHECK_NEAR(gr_dataset_value(made, 0, 3), 5.0, 0.0);
    CHECK_NEAR(gr_dataset_value(made, 1, 1), 3.0, 0.0);
    CHECK_NEAR(gr_dataset_value(made, 1, 0), 0.0, 0.0);
    gradus_dataset *both = gr_crr_rows(&data, rows, 2, 3, 7, NULL);

    assert_non_null(both);
    CHECK_NEAR(both->arrays.labels[0], 1.0, 0.0);
    CHECK_NEAR(both->arrays.labels[1], 1.0, 0.0);
    gradus_dataset_free(both);
    flat = gr_crr_flatten(&data, one_query, NULL);
    assert_non_null(flat);
    assert_int_equal(flat->arrays.queries, 1);
    assert_int_equal(flat->arrays.query_starts[1], 3);
    gradus_dataset_free(flat);
    gradus_dataset_free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures_worked_by_hand),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_the_best_lambda_is_picked),
        cmocka_unit_test(test_rows_are_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
