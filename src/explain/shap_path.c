/* SPDX-License-Identifier: Apache-2.0 */
/* Path-dependent TreeSHAP: lays out trees for kernels/shap_tree.h, sums its terms over points. */
#include "explain/shap_path.h"

#include "base/memory.h"
#include "kernels/shap_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Trees of one output with the same number of points. */
typedef struct group {
    size_t output, points, first, end; /* trees */
    double *weights;                   /* Gauss's weights divided by 1 - t */
} group;

struct gr_shap_forest {
    gr_arena arena;
    size_t outputs, used, trees, groups;
    uint32_t *features; /* used */
    double *bases;
    gr_shap_tree *tree; /* by group */
    group *group;
    size_t max_splits, max_points;
};

/* Points t in (0, 1) and weights of Gauss's rule: the roots of Legendre's polynomial, by Newton's
 * method. */
static void gauss_rule(size_t count, double *points, double *weights)
{
    const double n = (double)count;

    for (size_t i = 0; i < count; i++) {
        double x = cos(M_PI * ((double)i + 0.75) / (n + 0.5)), slope = 1.0;

        for (int step = 0; step < 50; step++) {
            double before = 0.0, value = 1.0;

            for (size_t k = 1; k <= count; k++) {
                const double next =
                    ((2.0 * (double)k - 1.0) * x * value - ((double)k - 1.0) * before) / (double)k;

                before = value;
                value = next;
            }
            slope = n * (x * value - before) / (x * x - 1.0);
            x -= value / slope;
            if (fabs(value / slope) < 1e-16)
                break;
        }
        points[i] = 0.5 * (1.0 + x);
        weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

/* One tree while it is laid out; arrays have one item per split, in the new order. */
typedef struct plan {
    const gr_split *splits;
    const uint32_t *covers;
    size_t count;
    uint32_t *order, *place; /* the split at a position, and the position of a split */
    size_t inner, beside;    /* splits above splits, which are first, and their leaves */
    uint32_t *leaf;          /* the position of a leaf: those of the inner splits are first */
    uint32_t *queue, *queue_parent; /* by breadth; parents by position there */
    uint8_t *queue_side;
    uint32_t *parent; /* position; of the root: count */
    uint32_t *above;  /* position of the nearest ancestor on the same feature, or count */
    uint8_t *side, *above_side;
    uint32_t *distinct; /* features on the path to here, including the split's */
    double *rows;       /* training rows */
    double *fraction;   /* cumulative, of the branch of `above` */
    double *mean;       /* of the leaves, by rows */
} plan;

static bool plan_start(plan *p, gr_arena *arena, size_t most)
{
    p->order = gr_arena_array(arena, most + 1, sizeof *p->order);
    p->place = gr_arena_array(arena, most + 1, sizeof *p->place);
    p->leaf = gr_arena_array(arena, most + 1, sizeof *p->leaf);
    p->queue = gr_arena_array(arena, most + 1, sizeof *p->queue);
    p->queue_parent = gr_arena_array(arena, most + 1, sizeof *p->queue_parent);
    p->queue_side = gr_arena_array(arena, most + 1, sizeof *p->queue_side);
    p->parent = gr_arena_array(arena, most + 1, sizeof *p->parent);
    p->above = gr_arena_array(arena, most + 1, sizeof *p->above);
    p->side = gr_arena_array(arena, most + 1, sizeof *p->side);
    p->above_side = gr_arena_array(arena, most + 1, sizeof *p->above_side);
    p->distinct = gr_arena_array(arena, most + 1, sizeof *p->distinct);
    p->rows = gr_arena_array(arena, most + 1, sizeof *p->rows);
    p->fraction = gr_arena_array(arena, most + 1, sizeof *p->fraction);
    p->mean = gr_arena_array(arena, most + 1, sizeof *p->mean);
    return !arena->failed;
}

/* Lists the splits by breadth. */
static void queue_splits(plan *p)
{
    size_t found = p->count > 0 ? 1 : 0;

    p->queue[0] = 0;
    p->queue_parent[0] = 0;
    for (size_t i = 0; i < found; i++) {
        const gr_split *split = &p->splits[p->queue[i]];
        const int32_t children[2] = { split->left, split->right };

        for (unsigned s = 0; s < 2; s++)
            if (children[s] >= 0) {
                p->queue[found] = (uint32_t)children[s];
                p->queue_parent[found] = (uint32_t)i;
                p->queue_side[found++] = (uint8_t)s;
            }
    }
}

static bool has_two_leaves(const gr_split *split)
{
    return split->left < 0 && split->right < 0;
}

/* Orders the splits: parents first, those with two leaves last; and the leaves: those of the others
 * first. */
static void plan_order(plan *p)
{
    size_t found = 0, leaves = 0;

    queue_splits(p);
    for (unsigned last = 0; last < 2; last++) {
        for (size_t i = 0; i < p->count; i++) {
            const gr_split *split = &p->splits[p->queue[i]];
            const int32_t children[2] = { split->left, split->right };

            if (has_two_leaves(split) != (last == 1))
                continue;
            p->order[found] = p->queue[i];
            p->parent[found] = i > 0 ? p->place[p->queue[p->queue_parent[i]]] : (uint32_t)p->count;
            p->side[found] = p->queue_side[i];
            p->place[p->queue[i]] = (uint32_t)found++;
            for (unsigned s = 0; s < 2; s++)
                if (children[s] < 0)
                    p->leaf[-1 - children[s]] = (uint32_t)leaves++;
        }
        if (last == 0) {
            p->inner = found;
            p->beside = leaves;
        }
    }
    if (p->count == 0)
        p->leaf[0] = 0;
}

static void plan_ancestors(plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const uint32_t feature = p->splits[p->order[i]].feature;
        size_t from = i, up = p->parent[i];

        while (up < p->count && p->splits[p->order[up]].feature != feature) {
            from = up;
            up = p->parent[up];
        }
        p->above[i] = (uint32_t)up;
        p->above_side[i] = up < p->count ? p->side[from] : 0;
        p->distinct[i] = (i > 0 ? p->distinct[p->parent[i]] : 0) + (up == p->count);
    }
}

static double child_rows(const plan *p, int32_t child)
{
    return child >= 0 ? p->rows[p->place[child]] : (double)p->covers[-1 - child];
}

/* False if a split has no rows. */
static bool plan_rows(plan *p)
{
    bool known = true;

    for (size_t i = p->count; i-- > 0;) {
        const gr_split *split = &p->splits[p->order[i]];

        p->rows[i] = child_rows(p, split->left) + child_rows(p, split->right);
        known = known && p->rows[i] > 0.0;
    }
    for (size_t i = 0; i < p->count; i++) {
        const size_t up = p->above[i];
        const gr_split *split = up < p->count ? &p->splits[p->order[up]] : NULL;

        p->fraction[i] =
            !split
                ? 1.0
                : p->fraction[up] *
                      (child_rows(p, p->above_side[i] ? split->right : split->left) / p->rows[up]);
    }
    return known;
}

static uint32_t slot_of(const gr_shap_forest *shap, uint32_t feature)
{
    size_t low = 0, high = shap->used;

    while (high - low > 1) {
        const size_t middle = (low + high) / 2;

        *(shap->features[middle] <= feature ? &low : &high) = middle;
    }
    return (uint32_t)low;
}

/* The factors of a split below a branch of the cumulative fraction z. */
static void fill_factors(const double *points, size_t count, double z, double *to)
{
    for (size_t p = 0; p < count; p++) {
        const double u = 1.0 - points[p], h = z * u + points[p];

        to[p] = z * u / h;
        to[count + p] = 1.0 / h;
    }
}

static size_t plan_points(const plan *p)
{
    size_t most = 1;

    for (size_t i = 0; i < p->count; i++)
        most = p->distinct[i] > most ? p->distinct[i] : most;
    return (most + 2 * GR_SHAP_LANES - 1) / (2 * GR_SHAP_LANES) * GR_SHAP_LANES;
}

static uint32_t vector_of(const plan *p, int32_t child)
{
    return child >= 0 ? p->place[child] : (uint32_t)p->count + p->leaf[-1 - child];
}

static gr_shap_node node_of(const gr_shap_forest *shap, const plan *p, size_t i, uint32_t *tables)
{
    const gr_split *split = &p->splits[p->order[i]];
    const double left = child_rows(p, split->left) / p->rows[i];

    return (gr_shap_node){ .feature = split->feature,
                           .threshold = split->threshold,
                           .child = { vector_of(p, split->left), vector_of(p, split->right) },
                           .part = { left, child_rows(p, split->right) / p->rows[i] },
                           .above = p->above[i],
                           .factors = p->above[i] < p->count ? (*tables)++ : 0,
                           .slot = slot_of(shap, split->feature),
                           .above_side = p->above_side[i],
                           .missing_left = (uint8_t)(split->missing_left != 0) };
}

/* Fills in a tree of the forest, planned before, and returns the mean of its leaves. */
static double lay_out(gr_shap_forest *shap, plan *p, const float *leaves, const double *points,
                      gr_shap_tree *tree)
{
    gr_shap_node *nodes = gr_arena_array(&shap->arena, p->count + 1, sizeof *nodes);
    float *values = gr_arena_array(&shap->arena, p->count + 1, sizeof *values);
    uint32_t tables = 2;
    double *factors;

    for (size_t i = 0; nodes && i < p->count; i++)
        nodes[i] = node_of(shap, p, i, &tables);
    factors = gr_arena_array(&shap->arena, (size_t)tables * 2 * tree->points, sizeof *factors);
    if (shap->arena.failed)
        return 0.0;
    for (size_t l = 0; l <= p->count; l++)
        values[p->leaf[l]] = leaves[l];
    for (size_t i = 0; i < tree->points; i++) {
        factors[i] = 1.0 - points[i];
        factors[tree->points + i] = 1.0;
        factors[2 * tree->points + i] = 1.0;
        factors[3 * tree->points + i] = 0.0;
    }
    for (size_t i = 0; i < p->count; i++)
        if (nodes[i].factors)
            fill_factors(points, tree->points, p->fraction[i],
                         factors + 2 * nodes[i].factors * tree->points);
    *tree = (gr_shap_tree){ .splits = p->count,
                            .inner = p->inner,
                            .points = tree->points,
                            .nodes = nodes,
                            .leaves = values,
                            .beside = p->beside,
                            .factors = factors };
    for (size_t i = p->count; i-- > 0;) {
        p->mean[i] = 0.0;
        for (size_t s = 0; s < 2; s++) {
            const size_t child = nodes[i].child[s];

            p->mean[i] += nodes[i].part[s] *
                          (child < p->count ? p->mean[child] : (double)values[child - p->count]);
        }
    }
    return p->count ? p->mean[0] : (double)values[0];
}

static void plan_tree(plan *p, const gr_forest *forest, size_t t)
{
    p->splits = forest->splits + forest->starts[t];
    p->covers = forest->covers + forest->starts[t] + t;
    p->count = (size_t)(forest->starts[t + 1] - forest->starts[t]);
    plan_order(p);
    plan_ancestors(p);
}

static gradus_status list_features(gr_shap_forest *shap, const gr_forest *forest, gradus_error *err)
{
    const size_t splits = (size_t)forest->starts[forest->trees];
    bool *used = gr_new_array(forest->features, sizeof *used);

    if (!used)
        return gr_fail_memory(err, "explanations");
    for (size_t i = 0; i < splits; i++)
        used[forest->splits[i].feature] = true;
    for (size_t f = 0; f < forest->features; f++)
        shap->used += used[f];
    shap->features = gr_arena_array(&shap->arena, shap->used + 1, sizeof *shap->features);
    shap->used = 0;
    for (size_t f = 0; shap->features && f < forest->features; f++)
        if (used[f])
            shap->features[shap->used++] = (uint32_t)f;
    free(used);
    return shap->features ? GRADUS_OK : gr_fail_memory(err, "explanations");
}

static gradus_status unknown_rows(size_t tree, gradus_error *err)
{
    return gr_fail(
        err, GRADUS_BAD_ARGUMENT,
        "the model does not have the number of training rows at each split (tree %zu), "
        "which contributions relative to the training mean need; give the option 'against' the "
        "value 'query' or a document",
        tree + 1);
}

/* Adds the trees of an output that need `points` points. */
static gradus_status add_group(gr_shap_forest *shap, const gr_forest *forest, plan *p,
                               const size_t *needs, group *g, gradus_error *err)
{
    double *points = gr_arena_array(&shap->arena, g->points, sizeof *points);

    g->weights = gr_arena_array(&shap->arena, g->points, sizeof *g->weights);
    if (shap->arena.failed)
        return gr_fail_memory(err, "explanations");
    gauss_rule(g->points, points, g->weights);
    for (size_t i = 0; i < g->points; i++)
        g->weights[i] /= 1.0 - points[i];
    g->first = shap->trees;
    for (size_t t = g->output; t < forest->trees; t += forest->outputs) {
        gr_shap_tree *tree = &shap->tree[shap->trees];

        if (needs[t] != g->points)
            continue;
        plan_tree(p, forest, t);
        if (!plan_rows(p))
            return unknown_rows(t, err);
        tree->points = g->points;
        shap->bases[g->output] +=
            lay_out(shap, p, forest->leaves + forest->starts[t] + t, points, tree);
        if (shap->arena.failed)
            return gr_fail_memory(err, "explanations");
        shap->trees += p->count > 0;
    }
    g->end = shap->trees;
    return GRADUS_OK;
}

/* needs: the points of each tree. */
static gradus_status add_groups(gr_shap_forest *shap, const gr_forest *forest, plan *p,
                                size_t *needs, gradus_error *err)
{
    for (size_t t = 0; t < forest->trees; t++) {
        plan_tree(p, forest, t);
        needs[t] = plan_points(p);
        shap->max_points = needs[t] > shap->max_points ? needs[t] : shap->max_points;
        shap->max_splits = p->count > shap->max_splits ? p->count : shap->max_splits;
    }
    shap->group =
        gr_arena_array(&shap->arena, forest->outputs * (shap->max_points / GR_SHAP_LANES) + 1,
                       sizeof *shap->group);
    if (!shap->group)
        return gr_fail_memory(err, "explanations");
    for (size_t k = 0; k < forest->outputs; k++)
        for (size_t n = GR_SHAP_LANES; n <= shap->max_points; n += GR_SHAP_LANES) {
            group *g = &shap->group[shap->groups];
            bool some = false;

            for (size_t t = k; t < forest->trees; t += forest->outputs)
                some = some || needs[t] == n;
            if (!some)
                continue;
            *g = (group){ .output = k, .points = n };
            GR_TRY(add_group(shap, forest, p, needs, g, err));
            shap->groups++;
        }
    return GRADUS_OK;
}

static gradus_status compile(gr_shap_forest *shap, const gr_forest *forest, gr_arena *scratch,
                             gradus_error *err)
{
    size_t most = 0;
    size_t *needs = gr_arena_array(scratch, forest->trees, sizeof *needs);
    plan p;

    for (size_t t = 0; t < forest->trees; t++) {
        const size_t splits = (size_t)(forest->starts[t + 1] - forest->starts[t]);

        most = splits > most ? splits : most;
    }
    shap->outputs = forest->outputs;
    shap->bases = gr_arena_array(&shap->arena, forest->outputs, sizeof *shap->bases);
    shap->tree = gr_arena_array(&shap->arena, forest->trees + 1, sizeof *shap->tree);
    if (!plan_start(&p, scratch, most) || shap->arena.failed)
        return gr_fail_memory(err, "explanations");
    memcpy(shap->bases, forest->bases, forest->outputs * sizeof *shap->bases);
    GR_TRY(list_features(shap, forest, err));
    return add_groups(shap, forest, &p, needs, err);
}

gr_shap_forest *gr_shap_compile(const gr_forest *forest, gradus_error *err)
{
    gr_shap_forest *shap = gr_new_array(1, sizeof *shap);
    gr_arena scratch = { .last = NULL };

    if (!shap) {
        gr_fail_memory(err, "explanations");
        return NULL;
    }
    const gradus_status status = compile(shap, forest, &scratch, err);

    gr_arena_free(&scratch);
    if (status == GRADUS_OK)
        return shap;
    gr_shap_free(shap);
    return NULL;
}

void gr_shap_free(gr_shap_forest *shap)
{
    if (!shap)
        return;
    gr_arena_free(&shap->arena);
    free(shap);
}

const uint32_t *gr_shap_features(const gr_shap_forest *shap, size_t *count)
{
    *count = shap->used;
    return shap->features;
}

double gr_shap_base(const gr_shap_forest *shap, size_t output)
{
    return shap->bases[output];
}

static size_t work_bytes(const gr_shap_forest *shap)
{
    return (gr_shap_work(shap->max_splits, shap->max_points) + 63) / 64 * 64;
}

size_t gr_shap_scratch(const gr_shap_forest *shap)
{
    return work_bytes(shap) + GR_SHAP_ROWS * shap->used * shap->max_points * sizeof(double);
}

void gr_shap_run(const gr_shap_forest *shap, const float *values, size_t rows, size_t stride,
                 double *out, void *scratch)
{
    const gr_shap_kernels *kernels = gr_shap_tree_here();
    double *sums = (double *)(void *)((char *)scratch + work_bytes(shap));

    memset(out, 0, rows * shap->outputs * shap->used * sizeof *out);
    for (size_t i = 0; i < shap->groups; i++) {
        const group *g = &shap->group[i];
        const size_t pitch = shap->used * g->points;

        memset(sums, 0, rows * pitch * sizeof *sums);
        for (size_t t = g->first; t < g->end; t++)
            kernels->add(&shap->tree[t], values, rows, stride, scratch, sums, pitch);
        for (size_t r = 0; r < rows; r++)
            for (size_t s = 0; s < shap->used; s++) {
                const double *from = sums + r * pitch + s * g->points;
                double total = 0.0;

                for (size_t p = 0; p < g->points; p++)
                    total += from[p] * g->weights[p];
                out[(r * shap->outputs + g->output) * shap->used + s] += total;
            }
    }
}
