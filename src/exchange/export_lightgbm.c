/* SPDX-License-Identifier: Apache-2.0 */
/* The format "lightgbm": the text of a LightGBM model, version 4. Splits and leaves keep the numbers
 * that they have in gradus. LightGBM compares doubles by <=, so that a threshold becomes the largest
 * float below it. Numbers are doubles: weights and the base are exact. */
#include "exchange/feature_labels.h"
#include "exchange/flat_tree.h"
#include "exchange/format.h"
#include "exchange/tree_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits of decision_type. */
enum { DEFAULT_LEFT = 2, MISSING_IS_NAN = 8 };

/* A tree of the sum. */
typedef struct tree {
    size_t index, count; /* count: splits */
    const gr_split *splits;
    const float *leaves;
    const uint32_t *covers;
    double weight;
    double *rows, *means; /* per split: training rows, and their mean value */
} tree;

/* Nothing is below -INFINITY: the children are exchanged, and everything goes left. */
static bool is_exchanged(const gr_split *split)
{
    return split->threshold == -INFINITY;
}

static int32_t child(const gr_split *split, bool right)
{
    return right != is_exchanged(split) ? split->right : split->left;
}

static double leaf_value(const tree *t, size_t leaf)
{
    return t->weight * (double)t->leaves[leaf];
}

static double rows_of(const tree *t, int32_t node)
{
    return node < 0 ? (double)t->covers[~node] : t->rows[node];
}

static double mean_of(const tree *t, int32_t node)
{
    return node < 0 ? leaf_value(t, (uint32_t)~node) : t->means[node];
}

/* Fills in rows and means of the splits beneath their parents. order: space for all splits. */
static void sum_up(tree *t, int32_t *order)
{
    size_t found = 0;

    if (t->count)
        order[found++] = 0;
    for (size_t i = 0; i < found; i++)
        for (int side = 0; side < 2; side++) {
            const int32_t node = child(&t->splits[order[i]], side);

            if (node >= 0)
                order[found++] = node;
        }
    while (found-- > 0) {
        const gr_split *split = &t->splits[order[found]];
        const double left = rows_of(t, split->left), all = left + rows_of(t, split->right);
        const double share = all > 0.0 ? left / all : 0.5;

        t->rows[order[found]] = all;
        t->means[order[found]] =
            share * mean_of(t, split->left) + (1.0 - share) * mean_of(t, split->right);
    }
}

typedef void (*put_one)(gr_buffer *out, const tree *t, size_t i);

static void put_list(gr_buffer *out, const char *name, const tree *t, size_t count, put_one put)
{
    gr_buffer_text(out, name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            gr_buffer_text(out, " ");
        put(out, t, i);
    }
    gr_buffer_text(out, "\n");
}

static void put_feature(gr_buffer *out, const tree *t, size_t i)
{
    gr_buffer_count(out, t->splits[i].feature);
}
static void put_gain(gr_buffer *out, const tree *t, size_t i)
{
    gr_buffer_float(out, t->splits[i].gain);
}
static void put_threshold(gr_buffer *out, const tree *t, size_t i)
{
    const gr_split *split = &t->splits[i];

    gr_buffer_double(out,
                     is_exchanged(split) ? INFINITY : (double)gr_float_below(split->threshold));
}
static void put_decision(gr_buffer *out, const tree *t, size_t i)
{
    const gr_split *split = &t->splits[i];
    const bool left = (split->missing_left != 0) != is_exchanged(split);

    gr_buffer_count(out, MISSING_IS_NAN + (left ? DEFAULT_LEFT : 0));
}
static void put_left(gr_buffer *out, const tree *t, size_t i)
{
    gr_buffer_format(out, "%d", child(&t->splits[i], false));
}
static void put_right(gr_buffer *out, const tree *t, size_t i)
{
    gr_buffer_format(out, "%d", child(&t->splits[i], true));
}
static void put_value(gr_buffer *out, const tree *t, size_t i)
{
    gr_buffer_double(out, leaf_value(t, i));
}
static void put_cover(gr_buffer *out, const tree *t, size_t i)
{
    gr_buffer_count(out, t->covers[i]);
}
static void put_mean(gr_buffer *out, const tree *t, size_t i)
{
    gr_buffer_double(out, t->means[i]);
}
static void put_rows(gr_buffer *out, const tree *t, size_t i)
{
    gr_buffer_format(out, "%.0f", t->rows[i]);
}

