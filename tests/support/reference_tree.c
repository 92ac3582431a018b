/* SPDX-License-Identifier: Apache-2.0 */
/* The reference tree engine, for tests only: no histogram subtraction, no threads, no SIMD. */
#include "reference_tree.h"

#include "base/memory.h"
#include "base/rng.h"
#include "kernels/histogram.h"
#include "learners/tree/quantize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of some rows and the sums of their quantised gradients and hessians. */
typedef struct pair {
    int64_t gradient, hessian;
    size_t count;
} pair;

typedef struct node {
    size_t start, count, depth;
    pair sum;
    double low, high;
    bool can_split;
    double gain, score;
    size_t feature, bin;
    bool missing_left;
    pair left_sum;
    size_t left, right; /* 0: a leaf */
    size_t number;      /* index of its split or leaf */
} node;

typedef struct plain {
    const gr_bins *bins;
    const gr_tree_options *options;
    const int8_t *signs;
    const gr_round *round;
    pair *integers; /* per row: quantised gradient and hessian */
    double gradient_scale, hessian_scale;
    bool *tried; /* per feature: sampled for this tree */
    pair *histogram;
    uint32_t *rows, *spare;
    node *nodes;
    size_t count, splits;
    gr_arena arena; /* owns the arrays, but rows */
} plain;

static uint32_t bin_of(const gr_bins *bins, size_t f, size_t r)
{
    const uint32_t place = bins->place[f];
    const gr_bundle *bundle = bins->bundle;

    if (place <= INT32_MAX)
        return gr_dense_bin(bins, place, r);
    while (~place >= bundle->end)
        bundle++;
    for (uint64_t e = bundle->row_starts[r]; e < bundle->row_starts[r + 1]; e++) {
        const uint32_t slot = bins->sparse[~place].code;

        if (bundle->entries[e] >= slot && bundle->entries[e] - slot < gr_cuts_bins(&bins->cuts, f))
            return bundle->entries[e] - slot;
    }
    return bins->sparse[~place].default_bin;
}

static size_t row_at(const gr_round *round, size_t i)
{
    return round->rows ? round->rows[i] : i;
}

/* may_be_short applies to gradients only. */
/* limit: INFINITY: none. */
static double scale_of(const gr_round *round, const float *values, bool wide, bool may_be_short,
                       double limit)
{
    double sum = 0, most = 0;

    for (size_t i = 0; i < round->count; i++) {
        const double value = fabs((double)values[row_at(round, i)]);

        sum += value;
        most = fmax(most, value);
    }
    const double fine =
        fmin(limit, wide && sum > 0 ? fmin(gr_scale_for(most, 30), gr_scale_for(sum, 52))
                                    : gr_scale_for(sum, 30));
    const double coarse = gr_scale_for(most / GR_SHORT_MAX, 0);

    if (may_be_short && !wide && coarse <= fine &&
        sum * coarse >= GR_SHORT_MEAN * (double)round->count)
        return coarse;
    return fine;
}

static void round_rows(plain *p, size_t outputs, size_t k, bool wide)
{
    const gr_round *round = p->round;
    const float *gradients = round->gradients + k * p->bins->rows;
    const float *hessians = round->weights ? round->weights : round->hessians + k * p->bins->rows;
    gr_rng rng = gr_rng_for(round->seed, "rounding", round->round * outputs + k);
    const uint64_t key = gr_rng_long(&rng);

    p->gradient_scale = scale_of(round, gradients, wide, round->may_be_short && round->unit,
                                 round->grid > 0 ? round->grid : INFINITY);
    p->hessian_scale = round->unit ? 1 : scale_of(round, hessians, wide, false, INFINITY);
    for (size_t i = 0; i < round->count; i++) {
        const size_t r = row_at(round, i);
        const uint64_t hash = gr_row_hash(key, r);
        const double h = round->unit ? 1 : (double)hessians[r] * p->hessian_scale;

        p->integers[r].gradient =
            gr_round_number((double)gradients[r] * p->gradient_scale, (uint32_t)(hash >> 32));
        p->integers[r].hessian = gr_round_number(h, (uint32_t)hash);
        p->integers[r].count = 1;
    }
}

