/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of label weights and the search for cuts; tasks are pieces of up to four dense columns
 * or one bundle of sparse features. */
#include "learners/adaboost/edges.h"

#include "base/ranges.h"
#include "kernels/histogram.h"
#include "kernels/histogram_outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)GR_EDGE_LANES == (int)GR_VECTOR_WORDS,
               "labels use the vectors of kernels/histogram_outputs.h");

enum { ROWS_AT_ONCE = 1 << 14 };

void gr_edges_free(gr_edges *edges)
{
    gr_arena_free(&edges->arena);
    free(edges->picked);
    *edges = (gr_edges){ .bins = NULL };
}

int64_t *gr_edge_vectors(size_t count)
{
    size_t bytes;

    if (!gr_size_times(count, GR_EDGE_LANES * sizeof(int64_t), &bytes) ||
        !gr_size_plus(bytes, 64, &bytes))
        return NULL;
    return aligned_alloc(64, bytes / 64 * 64);
}

/* A piece of dense columns: half a word of four 8-bit bins, or a word of four 16-bit bins. */
static size_t lay_out_dense(gr_edges *e)
{
    const gr_bins *bins = e->bins;
    size_t at = 0;

    for (size_t c = 0; c < bins->dense; c += 4) {
        const size_t each = gr_bins_in_word(bins);
        gr_edge_piece *piece = &e->piece[e->pieces];

        *piece = (gr_edge_piece){ .block = c / each,
                                  .shift = c % each ? 32 : 0,
                                  .first = c,
                                  .end = c + 4 < bins->dense ? c + 4 : bins->dense };
        e->piece_starts[e->pieces++] = at;
        for (size_t column = c; column < c + 4; column++) {
            if (column < bins->dense)
                e->starts[bins->columns[column]] = at;
            if (bins->width == 8)
                at += GR_COLUMN_SUMS;
            else
                at += column < bins->dense ? gr_cuts_bins(&bins->cuts, bins->columns[column]) : 0;
        }
    }
    return at;
}

static size_t lay_out_sparse(gr_edges *e, size_t at)
{
    const gr_bins *bins = e->bins;

    for (size_t s = 0; s < bins->bundles; s++) {
        const gr_bundle *bundle = &bins->bundle[s];

        e->piece[e->pieces] = (gr_edge_piece){
            .sparse = true, .block = s, .first = bundle->first, .end = bundle->end
        };
        e->piece_starts[e->pieces++] = at;
        for (size_t i = bundle->first; i < bundle->end; i++)
            e->starts[bins->sparse[i].feature] = at + bins->sparse[i].code;
        at += bundle->codes;
    }
    return at;
}

