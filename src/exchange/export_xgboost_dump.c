/* SPDX-License-Identifier: Apache-2.0 */
/* The format "xgboost-dump": the trees as XGBoost prints them with dump_model(dump_format="json",
 * with_stats=True), which Vespa, Elasticsearch LTR and OpenSearch LTR read. It has no base score. */
#include "exchange/feature_labels.h"
#include "exchange/flat_tree.h"
#include "exchange/format.h"
#include "exchange/tree_sum.h"
#include "exchange/xgboost_document.h"

static void put_indent(gr_buffer *out, size_t depth)
{
    gr_buffer_text(out, "\n  ");
    for (size_t d = 0; d < depth; d++)
        gr_buffer_text(out, "  ");
}

static void put_id(gr_buffer *out, const char *name, size_t id)
{
    gr_buffer_text(out, name);
    gr_buffer_count(out, id);
}

static void put_split(gr_buffer *out, const gradus_model *model, const gr_tree_walk *walk)
{
    const gr_flat_node *node = &walk->tree->nodes[walk->node];
    const size_t left = (size_t)node->left;
    char made[GRADUS_NUMBER_SIZE];

    put_id(out, "{ \"nodeid\": ", walk->node);
    put_id(out, ", \"depth\": ", walk->depth);
    gr_buffer_text(out, ", \"split\": ");
    gr_put_json_text(out, gr_feature_label(model, node->feature, made));
    gr_buffer_text(out, ", \"split_condition\": ");
    gr_put_json_float(out, node->threshold);
    put_id(out, ", \"yes\": ", left);
    put_id(out, ", \"no\": ", left + 1);
    put_id(out, ", \"missing\": ", left + !node->missing_left);
    gr_buffer_text(out, ", \"gain\": ");
    gr_buffer_float(out, node->gain);
    gr_buffer_text(out, ", \"cover\": ");
    gr_buffer_float(out, (float)node->rows);
    gr_buffer_text(out, ", \"children\": [");
}

static void put_leaf(gr_buffer *out, const gr_tree_walk *walk)
{
    const gr_flat_node *node = &walk->tree->nodes[walk->node];

    put_id(out, "{ \"nodeid\": ", walk->node);
    gr_buffer_text(out, ", \"leaf\": ");
    gr_buffer_float(out, node->value);
    gr_buffer_text(out, ", \"cover\": ");
    gr_buffer_float(out, (float)node->rows);
    gr_buffer_text(out, " }");
}

static void put_tree(gr_buffer *out, const gradus_model *model, const gr_flat_tree *tree)
{
    gr_tree_walk walk = { .tree = tree };

    while (gr_tree_walk_next(&walk)) {
        if (walk.step == GR_TREE_MIDDLE) {
            gr_buffer_text(out, ",");
            continue;
        }
        put_indent(out, walk.depth);
        if (walk.step == GR_TREE_SPLIT)
            put_split(out, model, &walk);
        else if (walk.step == GR_TREE_LEAF)
            put_leaf(out, &walk);
        else
            gr_buffer_text(out, "]}");
    }
}

static gradus_status put_trees(gr_buffer *out, const gradus_model *model, const gr_tree_sum *sum,
                               gradus_error *err)
{
    gr_flat_tree tree = { .count = 0 };
    gradus_status status = GRADUS_OK;

    gr_buffer_text(out, "[");
    for (size_t t = 0; t < sum->forest.trees && status == GRADUS_OK; t++) {
        status = gr_flatten(sum, t, &tree, err);
        if (t > 0)
            gr_buffer_text(out, ",");
        if (status == GRADUS_OK)
            put_tree(out, model, &tree);
    }
    gr_buffer_text(out, "\n]\n");
    gr_flat_tree_free(&tree);
    return status;
}

static gradus_status write_dump(const gradus_model *model, const gr_export_options *options,
                                gr_buffer *out, gradus_error *err)
{
    gr_tree_sum sum;

    (void)options;
    GR_TRY(gr_feature_labels_check(model, "xgboost-dump", err));
    gradus_status status = gr_tree_sum_build(model, "xgboost-dump", &sum, err);

    if (status == GRADUS_OK)
        status = gr_tree_sum_fold_base(&sum, model, true, err);
    if (status == GRADUS_OK)
        status = put_trees(out, model, &sum, err);
    gr_tree_sum_free(&sum);
    return status == GRADUS_OK ? gr_buffer_done(out, err) : status;
}

const gr_format gr_format_xgboost_dump = {
    .about = { .name = "xgboost-dump",
               .summary = "trees as XGBoost's dump_model prints them (JSON)",
               .details =
                   "Holds sums of trees: one output, sums of outputs, weighted sums of such models. "
                   "Transforms by minmax and standardise move into the thresholds. What dump_model "
                   "of XGBoost prints for the xgboost-json of the same model, with gain and cover: "
                   "the JSON list of trees that Elasticsearch LTR and OpenSearch LTR (type "
                   "model/xgboost+json) and Vespa read. Scores differ by float rounding. The base "
                   "score is a tree of one leaf, because the format has none." },
    .used_by = "Elasticsearch LTR, OpenSearch LTR, Vespa",
    .extension = "json",
    .methods = GR_TREE_SUM_METHODS,
    .tolerance = 1e-5,
    .check =
        "import json, numpy as np\n"
        "trees = json.load(open(\"MODEL\"))\n"
        "def leaf(n, x):\n"
        "    while \"leaf\" not in n:\n"
        "        v, t = x.get(n[\"split\"], np.float32(0)), np.float32(n[\"split_condition\"])\n"
        "        go = n[\"missing\"] if np.isnan(v) else n[\"yes\"] if v < t else n[\"no\"]\n"
        "        n = next(c for c in n[\"children\"] if c[\"nodeid\"] == go)\n"
        "    return np.float32(n[\"leaf\"])\n"
        "names = NAMES\n"
        "rows = [line.strip().split(\",\") for line in open(\"PARITY\") if line[0] != \"#\"]\n"
        "x = [dict(zip(names, np.array(r[1:], \"f8\").astype(\"f4\"))) for r in rows[1:]]\n"
        "target = np.array([float(r[0]) for r in rows[1:]])\n"
        "found = np.array([sum(leaf(t, r) for t in trees) for r in x])\n"
        "gap = np.abs(found - target) / np.maximum(1, np.abs(target))\n"
        "good = gap.max() <= TOLERANCE\n"
        "print(\"largest difference:\", gap.max(), \"ok\" if good else \"WRONG\")\n"
        "raise SystemExit(not good)",
    .write = write_dump,
};
