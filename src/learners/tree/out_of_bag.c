/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the leaves of the rows outside the sample (out-of-bag rows) in a finished tree. Small trees
 * use a kernel that compares a row with all nodes at once (kernels/leaf_lookup.h). Otherwise chunks
 * of rows are partitioned from the root down to the leaves while their bins stay in the cache. */
#include "learners/tree/grow.h"

#include "base/bisect.h"
#include "base/ranges.h"
#include "kernels/leaf_lookup.h"

#include <string.h>

enum { CHUNK = GR_PARTITION_CHUNK };

typedef struct job {
    const gr_grower *grower;
    const gr_place_tree *tree; /* NULL: partition chunks of rows */
} job;

typedef struct scratch {
    uint32_t left[CHUNK], right[CHUNK];
} scratch;

/* Partitions rows down to the leaves below a node. Recurses into the smaller side only and loops
 * over the larger one, so that the recursion depth is at most log2(count). */
static void go_down(const gr_grower *grower, scratch *s, size_t number, uint32_t *rows,
                    uint32_t *leaves, size_t count)
{
    const gr_branch *node = &grower->nodes[number];

    for (; count > 0 && node->left; node = &grower->nodes[number]) {
        const size_t lefts =
            gr_part_rows(&grower->routes[node->split], rows, count, s->left, s->right);
        const size_t rights = count - lefts;

        memcpy(rows, s->left, lefts * sizeof *rows);
        memcpy(rows + lefts, s->right, rights * sizeof *rows);
        if (lefts < rights) {
            go_down(grower, s, (size_t)node->left, rows, leaves, lefts);
            number = (size_t)node->right;
            rows += lefts;
            leaves += lefts;
            count = rights;
        } else {
            go_down(grower, s, (size_t)node->right, rows + lefts, leaves + lefts, rights);
            number = (size_t)node->left;
            count = lefts;
        }
    }
    for (size_t i = 0; i < count; i++)
        leaves[i] = node->split;
}

/* The number of sampled rows with a smaller row number. */
static size_t sampled_below(const gr_round *round, uint32_t row)
{
    return GR_BISECT(0, round->count, i, round->rows[i] < row);
}

static void place_chunk(void *argument, gr_range range)
{
    const job *j = argument;
    const gr_grower *grower = j->grower;
    const gr_round *round = &grower->round;
    const uint32_t first = (uint32_t)range.first, end = (uint32_t)range.end;
    size_t at = sampled_below(round, first), count = 0;
    uint32_t *rows = (uint32_t *)grower->rows.at + round->count + (first - at);
    uint32_t *leaves = (uint32_t *)grower->spare.at + (first - at);
    scratch s;

    for (uint32_t r = first; r < end; r++) {
        if (at < round->count && round->rows[at] == r)
            at++;
        else
            rows[count++] = r;
    }
    if (j->tree)
        gr_leaf_lookup_here()->find(j->tree, rows, count, leaves);
    else
        go_down(grower, &s, 0, rows, leaves, count);
}

/* The index of a block's group among the groups that the tree reads; adds the group if it is new.
 * GR_PLACE_GROUPS if there are too many. */
static size_t group_place(gr_place_tree *tree, const gr_bins *bins, size_t block)
{
    const uint8_t *words =
        (const uint8_t *)gr_block_words(bins, bins->group[bins->group_of[block]].first);
    size_t g = 0;

    while (g < tree->groups && tree->group[g].bins != words)
        g++;
    if (g == tree->groups && g < GR_PLACE_GROUPS)
        tree->group[tree->groups++] =
            (gr_place_group){ words, gr_block_stride(bins, block) * sizeof(uint64_t) };
    return g;
}

/* Translates the condition of a node; false if the kernel does not support it. */
static bool put_node(gr_place_tree *tree, const gr_bins *bins, const gr_branch *node, size_t at)
{
    const gr_route route =
        gr_route_for(bins, node->feature, node->best.bin, node->best.missing_left);
    const uint32_t column = bins->place[node->feature];
    const size_t block = column / 8;
    size_t place;

    if (!route.words || bins->width != 8)
        return false;
    place = group_place(tree, bins, block);
    if (place == GR_PLACE_GROUPS)
        return false;
    tree->bin[at] = (uint8_t)(place * GR_PLACE_BYTES +
                              (block - bins->group[bins->group_of[block]].first) * 8 + column % 8);
    tree->most[at] = (uint8_t)route.bin;
    tree->equal[at] = (uint8_t)(route.missing == UINT32_MAX ? route.bin : route.missing);
    return true;
}

/* Converts the tree for the kernel; false if the kernel does not support the tree or the CPU does
 * not support the kernel. */
static bool make_tree(const gr_grower *grower, gr_place_tree *tree)
{
    uint8_t places[GR_MAP_NAMES], next = 0;

    *tree = (gr_place_tree){ .depth = 0 };
    if (!gr_leaf_lookup_is_fast() || grower->node_count < 3 || grower->node_count >= GR_MAP_NAMES)
        return false;
    for (size_t i = 0; i < grower->node_count; i++)
        places[i] = grower->nodes[i].left ? next++ : 0;
    for (size_t i = 0; i < grower->node_count; i++) {
        const gr_branch *node = &grower->nodes[i];
        const size_t at = places[i], children[2] = { (size_t)node->left, (size_t)node->right };

        if (!node->left)
            continue;
        if (!put_node(tree, grower->bins, node, at))
            return false;
        tree->depth = node->depth + 1 > tree->depth ? node->depth + 1 : tree->depth;
        for (size_t side = 0; side < 2; side++) {
            const gr_branch *child = &grower->nodes[children[side]];
            const size_t name = side * GR_RIGHT_LEAF + at;

            (side ? tree->right : tree->left)[at] =
                child->left ? places[children[side]] : (uint8_t)name;
            tree->leaf[name] = child->split;
        }
    }
    return true;
}

static void make_routes(gr_grower *grower)
{
    for (size_t i = 0; i < grower->node_count; i++) {
        const gr_branch *node = &grower->nodes[i];

        if (!node->left)
            continue;
        gr_route *route = &grower->routes[node->split];
        *route = gr_route_for(grower->bins, node->feature, node->best.bin, node->best.missing_left);
        route->column = gr_column_kept(&grower->columns, grower->bins, node->feature);
    }
}

void gr_place_out_of_bag(gr_grower *grower)
{
    gr_place_tree tree;
    job j = { grower, NULL };

    if (!grower->round.rows)
        return;
    if (make_tree(grower, &tree))
        j.tree = &tree;
    else
        make_routes(grower);
    gr_for_ranges(grower->pool, grower->bins->rows, CHUNK, place_chunk, &j);
}
