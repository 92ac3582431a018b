/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over rows for least squares: a pass for the means, then a pass for the products. */
#include "learners/linear/sums.h"

#include "kernels/gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL = 256, ROW_CHUNK = 8192 };
static const size_t most_slot_bytes = (size_t)1 << 29;

/* The sums of a chunk of rows, and scratch. */
typedef struct room {
    double *sums, *weights,
        *products;           /* as in gr_sums; the first pass uses sums and weights only */
    double *panel, *weighed; /* [PANEL x columns], dense rows only */
    uint32_t *numbers;       /* row numbers of the chunk, grouped by level */
} room;

typedef struct summing {
    gr_sums *to;
    const gr_share *share; /* of the rows; NULL: one process has all */
    size_t first;          /* first chunk of this process */
    double *kept;          /* the sums of its chunks, if there are other processes */
    size_t kept_each;      /* numbers per chunk */
    const gradus_arrays *arrays;
    const gr_problem *problem;
    const gr_gram_kernels *kernels;
    size_t chunk;  /* rows per chunk */
    bool by_level; /* this is the second pass */
    room slots[GR_STREAM_SLOTS];
    gr_array memory[GR_STREAM_SLOTS];
} summing;

static double weight_of(const summing *work, size_t r)
{
    return work->problem->row_weights ? (double)work->problem->row_weights[r] : 1.0;
}

static size_t level_of(const summing *work, size_t r)
{
    return work->problem->levels ? work->problem->level_of[r] : 0;
}

static size_t end_of(const summing *work, size_t index)
{
    const size_t from = index * work->chunk, rows = work->arrays->rows;

    return rows - from < work->chunk ? rows : from + work->chunk;
}

/* First pass: weighted sums of the values present, and for each column the weight of the rows that
 * miss it. */

static void total_dense(const summing *work, size_t r, double weight, room *slot)
{
    const float *row = work->arrays->values + r * work->arrays->stride;

    if (work->kernels->total(row, work->to->features, weight, slot->sums))
        return;
    for (size_t f = 0; f < work->to->features; f++)
        if (!isfinite(row[f]))
            slot->weights[f] += weight;
}

static void total_sparse(const summing *work, size_t r, double weight, room *slot)
{
    const gradus_arrays *a = work->arrays;

    for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++)
        if (isfinite(a->entries[e]))
            slot->sums[a->columns[e]] += weight * (double)a->entries[e];
        else
            slot->weights[a->columns[e]] += weight;
}

static gradus_status make_totals(void *argument, size_t index, size_t at, gradus_error *err)
{
    const summing *work = argument;
    room *slot = &((summing *)argument)->slots[at];
    const size_t columns = work->to->columns, features = work->to->features;

    (void)err;
    index += work->first;
    memset(slot->sums, 0, columns * sizeof *slot->sums);
    memset(slot->weights, 0, (columns + 1) * sizeof *slot->weights);
    for (size_t r = index * work->chunk; r < end_of(work, index); r++) {
        const double weight = weight_of(work, r);

        slot->weights[columns] += weight;
        if (work->to->labelled)
            slot->sums[features] += weight * (double)work->problem->labels[r];
        if (work->arrays->row_starts)
            total_sparse(work, r, weight, slot);
        else
            total_dense(work, r, weight, slot);
    }
    return GRADUS_OK;
}

static void add_to(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

/* Accumulates in to->means and to->origin, which finish_means() overwrites. */
static void take_totals(const summing *work, const room *slot)
{
    add_to(work->to->means, slot->sums, work->to->columns);
    add_to(work->to->origin, slot->weights, work->to->columns + 1);
}

/* Turns sums and weights into means. The mean of a feature that no row has is 0. */
static void finish_means(const summing *work)
{
    gr_sums *to = work->to;
    const double all = to->origin[to->columns];

    for (size_t c = 0; c < to->columns; c++) {
        const double there = all - to->origin[c];

        to->means[c] = there > 0.0 ? to->means[c] / there : 0.0;
        to->origin[c] = work->arrays->row_starts && c < to->features ? 0.0 : to->means[c];
    }
}

/* Second pass. */

/* Row numbers of the rows with positive weight, grouped by level; starts: [levels + 1]. */
static void sort_by_level(const summing *work, size_t index, uint32_t *numbers, size_t *starts)
{
    const size_t from = index * work->chunk, end = end_of(work, index);
    size_t next[GR_MAX_LEVELS] = { 0 };

    for (size_t r = from; r < end; r++)
        next[level_of(work, r)] += weight_of(work, r) > 0.0;
    starts[0] = 0;
    for (size_t l = 0; l < work->to->levels; l++) {
        starts[l + 1] = starts[l] + next[l];
        next[l] = starts[l];
    }
    for (size_t r = from; r < end; r++)
        if (weight_of(work, r) > 0.0)
            numbers[next[level_of(work, r)]++] = (uint32_t)r;
}

static void put_labels(const summing *work, const uint32_t *numbers, size_t rows, double *panel)
{
    const size_t f = work->to->features;
    double *strip = panel + f / GR_STRIP * rows * GR_STRIP;

    if (f % GR_STRIP == 0)
        memset(strip, 0, rows * GR_STRIP * sizeof *strip);
    for (size_t r = 0; r < rows; r++)
        strip[r * GR_STRIP + f % GR_STRIP] =
            (double)work->problem->labels[numbers[r]] - work->to->origin[f];
}

/* The panel multiplied by the row weights, or the panel itself without weights. */
static const double *weigh(const summing *work, const uint32_t *numbers, size_t rows,
                           const room *slot)
{
    const size_t strips = work->to->columns / GR_STRIP;

    if (!work->problem->row_weights)
        return slot->panel;
    for (size_t s = 0; s < strips; s++)
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < GR_STRIP; i++)
                slot->weighed[(s * rows + r) * GR_STRIP + i] =
                    slot->panel[(s * rows + r) * GR_STRIP + i] * weight_of(work, numbers[r]);
    return slot->weighed;
}

