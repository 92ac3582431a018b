/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and frees a grower with all its buffers, and starts a round. */
#include "learners/tree/grow.h"

#include <stdlib.h>
#include <string.h>

/* The largest possible number of leaves: both limits, and never more than the rows. */
static size_t most_leaves(const gr_tree_options *options, size_t rows)
{
    size_t leaves = options->leaves ? (size_t)options->leaves : rows;

    if (!options->leaves && !options->depth)
        leaves = 31;
    if (options->depth && options->depth < 32 && leaves > (size_t)1 << options->depth)
        leaves = (size_t)1 << options->depth;
    if (leaves > rows)
        leaves = rows;
    return leaves ? leaves : 1;
}

static size_t widest_feature(const gr_bins *bins)
{
    size_t most = 1;

    for (size_t f = 0; f < bins->features; f++)
        if (gr_cuts_bins(&bins->cuts, f) > most)
            most = gr_cuts_bins(&bins->cuts, f);
    return most;
}

/* The largest batch whose candidates, two nodes per expansion, take a few megabytes. */
static size_t most_batch(size_t features)
{
    const size_t most = ((size_t)1 << 16) / (features ? features : 1);

    return most < 2 ? 2 : most > GR_MAX_BATCH ? GR_MAX_BATCH : most;
}

/* Wasted expansions for which there is memory; afterwards nodes are expanded one by one. */
static size_t most_wasted(size_t leaves)
{
    return 4 * (leaves < 1024 ? leaves : 1024) + GR_MAX_BATCH;
}

/* Enough nodes to keep the threads busy. Processes must agree, whatever their threads. */
static size_t usual_batch(const gr_share *share, const gr_pool *pool)
{
    const size_t threads = gr_pool_threads(pool);

    return share ? GR_SHARED_BATCH : threads > 1 ? 2 * threads : 1;
}

static gradus_status make_rooms(gr_grower *grower, gradus_error *err)
{
    const gr_bins *bins = grower->bins;
    const size_t rows = bins->rows, features = bins->dense + bins->sparses, leaves = grower->leaves;

    grower->scratch_room = (2 * widest_feature(bins) + 15) / 8 * 8;
    grower->count_room = widest_feature(bins) + 1;
    grower->bin_counts = gr_arena_array(&grower->arena, gr_pool_threads(grower->pool),
                                        grower->count_room * sizeof *grower->bin_counts);
    grower->scan_work =
        gr_arena_array(&grower->arena, bins->groups + bins->bundles, sizeof *grower->scan_work);
    grower->lanes = gr_arena_array(&grower->arena, grower->outputs, sizeof *grower->lanes);
    grower->roots = gr_arena_array(&grower->arena, grower->outputs, sizeof *grower->roots);
    grower->counts = gr_arena_array(&grower->arena, rows / GR_PARTITION_CHUNK + GR_MAX_BATCH,
                                    sizeof *grower->counts);
    grower->tried = gr_arena_array(&grower->arena, features, sizeof *grower->tried);
    grower->candidates = gr_arena_array(&grower->arena, features,
                                        2 * most_batch(features) * sizeof *grower->candidates);
    grower->scratch = gr_arena_array(&grower->arena, gr_pool_threads(grower->pool),
                                     grower->scratch_room * sizeof *grower->scratch);
    grower->most_expansions = leaves - 1 + most_wasted(leaves);
    grower->nodes =
        gr_arena_array(&grower->arena, 2 * grower->most_expansions + 1, sizeof *grower->nodes);
    grower->spare_nodes =
        gr_arena_array(&grower->arena, 2 * grower->most_expansions + 1, sizeof *grower->nodes);
    grower->chosen = gr_arena_array(&grower->arena, leaves, sizeof *grower->chosen);
    grower->works = gr_arena_array(&grower->arena, GR_MAX_BATCH, sizeof *grower->works);
    grower->steps = gr_arena_array(&grower->arena, GR_MAX_BATCH + 1, sizeof *grower->steps);
    grower->queue.nodes =
        gr_arena_array(&grower->arena, grower->most_expansions + 2, sizeof *grower->queue.nodes);
    grower->run_starts =
        gr_arena_array(&grower->arena, grower->most_expansions + 2, sizeof *grower->run_starts);
    grower->run_leaves =
        gr_arena_array(&grower->arena, grower->most_expansions + 2, sizeof *grower->run_leaves);
    grower->run_lists =
        gr_arena_array(&grower->arena, grower->most_expansions + 2, sizeof *grower->run_lists);
    grower->run_places =
        gr_arena_array(&grower->arena, grower->most_expansions + 2, sizeof *grower->run_places);
    grower->splits = gr_arena_array(&grower->arena, leaves, sizeof *grower->splits);
    grower->starts = gr_arena_array(&grower->arena, leaves + 1, sizeof *grower->starts);
    grower->routes = gr_arena_array(&grower->arena, leaves, sizeof *grower->routes);
    grower->covers = gr_arena_array(&grower->arena, leaves, sizeof *grower->covers);
    grower->carry.histograms =
        gr_arena_array(&grower->arena, leaves, sizeof *grower->carry.histograms);
    grower->carry.steps = gr_arena_array(&grower->arena, leaves, sizeof *grower->carry.steps);
    grower->gradients = gr_arena_array(&grower->arena, leaves, sizeof *grower->gradients);
    grower->hessians = gr_arena_array(&grower->arena, leaves, sizeof *grower->hessians);
    return grower->arena.failed ? gr_fail_memory(err, "growing trees") : GRADUS_OK;
}

