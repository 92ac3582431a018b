/* SPDX-License-Identifier: Apache-2.0 */
/* The format "ranklib": an ensemble of trees in RankLib's XML, or a linear model in its text of
 * "Linear Regression".
 *
 * RankLib compares floats by <= and has no missing values. It reads the XML by position: one element
 * per line, children in the order feature, threshold, left, right. */
#include "base/text.h"
#include "exchange/flat_tree.h"
#include "exchange/format.h"
#include "exchange/linear_sum.h"
#include "exchange/tree_sum.h"
#include "model/forest_node.h"
#include "model/linear_node.h"

#include <math.h>

static void put_indent(gr_buffer *out, size_t depth)
{
    gr_buffer_text(out, "\t\t");
    for (size_t d = 0; d < depth; d++)
        gr_buffer_text(out, "\t");
}

/* Java's names of infinities. */
static void put_float(gr_buffer *out, float number)
{
    if (isinf(number))
        gr_buffer_text(out, number < 0.0f ? "-Infinity" : "Infinity");
    else
        gr_buffer_float(out, number);
}

/* Nothing is below -INFINITY: everything goes right, so that a threshold of INFINITY and exchanged
 * children are the same. */
static bool is_exchanged(const gr_flat_node *node)
{
    return node->threshold == -INFINITY;
}

static void put_open(gr_buffer *out, const gr_tree_walk *walk, bool left)
{
    put_indent(out, walk->depth);
    gr_buffer_text(out, walk->node == 0 ? "<split>\n"
                        : left          ? "<split pos=\"left\">\n"
                                        : "<split pos=\"right\">\n");
}

static void put_split(gr_buffer *out, const gr_tree_walk *walk)
{
    const gr_flat_node *node = &walk->tree->nodes[walk->node];

    put_indent(out, walk->depth + 1);
    gr_buffer_format(out, "<feature>%zu</feature>\n", (size_t)node->feature + 1);
    put_indent(out, walk->depth + 1);
    gr_buffer_text(out, "<threshold>");
    put_float(out, is_exchanged(node) ? INFINITY : gr_float_below(node->threshold));
    gr_buffer_text(out, "</threshold>\n");
}

static void put_tree(gr_buffer *out, const gr_flat_tree *tree)
{
    gr_tree_walk walk = { .tree = tree };

    while (gr_tree_walk_next(&walk)) {
        if (walk.step == GR_TREE_SPLIT || walk.step == GR_TREE_LEAF)
            put_open(out, &walk, gr_tree_walk_is_left(&walk));
        if (walk.step == GR_TREE_SPLIT)
            put_split(out, &walk);
        if (walk.step == GR_TREE_LEAF) {
            put_indent(out, walk.depth + 1);
            gr_buffer_text(out, "<output>");
            gr_buffer_float(out, tree->nodes[walk.node].value);
            gr_buffer_text(out, "</output>\n");
        }
        if (walk.step == GR_TREE_LEAF || walk.step == GR_TREE_END) {
            put_indent(out, walk.depth);
            gr_buffer_text(out, "</split>\n");
        }
    }
}

/* Exchanges the children of splits that nothing goes left of. */
static void exchange(gr_tree_sum *sum)
{
    gr_forest *forest = &sum->forest;

    for (uint64_t s = 0; s < forest->starts[forest->trees]; s++)
        if (forest->splits[s].threshold == -INFINITY) {
            const int32_t left = forest->splits[s].left;

            forest->splits[s].left = forest->splits[s].right;
            forest->splits[s].right = left;
        }
}

static gradus_status put_trees(gr_buffer *out, const gr_tree_sum *sum, gradus_error *err)
{
    gr_flat_tree tree = { .count = 0 };
    gradus_status status = GRADUS_OK;
    size_t leaves = 0;

    for (size_t t = 0; t < sum->forest.trees; t++) {
        const size_t own = (size_t)(sum->forest.starts[t + 1] - sum->forest.starts[t]) + 1;

        leaves = own > leaves ? own : leaves;
    }
    gr_buffer_format(out,
                     "## LambdaMART\n## No. of trees = %zu\n## No. of leaves = %zu\n"
                     "## No. of threshold candidates = -1\n## Learning rate = 1.0\n"
                     "## Stop early = -1\n\n<ensemble>\n",
                     sum->forest.trees, leaves);
    for (size_t t = 0; t < sum->forest.trees && status == GRADUS_OK; t++) {
        status = gr_flatten(sum, t, &tree, err);
        gr_buffer_format(out, "\t<tree id=\"%zu\" weight=\"1.0\">\n", t + 1);
        if (status == GRADUS_OK)
            put_tree(out, &tree);
        gr_buffer_text(out, "\t</tree>\n");
    }
    gr_buffer_text(out, "</ensemble>\n");
    gr_flat_tree_free(&tree);
    return status;
}