static void put_tree(gr_buffer *out, const tree *t)
{
    gr_buffer_format(out, "Tree=%zu\nnum_leaves=%zu\nnum_cat=0\n", t->index, t->count + 1);
    put_list(out, "split_feature=", t, t->count, put_feature);
    put_list(out, "split_gain=", t, t->count, put_gain);
    put_list(out, "threshold=", t, t->count, put_threshold);
    put_list(out, "decision_type=", t, t->count, put_decision);
    put_list(out, "left_child=", t, t->count, put_left);
    put_list(out, "right_child=", t, t->count, put_right);
    put_list(out, "leaf_value=", t, t->count + 1, put_value);
    put_list(out, "leaf_weight=", t, t->count + 1, put_cover);
    put_list(out, "leaf_count=", t, t->count + 1, put_cover);
    put_list(out, "internal_value=", t, t->count, put_mean);
    put_list(out, "internal_weight=", t, t->count, put_rows);
    put_list(out, "internal_count=", t, t->count, put_rows);
    gr_buffer_text(out, "is_linear=0\nshrinkage=1\n\n\n");
}

static size_t largest_tree(const gr_forest *forest)
{
    size_t most = 0;

    for (size_t t = 0; t < forest->trees; t++) {
        const size_t count = (size_t)(forest->starts[t + 1] - forest->starts[t]);

        most = count > most ? count : most;
    }
    return most;
}

/* Writes all trees to a buffer. sizes: bytes of each. */
static gradus_status put_trees(const gr_tree_sum *sum, gr_buffer *out, size_t *sizes,
                               gradus_error *err)
{
    const gr_forest *forest = &sum->forest;
    gr_arena arena = { .failed = false };
    const size_t most = largest_tree(forest);
    double *rows = gr_arena_array(&arena, most, sizeof *rows);
    double *means = gr_arena_array(&arena, most, sizeof *means);
    int32_t *order = gr_arena_array(&arena, most, sizeof *order);

    for (size_t t = 0; t < forest->trees && !arena.failed; t++) {
        const size_t first = (size_t)forest->starts[t], before = out->used;
        tree one = { .index = t,
                     .count = (size_t)forest->starts[t + 1] - first,
                     .splits = forest->splits + first,
                     .leaves = forest->leaves + first + t,
                     .covers = forest->covers + first + t,
                     .weight = sum->weights[t],
                     .rows = rows,
                     .means = means };

        sum_up(&one, order);
        put_tree(out, &one);
        sizes[t] = out->used - before;
    }
    const bool failed = arena.failed;

    gr_arena_free(&arena);
    return failed ? gr_fail_memory(err, "trees") : gr_buffer_done(out, err);
}

/* Names are separated by spaces, so that those in names become underscores, as in LightGBM. */
static void put_name(gr_buffer *out, const char *name)
{
    for (; *name; name++) {
        const char letter = strchr(" \t\n\v\f\r", *name) ? '_' : *name;

        gr_buffer_put(out, &letter, 1);
    }
}

/* Per feature the range of its thresholds, as the range of its values is not known. */
static gradus_status put_ranges(gr_buffer *out, const gr_forest *forest, gradus_error *err)
{
    float *low = gr_new_array(forest->features, 2 * sizeof *low), *high = low + forest->features;

    if (!low)
        return gr_fail_memory(err, "features");
    for (size_t f = 0; f < forest->features; f++) {
        low[f] = INFINITY;
        high[f] = -INFINITY;
    }
    for (uint64_t s = 0; s < forest->starts[forest->trees]; s++) {
        const gr_split *split = &forest->splits[s];

        low[split->feature] = fminf(low[split->feature], split->threshold);
        high[split->feature] = fmaxf(high[split->feature], split->threshold);
    }
    gr_buffer_text(out, "feature_infos=");
    for (size_t f = 0; f < forest->features; f++) {
        gr_buffer_text(out, f ? " " : "");
        if (low[f] > high[f]) {
            gr_buffer_text(out, "none");
            continue;
        }
        gr_buffer_text(out, "[");
        gr_buffer_float(out, low[f]);
        gr_buffer_text(out, ":");
        gr_buffer_float(out, high[f]);
        gr_buffer_text(out, "]");
    }
    gr_buffer_text(out, "\n");
    free(low);
    return GRADUS_OK;
}