/* What is needed without a device. */
static gradus_status make_row_rooms(gr_grower *grower, gradus_error *err)
{
    const size_t rows = grower->bins->rows;
    size_t words;

    if (grower->words.at)
        return GRADUS_OK;
    grower->all_scan_work = gr_scan_work(grower->bins, grower->scan_work);
    if (!gr_size_times(grower->outputs, rows * sizeof(uint64_t), &words) ||
        !gr_array_reserve(&grower->words, words) ||
        !gr_array_reserve(&grower->ordered, rows * sizeof(uint64_t)) ||
        (grower->bins->row_masks.at && !gr_array_reserve(&grower->masks, rows)) ||
        !gr_array_reserve(&grower->rows, rows * sizeof(uint32_t)) ||
        !gr_array_reserve(&grower->spare, rows * sizeof(uint32_t)) ||
        !gr_columns_start(&grower->columns, grower->bins))
        return gr_fail_memory(err, "growing trees");
    gr_array_use_huge_pages(&grower->words);
    gr_array_use_huge_pages(&grower->ordered);
    return GRADUS_OK;
}

static gradus_status copy_signs(gr_grower *grower, const int8_t *signs, gradus_error *err)
{
    const size_t features = grower->bins->features;
    bool any = false;

    for (size_t f = 0; signs && f < features; f++)
        any |= signs[f] != 0;
    if (!any)
        return GRADUS_OK;
    grower->signs = gr_new_array(features, sizeof *grower->signs);
    if (!grower->signs)
        return gr_fail_memory(err, "monotone features");
    memcpy(grower->signs, signs, features * sizeof *signs);
    return GRADUS_OK;
}

gr_grower *gr_grower_new(const gr_bins *bins, size_t outputs, const gr_tree_options *options,
                         const int8_t *signs, gr_pool *pool, gradus_error *err)
{
    gr_grower *grower = gr_new_array(1, sizeof *grower);

    if (!grower) {
        gr_fail_memory(err, "growing trees");
        return NULL;
    }
    grower->bins = bins;
    grower->pool = pool;
    grower->options = *options;
    grower->outputs = outputs;
    grower->leaves = most_leaves(options, gr_share_rows(bins->share, bins->rows));
    grower->queue.level = options->grow == GR_GROW_LEVEL;
    gr_grower_limit(grower, GR_NARROW_ROWS, (size_t)256 << 20);
    gr_grower_set_batch(grower, usual_batch(bins->share, pool));
    if (copy_signs(grower, signs, err) != GRADUS_OK ||
        gr_layout_new(&grower->layout, bins, err) != GRADUS_OK ||
        gr_features_cut(&grower->cuts, &grower->layout, bins, bins->share, err) != GRADUS_OK ||
        make_rooms(grower, err) != GRADUS_OK) {
        gr_grower_free(grower);
        return NULL;
    }
    return grower;
}

void gr_grower_free(gr_grower *grower)
{
    if (!grower)
        return;
    gr_layout_free(&grower->layout);
    gr_features_cut_free(&grower->cuts);
    gr_histograms_free(&grower->histograms);
    gr_array_free(&grower->words);
    gr_array_free(&grower->partial);
    gr_array_free(&grower->message);
    gr_array_free(&grower->ordered);
    gr_array_free(&grower->masks);
    gr_array_free(&grower->rows);
    gr_array_free(&grower->spare);
    gr_columns_free(&grower->columns);
    if (grower->trees)
        grower->device->trees->close(grower->trees);
    free(grower->signs);
    gr_arena_free(&grower->arena);
    free(grower);
}

void gr_grower_limit(gr_grower *grower, size_t narrow_rows, size_t histogram_bytes)
{
    grower->narrow_rows = narrow_rows;
    grower->histogram_bytes = histogram_bytes;
}

void gr_grower_set_batch(gr_grower *grower, size_t batch)
{
    const size_t most = most_batch(grower->bins->dense + grower->bins->sparses);

    grower->batch = batch < most ? batch : most;
}

gradus_status gr_grower_begin(gr_grower *grower, const gr_round *round, gradus_error *err)
{
    const size_t rows = grower->bins->rows;
    const bool wide = gr_round_rows(round) > grower->narrow_rows;
    const size_t words = grower->layout.bin_sums * (wide ? 2 : 1);
    const bool share = gr_roots_can_share(grower, wide);
    size_t count = grower->histogram_bytes / (sizeof(uint64_t) * (words ? words : 1));

    grower->round = *round;
    if (grower->trees)
        return gr_device_begin(grower, err);
    GR_TRY(make_row_rooms(grower, err));
    for (size_t k = 0; k < grower->outputs; k++) {
        grower->roots[k] = GR_NO_HISTOGRAM;
        GR_TRY(gr_round_words(round, rows, grower->outputs, k, wide, grower->pool,
                              (uint64_t *)grower->words.at + k * rows, &grower->lanes[k], err));
    }
    const size_t most = grower->leaves + grower->batch + (share ? grower->outputs : 0);
    if (count > most)
        count = most;
    count = count < 2 ? 2 : count;
    const bool carried = gr_carry_fold(grower, words, count);
    GR_TRY(gr_histograms_start(&grower->histograms, words, count, err));
    if (carried)
        grower->roots[0] = gr_histogram_take(&grower->histograms);
    gr_carry_begin(grower);
    return share ? gr_make_roots(grower, err) : GRADUS_OK;
}
