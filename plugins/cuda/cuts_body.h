/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the best cut of the nodes of a batch, as learners/tree/split_search.c does, and before it obtains
 * the histogram of the larger child by subtraction.
 *
 * A block has four columns of one node, whose entries of a bin are one sector of memory. A thread has a
 * column and a segment of its bins, eight of 256: it adds up its segment, then the segments before it, and
 * tries its cuts. Then the best cuts of a column's segments are compared, and those of the columns. Blocks are
 * small, so that many of them wait for memory at the same time and few threads wait for each other.
 *
 * Where hessians do not count rows, the best cut of a column without regard to rows is found together
 * with the best one that leaves min_rows on each side; the second is used unless the first surely
 * leaves them. The processor finds the second only of columns that need it, with the same result: the
 * constraint can only lower a score. */
#ifndef GR_PLUGINS_CUDA_CUTS_BODY_H
#define GR_PLUGINS_CUDA_CUTS_BODY_H

#include "tree_plan.h"

enum {
    GR_CUTS_THREADS = 128,
    GR_CUTS_COLUMNS = 4,
    GR_CUTS_SEGMENTS = GR_CUTS_THREADS / GR_CUTS_COLUMNS,
    GR_CUTS_GROUP = 32 / GR_CUTS_COLUMNS, /* segments of a warp, that are added up for others */
    GR_CUTS_DEEP = 8                      /* entries that a thread loads at once */
};

/* The best cut so far. */
typedef struct gr_tried_cut {
    double score, gradient, hessian;
    uint32_t bin, missing_left;
    uint32_t lefts; /* if rows are counted */
} gr_tried_cut;

typedef struct gr_cuts_shared {
    uint64_t first[GR_CUTS_THREADS], second[GR_CUTS_THREADS]; /* sums of segments */
    uint32_t rows[GR_CUTS_THREADS];
    uint64_t group_first[GR_CUTS_THREADS / GR_CUTS_GROUP];
    uint64_t group_second[GR_CUTS_THREADS / GR_CUTS_GROUP];
    uint32_t group_rows[GR_CUTS_THREADS / GR_CUTS_GROUP];
    uint64_t missing_first[GR_CUTS_COLUMNS], missing_second[GR_CUTS_COLUMNS];
    uint32_t missing_rows[GR_CUTS_COLUMNS];
    gr_tried_cut best[2][GR_CUTS_THREADS]; /* without and with regard to rows */
    uint32_t feature[GR_CUTS_COLUMNS];
} gr_cuts_shared;

enum { GR_CUTS_KEPT = GR_CUTS_DEEP * GR_CUTS_THREADS };

/* Also in shared memory: the entries of all segments, if these have at most GR_CUTS_DEEP; GR_CUTS_KEPT each. */
typedef struct gr_cuts_kept {
    uint64_t *first, *second; /* second: of two words */
    uint32_t *rows;           /* if they are counted */
} gr_cuts_kept;

/* The sums of an entry, a word or two. */
typedef struct gr_entry {
    uint64_t first, second;
    uint32_t rows;
} gr_entry;

/* What the threads of a block have in common. */
typedef struct gr_cuts_node {
    const gr_panel *panel;
    uint32_t column;      /* the first of the block in the panel */
    const uint64_t *less; /* the smaller sibling, to be subtracted; NULL: nothing */
    const uint32_t *less_rows;
    uint64_t *sums;
    uint32_t *rows; /* NULL: not counted */
    uint32_t words;
    uint32_t count; /* rows of the node */
    double gradient, hessian, need, low, high;
} gr_cuts_node;

GR_DEVICE gr_entry gr_entry_at(const gr_cuts_node *node, uint32_t at)
{
    gr_entry entry = { node->sums[(uint64_t)at * node->words],
                       node->words == 2 ? node->sums[(uint64_t)at * 2 + 1] : 0,
                       node->rows ? node->rows[at] : 0 };

    return entry;
}

/* An entry minus the sibling's. */
GR_DEVICE gr_entry gr_entry_rest(const gr_cuts_node *node, uint32_t at)
{
    gr_entry entry = gr_entry_at(node, at);

    if (!node->less)
        return entry;
    entry.first -= node->less[(uint64_t)at * node->words];
    if (node->words == 2)
        entry.second -= node->less[(uint64_t)at * 2 + 1];
    if (node->rows)
        entry.rows -= node->less_rows[at];
    return entry;
}

