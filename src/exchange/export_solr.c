/* SPDX-License-Identifier: Apache-2.0 */
/* The format "solr": a MultipleAdditiveTreesModel of Solr, or a LinearModel.
 *
 * Solr adds 1e-6 to a threshold when it reads it and then compares by <=, all in float. The
 * threshold written is therefore the float that becomes the right one. Near 0 there may be none:
 * then a normaliser multiplies the feature, and the thresholds, by a power of 2. */
#include "base/json.h"
#include "base/text.h"
#include "exchange/feature_labels.h"
#include "exchange/flat_tree.h"
#include "exchange/format.h"
#include "exchange/linear_sum.h"
#include "exchange/tree_sum.h"
#include "model/forest_node.h"
#include "model/linear_node.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SCALE = 126 };

static const float slack = 1e-6f;

/* A model being written. */
typedef struct writing {
    const gradus_model *model;
    const char *name;
    gr_json_writer json;
    bool *used;  /* per feature */
    int *scales; /* per feature: multiplied by 2 to this power; trees only */
} writing;

static void put_number(gr_json_writer *json, const char *key, float number)
{
    char text[GRADUS_NUMBER_SIZE];

    gr_format_float(number, text);
    if (isinf(number))
        gr_text_copy(text, sizeof text, number < 0.0f ? "-" : "", "Infinity");
    gr_json_put_text(json, key, text);
}

/* The float that becomes `target` when Solr reads it. */
static bool find_stored(float target, float *stored)
{
    const float near = target - slack;
    const float candidates[] = { near, nextafterf(near, INFINITY), nextafterf(near, -INFINITY) };

    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (candidates[i] + slack == target) {
            *stored = candidates[i];
            return true;
        }
    return false;
}

/* The largest value that goes left, multiplied by 2^scale; or everything, if nothing is to go left:
 * then the children are exchanged. */
static float last_left(float threshold, int scale)
{
    return threshold == -INFINITY ? INFINITY : ldexpf(gr_float_below(threshold), scale);
}

static bool scale_fits(float threshold, int scale)
{
    float stored;
    const float target = last_left(threshold, scale);

    return isinf(target) ? threshold == -INFINITY || gr_float_below(threshold) == -INFINITY
                         : find_stored(target, &stored);
}

/* Whether every threshold of a feature can be written with the feature's scale. */
static bool feature_fits(const gr_forest *forest, size_t f, int scale, float *culprit)
{
    for (uint64_t s = 0; s < forest->starts[forest->trees]; s++)
        if (forest->splits[s].feature == f && !scale_fits(forest->splits[s].threshold, scale)) {
            *culprit = forest->splits[s].threshold;
            return false;
        }
    return true;
}

static gradus_status choose_scale(writing *w, const gr_forest *forest, size_t f, gradus_error *err)
{
    char made[GRADUS_NUMBER_SIZE];
    float culprit = 0.0f;

    while (w->scales[f] <= MAX_SCALE) {
        if (feature_fits(forest, f, w->scales[f], &culprit))
            return GRADUS_OK;
        w->scales[f]++;
    }
    feature_fits(forest, f, 0, &culprit);
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "feature '%.60s' is split at %g: 'solr' cannot express that exactly, because "
                   "Solr adds 1e-6 to thresholds; use another format",
                   gr_feature_label(w->model, f, made), (double)culprit);
}

/* Chooses the scales of the features: first those that one threshold alone needs, as most need
 * none. */
static gradus_status choose_scales(writing *w, const gr_forest *forest, gradus_error *err)
{
    for (uint64_t s = 0; s < forest->starts[forest->trees]; s++) {
        const gr_split *split = &forest->splits[s];

        w->used[split->feature] = true;
        while (w->scales[split->feature] <= MAX_SCALE &&
               !scale_fits(split->threshold, w->scales[split->feature]))
            w->scales[split->feature]++;
    }
    for (size_t f = 0; f < forest->features; f++)
        if (w->scales[f])
            GR_TRY(choose_scale(w, forest, f, err));
    return GRADUS_OK;
}

static void put_norm(gr_json_writer *json, const char *class, const char *first, float a,
                     const char *second, float b)
{
    gr_json_open(json, "norm", '{');
    gr_json_put_text(json, "class", class);
    gr_json_open(json, "params", '{');
    put_number(json, first, a);
    put_number(json, second, b);
    gr_json_close(json, '}');
    gr_json_close(json, '}');
}

