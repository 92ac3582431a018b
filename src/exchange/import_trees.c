/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the nodes of trees to import and stores them as a forest. */
#include "exchange/import_trees.h"

#include <float.h>
#include <stdlib.h>

/* Covers that are not counts are scaled to this sum. Shapley values depend on their ratios only. */
static const double scaled_cover = 1e9;

float gr_float_above(double number)
{
    const float nearest = (float)number;

    return (double)nearest <= number ? nextafterf(nearest, INFINITY) : nearest;
}

gradus_status gr_import_trees_start(gr_import_trees *trees, const gr_import_file *file,
                                    size_t features, size_t outputs, const double *bases,
                                    gradus_error *err)
{
    const double zero = 0.0;

    *trees = (gr_import_trees){ .file = file, .features = features, .outputs = outputs };
    if (features > GR_IMPORT_FEATURES)
        return gr_import_fail(file, 0, err, GRADUS_BAD_ARGUMENT,
                              "the model has %zu features; at most %d are supported", features,
                              GR_IMPORT_FEATURES);
    trees->bases = gr_new_array(outputs, sizeof *trees->bases);
    trees->trees_of = gr_new_array(outputs, sizeof *trees->trees_of);
    if (!trees->bases || !trees->trees_of)
        return gr_fail_memory(err, "trees");
    for (size_t k = 0; k < outputs; k++)
        trees->bases[k] = bases[k];
    return gr_forest_start(&trees->flat, features, 1, &zero, err);
}

void gr_import_trees_free(gr_import_trees *trees)
{
    gr_array *const arrays[] = { &trees->tree_outputs, &trees->queue,  &trees->places,
                                 &trees->splits,       &trees->values, &trees->covers };

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gr_array_free(arrays[i]);
    gr_forest_free(&trees->flat);
    free(trees->bases);
    free(trees->trees_of);
}

/* Visits the nodes from the root and numbers splits and leaves in that order: places[node] is a
 * split, or ~leaf. Returns the number of splits. */
static gradus_status number_nodes(gr_import_trees *trees, const gr_import_node *nodes, size_t count,
                                  size_t at, size_t *splits, gradus_error *err)
{
    const int32_t unseen = INT32_MIN;
    size_t waiting = 1, leaves = 0;

    if (count == 0 || count > INT32_MAX)
        return gr_import_fail(trees->file, at, err, GRADUS_BAD_FORMAT,
                              "a tree has %zu nodes; allowed are 1 to %d", count, INT32_MAX);
    if (!gr_array_reserve(&trees->queue, count * sizeof(int32_t)) ||
        !gr_array_reserve(&trees->places, count * sizeof(int32_t)))
        return gr_fail_memory(err, "trees");
    int32_t *queue = trees->queue.at, *places = trees->places.at;

    for (size_t i = 0; i < count; i++)
        places[i] = unseen;
    *splits = 0;
    queue[0] = 0;
    places[0] = 0;
    for (size_t next = 0; next < waiting; next++) {
        const int32_t node = queue[next];
        const int32_t children[2] = { nodes[node].left, nodes[node].right };

        if (children[0] < 0) {
            places[node] = ~(int32_t)leaves++;
            continue;
        }
        places[node] = (int32_t)(*splits)++;
        for (int side = 0; side < 2; side++) {
            const int32_t child = children[side];

            if (child < 0 || (size_t)child >= count)
                return gr_import_fail(trees->file, at, err, GRADUS_BAD_FORMAT,
                                      "node %d: its child %d does not exist", node, child);
            if (child == 0)
                return gr_import_fail(trees->file, at, err, GRADUS_BAD_FORMAT,
                                      "node %d: its child 0 is the root: a cycle", node);
            if (places[child] != unseen)
                return gr_import_fail(trees->file, at, err, GRADUS_BAD_FORMAT,
                                      "node %d: its child %d has another parent", node, child);
            places[child] = 0;
            queue[waiting++] = child;
        }
    }
    return GRADUS_OK;
}

