/* SPDX-License-Identifier: Apache-2.0 */
/* Groups dense features that are in their default_bin (most frequent) bins in the same rows. For
 * example, all anchor-text features of documents without anchors are 0. Such features form a masked
 * group, and a bit per row says whether any of them is outside its default bin. */
#include "bins/bins_work.h"

#include "base/ranges.h"
#include "kernels/bin_search.h"

#include <stdlib.h>
#include <string.h>

enum {
    WATCHED = GR_WATCHED,
    WORDS = WATCHED / 64,
    MAX_WATCHES = 512, /* maximum features examined */
    MAX_SEEDS = 64,    /* maximum features that a group is built around */
    PICK_COST = 4,     /* cost of gathering the rows of a group, in features added */
    CHUNK = 16384
};

typedef struct watch {
    uint32_t feature;
    bool taken;
    uint64_t default_bin[WORDS]; /* one bit per examined row */
} watch;

/* A candidate group built around a seed feature. */
typedef struct party {
    size_t count;
    size_t members[GR_GROUP_BLOCKS * 8]; /* indices of watches */
    double gain; /* additions saved per row, minus those that members would save in a better
                    group: the rows in which they, but not all members, are in their default bin */
} party;

static bool is_worth_watching(const gr_binning *work, size_t f)
{
    return (uint64_t)work->columns[f].covered * 4 >= work->sampled;
}

static void watch_feature(const gr_binning *work, watch *w)
{
    const size_t rows = gr_binning_rows(work), f = w->feature;
    const size_t before = gr_share_first_row(work->bins->share);
    size_t count;
    const float *thresholds = gr_feature_thresholds(&work->bins->cuts, f, &count);

    for (size_t i = 0; i < WATCHED; i++) {
        const size_t row = work->watch_rows ? work->watch_rows[i] : i * rows / WATCHED;

        if (row < before || row - before >= work->data->arrays.rows)
            continue; /* of another process */
        const float value = gr_dataset_value(work->data, row - before, f);
        const uint64_t default_bin =
            gr_bin_of(thresholds, count, value) == work->columns[f].default_bin;

        w->default_bin[i / 64] |= default_bin << (i % 64);
    }
}

/* Combines what each process has examined. */
static gradus_status share_watches(const gr_binning *work, watch *watches, size_t count,
                                   gradus_error *err)
{
    const size_t bytes = sizeof watches->default_bin;
    uint8_t *bits;
    gradus_status status;

    if (!work->bins->share || count == 0)
        return GRADUS_OK;
    bits = gr_new_array(count, bytes);
    if (!bits)
        return gr_fail_memory(err, "feature groups");
    for (size_t i = 0; i < count; i++)
        memcpy(bits + i * bytes, watches[i].default_bin, bytes);
    status = gr_share_or(work->bins->share, bits, count * bytes, err);
    for (size_t i = 0; i < count; i++)
        memcpy(watches[i].default_bin, bits + i * bytes, bytes);
    free(bits);
    return status;
}

static size_t count_both(const uint64_t *a, const uint64_t *b)
{
    size_t count = 0;

    for (size_t i = 0; i < WORDS; i++)
        count += (size_t)__builtin_popcountll(a[i] & b[i]);
    return count;
}

/* The watch, neither taken nor a member, that is most often in its default bin when all members
 * are. */