static void put_minmax(gr_json_writer *json, float low, float high)
{
    put_norm(json, "org.apache.solr.ltr.norm.MinMaxNormalizer", "min", low, "max", high);
}

static void open_model(writing *w, const char *class)
{
    gr_json_open(&w->json, NULL, '{');
    gr_json_put_text(&w->json, "class", class);
    gr_json_put_text(&w->json, "name", w->name);
    gr_json_put_text(&w->json, "store", "_DEFAULT_");
    gr_json_open(&w->json, "features", '[');
}

/* Opens the object of a feature of the model. */
static void open_feature(writing *w, size_t f)
{
    char made[GRADUS_NUMBER_SIZE];

    gr_json_open(&w->json, NULL, '{');
    gr_json_put_text(&w->json, "name", gr_feature_label(w->model, f, made));
}

static void put_split(writing *w, const gr_flat_node *node)
{
    const bool exchanged = node->threshold == -INFINITY;
    char made[GRADUS_NUMBER_SIZE];
    float stored = 0.0f;

    find_stored(last_left(node->threshold, w->scales[node->feature]), &stored); /* exists */
    gr_json_put_text(&w->json, "feature", gr_feature_label(w->model, node->feature, made));
    put_number(&w->json, "threshold", stored);
    gr_json_put_text(&w->json, "missing", node->missing_left != exchanged ? "left" : "right");
}

static void put_tree(writing *w, const gr_flat_tree *tree)
{
    gr_tree_walk walk = { .tree = tree };

    gr_json_open(&w->json, NULL, '{');
    gr_json_put_text(&w->json, "weight", "1");
    while (gr_tree_walk_next(&walk)) {
        const gr_flat_node *node = &tree->nodes[walk.node];

        if (walk.step == GR_TREE_SPLIT || walk.step == GR_TREE_LEAF) {
            const bool exchanged =
                node->parent >= 0 && tree->nodes[node->parent].threshold == -INFINITY;

            gr_json_open(&w->json,
                         node->parent < 0                           ? "root"
                         : gr_tree_walk_is_left(&walk) != exchanged ? "left"
                                                                    : "right",
                         '{');
        }
        if (walk.step == GR_TREE_SPLIT)
            put_split(w, node);
        if (walk.step == GR_TREE_LEAF)
            put_number(&w->json, "value", node->value);
        if (walk.step == GR_TREE_LEAF || walk.step == GR_TREE_END)
            gr_json_close(&w->json, '}');
    }
    gr_json_close(&w->json, '}');
}

static gradus_status put_trees(writing *w, const gr_tree_sum *sum, gradus_error *err)
{
    gr_flat_tree tree = { .count = 0 };
    gradus_status status = GRADUS_OK;
    bool some = false;

    open_model(w, "org.apache.solr.ltr.model.MultipleAdditiveTreesModel");
    for (size_t f = 0; f < w->model->features; f++)
        some = some || w->used[f];
    for (size_t f = 0; f < w->model->features; f++) {
        if (!w->used[f] && (some || f > 0)) /* Solr requires a feature */
            continue;
        open_feature(w, f);
        if (w->scales[f])
            put_minmax(&w->json, 0.0f, ldexpf(1.0f, -w->scales[f]));
        gr_json_close(&w->json, '}');
    }
    gr_json_close(&w->json, ']');
    gr_json_open(&w->json, "params", '{');
    gr_json_put_flag(&w->json, "isNullSameAsZero", false);
    gr_json_open(&w->json, "trees", '[');
    for (size_t t = 0; t < sum->forest.trees && status == GRADUS_OK; t++) {
        status = gr_flatten(sum, t, &tree, err);
        if (status == GRADUS_OK)
            put_tree(w, &tree);
    }
    gr_flat_tree_free(&tree);
    gr_json_close(&w->json, ']');
    gr_json_close(&w->json, '}');
    gr_json_close(&w->json, '}');
    return status;
}

static gradus_status write_trees(writing *w, gradus_error *err)
{
    gr_tree_sum sum;
    gradus_status status = gr_tree_sum_build(w->model, "solr", &sum, err);

    if (status == GRADUS_OK)
        status = gr_tree_sum_fold_base(&sum, w->model, true, err);
    if (status == GRADUS_OK)
        status = choose_scales(w, &sum.forest, err);
    if (status == GRADUS_OK)
        status = put_trees(w, &sum, err);
    gr_tree_sum_free(&sum);
    return status;
}

