/* SPDX-License-Identifier: Apache-2.0 */
/* Groups dense features that are in their usual (most frequent) bins in the same rows. For example,
 * all anchor-text features of documents without anchors are 0. Such features form a patchy group,
 * and a bit per row says whether any of them is outside its usual bin. */
#include "bins/bins_work.h"

#include "kernels/bin_search.h"

#include <stdlib.h>
#include <string.h>

enum {
    WATCHED = 1024, /* rows examined to find features that share rows in usual bins */
    WORDS = WATCHED / 64,
    MOST_WATCHES = 512, /* maximum features examined */
    MOST_SEEDS = 64,    /* maximum features that a group is built around */
    PICK_COST = 4,      /* cost of gathering the rows of a group, in features added */
    CHUNK = 16384
};

typedef struct watch {
    uint32_t feature;
    bool taken;
    uint64_t usual[WORDS]; /* one bit per examined row */
} watch;

/* A candidate group built around a seed feature. */
typedef struct party {
    size_t count;
    size_t members[GR_GROUP_BLOCKS * 8]; /* indices of watches */
    double gain; /* additions saved per row, minus those that members would save in a better
                    group: the rows in which they, but not all members, are in their usual bin */
} party;

static bool is_worth_watching(const gr_binning *work, size_t f)
{
    return (uint64_t)work->columns[f].covered * 4 >= work->sampled;
}

static void watch_feature(const gr_binning *work, watch *w)
{
    const size_t rows = work->bins->rows, f = w->feature;
    size_t count;
    const float *thresholds = gr_feature_thresholds(&work->bins->cuts, f, &count);

    for (size_t i = 0; i < WATCHED; i++) {
        const float value = gr_dataset_value(work->data, i * rows / WATCHED, f);
        const uint64_t usual = gr_bin_of(thresholds, count, value) == work->columns[f].usual;

        w->usual[i / 64] |= usual << (i % 64);
    }
}

static size_t count_both(const uint64_t *a, const uint64_t *b)
{
    size_t count = 0;

    for (size_t i = 0; i < WORDS; i++)
        count += (size_t)__builtin_popcountll(a[i] & b[i]);
    return count;
}

/* The watch, neither taken nor a member, that is most often in its usual bin when all members
 * are. */
static size_t find_next(const watch *watches, size_t count, const party *p, const uint64_t *all)
{
    size_t best = SIZE_MAX, most = 0;

    for (size_t i = 0; i < count; i++) {
        bool member = watches[i].taken;

        for (size_t m = 0; m < p->count && !member; m++)
            member = p->members[m] == i;
        const size_t both = member ? 0 : count_both(all, watches[i].usual);

        if (both > most) {
            most = both;
            best = i;
        }
    }
    return best;
}

/* The best group of whole blocks around a seed; count 0: no group saves time. */
static party gather(const watch *watches, size_t count, size_t seed)
{
    party p = { .count = 1, .members = { seed } };
    size_t best = 0, alone = count_both(watches[seed].usual, watches[seed].usual);
    uint64_t all[WORDS];

    memcpy(all, watches[seed].usual, sizeof all);
    while (p.count < GR_GROUP_BLOCKS * 8) {
        const size_t next = find_next(watches, count, &p, all);

        if (next == SIZE_MAX)
            break;
        for (size_t i = 0; i < WORDS; i++)
            all[i] &= watches[next].usual[i];
        alone += count_both(watches[next].usual, watches[next].usual);
        p.members[p.count++] = next;
        const double together = (double)(p.count * count_both(all, all)) / WATCHED;
        const double gain = 2 * together - (double)alone / WATCHED - PICK_COST;

        if (p.count % 8 == 0 && gain > p.gain) {
            p.gain = gain;
            best = p.count;
        }
    }
    p.count = best;
    return p;
}

/* The best group around any of the first MOST_SEEDS free features. */
static party best_party(const watch *watches, size_t count)
{
    party best = { .gain = 0 };

    for (size_t seed = 0, tried = 0; seed < count && tried < MOST_SEEDS; seed++)
        if (!watches[seed].taken) {
            const party p = gather(watches, count, seed);

            if (p.gain > best.gain)
                best = p;
            tried++;
        }
    return best;
}

/* Moves the columns of patchy groups to the front. blocks[g]: the blocks of group g. Returns the
 * number of groups. */
static size_t order_columns(gr_bins *bins, watch *watches, size_t count, uint32_t *ordered,
                            size_t *blocks)
{
    size_t groups = 0, used = 0;

    while (groups < GR_MOST_PATCHY) {
        const party p = best_party(watches, count);

        if (p.count == 0)
            break;
        for (size_t m = 0; m < p.count; m++) {
            watches[p.members[m]].taken = true;
            ordered[used++] = watches[p.members[m]].feature;
        }
        blocks[groups++] = p.count / 8;
    }
    for (size_t i = 0; i < used; i++)
        bins->place[ordered[i]] = 1; /* marks it as taken */
    for (size_t c = 0; c < bins->dense; c++)
        if (!bins->place[bins->columns[c]])
            ordered[used++] = bins->columns[c];
    memcpy(bins->columns, ordered, used * sizeof *ordered);
    return groups;
}