gradus_status gr_edges_start(gr_edges *e, const gr_bins *bins, size_t labels, gr_pool *pool,
                             gradus_error *err)
{
    const size_t most = (bins->dense + 3) / 4 + bins->bundles;

    *e = (gr_edges){ .bins = bins,
                     .pool = pool,
                     .labels = labels,
                     .groups = (labels + GR_EDGE_LANES - 1) / GR_EDGE_LANES };
    e->starts = gr_arena_array(&e->arena, bins->features, sizeof *e->starts);
    e->piece_starts = gr_arena_array(&e->arena, most + 1, sizeof *e->piece_starts);
    e->piece = gr_arena_array(&e->arena, most, sizeof *e->piece);
    e->found = gr_arena_array(&e->arena, 2 * most, sizeof *e->found);
    e->partial_room = (bins->rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    e->partial =
        gr_arena_array(&e->arena, e->partial_room * e->groups * GR_EDGE_LANES, sizeof *e->partial);
    e->picked = gr_edge_vectors(e->groups * bins->rows);
    if (e->arena.failed || !e->picked) {
        gr_edges_free(e);
        return gr_fail_memory(err, "histograms");
    }
    e->vectors = lay_out_sparse(e, lay_out_dense(e));
    e->piece_starts[e->pieces] = e->vectors;
    return GRADUS_OK;
}

/* The argument of the tasks. */
typedef struct counting {
    gr_edges *edges;
    const gr_edge_count *count;
    const int64_t *vectors; /* weights of the counted rows; group g at [g * apart] */
    size_t apart;
    int64_t *picked;
} counting;

/* Gathers the weight vectors of a chunk of rows and sums them. */
static void pick_chunk(void *argument, gr_range range)
{
    const counting *work = argument;
    const gr_edge_count *c = work->count;
    const size_t rows = work->edges->bins->rows;

    for (size_t g = 0; g < work->edges->groups; g++) {
        const int64_t *from = c->weights + g * rows * GR_EDGE_LANES;
        int64_t *to = work->picked + g * work->apart;
        int64_t sums[GR_EDGE_LANES] = { 0 };

        for (size_t i = range.first; i < range.end; i++) {
            const int64_t *vector = from + (c->rows ? c->rows[i] : i) * GR_EDGE_LANES;

            for (size_t l = 0; l < GR_EDGE_LANES; l++)
                sums[l] += vector[l];
            if (c->rows)
                memcpy(to + i * GR_EDGE_LANES, vector, GR_EDGE_LANES * sizeof *to);
        }
        memcpy(work->edges->partial + (range.index * work->edges->groups + g) * GR_EDGE_LANES, sums,
               sizeof sums);
    }
}

static void count_wide(int64_t *slots, const gr_edges *e, const gr_edge_piece *piece,
                       const gr_vector_scan *scan)
{
    const size_t begin = e->starts[e->bins->columns[piece->first]];

    for (size_t i = 0; i < scan->count; i++) {
        const uint64_t word = scan->words[(scan->rows ? scan->rows[i] : i) * scan->stride];

        for (size_t c = piece->first; c < piece->end; c++) {
            const size_t bin = word >> 16 * (c - piece->first) & 0xffff;
            int64_t *slot = slots + (e->starts[e->bins->columns[c]] - begin + bin) * GR_EDGE_LANES;

            for (size_t l = 0; l < GR_EDGE_LANES; l++)
                slot[l] += (int64_t)scan->vectors[i * GR_EDGE_LANES + l];
        }
    }
}

/* Rows without an entry are in the default bin: it gets the total minus all other bins. */
static void fill_default_bin(const gr_edges *e, const gr_edge_piece *piece, int64_t *slots,
                             const int64_t *totals)
{
    for (size_t i = piece->first; i < piece->end; i++) {
        const gr_sparse_feature *sparse = &e->bins->sparse[i];
        int64_t *own = slots + (size_t)sparse->code * GR_EDGE_LANES;
        const size_t bins = gr_cuts_bins(&e->bins->cuts, sparse->feature);

        for (size_t l = 0; l < GR_EDGE_LANES; l++) {
            int64_t others = 0;

            for (size_t b = 0; b < bins; b++)
                others += own[b * GR_EDGE_LANES + l];
            own[(size_t)sparse->default_bin * GR_EDGE_LANES + l] += totals[l] - others;
        }
    }
}

static void count_piece(const counting *work, size_t p, size_t g)
{
    const gr_edges *e = work->edges;
    const gr_edge_piece *piece = &e->piece[p];
    const gr_bins *bins = e->bins;
    const size_t at = (g * e->vectors + e->piece_starts[p]) * GR_EDGE_LANES;
    const size_t size = (e->piece_starts[p + 1] - e->piece_starts[p]) * GR_EDGE_LANES;
    int64_t *slots = work->count->histogram + at;
    gr_vector_scan scan = { .rows = work->count->rows,
                            .vectors = (const uint64_t *)(work->vectors + g * work->apart),
                            .count = work->count->count };

    memset(slots, 0, size * sizeof *slots);
    if (piece->sparse) {
        const gr_bundle *bundle = &bins->bundle[piece->block];

        gr_vectors_scan_lists((uint64_t *)slots, bundle->row_starts, bundle->entries, &scan);
        fill_default_bin(e, piece, slots, work->count->totals + g * GR_EDGE_LANES);
    } else {
        scan.words = gr_block_words(bins, piece->block);
        scan.stride = gr_block_stride(bins, piece->block);
        scan.shift = piece->shift;
        if (bins->width == 8)
            gr_histogram_outputs_here()->scan((uint64_t *)slots, &scan);
        else
            count_wide(slots, e, piece, &scan);
    }
    for (size_t i = 0; work->count->sibling && i < size; i++)
        work->count->sibling[at + i] -= slots[i];
}

static gr_cut search_piece(const gr_edges *e, const gr_edge_piece *piece, const int64_t *histogram,
                           const int64_t *totals, bool opposed)
{
    const gr_bins *bins = e->bins;
    gr_cut best = { .edge = -1 };

    for (size_t i = piece->first; i < piece->end; i++) {
        const uint32_t f = piece->sparse ? bins->sparse[i].feature : bins->columns[i];
        const gr_edge_scan scan = { .slots = histogram + e->starts[f] * GR_EDGE_LANES,
                                    .groups = e->groups,
                                    .apart = e->vectors * GR_EDGE_LANES,
                                    .bins = gr_cuts_bins(&bins->cuts, f) - bins->cuts.missing[f],
                                    .missing = bins->cuts.missing[f],
                                    .totals = totals,
                                    .opposed = opposed };
        const gr_edge_cut cut = gr_adaboost_cut_here()->best(&scan);

        if (cut.edge > best.edge || (cut.edge == best.edge && cut.edge >= 0 && f < best.feature))
            best = (gr_cut){ cut.edge, f, (uint32_t)cut.bin, cut.missing_left };
    }
    return best;
}

static void piece_task(void *argument, size_t p, size_t worker)
{
    const counting *work = argument;
    const gr_edge_count *c = work->count;
    gr_edges *e = work->edges;

    (void)worker;
    for (size_t g = 0; g < e->groups; g++)
        count_piece(work, p, g);
    e->found[p] = search_piece(e, &e->piece[p], c->histogram, c->totals, c->opposed);
    if (c->sibling)
        e->found[e->pieces + p] =
            search_piece(e, &e->piece[p], c->sibling, c->sibling_totals, c->opposed);
}

static gr_cut best_of(const gr_cut *found, size_t count)
{
    gr_cut best = { .edge = -1 };

    for (size_t p = 0; p < count; p++)
        if (found[p].edge > best.edge ||
            (found[p].edge == best.edge && best.edge >= 0 && found[p].feature < best.feature))
            best = found[p];
    return best;
}

static void add_totals(gr_edges *e, const gr_edge_count *c, size_t chunks)
{
    const size_t numbers = e->groups * GR_EDGE_LANES;

    memset(c->totals, 0, numbers * sizeof *c->totals);
    for (size_t s = 0; s < chunks; s++)
        for (size_t i = 0; i < numbers; i++)
            c->totals[i] += e->partial[s * numbers + i];
    for (size_t i = 0; c->sibling_totals && i < numbers; i++)
        c->sibling_totals[i] -= c->totals[i];
}

void gr_edges_count(gr_edges *e, const gr_edge_count *c, gr_cut best[2])
{
    counting work = {
        .edges = e, .count = c, .vectors = c->weights, .apart = e->bins->rows * GR_EDGE_LANES
    };

    if (c->rows) {
        work.apart = c->count * GR_EDGE_LANES;
        work.vectors = work.picked = e->picked;
    }
    gr_for_ranges(e->pool, c->count, ROWS_AT_ONCE, pick_chunk, &work);
    add_totals(e, c, gr_range_count(c->count, ROWS_AT_ONCE));
    best[0] = best[1] = (gr_cut){ .edge = -1 };
    if (!c->histogram)
        return;
    gr_pool_run(e->pool, e->pieces, piece_task, &work);
    best[0] = best_of(e->found, e->pieces);
    if (c->sibling)
        best[1] = best_of(e->found + e->pieces, e->pieces);
}

int64_t gr_edge_of(const gr_edges *edges, const int64_t *totals)
{
    int64_t edge = 0;

    for (size_t i = 0; i < edges->groups * GR_EDGE_LANES; i++)
        edge += totals[i] < 0 ? -totals[i] : totals[i];
    return edge;
}

gr_cut_side gr_cut_side_of(const gr_bins *bins, const gr_cut *cut)
{
    const uint32_t place = bins->place[cut->feature];
    const uint32_t thresholds =
        (uint32_t)(bins->cuts.starts[cut->feature + 1] - bins->cuts.starts[cut->feature]);
    const size_t each = gr_bins_in_word(bins), block = place / each;

    if (place >= GR_NO_PLACE)
        return (gr_cut_side){ .words = NULL };
    return (gr_cut_side){
        .words = gr_block_words(bins, block),
        .stride = gr_block_stride(bins, block),
        .shift = (unsigned)(place % each * bins->width),
        .mask = (1u << bins->width) - 1u,
        .last = cut->bin < thresholds ? cut->bin : thresholds,
        .missing = cut->missing_left ? thresholds + 1 : UINT32_MAX,
    };
}

gr_split gr_cut_split(const gr_bins *bins, const gr_cut *cut)
{
    const gr_cuts *cuts = &bins->cuts;
    const size_t thresholds = (size_t)(cuts->starts[cut->feature + 1] - cuts->starts[cut->feature]);

    return (gr_split){
        .feature = cut->feature,
        .threshold = cut->bin < thresholds ? cuts->thresholds[cuts->starts[cut->feature] + cut->bin]
                                           : INFINITY,
        .left = ~0,
        .right = ~1,
        .missing_left = cut->missing_left,
    };
}
