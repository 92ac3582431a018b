/* SPDX-License-Identifier: Apache-2.0 */
/* Formats of trees: each is read back by a small reader, written from the rules of the format, and
 * evaluated on rows at, below and above thresholds. */
#include "checks.h"
#include "expected_exports.h"
#include "failing_alloc.h"
#include "summed_models.h"
#include "ubj_text.h"

#include "base/json.h"
#include "base/text.h"
#include "exchange/format.h"
#include "exchange/tree_sum.h"
#include "model/forest_node.h"
#include "model/linear_node.h"
#include "model/predict.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 200, SEEDS = 6 };

static const gr_export_options options = { .name = "m" };

static gr_buffer written(const gradus_model *model, const gr_format *format)
{
    gr_buffer out = { .used = 0 };
    gradus_error err = { GRADUS_OK, "" };

    if (format->write(model, &options, &out, &err) != GRADUS_OK)
        fail_msg("%s: %s", format->about.name, err.message);
    gr_buffer_put(&out, "", 1);
    return out;
}

static const char *text_of(const gr_buffer *out)
{
    return out->bytes.at;
}

static float float_of(const char *text)
{
    float number;

    assert_non_null(gr_parse_float(text, text + strlen(text), &number));
    return number;
}

/* "f3" is column 2. */
static size_t column_of(const char *name)
{
    assert_int_equal(name[0], 'f');
    return (size_t)atoi(name + 1) - 1;
}

static const char *text_at(const gr_json *object, const char *key)
{
    const gr_json *found = gr_json_find(object, key);

    assert_non_null(found);
    return found->text;
}

static gr_json *parsed(const gr_buffer *out)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_json *json = gr_json_parse(text_of(out), out->used - 1, &err);

    if (!json)
        fail_msg("%s", err.message);
    return json;
}

static const gr_json *item(const gr_json *list, size_t i)
{
    const gr_json *found = gr_json_first(list);

    assert_true(i < list->count);
    while (i-- > 0)
        found = gr_json_next(found);
    return found;
}

/* ---- XGBoost: x < t goes left, missing values by default_left, all floats ---- */

static double document_score(const gr_buffer *out, const float *row)
{
    gr_json *json = parsed(out);
    const gr_json *booster = gr_json_find(gr_json_find(json, "learner"), "gradient_booster");
    const gr_json *trees = gr_json_find(gr_json_find(booster, "model"), "trees");
    double sum = 0.0;

    for (size_t t = 0; t < trees->count; t++) {
        const gr_json *tree = item(trees, t), *lefts = gr_json_find(tree, "left_children");
        const gr_json *thresholds = gr_json_find(tree, "split_conditions");
        size_t node = 0;

        while (strcmp(item(lefts, node)->text, "-1") != 0) {
            const float x = row[atoi(item(gr_json_find(tree, "split_indices"), node)->text)];
            const int left = atoi(item(lefts, node)->text);
            const int right = atoi(item(gr_json_find(tree, "right_children"), node)->text);
            const bool missing_left =
                atoi(item(gr_json_find(tree, "default_left"), node)->text) == 1;
            const bool goes_left =
                isnan(x) ? missing_left : x < float_of(item(thresholds, node)->text);

            assert_int_equal(right, left + 1);
            assert_int_equal(atoi(item(gr_json_find(tree, "parents"), (size_t)left)->text),
                             (int)node);
            node = (size_t)(goes_left ? left : right);
        }
        assert_string_equal(item(thresholds, node)->text,
                            item(gr_json_find(tree, "base_weights"), node)->text);
        sum += (double)float_of(item(thresholds, node)->text);
    }
    gr_json_free(json);
    return sum;
}