GR_DEVICE void gr_put_entry(const gr_cuts_node *node, uint32_t at, const gr_entry *entry)
{
    node->sums[(uint64_t)at * node->words] = entry->first;
    if (node->words == 2)
        node->sums[(uint64_t)at * 2 + 1] = entry->second;
    if (node->rows)
        node->rows[at] = entry->rows;
}

/* Keeps entry d of the segment of thread t. */
GR_DEVICE void gr_keep_entry(const gr_cuts_node *node, const gr_cuts_kept *kept, uint32_t d,
                             uint32_t t, const gr_entry *entry)
{
    const uint32_t at = d * GR_CUTS_THREADS + t;

    kept->first[at] = entry->first;
    if (node->words == 2)
        kept->second[at] = entry->second;
    if (node->rows)
        kept->rows[at] = entry->rows;
}

GR_DEVICE gr_entry gr_kept_entry(const gr_cuts_node *node, const gr_cuts_kept *kept, uint32_t d,
                                 uint32_t t)
{
    const uint32_t at = d * GR_CUTS_THREADS + t;
    gr_entry entry = { kept->first[at], node->words == 2 ? kept->second[at] : 0,
                       node->rows ? kept->rows[at] : 0 };

    return entry;
}

/* Subtracts the sibling's entries of a segment of thread t, adds those of values to *sum, and notes that of
 * missing values. bins, values: of the column. Keeps entries if there are few. */
GR_DEVICE void gr_sum_segment(const gr_cuts_node *node, uint32_t t, uint32_t start, uint32_t end,
                              uint32_t bins, uint32_t values, bool keeps, const gr_cuts_kept *kept,
                              gr_cuts_shared *shared, gr_entry *sum)
{
    const uint32_t c = t % GR_CUTS_COLUMNS;
    const uint32_t width = node->panel->width, first = node->panel->start + node->column + c;

    for (uint32_t b = start; b < end; b += GR_CUTS_DEEP) {
        gr_entry entries[GR_CUTS_DEEP];

        GR_UNROLL
        for (uint32_t d = 0; d < GR_CUTS_DEEP; d++)
            entries[d] = gr_entry_rest(node, first + (b + d < end ? b + d : start) * width);
        GR_UNROLL
        for (uint32_t d = 0; d < GR_CUTS_DEEP; d++) {
            if (b + d >= end)
                continue;
            if (node->less)
                gr_put_entry(node, first + (b + d) * width, &entries[d]);
            if (keeps)
                gr_keep_entry(node, kept, d, t, &entries[d]);
            if (b + d < values) {
                sum->first += entries[d].first;
                sum->second += entries[d].second;
                sum->rows += entries[d].rows;
            } else if (b + d < bins) {
                shared->missing_first[c] = entries[d].first;
                shared->missing_second[c] = entries[d].second;
                shared->missing_rows[c] = entries[d].rows;
            }
        }
    }
}

GR_DEVICE double gr_entry_gradient(uint32_t words, uint64_t first)
{
    return words == 2 ? (double)(int64_t)first : (double)(int32_t)(uint32_t)(first >> 32);
}

GR_DEVICE double gr_entry_hessian(uint32_t words, uint64_t first, uint64_t second)
{
    return words == 2 ? (double)(int64_t)second : (double)(uint32_t)first;
}

GR_DEVICE bool gr_cut_in_order(const gr_tree_data *data, const gr_cuts_node *node, int sign,
                               double gl, double hl, double gr, double hr)
{
    const double left = -gl / (hl + data->rules.l2), right = -gr / (hr + data->rules.l2);

    if (left < node->low || left > node->high || right < node->low || right > node->high)
        return false;
    return sign == 0 || (sign > 0 ? left <= right : left >= right);
}

/* Tries a cut with gl and hl on the left. rows_left: with the missing values, if they go left. */
GR_DEVICE void gr_try_cut(const gr_tree_data *data, const gr_cuts_node *node, int sign,
                          uint32_t bin, double gl, double hl, uint32_t missing_left,
                          uint64_t rows_left, gr_tried_cut best[2])
{
    const double gr = node->gradient - gl, hr = node->hessian - hl;
    const double left = hl + data->rules.l2, right = hr + data->rules.l2;
    const double score = (gl * gl * right + gr * gr * left) / (left * right);
    const gr_tried_cut cut = { score, gl, hl, bin, missing_left, (uint32_t)rows_left };

    if (!(hl >= node->need && hr >= node->need))
        return;
    if (!(score > best[0].score || (node->rows && score > best[1].score)))
        return;
    if (data->rules.checked && !gr_cut_in_order(data, node, sign, gl, hl, gr, hr))
        return;
    if (score > best[0].score)
        best[0] = cut;
    if (node->rows && score > best[1].score && (double)rows_left >= data->rules.min_rows &&
        (double)(node->count - rows_left) >= data->rules.min_rows)
        best[1] = cut;
}