static void add_panel(const summing *work, const uint32_t *numbers, size_t rows, size_t level,
                      room *slot)
{
    const gr_sums *to = work->to;
    const size_t columns = to->columns, strips = columns / GR_STRIP;
    const gr_pack pack = { .values = work->arrays->values,
                           .stride = work->arrays->stride,
                           .features = to->features,
                           .numbers = numbers,
                           .rows = rows,
                           .means = to->origin };
    const double *weighed;

    work->kernels->pack(&pack, slot->panel);
    if (to->labelled)
        put_labels(work, numbers, rows, slot->panel);
    weighed = weigh(work, numbers, rows, slot);
    work->kernels->gram(weighed, slot->panel, rows, strips,
                        slot->products + to->group_of[level] * columns * columns, columns);
    for (size_t s = 0; s < strips; s++) {
        double sums[GR_STRIP] = { 0 };

        for (size_t r = 0; r < rows; r++)
            add_to(sums, weighed + (s * rows + r) * GR_STRIP, GR_STRIP);
        add_to(slot->sums + level * columns + s * GR_STRIP, sums, GR_STRIP);
    }
}

/* Adds a sparse row: products of the stored values only. */
static void add_sparse(const summing *work, size_t r, size_t level, room *slot)
{
    const gradus_arrays *a = work->arrays;
    const gr_sums *to = work->to;
    const double weight = weight_of(work, r);
    double *sums = slot->sums + level * to->columns;
    double *products = slot->products + to->group_of[level] * to->columns * to->columns;
    const uint64_t from = a->row_starts[r], end = a->row_starts[r + 1];
    double *values = slot->panel;

    for (uint64_t e = from; e < end; e++) {
        const uint32_t f = a->columns[e];
        const double value = isfinite(a->entries[e]) ? (double)a->entries[e] : to->means[f];
        const double weighed = weight * value;
        double *row = products + f * to->columns;

        values[e - from] = value;
        sums[f] += weighed;
        for (uint64_t other = from; other <= e; other++)
            row[a->columns[other]] += weighed * values[other - from];
    }
    if (to->labelled) {
        const double label = (double)work->problem->labels[r] - to->origin[to->features];
        double *row = products + to->features * to->columns;

        sums[to->features] += weight * label;
        row[to->features] += weight * label * label;
        for (uint64_t e = from; e < end; e++)
            row[a->columns[e]] += weight * label * values[e - from];
    }
}

static gradus_status make_products(void *argument, size_t index, size_t at, gradus_error *err)
{
    const summing *work = argument;
    room *slot = &((summing *)argument)->slots[at];
    const gr_sums *to = work->to;
    size_t starts[GR_MAX_LEVELS + 1];

    (void)err;
    index += work->first;
    memset(slot->sums, 0, to->levels * to->columns * sizeof *slot->sums);
    memset(slot->weights, 0, to->levels * sizeof *slot->weights);
    memset(slot->products, 0, to->groups * to->columns * to->columns * sizeof *slot->products);
    sort_by_level(work, index, slot->numbers, starts);
    for (size_t l = 0; l < to->levels; l++) {
        for (size_t i = starts[l]; i < starts[l + 1]; i++)
            slot->weights[l] += weight_of(work, slot->numbers[i]);
        if (work->arrays->row_starts) {
            for (size_t i = starts[l]; i < starts[l + 1]; i++)
                add_sparse(work, slot->numbers[i], l, slot);
            continue;
        }
        for (size_t i = starts[l]; i < starts[l + 1]; i += PANEL)
            add_panel(work, slot->numbers + i,
                      starts[l + 1] - i < PANEL ? starts[l + 1] - i : PANEL, l, slot);
    }
    return GRADUS_OK;
}