static double dump_score(const gr_buffer *out, const float *row)
{
    gr_json *json = parsed(out);
    double sum = 0.0;

    for (size_t t = 0; t < json->count; t++) {
        const gr_json *node = item(json, t);

        while (!gr_json_find(node, "leaf")) {
            const gr_json *children = gr_json_find(node, "children");
            const float x = row[column_of(text_at(node, "split"))];
            const char *to = isnan(x) ? text_at(node, "missing")
                             : x < float_of(text_at(node, "split_condition")) ? text_at(node, "yes")
                                                                              : text_at(node, "no");

            assert_int_equal(children->count, 2);
            node = item(children, strcmp(text_at(item(children, 0), "nodeid"), to) == 0 ? 0 : 1);
            assert_string_equal(text_at(node, "nodeid"), to);
        }
        sum += (double)float_of(text_at(node, "leaf"));
    }
    gr_json_free(json);
    return sum;
}

/* ---- Universal Binary JSON ---- */

static void check_same_document(const gradus_model *model)
{
    gr_buffer json = written(model, &gr_format_xgboost_json);
    gr_buffer ubj = written(model, &gr_format_xgboost_ubj), turned = { .used = 0 };
    const uint8_t *at = ubj.bytes.at;

    ubj_value(&at, &turned);
    assert_ptr_equal(at, (const uint8_t *)ubj.bytes.at + ubj.used - 1);
    gr_buffer_put(&turned, "\n", 2);
    assert_string_equal(text_of(&turned), text_of(&json));
    gr_buffer_free(&json);
    gr_buffer_free(&ubj);
    gr_buffer_free(&turned);
}

/* ---- LightGBM: x <= t as doubles goes left; a negative child is leaf ~child ---- */

/* Item i of the line that starts with `key` in a block. */
static const char *listed(const char *block, const char *key, size_t i)
{
    const char *at = strstr(block, key);

    assert_non_null(at);
    at += strlen(key);
    while (i-- > 0)
        at = strchr(at, ' ') + 1;
    return at;
}

static double double_of(const char *text)
{
    double number;

    assert_non_null(gr_parse_double(text, text + strcspn(text, " \n"), &number));
    return number;
}

static double lightgbm_score(const gr_buffer *out, const float *row)
{
    const char *block = strstr(text_of(out), "\nTree=0\n") + 1;
    double sum = 0.0;

    for (size_t t = 0; strncmp(block, "Tree=", 5) == 0; t++) {
        int node = atoi(listed(block, "num_leaves=", 0)) > 1 ? 0 : ~0;

        while (node >= 0) {
            const size_t s = (size_t)node;
            const double x = (double)row[atoi(listed(block, "split_feature=", s))];
            const int decision = atoi(listed(block, "decision_type=", s));
            const bool left =
                isnan(x) ? (decision & 2) != 0 : x <= double_of(listed(block, "threshold=", s));

            assert_int_equal(decision & ~2, 8);
            node = atoi(listed(block, left ? "left_child=" : "right_child=", s));
        }
        sum += double_of(listed(block, "leaf_value=", (unsigned)~node));
        block += atoi(listed(text_of(out), "tree_sizes=", t));
    }
    assert_int_equal(strncmp(block, "end of trees\n", 13), 0);
    return sum;
}

/* ---- RankLib: lines; x <= t goes left ---- */

static const char *after(const char *at, const char *tag)
{
    at += strspn(at, "\t\n");
    if (strncmp(at, tag, strlen(tag)) != 0)
        fail_msg("'%s' expected, found '%.40s'", tag, at);
    return at + strlen(tag);
}

/* Reads what follows <split>, up to and with </split>, and evaluates it. */
static const char *ranklib_split(const char *at, const float *row, double *value)
{
    double left, right;

    at += strspn(at, "\t\n");
    if (*at == '<' && at[1] == 'o') {
        at = after(at, "<output>");
        float number;

        at = gr_parse_float(at, at + strcspn(at, "<"), &number);
        *value = (double)number;
        return after(after(at, "</output>"), "</split>");
    }
    at = after(at, "<feature>");
    const float x = row[atoi(at) - 1];
    float threshold;

    at = after(after(at + strcspn(at, "<"), "</feature>"), "<threshold>");
    at = gr_parse_float(at, at + strcspn(at, "<"), &threshold);
    at = after(after(at, "</threshold>"), "<split pos=\"left\">");
    at = ranklib_split(at, row, &left);
    at = ranklib_split(after(at, "<split pos=\"right\">"), row, &right);
    *value = x <= threshold ? left : right;
    return after(at, "</split>");
}