static gradus_status put_splits(gr_import_trees *trees, const gr_import_node *nodes, size_t visited,
                                size_t at, gradus_error *err)
{
    const int32_t *queue = trees->queue.at, *places = trees->places.at;
    gr_split *splits = trees->splits.at;

    for (size_t i = 0; i < visited; i++) {
        const gr_import_node *node = &nodes[queue[i]];

        if (node->left < 0)
            continue;
        if (node->feature >= trees->features)
            return gr_import_fail(trees->file, at, err, GRADUS_BAD_FORMAT,
                                  "node %d: feature %u is out of range (%zu features)", queue[i],
                                  node->feature, trees->features);
        if (isnan(node->threshold))
            return gr_import_fail(trees->file, at, err, GRADUS_BAD_FORMAT,
                                  "node %d: the threshold is NaN", queue[i]);
        splits[places[queue[i]]] = (gr_split){
            .feature = node->feature,
            .threshold = node->threshold,
            .left = places[node->left],
            .right = places[node->right],
            .gain = node->gain > 0.0f ? fminf(node->gain, FLT_MAX) : 0.0f,
            .missing_left = node->missing_left,
        };
    }
    return GRADUS_OK;
}

/* Range of the leaf values, and whether all are floats. */
static gradus_status see_values(const gr_import_trees *trees, const gr_import_node *nodes,
                                size_t visited, size_t at, double *middle, bool *exact,
                                gradus_error *err)
{
    const int32_t *queue = trees->queue.at;
    double least = INFINITY, most = -INFINITY;

    *exact = true;
    for (size_t i = 0; i < visited; i++) {
        const gr_import_node *node = &nodes[queue[i]];

        if (node->left >= 0)
            continue;
        if (!(fabs(node->value) <= (double)FLT_MAX / 2))
            return gr_import_fail(trees->file, at, err, GRADUS_BAD_FORMAT,
                                  "node %d: the value of the leaf is not finite or too large",
                                  queue[i]);
        *exact = *exact && (double)(float)node->value == node->value;
        least = fmin(least, node->value);
        most = fmax(most, node->value);
    }
    *middle = least + (most - least) / 2;
    return GRADUS_OK;
}

/* Counts as they are; other measures scaled to a common sum; 0 if they cannot be used. */
static void put_covers(gr_import_trees *trees, const gr_import_node *nodes, size_t visited)
{
    const int32_t *queue = trees->queue.at, *places = trees->places.at;
    uint32_t *covers = trees->covers.at;
    bool counts = true, valid = true;
    double sum = 0.0;

    for (size_t i = 0; i < visited; i++) {
        const gr_import_node *node = &nodes[queue[i]];

        if (node->left >= 0)
            continue;
        counts = counts && node->cover <= (double)UINT32_MAX && trunc(node->cover) == node->cover;
        valid = valid && node->cover >= 0.0;
        sum += node->cover;
    }
    valid = valid && sum > 0.0 && isfinite(sum);
    for (size_t i = 0; i < visited; i++) {
        const gr_import_node *node = &nodes[queue[i]];
        const double scaled = counts ? node->cover : node->cover / sum * scaled_cover;

        if (node->left < 0)
            covers[~places[queue[i]]] =
                !valid || node->cover == 0.0 ? 0 : (uint32_t)fmax(1.0, nearbyint(scaled));
    }
}

static gradus_status put_tree(gr_import_trees *trees, const gr_import_node *nodes, size_t splits,
                              size_t output, size_t at, gradus_error *err)
{
    const size_t visited = 2 * splits + 1;
    const int32_t *queue = trees->queue.at, *places = trees->places.at;
    double middle = 0.0;
    bool exact = true;

    if (!gr_array_reserve(&trees->splits, (splits + 1) * sizeof(gr_split)) ||
        !gr_array_reserve(&trees->values, (splits + 1) * sizeof(float)) ||
        !gr_array_reserve(&trees->covers, (splits + 1) * sizeof(uint32_t)) ||
        !gr_array_reserve(&trees->tree_outputs, (trees->flat.trees + 1) * sizeof output))
        return gr_fail_memory(err, "trees");
    float *values = trees->values.at;

    GR_TRY(put_splits(trees, nodes, visited, at, err));
    GR_TRY(see_values(trees, nodes, visited, at, &middle, &exact, err));
    if (trees->trees_of[output] == 0 && (splits == 0 || !exact))
        trees->bases[output] += middle;
    else
        middle = 0.0;
    if (splits == 0 && trees->trees_of[output] == 0)
        return GRADUS_OK;
    for (size_t i = 0; i < visited; i++)
        if (nodes[queue[i]].left < 0)
            values[~places[queue[i]]] = (float)(nodes[queue[i]].value - middle);
    put_covers(trees, nodes, visited);
    GR_TRY(
        gr_forest_add(&trees->flat, trees->splits.at, splits + 1, values, trees->covers.at, err));
    ((size_t *)trees->tree_outputs.at)[trees->flat.trees - 1] = output;
    trees->trees_of[output]++;
    return GRADUS_OK;
}

