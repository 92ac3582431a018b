/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the best cut of the nodes of a batch, as learners/tree/split_search.c does, and before it obtains
 * the histogram of the larger child by subtraction.
 *
 * A block has eight columns of one node. A thread has a column and a segment of its bins, four of 256,
 * so that neighbouring threads read neighbouring entries: it adds up its segment, then the segments
 * before it, and tries its cuts. Then the best cuts of a column's segments are compared, and those of
 * the columns.
 *
 * Where hessians do not count rows, the best cut of a column without regard to rows is found together
 * with the best one that leaves min_rows on each side; the second is used unless the first surely
 * leaves them. The processor finds the second only of columns that need it, with the same result: the
 * constraint can only lower a score. */
#ifndef GR_PLUGINS_CUDA_CUTS_BODY_H
#define GR_PLUGINS_CUDA_CUTS_BODY_H

#include "tree_plan.h"

enum {
    GR_CUTS_THREADS = 512,
    GR_CUTS_COLUMNS = 8,
    GR_CUTS_SEGMENTS = GR_CUTS_THREADS / GR_CUTS_COLUMNS,
    GR_CUTS_GROUP = 8, /* segments that are added up for others */
    GR_CUTS_DEEP = 4   /* entries that a thread loads at once */
};

/* The best cut so far. */
typedef struct gr_tried_cut {
    double score, gradient, hessian;
    uint32_t bin, missing_left;
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
} gr_cuts_shared;

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

/* Subtracts the sibling's entries of a segment, adds those of values to *sum, and notes that of
 * missing values. bins, values: of the column. */
GR_DEVICE void gr_sum_segment(const gr_cuts_node *node, uint32_t c, uint32_t start, uint32_t end,
                              uint32_t bins, uint32_t values, gr_cuts_shared *shared, gr_entry *sum)
{
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
    const gr_tried_cut cut = { score, gl, hl, bin, missing_left };

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
                              uint32_t each, const gr_cuts_shared *shared, gr_tried_cut best[2])
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
    for (uint32_t b = start; b < end; b += GR_CUTS_DEEP) {
        gr_entry entries[GR_CUTS_DEEP];

        GR_UNROLL
        for (uint32_t d = 0; d < GR_CUTS_DEEP; d++)
            entries[d] = gr_entry_at(node, first + (b + d < end ? b + d : start) * width);
        GR_UNROLL
        for (uint32_t d = 0; d < GR_CUTS_DEEP; d++) {
            double g, h;

            if (b + d >= end)
                continue;
            sum.first += entries[d].first;
            sum.second += entries[d].second;
            sum.rows += entries[d].rows;
            g = gr_entry_gradient(words, sum.first);
            h = gr_entry_hessian(words, sum.first, sum.second);
            if (none) {
                const uint32_t heavier = h > node->hessian - h;

                gr_try_cut(data, node, column->sign, b + d, g, h, heavier,
                           sum.rows + (heavier ? missing_rows : 0), best);
            } else {
                gr_try_cut(data, node, column->sign, b + d, g, h, 0, sum.rows, best);
                gr_try_cut(data, node, column->sign, b + d, g + missing_g, h + missing_h, 1,
                           sum.rows + missing_rows, best);
            }
        }
    }
}

/* The better of two cuts of a column. Ties go to the lower bin. */
GR_DEVICE void gr_keep_better(gr_tried_cut *a, const gr_tried_cut *b)
{
    if (b->score > a->score || (b->score == a->score && b->bin < a->bin))
        *a = *b;
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
                                       uint32_t octet)
{
    const gr_device_split *split = &batch->split[s];
    const gr_child child = gr_child_of(data, batch, s, side);
    const uint64_t entries = (uint64_t)child.slot * data->entries;
    gr_cuts_node node;

    node.panel = &data->panel[octet / (GR_PANEL / GR_CUTS_COLUMNS)];
    node.column = octet % (GR_PANEL / GR_CUTS_COLUMNS) * GR_CUTS_COLUMNS;
    node.words = wide ? 2 : 1;
    node.sums = data->sums + child.slot * data->slot_words;
    node.rows = counted ? data->counts + entries : NULL;
    node.less = NULL;
    node.less_rows = NULL;
    if (!batch->root && split->scan == GR_SCAN_SMALL && !child.small) {
        node.less = data->sums + split->slots[0] * data->slot_words;
        if (counted)
            node.less_rows = data->counts + (uint64_t)split->slots[0] * data->entries;
    }
    node.count = child.count;
    node.gradient = batch->root ? (double)(int64_t)data->totals->gradient : split->gradient[side];
    node.hessian = batch->root ? (double)(int64_t)data->totals->hessian : split->hessian[side];
    node.need = gr_cuts_need(data, node.hessian, node.count);
    node.low = split->low[side];
    node.high = split->high[side];
    return node;
}

