/* SPDX-License-Identifier: Apache-2.0 */
/* The lambdas of a query by one thread block, with the bits of objectives/objective_lambdarank.c.
 *
 * The processor visits the pairs (i, j) of ranks i < j row by row. Document j receives the lambdas of
 * all ranks i before it one by one, in floats, and then, if it is one of the upper ranks itself, the
 * sum of its own row, which is added in 16 lanes (j modulo 16). The block computes the pairs of a tile
 * of rows and a chunk of columns, all at once; then a thread adds those of a column, and another one
 * those of a lane of a row. Shared memory does not grow with the query. */
#ifndef GR_PLUGINS_CUDA_LAMBDAS_BODY_H
#define GR_PLUGINS_CUDA_LAMBDAS_BODY_H

#include "backend/boost_device.h"
#include "base/log_body.h"
#include "exp_body.h"
#include "row_losses_body.h"

#include <string.h>

enum {
    GR_LAMBDA_TILE = 16,                   /* rows */
    GR_LAMBDA_LANES = 16,                  /* of a row's sum */
    GR_LAMBDA_CHUNK = 128,                 /* columns */
    GR_LAMBDA_PITCH = GR_LAMBDA_CHUNK + 16 /* lanes of two rows are in different banks */
};

/* Addresses on the device; see gr_device_lambda. */
typedef struct gr_lambda_losses {
    gr_row_losses rows; /* scores, weights, gradients */
    const uint64_t *query_starts;
    const uint8_t *skipped; /* NULL: none */
    int metric;
    bool by_query;
    float sigma;
    uint64_t truncation, depth;
    const double *discounts, *values;
} gr_lambda_losses;

/* What is not an address, from the description of a problem. Host code. */
static inline gr_lambda_losses gr_lambda_losses_of(const gr_device_problem *problem)
{
    gr_lambda_losses losses;

    memset(&losses, 0, sizeof losses);
    losses.rows.loss = problem->loss;
    losses.rows.number = problem->number;
    losses.rows.rows = problem->rows;
    losses.rows.outputs = problem->outputs;
    losses.rows.levels = problem->levels;
    losses.rows.ones = problem->ones;
    losses.metric = problem->lambda.metric;
    losses.by_query = problem->lambda.by_query;
    losses.sigma = problem->lambda.sigma;
    losses.truncation = problem->lambda.truncation;
    losses.depth = problem->lambda.depth;
    return losses;
}

/* Of the documents of a query, by rank; in shared memory if they fit. */
typedef struct gr_lambda_ranks {
    double *exact;   /* scores, and after sorting the exact values */
    uint32_t *order; /* rows, from the first of the query */
    float *scores, *values, *places, *gradients, *hessians;
} gr_lambda_ranks;

enum { GR_LAMBDA_RANK_BYTES = sizeof(double) + sizeof(uint32_t) + 5 * sizeof(float) };

/* Lays out the arrays of `room` documents (an even number) in GR_LAMBDA_RANK_BYTES each. */
GR_DEVICE gr_lambda_ranks gr_lambda_lay_out(void *memory, size_t room)
{
    gr_lambda_ranks ranks;
    float *floats = (float *)((double *)memory + room) + room;

    ranks.exact = (double *)memory;
    ranks.order = (uint32_t *)(ranks.exact + room);
    ranks.scores = floats;
    ranks.values = floats + room;
    ranks.places = floats + 2 * room;
    ranks.gradients = floats + 3 * room;
    ranks.hessians = floats + 4 * room;
    return ranks;
}

