/* SPDX-License-Identifier: Apache-2.0 */
/* Importers: worked examples of each format, refusals with their positions, missing values, and
 * exported forests that come back with the same scores. */
#include "failing_alloc.h"
#include "random_forest.h"

#include "base/buffer.h"
#include "exchange/format.h"
#include "exchange/import.h"
#include "exchange/import_trees.h"
#include "model/forest_node.h"
#include "model/predict.h"

#include <float.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static gradus_model *import_text(const char *text, gradus_error *err)
{
    return gr_model_import_bytes(text, strlen(text), "file", err);
}

static gradus_model *import_or_fail(const char *text)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = import_text(text, &err);

    if (!model)
        print_message("%s\n", err.message);
    assert_non_null(model);
    return model;
}

static double score_of(const gradus_model *model, const float *row)
{
    gradus_error err = { GRADUS_OK, "" };
    double score = 0.0;

    assert_int_equal(gr_model_run_rows(model, row, 1, model->features, &score, NULL, &err),
                     GRADUS_OK);
    return score;
}

static void check_scores(const char *text, const float rows[][2], const double *wanted,
                         size_t count)
{
    gradus_model *model = import_or_fail(text);

    assert_int_equal(model->features, 2);
    for (size_t r = 0; r < count; r++)
        CHECK_NEAR(score_of(model, rows[r]), wanted[r], 0.0);
    gr_model_free(model);
}

/* ---- XGBoost ---- */

#define TREE_PARAM "\"tree_param\":{\"num_nodes\":\"3\",\"size_leaf_vector\":\"0\"}"
/* Feature 0 < 0.5: leaf -1, else leaf 2; NaN goes right. */
#define STUMP_WITH(left, right, indices, conditions)                                               \
    "{" TREE_PARAM ",\"left_children\":" left ",\"right_children\":" right                         \
    ",\"split_indices\":" indices ",\"split_conditions\":" conditions                              \
    ",\"default_left\":[0,0,0],\"split_type\":[0,0,0],\"loss_changes\":[3.5,0,0],"                 \
    "\"sum_hessian\":[5,2,3]}"
#define STUMP STUMP_WITH("[1,-1,-1]", "[2,-1,-1]", "[0,0,0]", "[5E-1,-1E0,2E0]")
#define XGBOOST_WITH(booster, info, trees, parameters, objective)                                  \
    "{\"learner\":{\"attributes\":{},\"feature_names\":[],\"gradient_booster\":{\"model\":"        \
    "{\"gbtree_model_param\":{\"num_parallel_tree\":\"1\"},\"tree_info\":" info                    \
    ",\"trees\":[" trees "]},\"name\":\"" booster "\"},\n\"learner_model_param\":{" parameters     \
    "},\"objective\":{\"name\":\"" objective "\"}},\"version\":[1,7,4]}"
#define ONE "\"base_score\":\"5E-1\",\"num_class\":\"0\",\"num_feature\":\"2\""
#define XGBOOST XGBOOST_WITH("gbtree", "[0]", STUMP, ONE, "rank:ndcg")

static void test_xgboost_worked(void **state)
{
    static const float rows[][2] = { { 0.25f, 0 }, { 0.5f, 0 }, { NAN, 0 } };

    (void)state;
    check_scores(XGBOOST, rows, (const double[]){ -0.5, 2.5, 2.5 }, 3);
    /* two trees and the logit of the base: log(0.2 / 0.8) as XGBoost rounds it */
    check_scores(XGBOOST_WITH("gbtree", "[0,0]", STUMP "," STUMP,
                              "\"base_score\":\"[2E-1]\",\"num_feature\":\"2\"", "binary:logistic"),
                 rows, (const double[]){ -2.0 - (double)1.3862944f, 4.0 - (double)1.3862944f }, 2);
    check_scores(XGBOOST_WITH("gbtree", "[0]", STUMP,
                              "\"base_score\":\"2E0\",\"num_feature\":\"2\"", "count:poisson"),
                 rows, (const double[]){ -1.0 + (double)0.6931472f }, 1);
}

static void test_xgboost_classes(void **state)
{
    gradus_model *model = import_or_fail(XGBOOST_WITH(
        "gbtree", "[0,0,1]", STUMP "," STUMP "," STUMP,
        "\"base_score\":\"[0,1E0]\",\"num_class\":\"2\",\"num_feature\":\"2\"", "multi:softprob"));
    const float row[2] = { 0.0f, 0.0f };
    double score, probabilities[2];

    (void)state;
    /* outputs -2 and 0: class 0 has two trees, class 1 one and a padding tree */
    assert_int_equal(gr_model_forest(model)->trees, 4);
    assert_int_equal(gr_model_run_rows(model, row, 1, 2, &score, probabilities, NULL), GRADUS_OK);
    CHECK_NEAR(probabilities[0], 1.0 / (1.0 + exp(2.0)), 1e-15);
    CHECK_NEAR(score, probabilities[1], 1e-15);
    assert_string_equal(gr_model_setting(model, "objective"), "multi:softprob");
    assert_string_equal(gr_model_setting(model, "version"), "1.7.4");
    gr_model_free(model);
}