static void take_products(const summing *work, const room *slot)
{
    gr_sums *to = work->to;

    add_to(to->sums, slot->sums, to->levels * to->columns);
    add_to(to->weights, slot->weights, to->levels);
    for (size_t g = 0; g < to->groups; g++)
        for (size_t i = 0; i < to->columns; i++) {
            const size_t row = (g * to->columns + i) * to->columns;

            add_to(to->products + row, slot->products + row, i + 1);
        }
}

static void take_room(const summing *work, const room *slot)
{
    if (work->by_level)
        take_products(work, slot);
    else
        take_totals(work, slot);
}

static gradus_status take(void *argument, size_t index, size_t at, gradus_error *err)
{
    const summing *work = argument;

    (void)err;
    if (work->kept)
        memcpy(work->kept + index * work->kept_each, work->slots[at].products,
               work->kept_each * sizeof *work->kept);
    else
        take_room(work, &work->slots[at]);
    return GRADUS_OK;
}

/* Continues the sums with the chunks of this process. */
static void take_kept(const summing *work, size_t chunks)
{
    for (size_t c = 0; c < chunks; c++) {
        const room *slot = &work->slots[0]; /* a chunk is kept as in a slot */
        double *at = work->kept + c * work->kept_each;
        const room kept = { .products = at,
                            .sums = at + (slot->sums - slot->products),
                            .weights = at + (slot->weights - slot->products) };

        take_room(work, &kept);
    }
}

/* Sums of doubles depend on their order: the processes add their chunks in turn. */
static gradus_status take_in_turn(const summing *work, size_t chunks, gradus_error *err)
{
    const gr_sums *to = work->to;
    const gr_share *share = work->share;
    const size_t each = sizeof *to->sums;

    for (size_t i = 0; share && i < share->with->size; i++) {
        if (i == share->with->rank)
            take_kept(work, chunks);
        if (work->by_level) {
            GR_TRY(gr_share_broadcast(share, to->sums, to->levels * to->columns * each, i, err));
            GR_TRY(gr_share_broadcast(share, to->weights, to->levels * each, i, err));
            GR_TRY(gr_share_broadcast(share, to->products,
                                      to->groups * to->columns * to->columns * each, i, err));
        } else {
            GR_TRY(gr_share_broadcast(share, to->means, to->columns * each, i, err));
            GR_TRY(gr_share_broadcast(share, to->origin, (to->columns + 1) * each, i, err));
        }
    }
    return GRADUS_OK;
}

/* Allocates a slot in one block, aligned to 64 bytes. */
static gradus_status make_slot(summing *work, size_t s, gradus_error *err)
{
    const gr_sums *to = work->to;
    const size_t columns = to->columns, sums = to->levels * columns;
    const size_t weights = columns + 8 > to->levels ? columns + 8 : GR_MAX_LEVELS;
    const size_t products = work->by_level ? to->groups * columns * columns : 0;
    const size_t panel = work->by_level ? PANEL * columns : 0;
    const size_t all = sums + weights + products + 2 * panel + work->chunk / 2 + 1;
    double *at;

    if (!gr_array_reserve(&work->memory[s], all * sizeof *at + 64))
        return gr_fail_memory(err, "products of features");
    at = (double *)(((uintptr_t)work->memory[s].at + 63) / 64 * 64);
    work->slots[s] = (room){ .panel = at,
                             .weighed = at + panel,
                             .products = at + 2 * panel,
                             .sums = at + 2 * panel + products,
                             .weights = at + 2 * panel + products + sums,
                             .numbers = (uint32_t *)(at + 2 * panel + products + sums + weights) };
    work->kept_each = products + sums + weights;
    return GRADUS_OK;
}

/* The number of chunks that this process adds up. */
static gradus_status own_chunks(summing *work, size_t *count, gradus_error *err)
{
    uint64_t *cuts;

    *count = (work->arrays->rows + work->chunk - 1) / work->chunk;
    if (!work->share)
        return GRADUS_OK;
    cuts = gr_new_array(work->share->with->size + 1, sizeof *cuts);
    if (!cuts)
        return gr_fail_memory(err, "the shares of processes");
    gr_share_cut_chunks(work->share, work->chunk, cuts);
    work->first = (size_t)cuts[work->share->with->rank];
    *count = (size_t)cuts[work->share->with->rank + 1] - work->first;
    free(cuts);
    return GRADUS_OK;
}