/* In shared memory: the rows of a tile. */
typedef struct gr_lambda_tile {
    float gradients[GR_LAMBDA_TILE * GR_LAMBDA_LANES]; /* sums by lane */
    float hessians[GR_LAMBDA_TILE * GR_LAMBDA_LANES];
    float sizes[GR_LAMBDA_TILE * GR_LAMBDA_LANES];
    float place[GR_LAMBDA_TILE];
    double reading[GR_LAMBDA_TILE]; /* ERR: the cascade of gr_lambda_place */
    double stopped[GR_LAMBDA_TILE], between[GR_LAMBDA_TILE];
    double row_size[GR_LAMBDA_TILE];
    double cascade, seen; /* at the next row; see gr_lambda_cascade */
    double size, scale;
} gr_lambda_tile;

/* In shared memory: the pairs of the tile's rows and the chunk's columns. For ERR, lambdas have the
 * places of the columns first. */
typedef struct gr_lambda_chunk {
    float lambdas[GR_LAMBDA_TILE * GR_LAMBDA_PITCH], curvatures[GR_LAMBDA_TILE * GR_LAMBDA_PITCH];
} gr_lambda_chunk;

/* A query and where its block is. */
typedef struct gr_lambda_work {
    const gr_lambda_losses *losses;
    gr_lambda_ranks ranks;
    gr_lambda_tile *tile;
    gr_lambda_chunk *pairs;
    uint32_t threads;
    uint32_t count, upper; /* documents; those that are paired with all below them */
    uint64_t start;        /* first row */
    float offset, slope;   /* see gr_lambda_pairs of kernels/lambda.h */
} gr_lambda_work;

GR_DEVICE bool gr_lambda_precedes(double a, uint32_t row_a, double b, uint32_t row_b)
{
    return a > b || (a == b && row_a < row_b);
}

GR_DEVICE void gr_lambda_exchange(const gr_lambda_ranks *ranks, uint32_t low, uint32_t high)
{
    const double a = ranks->exact[low], b = ranks->exact[high];
    const uint32_t row_a = ranks->order[low], row_b = ranks->order[high];

    if (gr_lambda_precedes(b, row_b, a, row_a)) {
        ranks->exact[low] = b;
        ranks->exact[high] = a;
        ranks->order[low] = row_b;
        ranks->order[high] = row_a;
    }
}

/* After a step of the sort, before the next one, which is half as wide or begins a new merge. The 32
 * threads of a warp exchange within 64 neighbours if steps are not wider than that. */
GR_DEVICE void gr_lambda_end_step(uint32_t step, uint32_t width)
{
    if ((step > 2 ? step / 2 : 2 * width) <= 64 && step <= 64)
        GR_WARP_BARRIER();
    else
        GR_BARRIER();
}

/* Bitonic sort by descending score, ties by row. Each merge begins with mirrored pairs, so that all
 * exchanges have the same direction and places past the end count as last without being there. */
GR_DEVICE void gr_lambda_rank(const gr_lambda_work *w)
{
    for (uint32_t width = 2; width < 2 * w->count; width *= 2)
        for (uint32_t step = width; step > 1; step /= 2) {
            const uint32_t half = step / 2, within = half - 1; /* a mask: powers of 2 */

            GR_THREADS(t, w->threads)
            {
                for (uint32_t p = t; (p & ~within) + p < w->count; p += w->threads) {
                    const uint32_t at = p & within, low = p - at + p;
                    const uint32_t high = step == width ? low - at + (step - 1 - at) : low + half;

                    if (high < w->count)
                        gr_lambda_exchange(&w->ranks, low, high);
                }
            }
            gr_lambda_end_step(step, width);
        }
    GR_BARRIER();
}

GR_DEVICE float gr_lambda_clamp(double score)
{
    return (float)(score > 0x1p100 ? 0x1p100 : score < -0x1p100 ? -0x1p100 : score);
}

/* MAP: places as in precision_places of lambdarank_changes.c, by a single thread. */
GR_DEVICE void gr_lambda_precision(const gr_lambda_work *w)
{
    const double *discounts = w->losses->discounts;
    double relevant = 0.0, sum = 0.0;

    for (uint32_t j = 0; j < w->count; j++) {
        const double is_relevant = w->ranks.exact[j] > 0.0 ? 1.0 : 0.0;

        relevant += is_relevant;
        w->ranks.places[j] = (float)(sum - relevant * discounts[j]);
        sum += is_relevant * discounts[j];
    }
}