static void test_xgboost_names_and_stopping(void **state)
{
    gradus_model *model = import_or_fail(
        "{\"version\":[2,0,3],\"learner\":{\"attributes\":{\"best_iteration\":\"0\"},"
        "\"feature_names\":[\"bm25\",\"caf\\u00e9\"],\"gradient_booster\":{\"name\":\"gbtree\","
        "\"model\":{\"tree_info\":[0,0],\"trees\":[" STUMP "," STUMP "]}},"
        "\"learner_model_param\":{" ONE "},\"objective\":{\"name\":\"reg:squarederror\"}}}");

    (void)state;
    assert_string_equal(gr_name_at(&model->feature_names, 1), "caf\xc3\xa9");
    assert_int_equal(model->result_count, 1);
    CHECK_NEAR(model->results[0].value, 1.0, 0.0);
    gr_model_free(model);
}

/* ---- LightGBM ---- */

#define LIGHTGBM_WITH(version, objective, sizes, trees, end)                                       \
    "tree\nversion=" version "\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"            \
    "max_feature_idx=1\nobjective=" objective                                                      \
    "\nfeature_names=Column_0 Column_1\nfeature_infos=none none\ntree_sizes=" sizes "\n\n" trees   \
    "\n" end "\n"
#define LIGHTGBM_STUMP_WITH(threshold, type)                                                       \
    "Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain=1\nthreshold=" threshold         \
    "\ndecision_type=" type "\nleft_child=-1\nright_child=-2\nleaf_value=-1 2\nleaf_count=3 4\n"   \
    "shrinkage=1\n\n"
#define LIGHTGBM(trees) LIGHTGBM_WITH("v4", "lambdarank", "100", trees, "end of trees")

/* x <= T in doubles for every float: T between two floats, on one, and beyond all. */
static void test_lightgbm_thresholds(void **state)
{
    static const float rows[][2] = { { 0.1f, 0 }, { 0.099999994f, 0 }, { NAN, 0 } };
    static const float ends[][2] = {
        { FLT_MAX, 0 }, { INFINITY, 0 }, { -INFINITY, 0 }, { NAN, 0 }
    };

    (void)state;
    /* 0.1f is 0.100000001490116 */
    check_scores(LIGHTGBM(LIGHTGBM_STUMP_WITH("0.1", "8")), rows, (const double[]){ 2, -1, 2 }, 3);
    check_scores(LIGHTGBM(LIGHTGBM_STUMP_WITH("0.10000000149011612", "10")), rows,
                 (const double[]){ -1, -1, -1 }, 3);
    check_scores(LIGHTGBM(LIGHTGBM_STUMP_WITH("1.0000000000000001e+300", "8")), ends,
                 (const double[]){ -1, 2, -1, 2 }, 4);
    check_scores(LIGHTGBM(LIGHTGBM_STUMP_WITH("inf", "8")), ends, (const double[]){ -1, -1, -1, 2 },
                 4);
    /* None: NaN is 0 */
    check_scores(LIGHTGBM(LIGHTGBM_STUMP_WITH("0.05", "0")), rows, (const double[]){ 2, 2, -1 }, 3);
    check_scores(LIGHTGBM(LIGHTGBM_STUMP_WITH("-1", "2")), rows, (const double[]){ 2, 2, 2 }, 3);
}

/* The rule of LightGBM, as written in its tree.h. */
static bool goes_left(float value, double threshold, int type)
{
    const int missing = type >> 2;
    const double bound = (double)1e-35f;
    double x = isnan(value) && missing != 2 ? 0.0 : (double)value;

    if ((missing == 1 && x >= -bound && x <= bound) || (missing == 2 && isnan(x)))
        return (type & 2) != 0;
    return x <= threshold;
}

static void test_lightgbm_every_rule(void **state)
{
    static const double thresholds[] = { -2,
                                         -1e-35,
                                         -1e-36,
                                         0,
                                         1e-36,
                                         1e-35,
                                         1.0000000180025095e-35,
                                         2,
                                         1e-34,
                                         -1e-34,
                                         -1.0000000180025095e-35 };
    static const float values[] = { -3,    -2, -1,     -1.1e-35f, -1e-35f,  -1e-40f,
                                    -0.0f, 0,  1e-40f, 1e-35f,    1.1e-35f, 1e-34f,
                                    1,     2,  3,      NAN,       INFINITY, -INFINITY };

    (void)state;
    for (size_t t = 0; t < LENGTH(thresholds); t++)
        for (int type = 0; type <= 10; type += 2) {
            char text[1200], number[32], kind[12];
            gradus_model *model;

            snprintf(number, sizeof number, "%.17g", thresholds[t]);
            snprintf(kind, sizeof kind, "%d", type);
            snprintf(text, sizeof text, LIGHTGBM(LIGHTGBM_STUMP_WITH("%s", "%s")), number, kind);
            model = import_or_fail(text);
            for (size_t v = 0; v < LENGTH(values); v++) {
                const float row[2] = { values[v], 0.0f };

                CHECK_NEAR(score_of(model, row),
                           goes_left(values[v], thresholds[t], type) ? -1.0 : 2.0, 0.0);
            }
            gr_model_free(model);
        }
}