static gradus_status draw_features(plain *p, size_t outputs, size_t k, gradus_error *err)
{
    const gr_bins *bins = p->bins;
    const size_t places = bins->dense + bins->sparses;
    size_t wanted = (size_t)(p->options->feature_share * (double)places);
    size_t *order = gr_new_array(places, sizeof *order);
    gr_rng rng = gr_rng_for(p->round->seed, "features", p->round->round * outputs + k);

    if (!order)
        return gr_fail_memory(err, "features");
    wanted = wanted < 1 ? 1 : wanted;
    for (size_t i = 0; i < places; i++)
        order[i] = i;
    if (wanted < places)
        gr_shuffle(&rng, order, places);
    for (size_t i = 0; i < wanted && i < places; i++)
        p->tried[order[i] < bins->dense ? bins->columns[order[i]]
                                        : bins->sparse[order[i] - bins->dense].feature] = true;
    free(order);
    return GRADUS_OK;
}

static pair plus(pair a, pair b)
{
    return (pair){ a.gradient + b.gradient, a.hessian + b.hessian, a.count + b.count };
}

static pair minus(pair a, pair b)
{
    return (pair){ a.gradient - b.gradient, a.hessian - b.hessian, a.count - b.count };
}

static double value_of(const plain *p, pair sum)
{
    return -(double)sum.gradient / ((double)sum.hessian + p->options->l2 * p->hessian_scale);
}

static bool enough_rows(const plain *p, pair left, pair right)
{
    return left.count >= p->options->min_rows && right.count >= p->options->min_rows;
}

static bool allowed(const plain *p, const node *n, size_t f, pair left, pair right)
{
    const double min_weight = p->options->min_weight * p->hessian_scale;
    const double mean = p->round->newton ? (double)n->sum.hessian / (double)n->count : 0;
    const double min_hessian = (double)p->options->min_rows * (p->options->min_hessian * mean);
    const double lesser = (double)(left.hessian < right.hessian ? left.hessian : right.hessian);
    const double a = value_of(p, left), b = value_of(p, right);

    if (lesser < 1 || lesser < min_weight || lesser < min_hessian ||
        (!gr_drops_short_cuts(p->options, p->round) && !enough_rows(p, left, right)))
        return false;
    if (!p->signs)
        return true;
    if (a < n->low || a > n->high || b < n->low || b > n->high)
        return false;
    return p->signs[f] == 0 || (p->signs[f] > 0 ? a <= b : a >= b);
}

/* Tries one cut. Features and bins come in ascending order, so ties keep the earlier cut. */
static void try_cut(const plain *p, node *n, size_t f, size_t bin, bool missing_left, pair left)
{
    const double l2 = p->options->l2 * p->hessian_scale;
    const pair right = minus(n->sum, left);
    const double gl = (double)left.gradient, hl = (double)left.hessian + l2;
    const double gr = (double)right.gradient, hr = (double)right.hessian + l2;
    double score;

    if (!allowed(p, n, f, left, right))
        return;
    score = (gl * gl * hr + gr * gr * hl) / (hl * hr);
    if (score > n->score) {
        n->score = score;
        n->feature = f;
        n->bin = bin;
        n->missing_left = missing_left;
        n->left_sum = left;
    }
}

static void try_feature(const plain *p, node *n, size_t f)
{
    const size_t bins = gr_cuts_bins(&p->bins->cuts, f), values = bins - p->bins->cuts.missing[f];
    pair missing = { 0 }, left = { 0 };

    memset(p->histogram, 0, bins * sizeof *p->histogram);
    for (size_t i = n->start; i < n->start + n->count; i++) {
        pair *slot = &p->histogram[bin_of(p->bins, f, p->rows[i])];

        *slot = plus(*slot, p->integers[p->rows[i]]);
    }
    if (values < bins)
        missing = p->histogram[values];
    for (size_t b = 0; b < values; b++) {
        left = plus(left, p->histogram[b]);
        if (missing.gradient == 0 && missing.hessian == 0) {
            const bool left_heavier = left.hessian > n->sum.hessian - left.hessian;

            try_cut(p, n, f, b, left_heavier, left_heavier ? plus(left, missing) : left);
            continue;
        }
        try_cut(p, n, f, b, false, left);
        try_cut(p, n, f, b, true, plus(left, missing));
    }
}