/* Ranks the documents and fills their arrays. */
GR_DEVICE void gr_lambda_prepare_ranks(const gr_lambda_work *w)
{
    const gr_lambda_losses *losses = w->losses;
    const gr_lambda_ranks *ranks = &w->ranks;

    GR_THREADS(t, w->threads)
    {
        for (uint32_t i = t; i < w->count; i += w->threads) {
            ranks->exact[i] = losses->rows.scores[w->start + i];
            ranks->order[i] = i;
        }
        if (t == 0) {
            w->tile->cascade = losses->metric == GR_DEVICE_ERR ? 1.0 : 0.0;
            w->tile->seen = w->tile->size = 0.0;
        }
    }
    GR_BARRIER();
    gr_lambda_rank(w);
    GR_THREADS(t, w->threads)
    {
        for (uint32_t i = t; i < w->count; i += w->threads) {
            ranks->scores[i] = gr_lambda_clamp(ranks->exact[i]);
            ranks->exact[i] = losses->values[w->start + ranks->order[i]];
            ranks->values[i] = (float)ranks->exact[i];
            ranks->places[i] = (float)-losses->discounts[i];
            ranks->gradients[i] = ranks->hessians[i] = 0.0f;
        }
    }
    GR_BARRIER();
    if (losses->metric == GR_DEVICE_MAP) {
        GR_THREADS(t, w->threads)
        {
            if (t == 0)
                gr_lambda_precision(w);
        }
        GR_BARRIER();
    }
}

/* The places of a tile's rows, in order, by a single thread; gr_lambda_place of lambdarank_changes.c
 * for rows that do not depend on columns. */
GR_DEVICE void gr_lambda_cascade_rows(const gr_lambda_work *w, uint32_t first, uint32_t end)
{
    const double *discounts = w->losses->discounts;
    gr_lambda_tile *tile = w->tile;

    for (uint32_t i = first; i < end; i++) {
        const double value = w->ranks.exact[i], before = tile->cascade;

        if (w->losses->metric == GR_DEVICE_ERR) {
            tile->reading[i - first] = tile->between[i - first] = before;
            tile->stopped[i - first] = 0.0;
            tile->place[i - first] = 0.0f;
            tile->cascade *= 1.0 - value;
        } else {
            const double is_relevant = value > 0.0 ? 1.0 : 0.0;

            tile->cascade += is_relevant;
            tile->seen += is_relevant * discounts[i];
            tile->place[i - first] = (float)((before + 1.0) * discounts[i] - tile->seen);
        }
    }
}

GR_DEVICE void gr_lambda_begin_tile(const gr_lambda_work *w, uint32_t first, uint32_t end)
{
    gr_lambda_tile *tile = w->tile;

    GR_THREADS(t, w->threads)
    {
        for (uint32_t i = t; i < (end - first) * GR_LAMBDA_LANES; i += w->threads)
            tile->gradients[i] = tile->hessians[i] = tile->sizes[i] = 0.0f;
        if (w->losses->metric != GR_DEVICE_NDCG) {
            if (t == 0)
                gr_lambda_cascade_rows(w, first, end);
        } else {
            for (uint32_t i = first + t; i < end; i += w->threads)
                tile->place[i - first] = (float)w->losses->discounts[i];
        }
    }
    GR_BARRIER();
}