/* Tries the cuts after the bins of a segment. */
GR_DEVICE void gr_try_segment(const gr_tree_data *data, const gr_cuts_node *node, uint32_t t,
                              uint32_t each, const gr_cuts_kept *kept, const gr_cuts_shared *shared,
                              gr_tried_cut best[2])
{
    const uint32_t width = node->panel->width, c = t % GR_CUTS_COLUMNS, words = node->words;
    const uint32_t first = node->panel->start + node->column + c;
    const gr_device_column *column = &data->column[node->panel->first + node->column + c];
    const uint32_t values = column->bins - column->missing;
    const uint64_t missing_rows = column->missing ? shared->missing_rows[c] : 0;
    const double missing_g =
        column->missing ? gr_entry_gradient(words, shared->missing_first[c]) : 0;
    const double missing_h = column->missing ? gr_entry_hessian(words, shared->missing_first[c],
                                                                shared->missing_second[c])
                                             : 0;
    const bool none = missing_g == 0 && missing_h == 0;
    const uint32_t cuts = none ? values - 1 : values;
    const uint32_t segment = t / GR_CUTS_COLUMNS, start = segment * each;
    const uint32_t end = start + each < cuts ? start + each : cuts;
    gr_entry sum = { 0, 0, 0 };

    if (start >= end)
        return;
    for (uint32_t group = 0; group < segment / GR_CUTS_GROUP; group++) {
        sum.first += shared->group_first[group * GR_CUTS_COLUMNS + c];
        sum.second += shared->group_second[group * GR_CUTS_COLUMNS + c];
        sum.rows += shared->group_rows[group * GR_CUTS_COLUMNS + c];
    }
    for (uint32_t i = segment / GR_CUTS_GROUP * GR_CUTS_GROUP; i < segment; i++) {
        sum.first += shared->first[i * GR_CUTS_COLUMNS + c];
        sum.second += shared->second[i * GR_CUTS_COLUMNS + c];
        sum.rows += shared->rows[i * GR_CUTS_COLUMNS + c];
    }
    for (uint32_t b = start; b < end; b++) {
        const gr_entry entry = each <= GR_CUTS_DEEP ? gr_kept_entry(node, kept, b - start, t)
                                                    : gr_entry_at(node, first + b * width);
        double g, h;

        sum.first += entry.first;
        sum.second += entry.second;
        sum.rows += entry.rows;
        g = gr_entry_gradient(words, sum.first);
        h = gr_entry_hessian(words, sum.first, sum.second);
        if (none) {
            const uint32_t heavier = h > node->hessian - h;

            gr_try_cut(data, node, column->sign, b, g, h, heavier,
                       sum.rows + (heavier ? missing_rows : 0), best);
        } else {
            gr_try_cut(data, node, column->sign, b, g, h, 0, sum.rows, best);
            gr_try_cut(data, node, column->sign, b, g + missing_g, h + missing_h, 1,
                       sum.rows + missing_rows, best);
        }
    }
}

/* The better of two cuts of a column. Ties go to the lower bin. */
GR_DEVICE void gr_keep_better(gr_tried_cut *a, const gr_tried_cut *b)
{
    if (b->score > a->score || (b->score == a->score && b->bin < a->bin))
        *a = *b;
}

GR_DEVICE void gr_keep_better_of(gr_cuts_shared *shared, bool counted, uint32_t a, uint32_t b)
{
    gr_keep_better(&shared->best[0][a], &shared->best[0][b]);
    if (counted)
        gr_keep_better(&shared->best[1][a], &shared->best[1][b]);
}

/* Chooses between the best cut of a column and the best with enough rows. */
GR_DEVICE gr_tried_cut gr_choose_cut(const gr_tree_data *data, const gr_cuts_node *node,
                                     const gr_tried_cut *any, const gr_tried_cut *counted)
{
    const double sure = data->rules.min_rows * (double)data->totals->most;
    gr_tried_cut chosen = *counted;

    if (!node->rows || any->score < 0 ||
        (any->hessian >= sure && node->hessian - any->hessian >= sure))
        return *any;
    if (data->rules.drops && !(any->score == counted->score && any->bin == counted->bin &&
                               any->missing_left == counted->missing_left))
        chosen.score = -1;
    return chosen;
}