static bool goes_left(const plain *p, const node *n, size_t r)
{
    const uint32_t bin = bin_of(p->bins, n->feature, r);

    if (p->bins->cuts.missing[n->feature] && bin + 1 == gr_cuts_bins(&p->bins->cuts, n->feature))
        return n->missing_left;
    return bin <= n->bin;
}

static void search_node(plain *p, node *n)
{
    const size_t min_rows = p->options->min_rows ? (size_t)p->options->min_rows : 1;
    const double l2 = p->options->l2 * p->hessian_scale, total = (double)n->sum.gradient;
    const double parent = total * total / ((double)n->sum.hessian + l2);
    const double ratio = total / (double)n->sum.hessian;
    const double doubt =
        8 * ((double)n->count / (double)n->sum.hessian) * (p->round->unit ? 1 : 1 + ratio * ratio) +
        parent * 0x1p-45;

    if (n->count / 2 < min_rows || (p->options->depth && n->depth >= p->options->depth))
        return;
    n->score = -1;
    for (size_t f = 0; f < p->bins->features; f++) {
        node with = *n;

        if (p->tried[f])
            try_feature(p, &with, f);
        if (enough_rows(p, with.left_sum, minus(n->sum, with.left_sum)))
            *n = with;
    }
    n->gain = 0.5 * (n->score - parent);
    if (n->score < 0 || !(n->gain > doubt))
        return;
    n->gain *= p->hessian_scale / p->gradient_scale / p->gradient_scale;
    n->can_split = n->gain > p->options->min_gain;
}

static void split_node(plain *p, node *n)
{
    const size_t lefts = n->left_sum.count;
    const pair rest = minus(n->sum, n->left_sum);
    const double left_value = value_of(p, n->left_sum), right_value = value_of(p, rest);
    const double middle = left_value + 0.5 * (right_value - left_value);
    const int sign = p->signs ? p->signs[n->feature] : 0;
    node *left = &p->nodes[p->count], *right = left + 1;
    size_t a = n->start, b = n->start + lefts;

    *left = (node){ .start = a,
                    .count = lefts,
                    .depth = n->depth + 1,
                    .sum = n->left_sum,
                    .low = sign < 0 ? middle : n->low,
                    .high = sign > 0 ? middle : n->high };
    *right = (node){ .start = b,
                     .count = n->count - lefts,
                     .depth = n->depth + 1,
                     .sum = rest,
                     .low = sign > 0 ? middle : n->low,
                     .high = sign < 0 ? middle : n->high };
    memcpy(p->spare, p->rows + n->start, n->count * sizeof *p->rows);
    for (size_t i = 0; i < n->count; i++)
        p->rows[goes_left(p, n, p->spare[i]) ? a++ : b++] = p->spare[i];
    n->left = p->count++;
    n->right = p->count++;
    n->number = p->splits++;
    n->can_split = false;
    search_node(p, left);
    search_node(p, right);
}

static node *next_node(const plain *p)
{
    node *best = NULL;

    for (node *n = p->nodes; n < p->nodes + p->count; n++) {
        if (!n->can_split)
            continue;
        if (!best || (p->options->grow == GR_GROW_LEVEL && n->depth < best->depth) ||
            (n->gain > best->gain && (p->options->grow == GR_GROW_BEST || n->depth == best->depth)))
            best = n;
    }
    return best;
}

/* Numbers the leaves from left to right. */
static void number_leaves(plain *p, node *n, uint32_t *starts, size_t *leaves)
{
    if (n->left) {
        number_leaves(p, &p->nodes[n->left], starts, leaves);
        number_leaves(p, &p->nodes[n->right], starts, leaves);
    } else {
        n->number = *leaves;
        starts[(*leaves)++] = (uint32_t)n->start;
    }
}

static double exact_sum(const gr_round *round, const float *values, const uint32_t *rows,
                        size_t count)
{
    double all = 0, scale;
    int64_t sum = 0;

    for (size_t i = 0; i < round->count; i++)
        all += fabs((double)values[row_at(round, i)]);
    scale = gr_scale_for(all, 61);
    for (size_t i = 0; i < count; i++)
        sum += (int64_t)((double)values[rows[i]] * scale);
    return (double)sum / scale;
}

static int32_t link_to(const plain *p, size_t child)
{
    const int32_t number = (int32_t)p->nodes[child].number;

    return p->nodes[child].left ? number : ~number;
}