/* ERR: cascade_places of lambdarank_changes.c for row i and the columns of a chunk. */
GR_DEVICE void gr_lambda_cascade_columns(const gr_lambda_work *w, uint32_t i, uint32_t row,
                                         uint32_t chunk, uint32_t end)
{
    const double *discounts = w->losses->discounts, *values = w->ranks.exact;
    const double reading = w->tile->reading[row];
    double stopped = w->tile->stopped[row], between = w->tile->between[row];

    for (uint32_t j = chunk > i ? chunk : i + 1; j < end; j++) {
        w->pairs->lambdas[row * GR_LAMBDA_PITCH + j - chunk] =
            (float)(reading * discounts[i] - stopped - between * discounts[j]);
        stopped += discounts[j] * values[j] * between;
        between *= 1.0 - values[j];
    }
    w->tile->stopped[row] = stopped;
    w->tile->between[row] = between;
}

typedef struct gr_lambda_pair_terms {
    float lambda, curvature;
} gr_lambda_pair_terms;

/* The terms of a pair of ranks i < j from the differences of their scores and values; LANED(pair_part)
 * of kernels/lambda_body.h. */
GR_DEVICE gr_lambda_pair_terms gr_lambda_pair(float sigma, float offset, float slope,
                                              float distance, float better, float place)
{
    const float change = better * place, divisor = offset + slope * distance;
    const float e = gr_float_exp_minus(sigma * distance);
    const float shared = 1.0f / ((1.0f + e) * divisor);
    const bool is_better = better > 0.0f;
    gr_lambda_pair_terms terms;

    terms.lambda = sigma * change * shared * (is_better ? e : 1.0f);
    terms.curvature = sigma * fabsf(terms.lambda) * ((is_better ? 1.0f : e) * (shared * divisor));
    return terms;
}

/* Computes the pairs of row i and the columns of a chunk: those of thread `lane` of `lanes`. */
GR_DEVICE void gr_lambda_pairs_of(const gr_lambda_work *w, uint32_t i, uint32_t row, uint32_t lane,
                                  uint32_t lanes, uint32_t chunk, uint32_t end)
{
    const bool cascade = w->losses->metric == GR_DEVICE_ERR;
    const float own = w->tile->place[row], score = w->ranks.scores[i], value = w->ranks.values[i];
    const float sigma = w->losses->sigma, offset = w->offset, slope = w->slope;
    const uint32_t before = i + 1 > chunk ? i + 1 - chunk : 0;

    for (uint32_t column = before / lanes * lanes + lane; chunk + column < end; column += lanes) {
        const uint32_t at = row * GR_LAMBDA_PITCH + column, j = chunk + column;

        if (j > i) {
            const float place = own + (cascade ? w->pairs->lambdas[at] : w->ranks.places[j]);
            const gr_lambda_pair_terms terms =
                gr_lambda_pair(sigma, offset, slope, score - w->ranks.scores[j],
                               value - w->ranks.values[j], place);

            w->pairs->lambdas[at] = terms.lambda;
            w->pairs->curvatures[at] = terms.curvature;
        }
    }
}

/* Adds the rows of a tile to column j. */
GR_DEVICE void gr_lambda_column(const gr_lambda_work *w, uint32_t first, uint32_t end, uint32_t j,
                                uint32_t chunk)
{
    const uint32_t rows = (end < j ? end : j) - first;
    float gradient = w->ranks.gradients[j], hessian = w->ranks.hessians[j];

    for (uint32_t row = 0; row < rows; row++) {
        gradient += w->pairs->lambdas[row * GR_LAMBDA_PITCH + j - chunk];
        hessian += w->pairs->curvatures[row * GR_LAMBDA_PITCH + j - chunk];
    }
    w->ranks.gradients[j] = gradient;
    w->ranks.hessians[j] = hessian;
}

