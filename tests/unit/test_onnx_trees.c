/* SPDX-License-Identifier: Apache-2.0 */
/* Tree operators of ONNX: their attributes, decoded and walked as the specification of the
 * operators says, lead every row to the leaf of the forest. */
#include "onnx_decode.h"
#include "random_forest.h"

#include "exchange/onnx_trees.h"

#include <stdlib.h>
#include <string.h>

/* Attributes of TreeEnsemble; those up to E_NODE have one item per node. */
enum {
    E_FEATURES,
    E_SPLITS,
    E_MODES,
    E_YES,
    E_YES_LEAF,
    E_NO,
    E_NO_LEAF,
    E_MISSING,
    E_NODE = E_MISSING,
    E_ROOTS,
    E_WEIGHTS,
    E_TARGETS,
    E_COUNT,
    ENSEMBLE
};
static const char *const ensemble_names[ENSEMBLE] = {
    "nodes_featureids", "nodes_splits",       "nodes_modes",      "nodes_truenodeids",
    "nodes_trueleafs",  "nodes_falsenodeids", "nodes_falseleafs", "nodes_missing_value_tracks_true",
    "tree_roots",       "leaf_weights",       "leaf_targetids",   "n_targets",
};

/* Adds the weights of a row's leaves to the targets. */
static void walk_ensemble(const attribute *a, const float *row, double *targets)
{
    for (size_t t = 0; t < a[E_ROOTS].count; t++) {
        size_t node = (size_t)a[E_ROOTS].ints[t];

        for (bool leaf = false; !leaf;) {
            assert_true(node < a[E_SPLITS].count);
            double value = (double)row[a[E_FEATURES].ints[node]];
            bool yes =
                isnan(value) ? a[E_MISSING].ints[node] == 1 : value < a[E_SPLITS].numbers[node];

            leaf = a[yes ? E_YES_LEAF : E_NO_LEAF].ints[node] == 1;
            node = (size_t)a[yes ? E_YES : E_NO].ints[node];
        }
        assert_true(node < a[E_WEIGHTS].count);
        targets[a[E_TARGETS].ints[node]] += a[E_WEIGHTS].numbers[node];
    }
}

static void check_lengths(const attribute *a, size_t count, size_t last)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(a[i].type != 0);
        if (i <= last)
            assert_int_equal(a[i].count, a[0].count);
    }
}

enum {
    R_TREES,
    R_NODES,
    R_FEATURES,
    R_VALUES,
    R_MODES,
    R_YES,
    R_NO,
    R_MISSING,
    R_NODE = R_MISSING,
    R_TARGET_TREES,
    R_TARGET_NODES,
    R_TARGETS,
    R_WEIGHTS,
    R_COUNT,
    REGRESSOR
};
static const char *const regressor_names[REGRESSOR] = {
    "nodes_treeids",  "nodes_nodeids",     "nodes_featureids",   "nodes_values",
    "nodes_modes",    "nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true",
    "target_treeids", "target_nodeids",    "target_ids",         "target_weights",
    "n_targets",
};

static size_t find_pair(const int64_t *trees, const int64_t *nodes, size_t count, int64_t tree,
                        int64_t node)
{
    for (size_t i = 0; i < count; i++)
        if (trees[i] == tree && nodes[i] == node)
            return i;
    fail();
    return 0;
}

static void walk_regressor(const attribute *a, const float *row, double *targets)
{
    for (size_t at = 0; at < a[R_NODES].count; at++) {
        int64_t tree = a[R_TREES].ints[at], node = 0;
        size_t i = at;

        if (a[R_NODES].ints[at] != 0)
            continue;
        while (field_is(a[R_MODES].strings + i, "BRANCH_LT")) {
            double value = (double)row[a[R_FEATURES].ints[i]];
            bool yes = isnan(value) ? a[R_MISSING].ints[i] == 1 : value < a[R_VALUES].numbers[i];

            node = a[yes ? R_YES : R_NO].ints[i];
            i = find_pair(a[R_TREES].ints, a[R_NODES].ints, a[R_NODES].count, tree, node);
        }
        assert_true(field_is(a[R_MODES].strings + i, "LEAF"));
        i = find_pair(a[R_TARGET_TREES].ints, a[R_TARGET_NODES].ints, a[R_TARGETS].count, tree,
                      node);
        targets[a[R_TARGETS].ints[i]] += a[R_WEIGHTS].numbers[i];
    }
}

typedef struct tree_case {
    forest_plan plan;
    uint64_t opset_ml;
    gr_onnx_targets targets;
    size_t first, end;
} tree_case;

static void check_targets(const tree_case *c, const gr_forest *forest, const float *row,
                          const double *found)
{
    for (size_t t = c->first; t < c->end; t++) {
        uint32_t leaf = gr_forest_leaf(forest, t, row);
        float value = forest->leaves[forest->starts[t] + t + leaf];

        assert_true(found[t - c->first] ==
                    (c->targets == GR_ONNX_LEAVES ? (double)leaf : (double)value));
    }
}