/* Two splits whose zeros are missing, on the same and on different features: subtrees are copied,
 * without what no row can reach. */
static void test_lightgbm_copies(void **state)
{
    static const char text[] =
        LIGHTGBM("Tree=0\nnum_leaves=4\nnum_cat=0\nsplit_feature=0 1 0\nsplit_gain=4 2 1\n"
                 "threshold=1 -1 2\ndecision_type=4 6 4\nleft_child=1 -1 -3\nright_child=2 -2 -4\n"
                 "leaf_value=1 2 3 4\nleaf_count=10 20 30 40\nshrinkage=1\n\n");
    static const float values[] = { -2, -1, 0, 0.5f, 1, 1.5f, 2, 3, NAN };
    gradus_model *model = import_or_fail(text);

    (void)state;
    for (size_t a = 0; a < LENGTH(values); a++)
        for (size_t b = 0; b < LENGTH(values); b++) {
            const float row[2] = { values[a], values[b] };
            const double wanted = goes_left(row[0], 1, 4) ? (goes_left(row[1], -1, 6) ? 1.0 : 2.0)
                                                          : (goes_left(row[0], 2, 4) ? 3.0 : 4.0);

            CHECK_NEAR(score_of(model, row), wanted, 0.0);
        }
    assert_true(gr_model_forest(model)->starts[1] < 3 + 2 * 3 + 4);
    gr_model_free(model);
}

static void put_repeated(gr_buffer *out, const char *name, size_t count, const char *item)
{
    gr_buffer_text(out, name);
    for (size_t i = 0; i < count; i++)
        gr_buffer_text(out, item);
    gr_buffer_text(out, "\n");
}

/* 14 splits that copy what is below them, and a chain of splits that all rows pass on one side: few
 * nodes, but tens of millions of steps. */
static void test_lightgbm_steps(void **state)
{
    enum { COPIED = 14, CHAIN = 3000, SPLITS = COPIED + 1 + CHAIN };
    gr_buffer out = { .used = 0 };
    gradus_error err;

    (void)state;
    gr_buffer_format(&out,
                     "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\n"
                     "max_feature_idx=%d\n",
                     COPIED);
    put_repeated(&out, "feature_names=", COPIED + 1, "a ");
    gr_buffer_format(&out, "tree_sizes=1\n\nTree=0\nnum_leaves=%d\n", SPLITS + 1);
    gr_buffer_text(&out, "split_feature=");
    for (int i = 0; i < SPLITS; i++)
        gr_buffer_format(&out, "%d ", i < COPIED ? i : COPIED);
    gr_buffer_text(&out, "\nthreshold=");
    for (int i = 0; i < SPLITS; i++)
        gr_buffer_text(&out, i == COPIED ? "9 " : "5 ");
    gr_buffer_text(&out, "\nleft_child=");
    for (int i = 0; i < SPLITS; i++)
        gr_buffer_format(&out, "%d ", -1 - i);
    gr_buffer_text(&out, "\nright_child=");
    for (int i = 0; i < SPLITS; i++)
        gr_buffer_format(&out, "%d ", i + 1 < SPLITS ? i + 1 : -2 - i);
    put_repeated(&out, "\ndecision_type=", COPIED, "4 ");
    out.used--;
    put_repeated(&out, "", SPLITS - COPIED, "8 ");
    put_repeated(&out, "leaf_value=", SPLITS + 1, "1 ");
    gr_buffer_text(&out, "\nend of trees\n");
    assert_null(gr_model_import_bytes(out.bytes.at, out.used, "file", &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "too large"));
    gr_buffer_free(&out);
}

static void test_lightgbm_leaves(void **state)
{
    static const char mean[] = LIGHTGBM_WITH(
        "v3", "regression", "1 1",
        "Tree=0\nnum_leaves=2\nsplit_feature=0\nthreshold=0\ndecision_type=0\nleft_child=-1\n"
        "right_child=-2\nleaf_value=1000.1 1000.3\nleaf_count=1 1\n\n"
        "Tree=1\nnum_leaves=1\nleaf_value=0.25\n",
        "end of trees");
    static const char only[] =
        LIGHTGBM_WITH("v2", "binary sigmoid:1", "1", "Tree=0\nnum_leaves=1\nleaf_value=0.1\n",
                      "feature importances:");
    const float left[2] = { -1, 0 }, right[2] = { 1, 0 };
    gradus_model *model = import_or_fail(mean);

    (void)state;
    /* the mean of the labels is kept as a double: float would give 1000.1 +- 3e-5 */
    CHECK_NEAR(score_of(model, left), 1000.35, 1e-8);
    CHECK_NEAR(score_of(model, right), 1000.55, 1e-8);
    assert_int_equal(gr_model_forest(model)->covers[1], 1);
    gr_model_free(model);
    model = import_or_fail(only);
    CHECK_NEAR(score_of(model, left), 0.1, 0.0);
    gr_model_free(model);
}