/* Adds the columns of a chunk, which begins at a multiple of 16, to a lane of row i. */
GR_DEVICE void gr_lambda_lane(const gr_lambda_work *w, uint32_t i, uint32_t row, uint32_t lane,
                              uint32_t chunk, uint32_t end)
{
    const uint32_t at = row * GR_LAMBDA_LANES + lane;
    gr_lambda_tile *tile = w->tile;
    float gradient = tile->gradients[at], hessian = tile->hessians[at], size = tile->sizes[at];
    uint32_t j = chunk + lane;

    if (j <= i) /* the first of the lane after i */
        j += (i - j) / GR_LAMBDA_LANES * GR_LAMBDA_LANES + GR_LAMBDA_LANES;
    for (; j < end; j += GR_LAMBDA_LANES) {
        const float lambda = w->pairs->lambdas[row * GR_LAMBDA_PITCH + j - chunk];

        gradient += lambda;
        hessian += w->pairs->curvatures[row * GR_LAMBDA_PITCH + j - chunk];
        size += fabsf(lambda);
    }
    tile->gradients[at] = gradient;
    tile->hessians[at] = hessian;
    tile->sizes[at] = size;
}

/* The pairs of a tile with the columns of a chunk. */
GR_DEVICE void gr_lambda_pair_up(const gr_lambda_work *w, uint32_t first, uint32_t end,
                                 uint32_t chunk, uint32_t chunk_end)
{
    if (w->losses->metric == GR_DEVICE_ERR) {
        GR_THREADS(t, w->threads)
        {
            for (uint32_t i = first + t; i < end; i += w->threads)
                gr_lambda_cascade_columns(w, i, i - first, chunk, chunk_end);
        }
        GR_BARRIER();
    }
    GR_THREADS(t, w->threads)
    {
        const uint32_t lanes = w->threads < 32 ? w->threads : 32, warps = w->threads / lanes;

        for (uint32_t i = first + t / lanes; t / lanes < warps && i < end; i += warps)
            gr_lambda_pairs_of(w, i, i - first, t % lanes, lanes, chunk, chunk_end);
    }
    GR_BARRIER();
    GR_THREADS(t, w->threads)
    {
        for (uint32_t j = chunk + t; j < chunk_end; j += w->threads)
            if (j > first)
                gr_lambda_column(w, first, end, j, chunk);
        for (uint32_t task = t; task < (end - first) * GR_LAMBDA_LANES; task += w->threads)
            gr_lambda_lane(w, first + task / GR_LAMBDA_LANES, task / GR_LAMBDA_LANES,
                           task % GR_LAMBDA_LANES, chunk, chunk_end);
    }
    GR_BARRIER();
}

/* Adds the lanes of a tile's rows by halving, as LANED(total) does. Those of a row are added by threads of one
 * warp, if a warp is whole. */
GR_DEVICE void gr_lambda_totals(const gr_lambda_work *w, uint32_t rows)
{
    gr_lambda_tile *tile = w->tile;

    for (uint32_t half = GR_LAMBDA_LANES / 2; half > 0; half /= 2) {
        GR_THREADS(t, w->threads)
        {
            for (uint32_t i = t; i < rows * GR_LAMBDA_LANES; i += w->threads) {
                if (i % GR_LAMBDA_LANES >= half)
                    continue;
                tile->gradients[i] += tile->gradients[i + half];
                tile->hessians[i] += tile->hessians[i + half];
                tile->sizes[i] += tile->sizes[i + half];
            }
        }
        if (w->threads % 32 == 0)
            GR_WARP_BARRIER();
        else
            GR_BARRIER();
    }
}

/* Adds the sums of a tile's rows to their documents. */
GR_DEVICE void gr_lambda_end_tile(const gr_lambda_work *w, uint32_t first, uint32_t end)
{
    const gr_lambda_ranks *ranks = &w->ranks;
    gr_lambda_tile *tile = w->tile;

    gr_lambda_totals(w, end - first);
    GR_THREADS(t, w->threads)
    {
        for (uint32_t at = t; at < (end - first) * GR_LAMBDA_LANES; at += w->threads) {
            const uint32_t row = at / GR_LAMBDA_LANES, i = first + row;

            if (at % GR_LAMBDA_LANES)
                continue;
            ranks->gradients[i] =
                (float)((double)ranks->gradients[i] - (double)tile->gradients[at]);
            ranks->hessians[i] = (float)((double)ranks->hessians[i] + (double)tile->hessians[at]);
            tile->row_size[row] = (double)tile->sizes[at];
        }
    }
    GR_BARRIER();
    GR_THREADS(t, w->threads)
    {
        if (t == 0)
            for (uint32_t row = 0; row < end - first; row++)
                tile->size += 2.0 * tile->row_size[row];
    }
}