static size_t find_next(const watch *watches, size_t count, const party *p, const uint64_t *all)
{
    size_t best = SIZE_MAX, most = 0;

    for (size_t i = 0; i < count; i++) {
        bool member = watches[i].taken;

        for (size_t m = 0; m < p->count && !member; m++)
            member = p->members[m] == i;
        const size_t both = member ? 0 : count_both(all, watches[i].default_bin);

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
    size_t best = 0, alone = count_both(watches[seed].default_bin, watches[seed].default_bin);
    uint64_t all[WORDS];

    memcpy(all, watches[seed].default_bin, sizeof all);
    while (p.count < GR_GROUP_BLOCKS * 8) {
        const size_t next = find_next(watches, count, &p, all);

        if (next == SIZE_MAX)
            break;
        for (size_t i = 0; i < WORDS; i++)
            all[i] &= watches[next].default_bin[i];
        alone += count_both(watches[next].default_bin, watches[next].default_bin);
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

/* The best group around any of the first MAX_SEEDS free features. */
static party best_party(const watch *watches, size_t count)
{
    party best = { .gain = 0 };

    for (size_t seed = 0, tried = 0; seed < count && tried < MAX_SEEDS; seed++)
        if (!watches[seed].taken) {
            const party p = gather(watches, count, seed);

            if (p.gain > best.gain)
                best = p;
            tried++;
        }
    return best;
}

/* Moves the columns of masked groups to the front. blocks[g]: the blocks of group g. Returns the
 * number of groups. */
static size_t order_columns(gr_bins *bins, watch *watches, size_t count, uint32_t *ordered,
                            size_t *blocks)
{
    size_t groups = 0, used = 0;

    while (groups < GR_MAX_MASKED) {
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

static gradus_status find_groups(gr_binning *work, watch *watches, uint32_t *ordered,
                                 size_t *blocks, size_t *groups, gradus_error *err)
{
    const gr_bins *bins = work->bins;
    size_t count = 0;

    for (size_t c = 0; c < bins->dense && count < MAX_WATCHES; c++)
        if (is_worth_watching(work, bins->columns[c])) {
            watches[count].feature = bins->columns[c];
            watch_feature(work, &watches[count++]);
        }
    GR_TRY(share_watches(work, watches, count, err));
    *groups = order_columns(work->bins, watches, count, ordered, blocks);
    return GRADUS_OK;
}

gradus_status gr_binning_groups(gr_binning *work, gradus_error *err)
{
    gr_bins *bins = work->bins;
    const bool worth = bins->width == 8 && bins->dense >= 8 && gr_binning_rows(work) >= WATCHED / 4;
    watch *watches = gr_new_array(worth ? MAX_WATCHES : 1, sizeof *watches);
    uint32_t *ordered = gr_new_array(bins->dense, sizeof *ordered);
    size_t blocks[GR_MAX_MASKED], masked = 0;
    const bool enough = watches && ordered;
    gradus_status status = GRADUS_OK;

    bins->default_bin = gr_new_array(bins->dense, sizeof *bins->default_bin);
    if (enough && worth)
        status = find_groups(work, watches, ordered, blocks, &masked, err);
    free(watches);
    free(ordered);
    if (!enough || !bins->default_bin)
        return gr_fail_memory(err, "feature groups");
    GR_TRY(status);
    for (size_t c = 0; c < bins->dense; c++) {
        bins->place[bins->columns[c]] = (uint32_t)c;
        bins->default_bin[c] = work->columns[bins->columns[c]].default_bin;
    }
    return gr_bins_group(bins, blocks, masked, err);
}

gradus_status gr_bins_group(gr_bins *bins, const size_t *blocks, size_t masked, gradus_error *err)
{
    size_t first = 0;

    bins->group = gr_new_array(bins->blocks, sizeof *bins->group);
    bins->group_of = gr_new_array(bins->blocks, sizeof *bins->group_of);
    if (!bins->group || !bins->group_of)
        return gr_fail_memory(err, "feature groups");
    for (; first < bins->blocks; bins->groups++) {
        const size_t wanted = bins->groups < masked ? blocks[bins->groups] : GR_GROUP_BLOCKS;
        const size_t left = bins->blocks - first, end = first + (wanted < left ? wanted : left);

        bins->group[bins->groups] =
            (gr_group){ first, end, (uint8_t)(bins->groups < masked ? 1u << bins->groups : 0) };
        for (; first < end; first++)
            bins->group_of[first] = (uint32_t)bins->groups;
    }
    return GRADUS_OK;
}

static uint64_t default_word(const gr_bins *bins, size_t block)
{
    const size_t each = gr_bins_in_word(bins);
    uint64_t word = 0;

    for (size_t c = block * each; c < (block + 1) * each && c < bins->dense; c++)
        word |= (uint64_t)bins->default_bin[c] << (c % each * bins->width);
    return word;
}

static bool has_no_entry(const gr_bundle *bundle, size_t r)
{
    return bundle->row_starts[r] == bundle->row_starts[r + 1];
}

static void mask_chunk(void *argument, gr_range range)
{
    gr_bins *bins = argument;
    uint8_t *row_masks = bins->row_masks.at;

    memset(row_masks + range.first, 0, range.end - range.first);
    for (const gr_group *group = bins->group; group < bins->group + bins->groups; group++)
        for (size_t b = group->first; b < group->end && group->mask_bit; b++) {
            const uint64_t *words = gr_block_words(bins, b), default_bin = default_word(bins, b);
            const size_t stride = gr_block_stride(bins, b);

            for (size_t r = range.first; r < range.end; r++)
                row_masks[r] |= words[r * stride] != default_bin ? group->mask_bit : 0;
        }
    for (const gr_bundle *bundle = bins->bundle; bundle < bins->bundle + bins->bundles; bundle++)
        for (size_t r = range.first; r < range.end && bundle->mask_bit; r++)
            row_masks[r] |= has_no_entry(bundle, r) ? 0 : bundle->mask_bit;
}

/* Whether at least half of the rows have no entries, estimated from WATCHED rows. */
static bool is_masked(const gr_bins *bins, const gr_bundle *bundle)
{
    size_t empty = 0;

    for (size_t i = 0; i < WATCHED; i++)
        empty += has_no_entry(bundle, i * bins->rows / WATCHED);
    return empty >= WATCHED / 2;
}

gradus_status gr_bins_mask_rows(gr_bins *bins, gr_pool *pool, gradus_error *err)
{
    size_t bits = 0;

    while (bits < bins->groups && bins->group[bits].mask_bit)
        bits++;
    for (size_t s = 0; s < bins->bundles && bits < GR_MAX_MASKED; s++)
        if (is_masked(bins, &bins->bundle[s]))
            bins->bundle[s].mask_bit = (uint8_t)(1u << bits++);
    if (bits == 0)
        return GRADUS_OK;
    if (!gr_array_reserve(&bins->row_masks, bins->rows + GR_ROW_MASK_PAD))
        return gr_fail_memory(err, "feature groups");
    memset((uint8_t *)bins->row_masks.at + bins->rows, 0, GR_ROW_MASK_PAD);
    gr_for_ranges(pool, bins->rows, CHUNK, mask_chunk, bins);
    return GRADUS_OK;
}