static gradus_status write_trees(const gradus_model *model, gr_buffer *out, gradus_error *err)
{
    gr_tree_sum sum;
    gradus_status status = gr_tree_sum_build(model, "ranklib", &sum, err);

    if (status == GRADUS_OK)
        status = gr_tree_sum_fold_base(&sum, model, true, err);
    if (status == GRADUS_OK) {
        exchange(&sum);
        status = put_trees(out, &sum, err);
    }
    gr_tree_sum_free(&sum);
    return status;
}

/* The transform moves into the weights. */
static void put_weights(gr_buffer *out, const gr_linear_sum *sum)
{
    const gr_fitted_transform *fitted = sum->transform;
    double intercept = sum->intercept;

    for (size_t f = 0; fitted && f < sum->features; f++)
        if (fitted->unit[f] != 0.0)
            intercept -= sum->coefficients[f] * fitted->shift[f] / fitted->unit[f];
    gr_buffer_text(out, "## Linear Regression\n## Lambda = 1.0E-10\n0:");
    gr_buffer_double(out, intercept);
    for (size_t f = 0; f < sum->features; f++) {
        const double unit = fitted ? fitted->unit[f] : 1.0;

        if (sum->coefficients[f] == 0.0 || unit == 0.0)
            continue;
        gr_buffer_format(out, " %zu:", f + 1);
        gr_buffer_double(out, sum->coefficients[f] / unit);
    }
    gr_buffer_text(out, "\n");
}

static gradus_status write_linear(const gradus_model *model, gr_buffer *out, gradus_error *err)
{
    gr_linear_sum sum;
    const gradus_status status = gr_linear_sum_build(model, "ranklib", &sum, err);

    if (status == GRADUS_OK)
        put_weights(out, &sum);
    gr_linear_sum_free(&sum);
    return status;
}

static gradus_status write_ranklib(const gradus_model *model, const gr_export_options *options,
                                   gr_buffer *out, gradus_error *err)
{
    const bool linear = gr_model_linear(model) && !gr_model_forest(model);

    (void)options;
    GR_TRY(linear ? write_linear(model, out, err) : write_trees(model, out, err));
    return gr_buffer_done(out, err);
}

const gr_format gr_format_ranklib = {
    .about = { .name = "ranklib",
               .summary = "a model of RankLib: an ensemble of trees, or a linear model",
               .details =
                   "Holds sums of trees: one output, sums of outputs, weighted sums of such "
                   "models. Transforms by minmax and standardise move into the thresholds. "
                   "Linear models become RankLib's Linear Regression, with an intercept; values "
                   "so huge that a transform overflows are missing in gradus, but not in "
                   "RankLib. Features are numbered from 1 in the order of the model: in "
                   "Elasticsearch LTR, feature 1 is the first of the feature set. RankLib adds "
                   "floats, so that scores differ by float rounding. It has no missing values: a "
                   "feature that a document does not have is 0 there. The base score is a tree "
                   "of one leaf." },
    .used_by = "RankLib, Elasticsearch LTR, OpenSearch LTR, QuickRank",
    .extension = "xml",
    .methods = GR_TREE_SUM_METHODS " " GR_LINEAR_SUM_METHODS,
    .tolerance = 1e-5,
    .check =
        "awk -F, '/^#/ { next } !head { head = split($0, id); next } { printf \"0 qid:1\"\n"
        "  for (i = 2; i <= NF; i++) printf \" %d:%s\", id[i] + 1, $i\n"
        "  print \"\" }' PARITY > rows.txt\n"
        "java -jar RankLib.jar -load MODEL -rank rows.txt -score scores.txt # query, row, score\n"
        "grep -v '^[#s]' PARITY | cut -d, -f1 | paste - scores.txt |\n"
        "  awk '{ d = $1 - $4; s = $1 < 0 ? -$1 : $1; d = (d < 0 ? -d : d) / (s > 1 ? s : 1)\n"
        "      if (d > gap) gap = d }\n"
        "    END { good = NR > 0 && gap <= TOLERANCE\n"
        "      print \"largest difference:\", gap + 0, good ? \"ok\" : \"WRONG\"; exit !good }'",
    .no_missing = true,
    .largest = 1e18F, /* a linear model overflows the floats of the consumer beyond */
    .write = write_ranklib,
};