static void check_trees(const tree_case *c, const gr_forest *forest, const float *rows,
                        size_t count)
{
    bool is_ensemble = c->opset_ml == 5;
    size_t attributes = is_ensemble ? ENSEMBLE : REGRESSOR, trees = c->end - c->first;
    gr_onnx_trees part = { forest, c->first, c->end, c->targets, c->opset_ml };
    double *found = gr_new_array(trees, sizeof *found);
    attribute a[REGRESSOR];
    gr_buffer out = { 0 };
    field node, item;
    message from;

    assert_int_equal(gr_onnx_trees_write(&out, &part, "x", "y", NULL), GRADUS_OK);
    node = get_field(whole(&out), 1);
    from = inside(&node);
    assert_int_equal(node.bytes + node.value - (const uint8_t *)out.bytes.at, out.used);
    item = get_field(from, 4);
    assert_true(field_is(&item, is_ensemble ? "TreeEnsemble" : "TreeEnsembleRegressor"));
    item = get_field(from, 7);
    assert_true(field_is(&item, "ai.onnx.ml"));
    for (size_t i = 0; i < attributes; i++)
        a[i] = read_attribute(from, (is_ensemble ? ensemble_names : regressor_names)[i]);
    check_lengths(a, attributes, is_ensemble ? E_NODE : R_NODE);
    assert_int_equal(a[is_ensemble ? E_COUNT : R_COUNT].ints[0], trees);
    for (size_t i = 0; is_ensemble && i < a[E_MODES].count; i++)
        assert_true(a[E_MODES].numbers[i] == 1.0); /* less than */
    /* ONNX Runtime may take a root whose branches have the same number for a leaf. */
    for (size_t t = 0; is_ensemble && t < trees; t++)
        assert_true(a[E_YES].ints[a[E_ROOTS].ints[t]] != a[E_NO].ints[a[E_ROOTS].ints[t]]);
    for (size_t r = 0; r < count; r++) {
        memset(found, 0, trees * sizeof *found);
        (is_ensemble ? walk_ensemble : walk_regressor)(a, rows + r * forest->features, found);
        check_targets(c, forest, rows + r * forest->features, found);
    }
    free_attributes(a, attributes);
    free(found);
    gr_buffer_free(&out);
}

static void test_trees(void **state)
{
    static const tree_case cases[] = {
        { { 5, 1, 30, 12, false, 0, SHAPE_RANDOM }, 5, GR_ONNX_VALUES, 0, 30 },
        { { 5, 1, 30, 12, false, 0, SHAPE_RANDOM }, 5, GR_ONNX_LEAVES, 0, 30 },
        { { 5, 3, 10, 40, false, 20, SHAPE_CHAIN }, 5, GR_ONNX_VALUES, 6, 21 },
        { { 200, 1, 4, 300, true, 0, SHAPE_LEVELS }, 5, GR_ONNX_LEAVES, 1, 4 },
        { { 5, 1, 3, 1, true, 0, SHAPE_RANDOM }, 5, GR_ONNX_VALUES, 0, 3 },
        { { 5, 1, 300, 5, false, 0, SHAPE_CHAIN }, 5, GR_ONNX_VALUES, 0, 300 },
        { { 5, 1, 20, 12, false, 0, SHAPE_RANDOM }, 3, GR_ONNX_VALUES, 0, 20 },
        { { 5, 2, 10, 12, false, 0, SHAPE_CHAIN }, 3, GR_ONNX_LEAVES, 4, 18 },
        { { 5, 1, 3, 1, true, 0, SHAPE_RANDOM }, 3, GR_ONNX_VALUES, 0, 3 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gr_rng rng = gr_rng_for(11, "onnx", i);
        gr_forest forest;
        float *rows;

        random_forest(&rng, &cases[i].plan, &forest);
        rows = random_rows(&rng, &cases[i].plan, &forest, 60, forest.features);
        check_trees(&cases[i], &forest, rows, 60);
        free(rows);
        gr_forest_free(&forest);
    }
}

/* The most leaves that a float can number, and one more. */
static void test_refusal(void **state)
{
    uint64_t starts[2] = { 0, ((uint64_t)1 << 24) + 1 };
    gr_forest huge = { .features = 1, .outputs = 1, .trees = 1, .starts = starts };
    gr_onnx_trees trees = { &huge, 0, 1, GR_ONNX_LEAVES, 3 };
    gr_buffer out = { 0 };
    gradus_error err;

    (void)state;
    assert_int_equal(gr_onnx_trees_write(&out, &trees, "x", "y", &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "tree 1 has more than 16777216 leaves, which 'opset-ml' 3 "
                                     "cannot number; use 5");
    assert_int_equal(out.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_refusal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