/* Writes the best cut of the columns from `first` on. Ties go to the lower feature. */
GR_DEVICE void gr_write_cut(const gr_tree_data *data, uint32_t first, const gr_tried_cut *best,
                            gr_device_cut *out)
{
    gr_device_cut cut = { -1, 0, 0, 0, 0, 0, 0 };

    for (uint32_t c = 0; c < GR_CUTS_COLUMNS && first + c < data->columns; c++) {
        const uint32_t feature = data->column[first + c].feature;

        if (best[c].score < 0 || best[c].score < cut.score ||
            (best[c].score == cut.score && feature > cut.feature))
            continue;
        cut.score = best[c].score;
        cut.gradient = best[c].gradient;
        cut.hessian = best[c].hessian;
        cut.bin = best[c].bin;
        cut.missing_left = best[c].missing_left;
        cut.feature = feature;
        cut.column = first + c;
    }
    *out = cut;
}

/* Blocks per node. */
GR_HOST_AND_DEVICE uint32_t gr_cuts_octets(uint32_t columns)
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
                             gr_cuts_shared *shared)
{
    const uint32_t octets = gr_cuts_octets(data->columns);
    const uint32_t s = block / octets / 2, side = block / octets % 2;
    const gr_cuts_node node = gr_cuts_node_of(data, batch, wide, counted, s, side, block % octets);
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

        gr_sum_segment(&node, c, start, end, bins, values, shared, &sum);
        shared->first[t] = sum.first;
        shared->second[t] = sum.second;
        shared->rows[t] = sum.rows;
    }
    GR_BARRIER();
    gr_sum_groups(shared);
    GR_THREADS(t, GR_CUTS_THREADS)
    {
        const uint32_t column = first + t % GR_CUTS_COLUMNS;
        const gr_tried_cut none = { -1, 0, 0, 0, 0 };
        gr_tried_cut best[2] = { none, none };

        if (column < data->columns && data->column[column].bins > 0 && data->tried[column])
            gr_try_segment(data, &node, t, each, shared, best);
        shared->best[0][t] = best[0];
        if (counted)
            shared->best[1][t] = best[1];
    }
    for (uint32_t half = GR_CUTS_THREADS / 2; half >= GR_CUTS_COLUMNS; half /= 2) {
        GR_BARRIER();
        GR_THREADS(t, GR_CUTS_THREADS)
        {
            if (t >= half)
                continue;
            gr_keep_better(&shared->best[0][t], &shared->best[0][t + half]);
            if (counted)
                gr_keep_better(&shared->best[1][t], &shared->best[1][t + half]);
        }
    }
    GR_BARRIER();
    GR_THREADS(t, GR_CUTS_THREADS)
    {
        if (t < GR_CUTS_COLUMNS)
            shared->best[0][t] =
                gr_choose_cut(data, &node, &shared->best[0][t], &shared->best[counted ? 1 : 0][t]);
    }
    GR_BARRIER();
    GR_THREADS(t, GR_CUTS_THREADS)
    {
        if (t == 0)
            gr_write_cut(data, first, shared->best[0], &cuts[block]);
    }
    GR_BARRIER();
}

GR_DEVICE void gr_cuts_body(const gr_tree_data *data, const gr_split_batch *batch, bool wide,
                            bool counted, uint32_t block, uint32_t blocks, gr_device_cut *cuts,
                            gr_cuts_shared *shared)
{
    const uint32_t all = (batch->root ? 1 : 2) * batch->count * gr_cuts_octets(data->columns);

    for (uint32_t b = block; b < all; b += blocks)
        gr_cuts_block(data, batch, wide, counted, b, cuts, shared);
}

#endif