/* ---- RankLib ---- */

#define LEAF(side, output) "<split pos=\"" side "\"><output> " output " </output></split>\n"
#define RANKLIB_TREE                                                                               \
    "<tree id=\"1\" weight=\"0.5\">\n<split><feature> 2 </feature>\n<threshold> 0.25 "             \
    "</threshold>\n" LEAF("left", "-1.5") LEAF("right", "2") "</split></tree>\n"
#define RANKLIB "## LambdaMART\n## No. of trees = 1\n\n<ensemble>\n" RANKLIB_TREE "</ensemble>\n"
#define RANKLIB_SPLIT(text)                                                                        \
    "## MART\n<ensemble>\n<tree id=\"1\" weight=\"1\">\n" text "</tree></ensemble>\n"

static void test_ranklib_worked(void **state)
{
    static const float rows[][2] = { { 9, 0.25f }, { 9, 0.26f }, { 9, NAN } };
    static const float zero[][2] = { { 1, 0 } };

    (void)state;
    check_scores(RANKLIB, rows, (const double[]){ -0.75, 1, -0.75 }, 3);
    /* bagged ensembles are averaged */
    check_scores("## Random Forests\n## No. of bags = 2\n\n<ensemble>" RANKLIB_TREE
                 "</ensemble>\n<ensemble>" RANKLIB_TREE RANKLIB_TREE "</ensemble>\n",
                 rows, (const double[]){ -1.125, 1.5 }, 2);
    check_scores("<ranker><info><type>MART</type></info><ensemble>" RANKLIB_TREE
                 "</ensemble></ranker>",
                 rows, (const double[]){ -0.75, 1 }, 2);
    check_scores("## Coordinate Ascent\n## Restart = 5\n\n2:0.5 1:-0.25\n", rows,
                 (const double[]){ -2.125 }, 1);
    check_scores("## Linear Regression\n## Lambda = 1.0E-10\n0:3 1:0.5 2:1", zero,
                 (const double[]){ 3.5 }, 1);
}

/* ---- refusals ---- */

typedef struct refusal {
    const char *text;
    gradus_status status;
    const char *message; /* a part of it */
} refusal;