/* The minimum of the hessian sum of a side: gr_search_of. */
GR_DEVICE double gr_cuts_need(const gr_tree_data *data, double hessian, uint32_t count)
{
    const double mean = data->rules.newton ? hessian / (double)count : 0;
    const double row = data->unit ? 1 : data->rules.min_hessian * mean;
    const double rows = data->rules.min_rows * row;
    const double need = rows > data->rules.min_weight ? rows : data->rules.min_weight;

    return need > 1 ? need : 1;
}

GR_DEVICE gr_cuts_node gr_cuts_node_of(const gr_tree_data *data, const gr_split_batch *batch,
                                       bool wide, bool counted, uint32_t s, uint32_t side,
                                       uint32_t part)
{
    const gr_device_split *split = &batch->split[s];
    const gr_totals *totals = data->totals;
    const double gradient = split->gradient[side], hessian = split->hessian[side];
    const gr_child child = gr_child_of(data, batch, s, side);
    const bool subtracts = !batch->root && !child.small;
    gr_cuts_node node;

    node.panel = &data->panel[part / (GR_PANEL / GR_CUTS_COLUMNS)];
    node.column = part % (GR_PANEL / GR_CUTS_COLUMNS) * GR_CUTS_COLUMNS;
    node.words = wide ? 2 : 1;
    node.sums = data->sums + child.slot * data->slot_words;
    node.rows = counted ? data->counts + (uint64_t)child.slot * data->entries : NULL;
    node.less = subtracts ? data->sums + child.other_slot * data->slot_words : NULL;
    node.less_rows =
        counted && subtracts ? data->counts + (uint64_t)child.other_slot * data->entries : NULL;
    node.count = child.count;
    node.gradient = batch->root ? (double)(int64_t)totals->gradient : gradient;
    node.hessian = batch->root ? (double)(int64_t)totals->hessian : hessian;
    node.need = gr_cuts_need(data, node.hessian, node.count);
    node.low = split->low[side];
    node.high = split->high[side];
    return node;
}

/* Writes the best cut of the columns from `first` on. Ties go to the lower feature. counted: rows are. */
GR_DEVICE void gr_write_cut(const gr_tree_data *data, uint32_t first, bool counted,
                            const gr_cuts_shared *shared, gr_device_cut *out)
{
    const gr_tried_cut *best = shared->best[0];
    gr_device_cut cut = { -1, 0, 0, 0, 0, 0, 0, 0 };

    for (uint32_t c = 0; c < GR_CUTS_COLUMNS; c++) {
        if (best[c].score < 0 || best[c].score < cut.score ||
            (best[c].score == cut.score && shared->feature[c] > cut.feature))
            continue;
        cut.score = best[c].score;
        cut.gradient = best[c].gradient;
        cut.hessian = best[c].hessian;
        cut.bin = best[c].bin;
        cut.missing_left = best[c].missing_left;
        cut.feature = shared->feature[c];
        cut.column = first + c;
        cut.lefts = data->unit ? (uint32_t)best[c].hessian : counted ? best[c].lefts : UINT32_MAX;
    }
    *out = cut;
}

/* Blocks per node. */
GR_HOST_AND_DEVICE uint32_t gr_cuts_parts(uint32_t columns)
{
    return (columns + GR_CUTS_COLUMNS - 1) / GR_CUTS_COLUMNS;
}

/* False if the larger sibling has too few rows, so that there are no histograms, or there is no
 * sibling. */
GR_DEVICE bool gr_is_searched_here(const gr_tree_data *data, const gr_split_batch *batch,
                                   uint32_t s, uint32_t side, uint32_t count)
{
    const gr_device_split *split = &batch->split[s];

    if (batch->root)
        return side == 0;
    if (split->scan == GR_SCAN_NONE)
        return false;
    return gr_may_split(data, count) ||
           (split->scan == GR_SCAN_SMALL && gr_may_split(data, split->count - count));
}

/* Adds up the segments of each group. */
GR_DEVICE void gr_sum_groups(gr_cuts_shared *shared)
{
    GR_THREADS(t, GR_CUTS_THREADS)
    {
        const uint32_t c = t % GR_CUTS_COLUMNS, group = t / GR_CUTS_COLUMNS;
        gr_entry sum = { 0, 0, 0 };

        if (t >= GR_CUTS_THREADS / GR_CUTS_GROUP)
            continue;
        for (uint32_t i = group * GR_CUTS_GROUP; i < (group + 1) * GR_CUTS_GROUP; i++) {
            sum.first += shared->first[i * GR_CUTS_COLUMNS + c];
            sum.second += shared->second[i * GR_CUTS_COLUMNS + c];
            sum.rows += shared->rows[i * GR_CUTS_COLUMNS + c];
        }
        shared->group_first[t] = sum.first;
        shared->group_second[t] = sum.second;
        shared->group_rows[t] = sum.rows;
    }
    GR_BARRIER();
}