static gradus_status keep_chunks(summing *work, size_t count, gradus_error *err)
{
    size_t numbers;

    if (!work->share)
        return GRADUS_OK;
    if (gr_size_times(count + 1, work->kept_each, &numbers))
        work->kept = gr_new_array(numbers, sizeof *work->kept);
    return work->kept ? GRADUS_OK : gr_fail_memory(err, "products of features");
}

static gradus_status pass(summing *work, const gradus_context *context, bool by_level,
                          gradus_error *err)
{
    gr_pool *pool = gr_pool_of(context);
    const size_t columns = work->to->columns;
    const size_t bytes = work->to->groups * columns * columns * sizeof(double);
    gr_stream stream = { .make = by_level ? make_products : make_totals,
                         .take = take,
                         .argument = work,
                         .slots = gr_stream_slots(pool),
                         .context = context,
                         .what = by_level ? "summing products" : "computing means" };
    size_t chunks;
    gradus_status status = own_chunks(work, &chunks, err);

    work->by_level = by_level;
    while (by_level && stream.slots > 1 && stream.slots * bytes > most_slot_bytes)
        stream.slots--;
    for (size_t s = 0; s < stream.slots && status == GRADUS_OK; s++)
        status = make_slot(work, s, err);
    if (status == GRADUS_OK)
        status = keep_chunks(work, chunks, err);
    if (status == GRADUS_OK)
        status = gr_pool_stream(pool, chunks, &stream, err);
    if (status == GRADUS_OK)
        status = take_in_turn(work, chunks, err);
    for (size_t s = 0; s < GR_STREAM_SLOTS; s++)
        gr_array_free(&work->memory[s]);
    free(work->kept);
    work->kept = NULL;
    return status;
}

/* Groups the levels that have equal weights in every output. */
static void group_levels(gr_sums *to)
{
    const gr_problem *p = to->problem;
    size_t first[GR_MAX_LEVELS] = { 0 }; /* first level of each group */

    for (size_t l = 0; l < to->levels; l++) {
        size_t g = 0;

        for (; g < to->groups; g++) {
            size_t k = 0;

            while (k < p->outputs && (!p->weights || p->weights[k * p->levels + l] ==
                                                         p->weights[k * p->levels + first[g]]))
                k++;
            if (k == p->outputs)
                break;
        }
        to->group_of[l] = (uint8_t)g;
        if (g == to->groups)
            first[to->groups++] = l;
    }
}

void gr_sums_free(gr_sums *sums)
{
    gr_arena_free(&sums->arena);
    *sums = (gr_sums){ .features = 0 };
}

static gradus_status prepare(gr_sums *to, const gr_problem *problem, size_t features,
                             gradus_error *err)
{
    size_t cells;

    *to = (gr_sums){ .problem = problem,
                     .features = features,
                     .labelled = problem->targets == NULL,
                     .levels = problem->levels ? problem->levels : 1 };
    if (features > GR_LINEAR_FEATURES)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "least squares supports at most %d features, but the data have %zu (memory "
                       "grows with their square)",
                       GR_LINEAR_FEATURES, features);
    to->columns = (features + to->labelled + GR_STRIP - 1) / GR_STRIP * GR_STRIP;
    to->group_of = gr_arena_array(&to->arena, to->levels, sizeof *to->group_of);
    if (to->arena.failed)
        return gr_fail_memory(err, "products of features");
    group_levels(to);
    cells = to->columns * to->columns;
    to->means = gr_arena_array(&to->arena, to->columns, sizeof *to->means);
    to->origin = gr_arena_array(&to->arena, to->columns + 1, sizeof *to->origin);
    to->products = gr_arena_array(&to->arena, to->groups * cells, sizeof *to->products);
    to->sums = gr_arena_array(&to->arena, to->levels * to->columns, sizeof *to->sums);
    to->weights = gr_arena_array(&to->arena, to->levels, sizeof *to->weights);
    if (to->arena.failed)
        return gr_fail_memory(err, "products of features");
    return GRADUS_OK;
}

gradus_status gr_sums_of(const gradus_context *context, const gradus_dataset *data,
                         const gr_problem *problem, gr_sums *sums, gradus_error *err)
{
    const size_t features = data->arrays.features;
    summing *work = calloc(1, sizeof *work);
    gradus_status status = prepare(sums, gr_problem_whole(problem), features, err);

    if (!work && status == GRADUS_OK)
        status = gr_fail_memory(err, "products of features");
    if (status == GRADUS_OK) {
        work->to = sums;
        work->share = data->share;
        work->arrays = &(data->whole ? data->whole : data)->arrays;
        work->problem = sums->problem;
        work->kernels = gr_gram_here();
        work->chunk = features > ROW_CHUNK / 8 ? features * 8 : ROW_CHUNK;
        status = pass(work, context, false, err);
    }
    if (status == GRADUS_OK) {
        finish_means(work);
        status = pass(work, context, true, err);
    }
    free(work);
    return status;
}