static double ranklib_score(const gr_buffer *out, const float *row)
{
    const char *at = after(strstr(text_of(out), "\n\n<"), "<ensemble>");
    double sum = 0.0, value;

    for (int t = 1;; t++) {
        char tag[80];

        at += strspn(at, "\t\n");
        if (strncmp(at, "</ensemble>", 11) == 0)
            return sum;
        snprintf(tag, sizeof tag, "<tree id=\"%d\" weight=\"1.0\">", t);
        at = ranklib_split(after(after(at, tag), "<split>"), row, &value);
        at = after(at, "</tree>");
        sum += value;
    }
}

/* ---- Solr: x <= t + 1e-6f goes left, after the feature's normaliser ---- */

static float solr_value(const gr_json *json, const char *name, const float *row)
{
    const gr_json *features = gr_json_find(json, "features");

    for (size_t i = 0; i < features->count; i++) {
        const gr_json *feature = item(features, i), *norm = gr_json_find(feature, "norm");
        const gr_json *params = gr_json_find(norm, "params");
        const float x = row[column_of(name)];

        if (strcmp(text_at(feature, "name"), name) != 0)
            continue;
        if (!norm)
            return x;
        if (strstr(text_at(norm, "class"), "MinMaxNormalizer")) {
            const float low = float_of(text_at(params, "min"));
            const float range = float_of(text_at(params, "max")) - low;

            assert_true(range != 0.0f);
            return (x - low) / range;
        }
        assert_true(float_of(text_at(params, "std")) > 0.0f);
        return (x - float_of(text_at(params, "avg"))) / float_of(text_at(params, "std"));
    }
    fail_msg("no feature '%s'", name);
    return 0.0f;
}

static double solr_score(const gr_buffer *out, const float *row)
{
    gr_json *json = parsed(out);
    const gr_json *params = gr_json_find(json, "params"), *trees = gr_json_find(params, "trees");
    double sum = 0.0;
    bool flag = true;

    assert_true(gr_json_flag(gr_json_find(params, "isNullSameAsZero"), &flag) && !flag);
    for (size_t t = 0; t < trees->count; t++) {
        const gr_json *node = gr_json_find(item(trees, t), "root");

        assert_string_equal(text_at(item(trees, t), "weight"), "1");
        while (gr_json_find(node, "feature")) {
            const float threshold = float_of(text_at(node, "threshold")) + 1e-6f;
            const float x = solr_value(json, text_at(node, "feature"), row);

            node = gr_json_find(node, isnan(x)         ? text_at(node, "missing")
                                      : x <= threshold ? "left"
                                                       : "right");
        }
        sum += (double)float_of(text_at(node, "value"));
    }
    gr_json_free(json);
    return sum;
}

static double solr_linear(const gr_buffer *out, const float *row)
{
    gr_json *json = parsed(out);
    const gr_json *weights = gr_json_find(gr_json_find(json, "params"), "weights");
    float sum = 0.0f;

    assert_int_equal(gr_json_find(json, "features")->count, weights->count);
    for (size_t i = 0; i < weights->count; i++)
        sum += solr_value(json, item(weights, i)->key, row) * float_of(item(weights, i)->text);
    gr_json_free(json);
    return (double)sum;
}

/* ---- tests ---- */

typedef struct format_reader {
    const gr_format *format;
    double (*score)(const gr_buffer *out, const float *row);
    bool missing;
} format_reader;

static const format_reader readers[] = {
    { &gr_format_xgboost_json, document_score, true },
    { &gr_format_xgboost_dump, dump_score, true },
    { &gr_format_lightgbm, lightgbm_score, true },
    { &gr_format_ranklib, ranklib_score, false },
    { &gr_format_solr, solr_score, true },
};