gradus_status gr_import_tree(gr_import_trees *trees, const gr_import_node *nodes, size_t count,
                             size_t output, size_t at, gradus_error *err)
{
    size_t splits = 0;

    GR_TRY(number_nodes(trees, nodes, count, at, &splits, err));
    return put_tree(trees, nodes, splits, output, at, err);
}

/* The trees of each output in turn: starts[k] to starts[k + 1] - 1 of *sorted. */
static gradus_status sort_trees(const gr_import_trees *trees, size_t **sorted, size_t **starts)
{
    const size_t *outputs = trees->tree_outputs.at;

    *sorted = gr_new_array(trees->flat.trees, sizeof **sorted);
    *starts = gr_new_array(trees->outputs + 1, sizeof **starts);
    if (!*sorted || !*starts)
        return GRADUS_NO_MEMORY;
    for (size_t k = 0; k < trees->outputs; k++)
        (*starts)[k + 1] = (*starts)[k] + trees->trees_of[k];
    for (size_t t = 0; t < trees->flat.trees; t++)
        (*sorted)[(*starts)[outputs[t]]++] = t;
    for (size_t k = trees->outputs; k > 0; k--)
        (*starts)[k] = (*starts)[k - 1];
    (*starts)[0] = 0;
    return GRADUS_OK;
}

static gradus_status add_rounds(const gr_import_trees *trees, const size_t *sorted,
                                const size_t *starts, gr_forest *forest, gradus_error *err)
{
    const gr_forest *flat = &trees->flat;
    const uint32_t no_cover = 0;
    const float zero = 0.0f;
    size_t rounds = 1;

    for (size_t k = 0; k < trees->outputs; k++)
        rounds = trees->trees_of[k] > rounds ? trees->trees_of[k] : rounds;
    for (size_t r = 0; r < rounds; r++)
        for (size_t k = 0; k < trees->outputs; k++) {
            if (r >= trees->trees_of[k]) {
                GR_TRY(gr_forest_add(forest, NULL, 1, &zero, &no_cover, err));
                continue;
            }
            const size_t t = sorted[starts[k] + r], first = (size_t)flat->starts[t];

            GR_TRY(gr_forest_add(forest, flat->splits + first,
                                 (size_t)flat->starts[t + 1] - first + 1, flat->leaves + first + t,
                                 flat->covers + first + t, err));
        }
    return GRADUS_OK;
}

gradus_status gr_import_trees_finish(gr_import_trees *trees, gr_forest *forest, gradus_error *err)
{
    size_t *sorted = NULL, *starts = NULL;
    gradus_status status;

    *forest = (gr_forest){ 0 };
    for (size_t k = 0; k < trees->outputs; k++)
        if (!isfinite(trees->bases[k]))
            return gr_import_fail(trees->file, 0, err, GRADUS_BAD_FORMAT,
                                  "the base score is not finite");
    if (trees->outputs == 1 && trees->flat.trees > 0) {
        *forest = trees->flat;
        forest->bases[0] = trees->bases[0];
        trees->flat = (gr_forest){ 0 };
        return GRADUS_OK;
    }
    status = sort_trees(trees, &sorted, &starts);
    if (status != GRADUS_OK)
        gr_fail_memory(err, "trees");
    else
        status = gr_forest_start(forest, trees->features, trees->outputs, trees->bases, err);
    if (status == GRADUS_OK)
        status = add_rounds(trees, sorted, starts, forest, err);
    if (status != GRADUS_OK)
        gr_forest_free(forest);
    free(sorted);
    free(starts);
    return status;
}
