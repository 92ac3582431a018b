/* SPDX-License-Identifier: Apache-2.0 */
/* Every calibration of calibrations.def, fitted to a model with probabilities and to one with a
 * score: it is saved and loaded, gives what its row says, and refuses damaged parameters. */
#include "checks.h"
#include "model_bytes.h"
#include "query_sets.h"

#include "calibration/calibration.h"
#include "model/model.h"
#include "model/model_read.h"

#include <stdlib.h>
#include <string.h>

enum { GRADES = 3 };

static query_set rows;

static void test_rows_are_described(void **state)
{
    (void)state;
    for (size_t m = 0; m < GR_CALIBRATIONS; m++) {
        const gr_calibrator *method = gr_calibrators[m];

        assert_string_equal(method->about.name, gr_calibration_names[m]);
        assert_true(strlen(method->about.summary) > 0);
        assert_non_null(method->about.details);
        if (method->group)
            assert_true(strcmp(method->group, "cpc") == 0 || strcmp(method->group, "rbc") == 0);
        for (size_t other = 0; other < m; other++)
            assert_string_not_equal(method->about.name, gr_calibration_names[other]);
    }
    assert_null(gr_calibration_names[GR_CALIBRATIONS]);
}

static gradus_model *calibrated(const gradus_model *model, const char *how, gradus_error *err)
{
    gradus_options *options = gradus_options_new("calibrate", err);
    gradus_model *made;

    assert_int_equal(gradus_options_set(options, "how", how, err), GRADUS_OK);
    made = gradus_calibrate(NULL, model, rows.data, options, err);
    gradus_options_free(options);
    return made;
}

static gr_calibration *calibration_of(const gradus_model *model)
{
    const gr_node *last = &model->nodes[model->node_count - 1];

    assert_string_equal(last->kind->about.name, "calibration");
    return last->state;
}

static void check_values(const gradus_model *model, const gr_calibrator *method)
{
    double *values = malloc(rows.rows * GRADES * sizeof *values);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model_info info;

    assert_non_null(values);
    assert_int_equal(gradus_model_score(NULL, model, rows.data, values, &err), GRADUS_OK);
    for (size_t r = 0; r < rows.rows; r++)
        if (!isfinite(values[r]))
            fail_msg("%s: the score of row %zu is not finite", method->about.name, r);
    gradus_model_describe(model, &info);
    if (method->gives == GR_CALIBRATED_SCORE) {
        assert_int_equal(gradus_model_probabilities(NULL, model, rows.data, values, &err),
                         GRADUS_BAD_ARGUMENT);
        free(values);
        return;
    }
    assert_in_range(info.grades, 2, GRADES);
    assert_int_equal(gradus_model_probabilities(NULL, model, rows.data, values, &err), GRADUS_OK);
    for (size_t r = 0; r < rows.rows; r++) {
        double sum = 0.0;

        for (size_t k = 0; k < info.grades; k++) {
            if (!(values[r * info.grades + k] >= 0.0))
                fail_msg("%s: a probability of row %zu is negative", method->about.name, r);
            sum += values[r * info.grades + k];
        }
        CHECK_NEAR(sum, 1.0, 1e-12);
    }
    free(values);
}

static void check_saved(const gradus_model *model, const gr_calibrator *method)
{
    gradus_error err = { GRADUS_OK, "" };
    size_t size, again_size;
    char *bytes = model_bytes(model, &size), *again_bytes;
    gradus_model *again = gr_model_parse(bytes, size, "x.model", &err);

    if (!again)
        fail_msg("%s: %s", method->about.name, err.message);
    assert_ptr_equal(gr_calibrators[calibration_of(again)->method], method);
    check_values(again, method);
    again_bytes = model_bytes(again, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again_bytes, size);
    gradus_model_free(again);
    free(again_bytes);
    free(bytes);
}

static void check_parameters(const gradus_model *model, const gr_calibrator *method)
{
    gradus_calibration_parameter shown;
    size_t count = 0;

    for (; gradus_model_calibration_at(model, 0, count, &shown); count++) {
        assert_string_equal(shown.method, method->about.name);
        assert_true(strlen(shown.name) > 0);
        assert_true(isfinite(shown.value));
        assert_true(count <= calibration_of(model)->count);
    }
    assert_true(count > 0);
}

/* A parameter too few, and columns that do not fit. */
static void check_damage(const gr_calibration *fitted)
{
    gr_calibration c = *fitted;

    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_OK);
    c.count--;
    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_BAD_FORMAT);
    c = *fitted;
    c.outputs++;
    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_BAD_FORMAT);
}

static void check_all(const char *train, bool graded)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = train_on(1, &rows, NULL, train, "rounds=5", &err);

    if (!model)
        fail_msg("%s", err.message);
    for (size_t m = 0; m < GR_CALIBRATIONS; m++) {
        const gr_calibrator *method = gr_calibrators[m];
        gradus_model *made = calibrated(model, method->about.name, &err);

        if (!graded && method->needs_grades) {
            assert_null(made);
            assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
            continue;
        }
        if (!made)
            fail_msg("%s: %s", method->about.name, err.message);
        check_values(made, method);
        check_parameters(made, method);
        check_damage(calibration_of(made));
        check_saved(made, method);
        gradus_model_free(made);
    }
    gradus_model_free(model);
}

static void test_probabilities_are_calibrated(void **state)
{
    (void)state;
    check_all("mcrank", true);
}

static void test_scores_are_calibrated(void **state)
{
    (void)state;
    check_all("regression", false);
}

static int make_rows(void **state)
{
    (void)state;
    rows = make_query_set(30, 7, false);
    return rows.data ? 0 : 1;
}

static int free_rows(void **state)
{
    (void)state;
    end_query_set(&rows);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_described),
        cmocka_unit_test(test_probabilities_are_calibrated),
        cmocka_unit_test(test_scores_are_calibrated),
    };

    return cmocka_run_group_tests(tests, make_rows, free_rows);
}