/* Solr cannot express a threshold near 0 beside one near the largest float. */
static bool is_refused(const gradus_model *model, const gr_format *format)
{
    gr_buffer out = { .used = 0 };
    gradus_error err = { GRADUS_OK, "" };
    const bool refused = format->write(model, &options, &out, &err) == GRADUS_BAD_ARGUMENT;

    if (refused)
        assert_true(format == &gr_format_solr && strstr(err.message, "Solr adds 1e-6"));
    gr_buffer_free(&out);
    return refused;
}

/* Leaves are the same if sums of unweighted leaf values are: those are floats. */
static bool check_reader(const format_reader *reader, const summed_kind *kind, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, kind->name, 1);
    gradus_model *model = summed_model(&rng, kind, seed % 2 ? 0 : 9);
    double scores[ROWS];
    gr_tree_sum sum;

    if (is_refused(model, reader->format)) {
        gr_model_free(model);
        return false;
    }
    gr_buffer out = written(model, reader->format);

    assert_int_equal(gr_tree_sum_build(model, "test", &sum, NULL), GRADUS_OK);
    float *rows = summed_rows(&rng, &sum.forest, ROWS, reader->missing, true);

    assert_int_equal(gr_model_run_rows(model, rows, ROWS, SUMMED_FEATURES, scores, NULL, NULL),
                     GRADUS_OK);
    for (size_t r = 0; r < ROWS; r++) {
        const double found = reader->score(&out, rows + r * SUMMED_FEATURES);
        const bool exact = !kind->weighted || reader->format == &gr_format_lightgbm;

        CHECK_NEAR(found, scores[r], (exact ? 1e-12 : 5e-6) * fmax(1.0, fabs(scores[r])));
    }
    gr_tree_sum_free(&sum);
    free(rows);
    gr_buffer_free(&out);
    gr_model_free(model);
    return true;
}

static void test_readers_give_the_scores(void **state)
{
    size_t checked = 0;

    (void)state;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        for (size_t k = 0; k < SUMMED_KINDS; k++)
            for (uint64_t seed = 0; seed < SEEDS; seed++)
                checked += check_reader(&readers[i], &summed_kinds[k], seed);
    assert_true(checked > 4 * SUMMED_KINDS * SEEDS + SUMMED_KINDS * SEEDS / 2);
}

static void test_ubj_is_the_same_document(void **state)
{
    (void)state;
    for (size_t k = 0; k < SUMMED_KINDS; k++) {
        gr_rng rng = gr_rng_for(k, "ubj", 0);
        gradus_model *model = summed_model(&rng, &summed_kinds[k], 0);

        check_same_document(model);
        gr_model_free(model);
    }
}

/* Two trees: x2 < 0.25 (missing left) ? 0.5 : -1.5, and x1 < 3 (missing right) ? 0.25 : (x2 < 16
 * (missing left) ? 2 : -0.125); base 0.75. */