static const refusal refusals[] = {
    { "", GRADUS_BAD_FORMAT, "'file' is not a gradus model, nor one of" },
    { "0 qid:1 1:2\n", GRADUS_BAD_FORMAT, "is not a gradus model" },
    { "## a comment\n0 qid:1 1:2\n", GRADUS_BAD_FORMAT, "is not a gradus model" },
    { "\x89GRMODL\n", GRADUS_BAD_ARGUMENT, "is a gradus model already" },
    { "binf\1\2\3", GRADUS_BAD_ARGUMENT, "old binary format" },
    /* recognised, but not imported */
    { "{\n  \"format\": \"gradus json\",\n  \"learner\": 1}", GRADUS_BAD_ARGUMENT,
      "'file' is a model exported by gradus as json, which cannot be read back" },
    { "[\n  { \"nodeid\": 0, \"leaf\": 1 }]", GRADUS_BAD_ARGUMENT,
      "'file' is a dump of XGBoost, which lacks the base score; use save_model" },
    { "booster[0]:\n0:leaf=1\n", GRADUS_BAD_ARGUMENT, "'file' is a dump of XGBoost" },
    { "{\"class\": \"org.apache.solr.ltr.model.LinearModel\"}", GRADUS_BAD_ARGUMENT,
      "'file' is a model of Solr" },
    { "{\"name\":\"tree\",\"version\":\"v4\",\"num_class\":1,\"num_tree_per_iteration\":1}",
      GRADUS_BAD_ARGUMENT, "'file' is a dump of LightGBM; use save_model" },
    { "\x08\x08\x12\x06gradus", GRADUS_BAD_ARGUMENT, "'file' is a model in ONNX" },
    { "[1, 2]", GRADUS_BAD_FORMAT, "is not a gradus model" },
    /* XGBoost */
    { "{\"learner\":", GRADUS_BAD_FORMAT, "file:1:12: the file ends within the model" },
    { "{\"learner\":[1,2", GRADUS_BAD_FORMAT, "file:1:16: the file ends within the model" },
    { "{\"learner\":{}}", GRADUS_BAD_FORMAT, "file:1:13: 'gradient_booster' is missing" },
    { "{\"learner\":{},\n\"learner\":{}}", GRADUS_BAD_FORMAT, "file:2:2: 'learner' occurs twice" },
    { "{\"learner\":3}", GRADUS_BAD_FORMAT,
      "file:1:12: 'learner' is a number; expected an object" },
    { XGBOOST_WITH("dart", "[0]", STUMP, ONE, "rank:ndcg"), GRADUS_BAD_ARGUMENT,
      "the booster is 'dart'" },
    { XGBOOST_WITH("gblinear", "[0]", STUMP, ONE, "rank:ndcg"), GRADUS_BAD_ARGUMENT,
      "the booster is 'gblinear'" },
    { XGBOOST_WITH("gbtree", "[0]", STUMP, ONE ",\"num_target\":\"2\"", "rank:ndcg"),
      GRADUS_BAD_ARGUMENT, "several targets" },
    { XGBOOST_WITH("gbtree", "[0]", STUMP,
                   "\"base_score\":\"1\",\"num_feature\":\"2\",\"num_class\":\"3\"", "my:loss"),
      GRADUS_BAD_ARGUMENT, "3 outputs of objective 'my:loss' have no known meaning" },
    { XGBOOST_WITH("gbtree", "[0]", STUMP,
                   "\"base_score\":\"1\",\"num_feature\":\"2\",\"num_class\":\"300\"", "multi:x"),
      GRADUS_BAD_ARGUMENT, "300 classes" },
    { XGBOOST_WITH("gbtree", "[0]", STUMP, "\"base_score\":\"1\",\"num_feature\":\"16777217\"",
                   "a"),
      GRADUS_BAD_ARGUMENT, "16777217 features" },
    { XGBOOST_WITH("gbtree", "[0]", STUMP, "\"base_score\":\"x\",\"num_feature\":\"2\"", "a"),
      GRADUS_BAD_FORMAT, "'base_score' is not a number" },
    { XGBOOST_WITH("gbtree", "[0]", STUMP, "\"base_score\":\"1\",\"num_feature\":\"2\"",
                   "binary:logistic"),
      GRADUS_BAD_FORMAT, "'base_score' is out of range" },
    { XGBOOST_WITH("gbtree", "[0,0]", STUMP, ONE, "a"), GRADUS_BAD_FORMAT,
      "'tree_info' has 2 items; expected 1" },
    { XGBOOST_WITH("gbtree", "[1]", STUMP, ONE, "a"), GRADUS_BAD_FORMAT,
      "'tree_info': 1 is out of range" },
    { XGBOOST_WITH("gbtree", "[0]", STUMP_WITH("[1,-1]", "[2,-1,-1]", "[0,0,0]", "[5E-1,-1E0,2E0]"),
                   ONE, "a"),
      GRADUS_BAD_FORMAT, "'left_children' has 2 items, 'num_nodes' is 3" },
    { XGBOOST_WITH("gbtree", "[0]",
                   STUMP_WITH("[1,-1,-1]", "[1,-1,-1]", "[0,0,0]", "[5E-1,-1E0,2E0]"), ONE, "a"),
      GRADUS_BAD_FORMAT, "tree 0: node 0: its child 1 has another parent" },
    { XGBOOST_WITH("gbtree", "[0]",
                   STUMP_WITH("[1,0,-1]", "[2,2,-1]", "[0,0,0]", "[5E-1,-1E0,2E0]"), ONE, "a"),
      GRADUS_BAD_FORMAT, "tree 0: node 1: its child 0 is the root: a cycle" },
    { XGBOOST_WITH("gbtree", "[0]",
                   STUMP_WITH("[1,-1,-1]", "[-1,-1,-1]", "[0,0,0]", "[5E-1,-1E0,2E0]"), ONE, "a"),
      GRADUS_BAD_FORMAT, "its child -1 does not exist" },
    { XGBOOST_WITH("gbtree", "[0]",
                   STUMP_WITH("[1,-1,-1]", "[3,-1,-1]", "[0,0,0]", "[5E-1,-1E0,2E0]"), ONE, "a"),
      GRADUS_BAD_FORMAT, "tree 0: 'right_children': 3 is out of range; allowed are -1 to 2" },
    { XGBOOST_WITH("gbtree", "[0]",
                   STUMP_WITH("[1,-1,-1]", "[2,-1,-1]", "[2,0,0]", "[5E-1,-1E0,2E0]"), ONE, "a"),
      GRADUS_BAD_FORMAT, "feature 2 is out of range (2 features)" },
    { XGBOOST_WITH("gbtree", "[0]",
                   STUMP_WITH("[1,-1,-1]", "[2,-1,-1]", "[0,0,0]", "[NaN,-1E0,2E0]"), ONE, "a"),
      GRADUS_BAD_FORMAT, "the threshold is NaN" },
    { XGBOOST_WITH("gbtree", "[0]",
                   STUMP_WITH("[1,-1,-1]", "[2,-1,-1]", "[0,0,0]", "[5E-1,-Infinity,2E0]"), ONE,
                   "a"),
      GRADUS_BAD_FORMAT, "the value of the leaf is not finite" },
    { XGBOOST_WITH("gbtree", "[0]",
                   STUMP_WITH("[1,-1,-1]", "[2,-1,-1]", "[0,0,0]", "[5E-1,\"1\",2E0]"), ONE, "a"),
      GRADUS_BAD_FORMAT, "tree 0: 'split_conditions': expected a number, found a text" },
    { XGBOOST_WITH("gbtree", "[0]",
                   STUMP_WITH("[1,-1,-1]", "[2,-1,-1]", "[0,0,0.5]", "[5E-1,1,2E0]"), ONE, "a"),
      GRADUS_BAD_FORMAT, "tree 0: 'split_indices': expected an integer" },
    { XGBOOST " x", GRADUS_BAD_FORMAT, "unexpected text after the model" },
    { "{\"learner\":{\"a\":\"\1\"}}", GRADUS_BAD_FORMAT, "file:1:18: control character" },
    { "{\"learner\":{\"a\" 1}}", GRADUS_BAD_FORMAT, "expected ':'" },
    { "{\"learner\":{\"a\":[1 2]}}", GRADUS_BAD_FORMAT, "expected ',' or ']'" },
    { "{\"learner\":{\"a\":1.}}", GRADUS_BAD_FORMAT, "expected a digit" },
    /* LightGBM */
    { "tree\nversion=v9\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\n"
      "feature_names=a\nTree=0\n",
      GRADUS_BAD_ARGUMENT, "file:2:9: this version of the format is unknown" },
    { "tree\nversion=v4\nnum_class=1\nTree=0\n", GRADUS_BAD_FORMAT,
      "'num_tree_per_iteration' is missing" },
    { "tree\nversion=v4\nversion=v4\n", GRADUS_BAD_FORMAT, "file:3:1: 'version' occurs twice" },
    { "tree\nversion=v4\n", GRADUS_BAD_FORMAT, "file:3:1: the file ends before the first tree" },
    { LIGHTGBM(LIGHTGBM_STUMP_WITH("nan", "8")), GRADUS_BAD_FORMAT, "threshold is NaN" },
    { LIGHTGBM(LIGHTGBM_STUMP_WITH("1", "12")), GRADUS_BAD_FORMAT, "missing values unknown" },
    { LIGHTGBM(LIGHTGBM_STUMP_WITH("1", "1")), GRADUS_BAD_ARGUMENT,
      "tree 0: feature 0 is split by categories" },
    { LIGHTGBM(LIGHTGBM_STUMP_WITH("1 2", "8")), GRADUS_BAD_FORMAT,
      "file:17:13: tree 0: 'threshold' has too many numbers" },
    { LIGHTGBM(LIGHTGBM_STUMP_WITH("", "8")), GRADUS_BAD_FORMAT,
      "file:17:11: tree 0: 'threshold' has too few numbers" },
    { LIGHTGBM(LIGHTGBM_STUMP_WITH("1", "8") "Tree=1\nnum_leaves=1\nleaf_value=1\n"),
      GRADUS_BAD_FORMAT, "the number of trees, 2, differs from the header" },
    { LIGHTGBM("Tree=0\nnum_leaves=1\nleaf_value=1\nis_linear=1\n"), GRADUS_BAD_ARGUMENT,
      "tree 0: linear models in the leaves" },
    { LIGHTGBM("Tree=0\nnum_leaves=999999999999\nleaf_value=1\n"), GRADUS_BAD_FORMAT,
      "'num_leaves' is not a count up to 1" },
    { LIGHTGBM("Tree=0\nnum_leaves=0\nleaf_value=1\n"), GRADUS_BAD_FORMAT, "no leaves" },
    { LIGHTGBM("Tree=0\nnum_leaves=1\nleaf_value=inf\n"), GRADUS_BAD_FORMAT, "not finite" },
    { LIGHTGBM("Tree=0\nnum_leaves=1\nleaf_value=1\nleaf_value=1\n"), GRADUS_BAD_FORMAT,
      "'leaf_value' occurs twice" },
    { LIGHTGBM_WITH("v4", "a", "1", "Tree=0\nnum_leaves=1\nleaf_value=1\n", ""), GRADUS_BAD_FORMAT,
      "the file ends within the trees" },
    { LIGHTGBM(
          "Tree=0\nnum_leaves=2\nsplit_feature=2\nthreshold=0\ndecision_type=0\nleft_child=-1\n"
          "right_child=-2\nleaf_value=1 2\n"),
      GRADUS_BAD_FORMAT, "'split_feature': 2 is out of range; allowed are 0 to 1" },
    { LIGHTGBM(
          "Tree=0\nnum_leaves=2\nsplit_feature=0\nthreshold=0\ndecision_type=0\nleft_child=-1\n"
          "right_child=-1\nleaf_value=1 2\n"),
      GRADUS_BAD_FORMAT, "has another parent" },
    { LIGHTGBM("Tree=0\nnum_leaves=2\nsplit_feature=0\nthreshold=0\ndecision_type=0\nleft_child=0\n"
               "right_child=-1\nleaf_value=1 2\n"),
      GRADUS_BAD_FORMAT, "tree 0: node 0: its child 0 is the root: a cycle" },
    { LIGHTGBM("Tree=0\nnum_leaves=2\nsplit_feature=0\nthreshold=5\ndecision_type=4\nleft_child=0\n"
               "right_child=-1\nleaf_value=1 2\n"),
      GRADUS_BAD_FORMAT, "has another parent" },
    { "tree\nversion=v4\nnum_class=3\nnum_tree_per_iteration=3\nmax_feature_idx=0\n"
      "objective=custom\nfeature_names=a\nend of trees\n",
      GRADUS_BAD_ARGUMENT, "the 3 outputs of this objective have no known meaning" },
    { "tree\nversion=v4\nnum_class=3\nnum_tree_per_iteration=3\nmax_feature_idx=0\n"
      "objective=multiclassova num_class:3 sigmoid:2\nfeature_names=a\nend of trees\n",
      GRADUS_BAD_ARGUMENT, "sigmoid parameter other than 1" },
    { "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=2\n"
      "feature_names=a b\nend of trees\n",
      GRADUS_BAD_FORMAT, "2 names for 3 features" },
    /* RankLib */
    { "## RankNet\n## Epochs = 1\n", GRADUS_BAD_ARGUMENT,
      "models of 'RankNet' cannot be imported" },
    { "## Coordinate Ascent\n## Restart = 5\n", GRADUS_BAD_FORMAT,
      "file:3:1: the file has no weights" },
    { "## Coordinate Ascent\n1:2 x\n", GRADUS_BAD_FORMAT, "file:2:5: expected a feature id" },
    { "## Coordinate Ascent\n1:2 1:3\n", GRADUS_BAD_FORMAT, "file:2:5: a feature has two weights" },
    { "## Coordinate Ascent\n1:inf\n", GRADUS_BAD_FORMAT, "file:2:1: expected a feature id" },
    { "## Coordinate Ascent\n4000000000:1\n", GRADUS_BAD_ARGUMENT,
      "feature 4000000000 is too large" },
    { "## MART\n<ensemble>\n", GRADUS_BAD_FORMAT, "file:3:1: the file ends within an ensemble" },
    { "## MART\n<ensemble>\n</ensemble>\n", GRADUS_BAD_FORMAT, "the file has no trees" },
    { RANKLIB "<ensemble></ensemble>", GRADUS_BAD_FORMAT, "a second ensemble" },
    { RANKLIB_SPLIT(""), GRADUS_BAD_FORMAT, "file:4:1: a tree without nodes" },
    { RANKLIB_SPLIT("<split></split>"), GRADUS_BAD_FORMAT, "neither an output nor two parts" },
    { RANKLIB_SPLIT("<split><output>1</output></split><split>"), GRADUS_BAD_FORMAT, "two roots" },
    { RANKLIB_SPLIT("<split><feature>0</feature></split>"), GRADUS_BAD_FORMAT,
      "file:4:17: the id of a feature" },
    { RANKLIB_SPLIT("<split><feature>1</feature><threshold>nan</threshold></split>"),
      GRADUS_BAD_FORMAT, "expected a number" },
    { RANKLIB_SPLIT("<split><feature>1</feature>" LEAF("left", "1") "</split>"), GRADUS_BAD_FORMAT,
      "needs a feature, a threshold and two parts" },
    { RANKLIB_SPLIT("<split><feature>1</feature><threshold>1</threshold>" LEAF("right", "1")
                        LEAF("left", "1") "</split>"),
      GRADUS_BAD_FORMAT, "must come first" },
    { RANKLIB_SPLIT("<split><output>1e39</output></split>"), GRADUS_BAD_FORMAT, "too large" },
    { RANKLIB_SPLIT("<split><output>1</feature></split>"), GRADUS_BAD_FORMAT,
      "expected </output>" },
    { RANKLIB_SPLIT("<split><other>1</other></split>"), GRADUS_BAD_FORMAT,
      "unknown or repeated tag" },
    { RANKLIB_SPLIT("<split"), GRADUS_BAD_FORMAT, "unexpected tag or text" },
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(refusals); i++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_model *model = import_text(refusals[i].text, &err);

        if (model || err.status != refusals[i].status || !strstr(err.message, refusals[i].message))
            print_message("refusal %zu: wanted '%s', found '%s'\n", i, refusals[i].message,
                          err.message);
        assert_null(model);
        assert_int_equal(err.status, refusals[i].status);
        assert_non_null(strstr(err.message, refusals[i].message));
    }
}