static gradus_status give_tree(plain *p, size_t k, gr_grown *grown, gradus_error *err)
{
    const size_t leaves = p->splits + 1;
    gr_split *splits = gr_new_array(leaves, sizeof *splits);
    uint32_t *starts = gr_new_array(leaves + 1, sizeof *starts);
    double *gradients = gr_new_array(leaves, sizeof *gradients);
    double *hessians = gr_new_array(leaves, sizeof *hessians);

    *grown = (gr_grown){ .splits = splits,
                         .rows = p->rows,
                         .starts = starts,
                         .gradients = gradients,
                         .hessians = hessians };
    if (!splits || !starts || !gradients || !hessians)
        return gr_fail_memory(err, "a tree");
    number_leaves(p, p->nodes, starts, &grown->leaves);
    starts[leaves] = (uint32_t)p->round->count;
    for (const node *n = p->nodes; n < p->nodes + p->count; n++) {
        const gr_cuts *cuts = &p->bins->cuts;

        if (!n->left)
            continue;
        splits[n->number] =
            (gr_split){ (uint32_t)n->feature,
                        n->bin < cuts->starts[n->feature + 1] - cuts->starts[n->feature]
                            ? cuts->thresholds[cuts->starts[n->feature] + n->bin]
                            : INFINITY,
                        link_to(p, n->left),
                        link_to(p, n->right),
                        (float)n->gain,
                        n->missing_left };
    }
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const uint32_t *rows = p->rows + starts[leaf];
        const size_t count = starts[leaf + 1] - starts[leaf];

        gradients[leaf] = exact_sum(p->round, p->round->gradients + k * p->bins->rows, rows, count);
        hessians[leaf] = exact_sum(p->round, p->round->hessians + k * p->bins->rows, rows, count);
    }
    return GRADUS_OK;
}

static gradus_status grow(plain *p, size_t outputs, size_t k, bool wide, gradus_error *err)
{
    size_t limit = p->options->leaves ? (size_t)p->options->leaves : SIZE_MAX;
    node *root = p->nodes;

    if (!p->options->leaves && !p->options->depth)
        limit = 31;
    round_rows(p, outputs, k, wide);
    GR_TRY(draw_features(p, outputs, k, err));
    *root = (node){ .count = p->round->count, .low = -INFINITY, .high = INFINITY };
    for (size_t i = 0; i < p->round->count; i++) {
        p->rows[i] = (uint32_t)row_at(p->round, i);
        root->sum = plus(root->sum, p->integers[p->rows[i]]);
    }
    p->count = 1;
    search_node(p, root);
    for (node *n; p->splits + 1 < limit && (n = next_node(p));)
        split_node(p, n);
    return GRADUS_OK;
}

gradus_status reference_tree_grow(const gr_bins *bins, size_t outputs, size_t output,
                                  const gr_tree_options *options, const int8_t *signs,
                                  const gr_round *round, bool wide, gr_grown *grown,
                                  gradus_error *err)
{
    const size_t rows = bins->rows;
    plain p = { .bins = bins, .options = options, .signs = signs, .round = round };
    gradus_status status = GRADUS_OK;

    *grown = (gr_grown){ 0 };
    p.integers = gr_arena_array(&p.arena, rows, sizeof *p.integers);
    p.tried = gr_arena_array(&p.arena, bins->features, sizeof *p.tried);
    p.histogram = gr_arena_array(&p.arena, 65537, sizeof *p.histogram);
    p.rows = gr_new_array(rows, sizeof *p.rows);
    p.spare = gr_arena_array(&p.arena, rows, sizeof *p.spare);
    p.nodes = gr_arena_array(&p.arena, 2 * rows + 1, sizeof *p.nodes);
    if (p.arena.failed || !p.rows)
        status = gr_fail_memory(err, "a tree");
    if (status == GRADUS_OK)
        status = grow(&p, outputs, output, wide, err);
    if (status == GRADUS_OK)
        status = give_tree(&p, output, grown, err);
    if (!grown->rows)
        free(p.rows);
    gr_arena_free(&p.arena);
    return status;
}

void reference_tree_free(gr_grown *grown)
{
    free((void *)grown->splits);
    free((void *)grown->rows);
    free((void *)grown->starts);
    free((void *)grown->gradients);
    free((void *)grown->hessians);
}