static gradus_model *two_trees(void)
{
    static const gr_split first[] = { { 1, 0.25f, ~0, ~1, 3.5f, 1 } };
    static const gr_split second[] = { { 0, 3.0f, ~0, 1, 2.0f, 0 }, { 1, 16.0f, ~1, ~2, 0.5f, 1 } };
    gradus_model *model = gr_model_new(NULL);
    gr_forest forest;
    gr_node node;

    assert_non_null(model);
    model->features = 2;
    model->first_id = 1;
    model->rows = 4;
    model->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    assert_int_equal(gr_forest_start(&forest, 2, 1, (double[]){ 0.75 }, NULL), GRADUS_OK);
    assert_int_equal(
        gr_forest_add(&forest, first, 2, (float[]){ 0.5f, -1.5f }, (uint32_t[]){ 3, 1 }, NULL),
        GRADUS_OK);
    assert_int_equal(gr_forest_add(&forest, second, 3, (float[]){ 0.25f, 2.0f, -0.125f },
                                   (uint32_t[]){ 1, 2, 1 }, NULL),
                     GRADUS_OK);
    assert_int_equal(gr_forest_node_new(&forest, &node, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
    return model;
}

static void test_texts_by_hand(void **state)
{
    gradus_model *model = two_trees();

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        gr_buffer out = written(model, expected[i].format);

        assert_string_equal(text_of(&out), expected[i].text);
        gr_buffer_free(&out);
    }
    gr_model_free(model);
}

/* The score 1.5 + 2 x1 - 0.5 x3, means 0.25 and 4 as fills; transformed or not. */
static gradus_model *linear_model(const gr_transform *transform)
{
    gradus_model *model = gr_model_new(NULL);
    gr_linear linear;
    gr_node node;

    assert_non_null(model);
    model->features = 3;
    model->first_id = 1;
    model->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    assert_int_equal(gr_linear_new(&linear, 3, 1, NULL), GRADUS_OK);
    double *means = (double *)linear.means, *coefficients = (double *)linear.coefficients;

    ((double *)linear.bases)[0] = 1.5 + 2.0 * 0.25 - 0.5 * 4.0;
    means[0] = 0.25;
    means[2] = 4.0;
    coefficients[0] = 2.0;
    coefficients[2] = -0.5;
    assert_int_equal(gr_linear_node_new(&linear, &node, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
    if (transform) {
        gr_rng rng = gr_rng_for(3, "linear", 0);

        model->transform = summed_transform(&rng, transform, false, 3);
        model->transform.unit[0] = 2.5;
        model->transform.unit[2] = 0.3;
    }
    return model;
}

static double ranklib_linear(const gr_buffer *out, const float *row)
{
    const char *at = strstr(text_of(out), "\n0:");
    double sum = double_of(at + 3);

    assert_int_equal(strncmp(text_of(out), "## Linear Regression\n## Lambda = ", 33), 0);
    while ((at = strchr(at + 1, ' ')) != NULL && strstr(text_of(out), "\n0:") < at)
        sum += double_of(strchr(at, ':') + 1) * (double)row[atoi(at + 1) - 1];
    return sum;
}

static void test_linear_models(void **state)
{
    const gr_transform *transforms[] = { NULL, &gr_transform_minmax, &gr_transform_standardise };
    gr_rng rng = gr_rng_for(1, "rows", 0);

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        gradus_model *model = linear_model(transforms[t]);
        gr_buffer solr = written(model, &gr_format_solr);
        gr_buffer ranklib = written(model, &gr_format_ranklib);

        for (int r = 0; r < 100; r++) {
            const float row[3] = { (float)gr_rng_normal(&rng), (float)gr_rng_normal(&rng),
                                   4.0f * (float)gr_rng_normal(&rng) };
            double score;

            assert_int_equal(gr_model_run_rows(model, row, 1, 3, &score, NULL, NULL), GRADUS_OK);
            CHECK_NEAR(solr_linear(&solr, row), score, 1e-5 * fmax(1.0, fabs(score)));
            CHECK_NEAR(ranklib_linear(&ranklib, row), score, 1e-5 * fmax(1.0, fabs(score)));
        }
        gr_buffer_free(&solr);
        gr_buffer_free(&ranklib);
        gr_model_free(model);
    }
}

/* Zeros that floats hold badly, of the feature with the largest weight and of another one. */
static void test_solr_distant_means(void **state)
{
    gr_rng rng = gr_rng_for(2, "rows", 0);

    (void)state;
    for (size_t far = 0; far < 3; far += 2) {
        gradus_model *model = linear_model(&gr_transform_standardise);

        model->transform.shift[far] = 1.7e9 + 63.0;
        model->transform.unit[far] = 1e4;
        gr_buffer solr = written(model, &gr_format_solr);

        for (int r = 0; r < 100; r++) {
            float row[3] = { (float)gr_rng_normal(&rng), (float)gr_rng_normal(&rng),
                             (float)gr_rng_normal(&rng) };
            double score;

            row[far] = (float)(1.7e9 + 1e4 * gr_rng_normal(&rng));
            assert_int_equal(gr_model_run_rows(model, row, 1, 3, &score, NULL, NULL), GRADUS_OK);
            CHECK_NEAR(solr_linear(&solr, row), score, 1e-5 * fmax(1.0, fabs(score)));
        }
        gr_buffer_free(&solr);
        gr_model_free(model);
    }
}

/* A threshold that Solr's 1e-6 cannot reach, with and without room for a power of 2. */
static void test_solr_thresholds_near_zero(void **state)
{
    static const gr_split split = { .threshold = 1e-9f, .left = ~0, .right = ~1 };
    static const gr_split far = { .threshold = 3e38f, .left = ~0, .right = ~1 };
    const float leaves[] = { 1.0f, 2.0f };
    const uint32_t covers[] = { 1, 1 };

    (void)state;
    for (int both = 0; both < 2; both++) {
        gradus_model *model = gr_model_new(NULL);
        gradus_error err = { GRADUS_OK, "" };
        gr_buffer out = { .used = 0 };
        gr_forest forest;
        gr_node node;

        assert_non_null(model);
        model->features = 1;
        model->first_id = 1;
        model->scorer =
            (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
        assert_int_equal(gr_forest_start(&forest, 1, 1, (double[]){ 0.0 }, NULL), GRADUS_OK);
        assert_int_equal(gr_forest_add(&forest, &split, 2, leaves, covers, NULL), GRADUS_OK);
        if (both)
            assert_int_equal(gr_forest_add(&forest, &far, 2, leaves, covers, NULL), GRADUS_OK);
        assert_int_equal(gr_forest_node_new(&forest, &node, NULL), GRADUS_OK);
        assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
        assert_int_equal(gr_format_solr.write(model, &options, &out, &err),
                         both ? GRADUS_BAD_ARGUMENT : GRADUS_OK);
        if (both) {
            assert_non_null(strstr(err.message, "Solr adds 1e-6"));
        } else {
            gr_buffer_put(&out, "", 1);
            assert_non_null(strstr(text_of(&out), "MinMaxNormalizer"));
            assert_true(solr_score(&out, (float[]){ nextafterf(1e-9f, 0.0f) }) == 1.0);
            assert_true(solr_score(&out, (float[]){ 1e-9f }) == 2.0);
        }
        gr_buffer_free(&out);
        gr_model_free(model);
    }
}

static gradus_model *exhausted;
static const gr_format *exhausting;

static gradus_status write_once(gradus_error *err)
{
    gr_buffer out = { .used = 0 };
    const gradus_status status = exhausting->write(exhausted, &options, &out, err);

    gr_buffer_free(&out);
    return status;
}

static void test_failed_allocations(void **state)
{
    static const gr_format *const formats[] = { &gr_format_xgboost_json, &gr_format_xgboost_ubj,
                                                &gr_format_xgboost_dump, &gr_format_lightgbm,
                                                &gr_format_ranklib,      &gr_format_solr };
    gr_rng rng = gr_rng_for(1, "exhausted", 0);

    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        exhausting = formats[i];
        exhausted = summed_model(&rng, &summed_kinds[0], 0);
        assert_true(exhaust(exhausting->about.name, write_once) > 4);
        gr_model_free(exhausted);
    }
    for (size_t i = 4; i < sizeof formats / sizeof *formats; i++) {
        exhausting = formats[i];
        exhausted = linear_model(&gr_transform_minmax);
        assert_true(exhaust("linear", write_once) > 2);
        gr_model_free(exhausted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_give_the_scores),
        cmocka_unit_test(test_ubj_is_the_same_document),
        cmocka_unit_test(test_texts_by_hand),
        cmocka_unit_test(test_linear_models),
        cmocka_unit_test(test_solr_distant_means),
        cmocka_unit_test(test_solr_thresholds_near_zero),
        cmocka_unit_test(test_failed_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