/* Every prefix of a valid file is refused, without reading beyond it. */
static void test_cut_files(void **state)
{
    static const char *const texts[] = { XGBOOST, RANKLIB,
                                         LIGHTGBM(LIGHTGBM_STUMP_WITH("0.1", "4")) };

    (void)state;
    for (size_t t = 0; t < LENGTH(texts); t++) {
        const size_t size = strlen(texts[t]), end = t == 2 ? size - 2 : size - 1;

        for (size_t length = 0; length < end; length++) {
            gradus_error err = { GRADUS_OK, "" };
            char *copy = malloc(length + 1);

            memcpy(copy, texts[t], length);
            assert_null(gr_model_import_bytes(copy, length, "file", &err));
            assert_true(err.status != GRADUS_OK && err.message[0]);
            free(copy);
        }
    }
}

/* ---- round trips ---- */

static gradus_model *forest_model(gr_rng *rng, const forest_plan *plan)
{
    gradus_model *model = gr_model_new(NULL);
    gr_forest forest;
    gr_node node;

    random_forest(rng, plan, &forest);
    assert_int_equal(gr_forest_node_new(&forest, &node, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
    gr_model_set_text(&model->method, "regression", NULL);
    model->features = plan->features;
    model->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    return model;
}

static void check_round_trip(const gr_format *format, const gradus_model *model, const float *rows,
                             size_t count)
{
    const gr_export_options options = { .name = "model" };
    gradus_error err = { GRADUS_OK, "" };
    gr_buffer file = { .used = 0 };
    gradus_model *back;

    if (format->write(model, &options, &file, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    back = gr_model_import_bytes(file.bytes.at, file.used, "file", &err);
    if (!back)
        fail_msg("%s: %s", format->about.name, err.message);
    for (size_t r = 0; back && r < count; r++)
        CHECK_NEAR(score_of(back, rows + r * model->features),
                   score_of(model, rows + r * model->features), 0.0);
    gr_model_free(back);
    gr_buffer_free(&file);
}

static void test_round_trips(void **state)
{
    static const gr_format *const formats[] = { &gr_format_xgboost_json, &gr_format_xgboost_ubj,
                                                &gr_format_lightgbm };
    gr_rng rng = gr_rng_for(7, "forests", 0);

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        const forest_plan plan = { .features = 5,
                                   .outputs = 1,
                                   .rounds = 1 + i,
                                   .leaves = 1 + 5 * i,
                                   .shape = (forest_shape)(i % 3) };
        gradus_model *model = forest_model(&rng, &plan);
        float *rows = random_rows(&rng, &plan, gr_model_forest(model), 100, plan.features);

        for (size_t f = 0; f < LENGTH(formats); f++)
            check_round_trip(formats[f], model, rows, 100);
        /* RankLib has no missing values */
        for (size_t v = 0; v < 100 * plan.features; v++)
            rows[v] = isnan(rows[v]) ? 0.0f : rows[v];
        check_round_trip(&gr_format_ranklib, model, rows, 100);
        free(rows);
        gr_model_free(model);
    }
}

/* UBJ with wrong lengths and markers is refused with the byte. */
static void test_damaged_ubj(void **state)
{
    const gr_export_options options = { .name = "model" };
    const forest_plan plan = { .features = 3, .outputs = 1, .rounds = 1, .leaves = 3 };
    gr_rng rng = gr_rng_for(8, "forests", 0);
    gradus_model *model = forest_model(&rng, &plan);
    gr_buffer file = { .used = 0 };
    gradus_error err = { GRADUS_OK, "" };
    char *bytes;

    (void)state;
    assert_int_equal(gr_format_xgboost_ubj.write(model, &options, &file, &err), GRADUS_OK);
    bytes = file.bytes.at;
    for (size_t length = 0; length < file.used; length++)
        assert_null(gr_model_import_bytes(bytes, length, "file", &err));
    assert_non_null(strstr(err.message, "file: byte "));
    for (size_t i = 1; i < file.used; i++) {
        const char kept = bytes[i];

        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (char)(kept ^ 1 << bit);
            gr_model_free(gr_model_import_bytes(bytes, file.used, "file", &err));
        }
        bytes[i] = kept;
    }
    gr_buffer_free(&file);
    gr_model_free(model);
}

/* ---- memory ---- */

static gradus_status import_all(gradus_error *err)
{
    static const char *const texts[] = {
        XGBOOST_WITH("gbtree", "[0,1]", STUMP "," STUMP,
                     "\"base_score\":\"1\",\"num_class\":\"2\",\"num_feature\":\"2\"",
                     "multi:softprob"),
        LIGHTGBM(LIGHTGBM_STUMP_WITH("0.1", "4")), RANKLIB, "## Coordinate Ascent\n1:2\n"
    };

    for (size_t i = 0; i < LENGTH(texts); i++) {
        gradus_model *model = import_text(texts[i], err);

        if (!model)
            return err->status;
        gr_model_free(model);
    }
    return GRADUS_OK;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(exhaust("import", import_all) > 40);
}

static void test_float_above(void **state)
{
    (void)state;
    assert_true(gr_float_above(0.1) == 0.1f);
    assert_true(gr_float_above((double)0.1f) == nextafterf(0.1f, 1));
    assert_true(gr_float_above(0.0) > 0.0f && gr_float_above(0.0) < FLT_MIN);
    assert_true(gr_float_above(-1e-60) == 0.0f);
    assert_true(gr_float_above((double)FLT_MAX) == INFINITY && gr_float_above(1e300) == INFINITY);
    assert_true(gr_float_above(-1e300) == -FLT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xgboost_worked),
        cmocka_unit_test(test_xgboost_classes),
        cmocka_unit_test(test_xgboost_names_and_stopping),
        cmocka_unit_test(test_lightgbm_thresholds),
        cmocka_unit_test(test_lightgbm_every_rule),
        cmocka_unit_test(test_lightgbm_copies),
        cmocka_unit_test(test_lightgbm_steps),
        cmocka_unit_test(test_lightgbm_leaves),
        cmocka_unit_test(test_ranklib_worked),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cut_files),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_damaged_ubj),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_float_above),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