GR_DEVICE void gr_lambda_put(const gr_lambda_work *w)
{
    const gr_row_losses *rows = &w->losses->rows;

    GR_THREADS(t, w->threads)
    {
        if (t == 0)
            w->tile->scale = w->losses->by_query && w->tile->size > 0.0
                                 ? gr_log2_body(1.0 + w->tile->size) / w->tile->size
                                 : 1.0;
    }
    GR_BARRIER();
    GR_THREADS(t, w->threads)
    {
        for (uint32_t i = t; i < w->count; i += w->threads) {
            const size_t r = w->start + w->ranks.order[i];
            const double weight = w->tile->scale * gr_row_weight(rows, 0, r);

            rows->gradients[r] = (float)(weight * (double)w->ranks.gradients[i]);
            rows->hessians[r] = (float)(weight * (double)w->ranks.hessians[i]);
        }
    }
    GR_BARRIER();
}

/* The number of top ranks that are paired with all below them. */
GR_DEVICE uint32_t gr_lambda_upper(const gr_lambda_losses *losses, uint32_t count)
{
    uint32_t upper = count > 0 ? count - 1 : 0;

    if (losses->truncation > 0 && losses->truncation < upper)
        upper = (uint32_t)losses->truncation;
    if (losses->depth > 0 && losses->depth < upper)
        upper = (uint32_t)losses->depth;
    return upper;
}

/* Gradients of the rows of query q, of which some swap matters. ranks: room for its documents. */
GR_DEVICE void gr_lambda_query_block(const gr_lambda_losses *losses, uint32_t q, uint32_t threads,
                                     gr_lambda_ranks ranks, gr_lambda_tile *tile,
                                     gr_lambda_chunk *pairs)
{
    gr_lambda_work w;

    w.losses = losses;
    w.ranks = ranks;
    w.tile = tile;
    w.pairs = pairs;
    w.threads = threads;
    w.start = losses->query_starts[q];
    w.count = (uint32_t)(losses->query_starts[q + 1] - w.start);
    w.upper = gr_lambda_upper(losses, w.count);
    if (losses->skipped && losses->skipped[q]) {
        GR_THREADS(t, threads)
        {
            for (uint32_t i = t; i < w.count; i += threads)
                losses->rows.gradients[w.start + i] = losses->rows.hessians[w.start + i] = 0.0f;
        }
        return;
    }
    gr_lambda_prepare_ranks(&w);
    const bool divided = losses->by_query && ranks.scores[0] != ranks.scores[w.count - 1];

    w.offset = divided ? 0.01f : 1.0f;
    w.slope = divided ? 1.0f : 0.0f;
    for (uint32_t first = 0; first < w.upper; first += GR_LAMBDA_TILE) {
        const uint32_t end = first + GR_LAMBDA_TILE < w.upper ? first + GR_LAMBDA_TILE : w.upper;

        gr_lambda_begin_tile(&w, first, end);
        /* no column before the tile has pairs in it */
        for (uint32_t chunk = first / GR_LAMBDA_CHUNK * GR_LAMBDA_CHUNK; chunk < w.count;
             chunk += GR_LAMBDA_CHUNK)
            gr_lambda_pair_up(&w, first, end, chunk,
                              chunk + GR_LAMBDA_CHUNK < w.count ? chunk + GR_LAMBDA_CHUNK
                                                                : w.count);
        gr_lambda_end_tile(&w, first, end);
    }
    gr_lambda_put(&w);
}

#endif