static gradus_status put_head(gr_buffer *out, const gradus_model *model, const gr_tree_sum *sum,
                              const size_t *sizes, gradus_error *err)
{
    char made[GRADUS_NUMBER_SIZE];

    gr_buffer_format(out,
                     "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"
                     "max_feature_idx=%zu\nobjective=lambdarank\nfeature_names=",
                     model->features - 1);
    for (size_t f = 0; f < model->features; f++) {
        gr_buffer_text(out, f ? " " : "");
        put_name(out, gr_feature_label(model, f, made));
    }
    gr_buffer_text(out, "\n");
    GR_TRY(put_ranges(out, &sum->forest, err));
    gr_buffer_text(out, "tree_sizes=");
    for (size_t t = 0; t < sum->forest.trees; t++) {
        gr_buffer_text(out, t ? " " : "");
        gr_buffer_count(out, sizes[t]);
    }
    gr_buffer_text(out, "\n\n");
    return GRADUS_OK;
}

static gradus_status put_model(gr_buffer *out, const gradus_model *model, const gr_tree_sum *sum,
                               gradus_error *err)
{
    size_t *sizes = gr_new_array(sum->forest.trees, sizeof *sizes);
    gr_buffer trees = { .used = 0 };
    gradus_status status =
        sizes ? put_trees(sum, &trees, sizes, err) : gr_fail_memory(err, "trees");

    if (status == GRADUS_OK)
        status = put_head(out, model, sum, sizes, err);
    if (status == GRADUS_OK)
        gr_buffer_put(out, trees.bytes.at, trees.used);
    gr_buffer_text(out, "end of trees\n\nfeature_importances:\n\nparameters:\nend of parameters\n");
    gr_buffer_free(&trees);
    free(sizes);
    return status;
}

static gradus_status write_lightgbm(const gradus_model *model, const gr_export_options *options,
                                    gr_buffer *out, gradus_error *err)
{
    gr_tree_sum sum;
    gradus_status status = gr_tree_sum_build(model, "lightgbm", &sum, err);

    (void)options;
    if (status == GRADUS_OK)
        status = gr_tree_sum_fold_base(&sum, model, false, err);
    if (status == GRADUS_OK)
        status = put_model(out, model, &sum, err);
    gr_tree_sum_free(&sum);
    return status == GRADUS_OK ? gr_buffer_done(out, err) : status;
}

const gr_format gr_format_lightgbm = {
    .about = { .name = "lightgbm",
               .summary = "a model of LightGBM (text, version 4)",
               .details =
                   "Holds sums of trees: one output, sums of outputs, weighted sums of such models. "
                   "Transforms by minmax and standardise move into the thresholds. Thresholds, "
                   "weights and the base score are exact in double; leaves have the numbers of "
                   "gradus (pred_leaf). Scores differ only by the order of a sum of doubles. Missing "
                   "values go the way they go in gradus. LightGBM takes values up to 1e-35 in size "
                   "for 0. The first feature is column 0." },
    .used_by = "LightGBM, treelite, Vespa",
    .extension = "txt",
    .methods = GR_TREE_SUM_METHODS,
    .tolerance = 1e-13,
    .check = "import numpy as np, lightgbm as lgb\n"
             "b = lgb.Booster(model_file=\"MODEL\")\n"
             "rows = [line.strip().split(\",\") for line in open(\"PARITY\") if line[0] != \"#\"]\n"
             "x = np.zeros((len(rows) - 1, b.num_feature()), \"f4\")\n"
             "x[:, [int(c) for c in rows[0][1:]]] = [[float(v) for v in r[1:]] for r in rows[1:]]\n"
             "target = np.array([float(r[0]) for r in rows[1:]])\n"
             "found = b.predict(x)\n"
             "gap = np.abs(found - target) / np.maximum(1, np.abs(target))\n"
             "good = gap.max() <= TOLERANCE\n"
             "print(\"largest difference:\", gap.max(), \"ok\" if good else \"WRONG\")\n"
             "raise SystemExit(not good)",
    .write = write_lightgbm,
};