/* Where the normaliser of a feature of a linear model has its zero, and its unit. */
typedef struct norm {
    double zero, unit;
} norm;

static norm norm_of(const gr_linear_sum *sum, size_t f)
{
    return sum->transform ? (norm){ sum->transform->shift[f], sum->transform->unit[f] }
                          : (norm){ 0.0, 1.0 };
}

static bool has_weight(const gr_linear_sum *sum, size_t f)
{
    return sum->coefficients[f] != 0.0 && norm_of(sum, f).unit != 0.0;
}

/* The feature whose normaliser takes the intercept, which a LinearModel does not have: one with a
 * large weight and a zero that a float holds well. SIZE_MAX: no feature has a weight. */
static size_t find_carrier(const gr_linear_sum *sum)
{
    size_t best = SIZE_MAX;
    double most = -1.0;

    for (size_t f = 0; f < sum->features; f++) {
        const double weight = fabs(sum->coefficients[f]);
        const norm n = norm_of(sum, f);

        if (!has_weight(sum, f))
            continue;
        const double fitness = weight / (1.0 + weight * fabs(n.zero / n.unit));

        if (fitness > most) {
            best = f;
            most = fitness;
        }
    }
    return best;
}

/* The intercept, and what the scores lose when the zeros of the other normalisers become floats: the
 * mean of a timestamp differs from a float by up to a minute. */
static double carried_intercept(const gr_linear_sum *sum, size_t carrier)
{
    double intercept = sum->intercept;

    for (size_t f = 0; f < sum->features; f++) {
        const norm n = norm_of(sum, f);

        if (f != carrier && has_weight(sum, f))
            intercept += sum->coefficients[f] * ((double)(float)n.zero - n.zero) / n.unit;
    }
    return intercept;
}

static gradus_status put_normaliser(writing *w, const gr_linear_sum *sum, size_t f,
                                    double intercept, gradus_error *err)
{
    char made[GRADUS_NUMBER_SIZE];
    norm n = norm_of(sum, f);

    n.zero -= n.unit * intercept / sum->coefficients[f];
    const float zero = (float)n.zero, unit = (float)n.unit, high = (float)(n.zero + n.unit);

    if (!isfinite(zero) || !(unit > 0.0f) || !isfinite(unit) ||
        !isfinite((float)sum->coefficients[f]))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "feature '%.60s': its weight or scale does not fit a float of Solr",
                       gr_feature_label(w->model, f, made));
    if (zero == 0.0f && unit == 1.0f)
        return GRADUS_OK;
    if (sum->transform && sum->transform->transform == &gr_transform_minmax && high - zero == unit)
        put_minmax(&w->json, zero, high);
    else
        put_norm(&w->json, "org.apache.solr.ltr.norm.StandardNormalizer", "avg", zero, "std", unit);
    return GRADUS_OK;
}

static gradus_status put_linear(writing *w, const gr_linear_sum *sum, gradus_error *err)
{
    const size_t carrier = find_carrier(sum);
    const double intercept = carried_intercept(sum, carrier);
    char made[GRADUS_NUMBER_SIZE];

    if (carrier == SIZE_MAX)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "all weights are 0: 'solr' needs a feature with a weight");
    open_model(w, "org.apache.solr.ltr.model.LinearModel");
    for (size_t f = 0; f < sum->features; f++) {
        if (!has_weight(sum, f))
            continue;
        open_feature(w, f);
        GR_TRY(put_normaliser(w, sum, f, f == carrier ? intercept : 0.0, err));
        gr_json_close(&w->json, '}');
    }
    gr_json_close(&w->json, ']');
    gr_json_open(&w->json, "params", '{');
    gr_json_open(&w->json, "weights", '{');
    for (size_t f = 0; f < sum->features; f++)
        if (has_weight(sum, f))
            gr_json_put_label(&w->json, gr_feature_label(w->model, f, made),
                              (double)(float)sum->coefficients[f]);
    gr_json_close(&w->json, '}');
    gr_json_close(&w->json, '}');
    gr_json_close(&w->json, '}');
    return GRADUS_OK;
}

static gradus_status write_linear(writing *w, gradus_error *err)
{
    gr_linear_sum sum;
    gradus_status status = gr_linear_sum_build(w->model, "solr", &sum, err);

    if (status == GRADUS_OK)
        status = put_linear(w, &sum, err);
    gr_linear_sum_free(&sum);
    return status;
}

