/* SPDX-License-Identifier: Apache-2.0 */
/* Exported models: every method and learner in every format, models in memory, parity files, and
 * allocation failures. */
#include "failing_alloc.h"
#include "method_pairs.h"
#include "model_bytes.h"
#include "synthetic_sets.h"
#include "temporary_files.h"
#include "train_model.h"

#include "exchange/export.h"
#include "exchange/probes.h"
#include "model/section_layout.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gradus_dataset *train, *valid;
static gradus_model *forest, *scaled; /* without and with a transform */

static int set_up(void **state)
{
    (void)state;
    train = make_synth(1, "mcrank", PAIRS("queries", "20", "documents", "25", "features", "6"));
    valid = make_synth(1, "mcrank",
                       PAIRS("queries", "8", "documents", "10", "features", "6", "seed", "2"));
    forest = train_model(1, train, NULL, PAIRS("rounds", "10", "leaves", "6"));
    scaled = train_model(1, train, NULL,
                         PAIRS("rounds", "10", "leaves", "6", "transform", "standardise"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    gradus_model_free(forest);
    gradus_model_free(scaled);
    return 0;
}

static gradus_options *to_format(const char *format)
{
    gradus_options *options = gradus_options_new("export", NULL);

    assert_non_null(options);
    assert_int_equal(gradus_options_set(options, "format", format, NULL), GRADUS_OK);
    return options;
}

/* ---- the tables ---- */

static void test_formats(void **state)
{
    gradus_format format;
    gradus_entry entry;
    gradus_param param;
    size_t count = 0;

    (void)state;
    assert_true(gradus_param_find("export", "format", &param));
    assert_string_equal(param.choices[0], "auto");
    for (; gradus_format_at(count, &format); count++) {
        assert_true(gradus_entry_at("formats", count, &entry));
        assert_string_equal(format.name, entry.name);
        assert_string_equal(format.name, param.choices[1 + count]);
        assert_true(*entry.summary && *entry.details && *format.used_by && *format.extension);
        assert_true(format.tolerance >= 0.0 && format.tolerance < 1e-4);
        assert_true(strstr(gr_format_number(count)->check, "PARITY") != NULL);
    }
    assert_true(count > 0);
    assert_null(param.choices[1 + count]);
    assert_false(gradus_entry_at("formats", count, &entry));
}

/* ---- every method and learner ---- */

static bool is_listed(const char *names, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = names; (at = strstr(at, name)); at++)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* Whether the model is written, twice the same, or refused with a reason that names the format. */
static bool is_held(const method_pair *pair, const gradus_model *model, const char *format)
{
    gradus_options *options = to_format(format);
    gradus_error err = { GRADUS_OK, "" };
    void *first = NULL, *second = NULL;
    size_t first_size, second_size;
    const gradus_status status = gradus_export(model, options, &first, &first_size, &err);

    if (status == GRADUS_OK) {
        assert_int_equal(gradus_export(model, options, &second, &second_size, &err), GRADUS_OK);
        if (first_size != second_size || memcmp(first, second, first_size) != 0)
            fail_pair(pair, "exported differently the second time");
        assert_true(first_size > 0 && ((char *)first)[first_size] == '\0');
    } else {
        assert_int_equal(status, GRADUS_BAD_ARGUMENT);
        if (!strstr(err.message, format))
            fail_pair(pair, err.message);
    }
    free(first);
    free(second);
    gradus_options_free(options);
    return status == GRADUS_OK;
}

static bool has_default_learner(const method_pair *pair)
{
    const gr_ranker *ranker = pair->ranker;
    gradus_param param;

    assert_true(gradus_param_find("train", "learner", &param));
    return strcmp(pair->learner->about.name,
                  ranker->only_own ? ranker->own_learners[0]->about.name : param.initial) == 0;
}

static void check_pair(const method_pair *pair)
{
    const char *method = pair->ranker->about.name;
    const bool usual = has_default_learner(pair);
    gradus_model *model = train_by_options(1, train, valid, pair_options(pair, "3"));
    gradus_format format;

    for (size_t i = 0; gradus_format_at(i, &format); i++) {
        const bool held = is_held(pair, model, format.name);
        const bool promised = !format.methods || is_listed(format.methods, method);

        if (usual && held != promised) {
            print_error("%s %s\n", format.name,
                        held ? "holds it, which its methods do not say" : "does not hold it");
            fail_pair(pair, "the list of methods of a format is wrong");
        }
    }
    gradus_model_free(model);
}

static void test_every_method(void **state)
{
    const gradus_training_input input = { .train = train, .valid = valid };

    (void)state;
    check_pairs(PAIRS_ALL, &input, check_pair);
}

/* ---- models in memory ---- */

static void test_bytes(void **state)
{
    size_t wanted_size, size = 0;
    char *wanted = model_bytes(forest, &wanted_size), *shifted = malloc(wanted_size + 1);
    gradus_error err = { GRADUS_OK, "" };
    void *bytes = NULL;

    (void)state;
    assert_int_equal(gradus_model_to_bytes(forest, &bytes, &size, &err), GRADUS_OK);
    assert_int_equal(size, wanted_size);
    assert_memory_equal(bytes, wanted, size);
    memcpy(shifted + 1, bytes, size); /* not aligned */
    gradus_model *read = gradus_model_from_bytes(shifted + 1, size, &err);

    assert_non_null(read);
    memset(shifted, 0, size + 1); /* copied */
    check_same_model(forest, read);
    gradus_model_free(read);

    assert_null(gradus_model_from_bytes(bytes, size - 1, &err));
    assert_int_equal(err.status, GRADUS_BAD_FORMAT);
    assert_null(gradus_model_from_bytes(bytes, 0, &err));
    assert_int_equal(err.status, GRADUS_BAD_FORMAT);
    ((char *)bytes)[size - 1] ^= 1;
    assert_null(gradus_model_from_bytes(bytes, size, &err));
    assert_int_equal(err.status, GRADUS_BAD_FORMAT);
    assert_null(gradus_model_from_bytes("no model", 8, &err));
    assert_non_null(strstr(err.message, "model in memory"));
    free(bytes);
    free(shifted);
    free(wanted);
}

/* ---- choice of the format ---- */

static void test_choice(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = to_format("json");
    void *bytes;
    size_t size;

    (void)state;
    assert_int_equal(gradus_export(forest, NULL, &bytes, &size, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "format"));
    assert_int_equal(gradus_options_set(options, "format", "jsn", &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "did you mean"));
    assert_int_equal(gradus_options_set_number(options, "opset-ml", 4, &err), GRADUS_OK);
    assert_int_equal(gradus_export(forest, options, &bytes, &size, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "3 or 5"));
    gradus_options_free(options);
    options = gradus_options_new("score", NULL);
    assert_int_equal(gradus_export(forest, options, &bytes, &size, &err), GRADUS_BAD_ARGUMENT);
    gradus_options_free(options);
}

/* ---- numbers of the format json ---- */

static void test_layouts(void **state)
{
    static const double numbers[] = { 0.1, -INFINITY, INFINITY, -0.0, 5e-324 };
    static const gr_split splits[] = { { .feature = 7,
                                         .threshold = 0.5f,
                                         .left = -1,
                                         .right = -2,
                                         .gain = 0.1f,
                                         .missing_left = 1 } };
    static const uint64_t wide[] = { 0, UINT64_MAX };
    gr_json_writer json = { .layout = GR_JSON_FILE };

    (void)state;
    assert_int_equal(gr_layout_size(GR_F64), 8);
    assert_int_equal(gr_layout_size(GR_U32), 4);
    assert_int_equal(gr_layout_size(GR_SPLITS), sizeof(gr_split));
    assert_int_equal(gr_layout_size("f16"), 0);
    assert_int_equal(gr_layout_size("a f32, b"), 0);
    gr_json_open(&json, NULL, '[');
    gr_layout_put(&json, NULL, GR_F64, numbers, sizeof numbers);
    gr_layout_put(&json, NULL, GR_SPLITS, splits, sizeof splits);
    gr_layout_put(&json, NULL, GR_U64, wide, sizeof wide);
    gr_layout_put(&json, NULL, GR_TEXTS, "a\0\0b", 5);
    gr_json_close(&json, ']');
    gr_json_append(&json, "", 1);
    assert_string_equal(
        json.bytes.at,
        "[\n[0.1,-1e999,1e999,-0,5e-324],\n{\"feature\":[7],\"threshold\":[0.5],"
        "\"left\":[-1],\"right\":[-2],\"gain\":[0.10000000149011612],"
        "\"missing_left\":[1]},\n[0,18446744073709551615],\n[\"a\",\"\",\"b\"]\n]\n");
    gr_json_writer_free(&json);
}

/* ---- probes ---- */

static bool is_cut(const gr_probe_values *known, size_t column, float value)
{
    for (size_t i = known->starts[column]; i < known->starts[column + 1]; i++)
        if (known->cuts[i] == value)
            return true;
    return false;
}

typedef struct counts {
    size_t missing, zeros, minus_zeros, cuts, below, above, largest;
} counts;

static counts count_values(const gr_probes *probes, const gr_probe_values *known)
{
    counts n = { 0, 0, 0, 0, 0, 0, 0 };

    for (size_t i = 0; i < probes->rows * probes->columns; i++) {
        const float value = probes->values[i];
        const size_t column = i % probes->columns;

        n.missing += isnan(value) != 0;
        n.zeros += value == 0.0f && !signbit(value);
        n.minus_zeros += value == 0.0f && signbit(value);
        n.cuts += is_cut(known, column, value);
        n.below += is_cut(known, column, nextafterf(value, INFINITY));
        n.above += is_cut(known, column, nextafterf(value, -INFINITY));
        n.largest += fabsf(value) == FLT_MAX;
    }
    return n;
}

/* Scores are those of dense rows, and values of every sort occur. */
static void check_probes(const gradus_model *model)
{
    const gr_probe_limits limits = { false, 0.0f };
    gr_probe_values known;
    gr_probes probes, again;
    double scores[GRADUS_PARITY_ROWS];
    counts n;

    assert_int_equal(gr_probes_make(model, &limits, &probes, NULL), GRADUS_OK);
    assert_int_equal(gr_probes_make(model, &limits, &again, NULL), GRADUS_OK);
    assert_int_equal(gr_probe_values_find(model, &probes, &known, NULL), GRADUS_OK);
    assert_int_equal(probes.rows, GRADUS_PARITY_ROWS);
    assert_int_equal(probes.columns, 6);
    assert_memory_equal(probes.scores, again.scores, sizeof scores);
    assert_int_equal(
        gradus_model_score_rows(model, probes.values, probes.rows, 6, 6, scores, NULL, NULL),
        GRADUS_OK);
    assert_memory_equal(scores, probes.scores, sizeof scores);
    n = count_values(&probes, &known);
    assert_true(n.missing > 20 && n.zeros > 10 && n.minus_zeros > 10 && n.largest > 5);
    assert_true(n.cuts > 50 && n.below > 30 && n.above > 30);
    gr_probe_values_free(&known);
    gr_probes_free(&again);
    gr_probes_free(&probes);
}

static void test_probes(void **state)
{
    (void)state;
    check_probes(forest);
    check_probes(scaled);
}

static void test_limits(void **state)
{
    const gr_probe_limits limits = { true, 100.0f };
    gr_probes probes;

    (void)state;
    assert_int_equal(gr_probes_make(forest, &limits, &probes, NULL), GRADUS_OK);
    for (size_t i = 0; i < probes.rows * probes.columns; i++)
        assert_true(fabsf(probes.values[i]) <= 100.0f);
    gr_probes_free(&probes);
}

/* A cut of transformed values is the smallest float on the right side. */
static void test_cuts(void **state)
{
    static const float thresholds[] = { -1.5f, -0.1f, 0.0f, 1e-3f, 0.7f, 3.0f };
    static double shift[] = { 0.0, 3.7, -1e6, 1e-5 }, unit[] = { 1.0, 0.01, 33.3, 1e-7 };
    const gr_fitted_transform fitted = {
        .transform = &gr_transform_standardise, .features = 4, .shift = shift, .unit = unit
    };

    (void)state;
    for (size_t f = 0; f < 4; f++)
        for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
            float pair[8] = { 0 };
            const float cut = gr_probe_cut(&fitted, f, thresholds[i]);

            pair[f] = cut;
            pair[4 + f] = nextafterf(cut, -INFINITY);
            gr_transform_rows(&fitted, pair, 2, 4, NULL);
            assert_true(pair[f] >= thresholds[i]);
            assert_true(pair[4 + f] < thresholds[i]);
        }
}

/* Most leaves of a model are reached by some row. */
static void test_leaves(void **state)
{
    const gr_probe_limits limits = { false, 0.0f };
    bool reached[10][16] = { { false } };
    gradus_tree_node at;
    gr_probes probes;
    size_t leaves = 0, found = 0;

    (void)state;
    assert_int_equal(gr_probes_make(forest, &limits, &probes, NULL), GRADUS_OK);
    for (size_t r = 0; r < probes.rows; r++)
        for (size_t tree = 0; tree < 10; tree++) {
            const float *row = probes.values + r * probes.columns;
            size_t node = 0;

            while (gradus_model_tree_at(forest, tree, node, &at) && !at.is_leaf)
                node = (isnan(row[at.feature]) ? at.missing_left : row[at.feature] < at.threshold)
                           ? at.left
                           : at.right;
            reached[tree][node] = true;
        }
    for (size_t tree = 0; tree < 10; tree++)
        for (size_t node = 0; gradus_model_tree_at(forest, tree, node, &at); node++) {
            leaves += at.is_leaf;
            found += at.is_leaf && reached[tree][node];
        }
    assert_true(leaves > 30);
    assert_true(found * 10 >= leaves * 9);
    gr_probes_free(&probes);
}

/* ---- allocation failures ---- */

static gradus_status export_all(gradus_error *err)
{
    gradus_status status = GRADUS_OK;
    gradus_format format;

    for (size_t i = 0; status == GRADUS_OK && gradus_format_at(i, &format); i++) {
        gradus_options *options = gradus_options_new("export", err);
        void *bytes = NULL;
        size_t size;

        status = options ? gradus_options_set(options, "format", format.name, err) : err->status;
        if (status == GRADUS_OK)
            status = gradus_export(scaled, options, &bytes, &size, err);
        free(bytes);
        gradus_options_free(options);
    }
    return status;
}

static gradus_status export_file(gradus_error *err)
{
    char path[128], parity[128];
    gradus_options *options = gradus_options_new("export", err);
    gradus_status status =
        options ? gradus_options_set(options, "format", "xgboost-dump", err) : err->status;

    in_folder(path, test_folder, "x.json");
    in_folder(parity, test_folder, "x.csv");
    if (status == GRADUS_OK)
        status = gradus_export_write(scaled, options, path, parity, err);
    assert_int_equal(access(path, F_OK) == 0, status == GRADUS_OK);
    unlink(path);
    unlink(parity);
    gradus_options_free(options);
    return status;
}

static gradus_status bytes_and_back(gradus_error *err)
{
    void *bytes = NULL;
    size_t size;
    gradus_status status = gradus_model_to_bytes(forest, &bytes, &size, err);
    gradus_model *model = status == GRADUS_OK ? gradus_model_from_bytes(bytes, size, err) : NULL;

    free(bytes);
    if (status == GRADUS_OK && !model)
        status = err->status;
    gradus_model_free(model);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    assert_int_equal(set_up_folder(NULL), 0);
    assert_true(exhaust("export", export_all) > 20);
    assert_true(exhaust("export to files", export_file) > 10);
    assert_true(exhaust("bytes", bytes_and_back) > 5);
    assert_int_equal(tear_down_folder(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats), cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_bytes),   cmocka_unit_test(test_choice),
        cmocka_unit_test(test_probes),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_cuts),    cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_layouts),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