static size_t find_groups(gr_binning *work, watch *watches, uint32_t *ordered, size_t *blocks)
{
    const gr_bins *bins = work->bins;
    size_t count = 0;

    for (size_t c = 0; c < bins->dense && count < MOST_WATCHES; c++)
        if (is_worth_watching(work, bins->columns[c])) {
            watches[count].feature = bins->columns[c];
            watch_feature(work, &watches[count++]);
        }
    return order_columns(work->bins, watches, count, ordered, blocks);
}

gradus_status gr_binning_groups(gr_binning *work, gradus_error *err)
{
    gr_bins *bins = work->bins;
    const bool worth = bins->width == 8 && bins->dense >= 8 && bins->rows >= WATCHED / 4;
    watch *watches = gr_new_array(worth ? MOST_WATCHES : 1, sizeof *watches);
    uint32_t *ordered = gr_new_array(bins->dense, sizeof *ordered);
    size_t blocks[GR_MOST_PATCHY], patchy = 0;
    const bool enough = watches && ordered;

    bins->usual = gr_new_array(bins->dense, sizeof *bins->usual);
    if (enough && worth)
        patchy = find_groups(work, watches, ordered, blocks);
    free(watches);
    free(ordered);
    if (!enough || !bins->usual)
        return gr_fail_memory(err, "feature groups");
    for (size_t c = 0; c < bins->dense; c++) {
        bins->place[bins->columns[c]] = (uint32_t)c;
        bins->usual[c] = work->columns[bins->columns[c]].usual;
    }
    return gr_bins_group(bins, blocks, patchy, err);
}

gradus_status gr_bins_group(gr_bins *bins, const size_t *blocks, size_t patchy, gradus_error *err)
{
    size_t first = 0;

    bins->group = gr_new_array(bins->blocks, sizeof *bins->group);
    bins->group_of = gr_new_array(bins->blocks, sizeof *bins->group_of);
    if (!bins->group || !bins->group_of)
        return gr_fail_memory(err, "feature groups");
    for (; first < bins->blocks; bins->groups++) {
        const size_t wanted = bins->groups < patchy ? blocks[bins->groups] : GR_GROUP_BLOCKS;
        const size_t left = bins->blocks - first, end = first + (wanted < left ? wanted : left);

        bins->group[bins->groups] =
            (gr_group){ first, end, (uint8_t)(bins->groups < patchy ? 1u << bins->groups : 0) };
        for (; first < end; first++)
            bins->group_of[first] = (uint32_t)bins->groups;
    }
    return GRADUS_OK;
}

static uint64_t usual_word(const gr_bins *bins, size_t block)
{
    const size_t each = gr_bins_in_word(bins);
    uint64_t word = 0;

    for (size_t c = block * each; c < (block + 1) * each && c < bins->dense; c++)
        word |= (uint64_t)bins->usual[c] << (c % each * bins->width);
    return word;
}

static bool has_no_entry(const gr_slice *slice, size_t r)
{
    return slice->row_starts[r] == slice->row_starts[r + 1];
}

static void patch_chunk(void *argument, size_t chunk, size_t worker)
{
    gr_bins *bins = argument;
    uint8_t *patches = bins->patches.at;
    const size_t start = chunk * CHUNK, left = bins->rows - start;
    const size_t end = start + (left < CHUNK ? left : CHUNK);

    (void)worker;
    memset(patches + start, 0, end - start);
    for (const gr_group *group = bins->group; group < bins->group + bins->groups; group++)
        for (size_t b = group->first; b < group->end && group->patch; b++) {
            const uint64_t *words = gr_block_words(bins, b), usual = usual_word(bins, b);
            const size_t stride = gr_block_stride(bins, b);

            for (size_t r = start; r < end; r++)
                patches[r] |= words[r * stride] != usual ? group->patch : 0;
        }
    for (const gr_slice *slice = bins->slice; slice < bins->slice + bins->slices; slice++)
        for (size_t r = start; r < end && slice->patch; r++)
            patches[r] |= has_no_entry(slice, r) ? 0 : slice->patch;
}

/* Whether at least half of the rows have no entries, estimated from WATCHED rows. */
static bool is_patchy(const gr_bins *bins, const gr_slice *slice)
{
    size_t empty = 0;

    for (size_t i = 0; i < WATCHED; i++)
        empty += has_no_entry(slice, i * bins->rows / WATCHED);
    return empty >= WATCHED / 2;
}

gradus_status gr_bins_patch(gr_bins *bins, gr_pool *pool, gradus_error *err)
{
    size_t bits = 0;

    while (bits < bins->groups && bins->group[bits].patch)
        bits++;
    for (size_t s = 0; s < bins->slices && bits < GR_MOST_PATCHY; s++)
        if (is_patchy(bins, &bins->slice[s]))
            bins->slice[s].patch = (uint8_t)(1u << bits++);
    if (bits == 0)
        return GRADUS_OK;
    if (!gr_array_reserve(&bins->patches, bins->rows + GR_PATCH_PAD))
        return gr_fail_memory(err, "feature groups");
    memset((uint8_t *)bins->patches.at + bins->rows, 0, GR_PATCH_PAD);
    gr_pool_run(pool, (bins->rows + CHUNK - 1) / CHUNK, patch_chunk, bins);
    return GRADUS_OK;
}