static gradus_status write_solr(const gradus_model *model, const gr_export_options *options,
                                gr_buffer *out, gradus_error *err)
{
    writing w = { .model = model,
                  .name = options->name,
                  .json = { .layout = GR_JSON_FILE },
                  .used = gr_new_array(model->features, sizeof *w.used),
                  .scales = gr_new_array(model->features, sizeof *w.scales) };
    gradus_status status = w.used && w.scales ? gr_feature_labels_check(model, "solr", err)
                                              : gr_fail_memory(err, "features");

    if (status == GRADUS_OK)
        status = gr_model_linear(model) && !gr_model_forest(model) ? write_linear(&w, err)
                                                                   : write_trees(&w, err);
    if (status == GRADUS_OK)
        status = gr_json_done(&w.json, err);
    if (status == GRADUS_OK) {
        gr_buffer_put(out, w.json.bytes.at, w.json.used);
        status = gr_buffer_done(out, err);
    }
    gr_json_writer_free(&w.json);
    free(w.used);
    free(w.scales);
    return status;
}

const gr_format gr_format_solr = {
    .about = { .name = "solr",
               .summary = "a model of Solr: MultipleAdditiveTreesModel, or LinearModel",
               .details =
                   "Holds sums of trees: one output, sums of outputs, weighted sums of such "
                   "models. Transforms by minmax and standardise move into the thresholds. "
                   "Thresholds allow for the 1e-6 that Solr adds to them, so that every row "
                   "reaches the same leaves; a feature with thresholds close to 0 is multiplied "
                   "by a power of 2 by a MinMaxNormalizer. Missing values need isNullSameAsZero, "
                   "which Solr has from version 9.2 on. The base score is a tree of one leaf. "
                   "Linear models become a LinearModel with normalisers: transforms and the "
                   "intercept are in these, because a LinearModel has no intercept. It has no "
                   "missing values either; values so huge that a transform overflows are missing "
                   "in gradus, but not in Solr. Solr computes in float: scores differ by float "
                   "rounding. Only features that the model uses are listed; they must be in the "
                   "feature store '_DEFAULT_'." },
    .used_by = "Solr",
    .extension = "json",
    .methods = GR_TREE_SUM_METHODS " " GR_LINEAR_SUM_METHODS,
    .tolerance = 1e-5,
    .check =
        "import json, numpy as np\n"
        "f4, model = np.float32, json.load(open(\"MODEL\"))\n"
        "params = model[\"params\"]\n"
        "norms = {f[\"name\"]: f[\"norm\"][\"params\"] if \"norm\" in f else None for f in model[\"features\"]}\n"
        "names = NAMES\n"
        "rows = [line.strip().split(\",\") for line in open(\"PARITY\") if line[0] != \"#\"]\n"
        "x = [dict(zip(names, np.array(r[1:], \"f8\").astype(\"f4\"))) for r in rows[1:]]\n"
        "target = np.array([float(r[0]) for r in rows[1:]])\n"
        "def value(name, x):\n"
        "    v, n = x.get(name, f4(0)), norms[name]\n"
        "    if n and \"min\" in n:\n"
        "        v = (v - f4(n[\"min\"])) / (f4(n[\"max\"]) - f4(n[\"min\"]))\n"
        "    return (v - f4(n[\"avg\"])) / f4(n[\"std\"]) if n and \"avg\" in n else v\n"
        "def leaf(t, x):\n"
        "    while \"feature\" in t:\n"
        "        left = value(t[\"feature\"], x) <= f4(t[\"threshold\"]) + f4(1e-6)\n"
        "        t = t[\"left\" if left else \"right\"]\n"
        "    return f4(t[\"value\"])\n"
        "def score(x):\n"
        "    if \"trees\" in params:\n"
        "        return sum(leaf(t[\"root\"], x) for t in params[\"trees\"])\n"
        "    return sum(value(n, x) * f4(w) for n, w in params[\"weights\"].items())\n"
        "found = np.array([score(r) for r in x])\n"
        "gap = np.abs(found - target) / np.maximum(1, np.abs(target))\n"
        "gap = gap[np.isfinite(found)]  # huge values overflow the floats of a linear model\n"
        "good = gap.max() <= TOLERANCE\n"
        "print(\"largest difference:\", gap.max(), \"ok\" if good else \"WRONG\")\n"
        "raise SystemExit(not good)",
    .no_missing = true,
    .largest = 1e18F, /* a linear model overflows the floats of the consumer beyond */
    .write = write_solr,
};