/* wide, counted: whether entries have two words and rows are counted, as in data: constants, so that
 * code for other cases is left out. Block: the split, the child and the panel. cuts: per block. */
GR_DEVICE void gr_cuts_block(const gr_tree_data *data, const gr_split_batch *batch, bool wide,
                             bool counted, uint32_t block, gr_device_cut *cuts,
                             const gr_cuts_kept *kept, gr_cuts_shared *shared)
{
    const uint32_t parts = gr_cuts_parts(data->columns);
    const uint32_t s = block / parts / 2, side = block / parts % 2;
    const gr_cuts_node node = gr_cuts_node_of(data, batch, wide, counted, s, side, block % parts);
    const uint32_t each = (node.panel->bins + GR_CUTS_SEGMENTS - 1) / GR_CUTS_SEGMENTS;
    const uint32_t first = node.panel->first + node.column;

    if (!gr_is_searched_here(data, batch, s, side, node.count))
        return;
    GR_THREADS(t, GR_CUTS_THREADS)
    {
        const uint32_t c = t % GR_CUTS_COLUMNS, start = t / GR_CUTS_COLUMNS * each;
        const uint32_t bins = first + c < data->columns ? data->column[first + c].bins : 0;
        const uint32_t values = bins ? bins - data->column[first + c].missing : 0;
        const uint32_t end = start + each < node.panel->bins ? start + each : node.panel->bins;
        gr_entry sum = { 0, 0, 0 };

        gr_sum_segment(&node, t, start, end, bins, values, each <= GR_CUTS_DEEP, kept, shared,
                       &sum);
        shared->first[t] = sum.first;
        shared->second[t] = sum.second;
        shared->rows[t] = sum.rows;
    }
    GR_BARRIER();
    gr_sum_groups(shared);
    GR_THREADS(t, GR_CUTS_THREADS)
    {
        const uint32_t column = first + t % GR_CUTS_COLUMNS;
        const gr_tried_cut none = { -1, 0, 0, 0, 0, 0 };
        gr_tried_cut best[2] = { none, none };

        if (column < data->columns && data->column[column].bins > 0 && data->tried[column])
            gr_try_segment(data, &node, t, each, kept, shared, best);
        shared->best[0][t] = best[0];
        if (counted)
            shared->best[1][t] = best[1];
    }
    GR_WARP_BARRIER();
    for (uint32_t half = 16; half >= GR_CUTS_COLUMNS; half /= 2) {
        GR_THREADS(t, GR_CUTS_THREADS)
        {
            if (t % 32 < half)
                gr_keep_better_of(shared, counted, t, t + half);
        }
        GR_WARP_BARRIER();
    }
    GR_BARRIER();
    GR_THREADS(t, GR_CUTS_THREADS)
    {
        if (t >= GR_CUTS_COLUMNS)
            continue;
        for (uint32_t warp = 32; warp < GR_CUTS_THREADS; warp += 32)
            gr_keep_better_of(shared, counted, t, warp + t);
        shared->best[0][t] =
            gr_choose_cut(data, &node, &shared->best[0][t], &shared->best[counted ? 1 : 0][t]);
        shared->feature[t] = first + t < data->columns ? data->column[first + t].feature : 0;
    }
    GR_WARP_BARRIER();
    GR_THREADS(t, GR_CUTS_THREADS)
    {
        if (t == 0)
            gr_write_cut(data, first, counted, shared, &cuts[block]);
    }
    GR_BARRIER();
}

GR_DEVICE void gr_cuts_body(const gr_tree_data *data, const gr_split_batch *batch, bool wide,
                            bool counted, uint32_t block, uint32_t blocks, gr_device_cut *cuts,
                            const gr_cuts_kept *kept, gr_cuts_shared *shared)
{
    const uint32_t all = (batch->root ? 1 : 2) * batch->count * gr_cuts_parts(data->columns);

    for (uint32_t b = block; b < all; b += blocks)
        gr_cuts_block(data, batch, wide, counted, b, cuts, kept, shared);
}

#endif
