/* SPDX-License-Identifier: Apache-2.0 */
/* The root histogram of a round from the leaf histograms of the round before, without scanning rows.
 *
 * Let the integer gradients of two rounds be exact (gr_lanes.exact, on the same grid) and the scores
 * change by leaf values only. Then the gradient of each row of a leaf grows by the leaf's value in
 * units of the grid, `step`, and a bin that has `rows` rows of the leaf by rows * step. A bin of the
 * new root is the sum over leaves of what they have in it, with its rows in the lower half of the
 * word: h + ((uint32_t)h * step << 32). These are the sums that a scan of all rows gives, so trees do
 * not depend on whether roots are carried.
 *
 * While a tree grows, nodes that are done keep their histograms (gr_histogram_done), and a pair of
 * children that need no search is scanned too. A displaced node gets the sum of its children. If
 * memory or the budget for such scans runs out, or a leaf has no histogram, the next root is scanned.
 */
#include "learners/tree/grow.h"

#include "base/ranges.h"
#include "kernels/histogram.h"

#include <math.h>
#include <string.h>

enum {
    FOLDED = 1024,     /* words whose sums stay in the L1 cache */
    WORTH = 10,        /* additions of a scan that cost as much as a word of a leaf histogram */
    EXTRA = 4,         /* rows per row that is scanned only to carry */
    LONGEST_PAUSE = 64 /* rounds */
};

/* Additions that scan all rows. */
static double root_work(const gr_bins *bins)
{
    double work = (double)bins->rows * (double)bins->dense;

    for (size_t b = 0; b < bins->bundles; b++)
        work += (double)bins->bundle[b].row_starts[bins->rows];
    return work;
}

/* With several outputs roots are made in one pass; of several processes, each has a part of the
 * histograms. */
static bool may_carry(const gr_grower *grower)
{
    const gr_round *round = &grower->round;

    return round->grid > 0 && grower->lanes[0].exact && grower->outputs == 1 && !round->share &&
           !round->rows && !grower->options.scan_roots;
}

static bool pays(const gr_grower *grower)
{
    const double fold = (double)grower->leaves * (double)grower->histograms.words;

    return grower->carry.always || WORTH * fold <= root_work(grower->bins);
}

void gr_carry_begin(gr_grower *grower)
{
    gr_carry *carry = &grower->carry;

    carry->known = false;
    carry->on = may_carry(grower) && pays(grower) && carry->wait == 0 &&
                grower->histograms.count >= grower->leaves + grower->batch;
    carry->wait -= carry->wait > 0;
    carry->extra = 0;
}

void gr_histogram_done(gr_grower *grower, gr_branch *node)
{
    node->kept = grower->carry.on && node->histogram != GR_NO_HISTOGRAM;
    if (!node->kept)
        gr_histogram_give(&grower->histograms, &node->histogram);
}

void gr_carry_drop(gr_grower *grower)
{
    grower->carry.on = false;
    for (size_t i = 0; i < grower->node_count; i++)
        if (grower->nodes[i].kept) {
            grower->nodes[i].kept = false;
            gr_histogram_give(&grower->histograms, &grower->nodes[i].histogram);
        }
}

bool gr_carry_scans(gr_grower *grower, size_t rows)
{
    gr_carry *carry = &grower->carry;

    if (!carry->on)
        return false;
    carry->extra += rows;
    if (carry->extra <= grower->round.count / EXTRA || carry->always)
        return true;
    /* the next trees will probably be like this one */
    carry->wait = carry->pause = carry->pause == 0                  ? 1
                                 : carry->pause * 2 < LONGEST_PAUSE ? carry->pause * 2
                                                                    : LONGEST_PAUSE;
    gr_carry_drop(grower);
    return false;
}

void gr_carry_displaced(gr_grower *grower, gr_branch *node)
{
    gr_branch *left = &grower->nodes[node->left], *right = &grower->nodes[node->right];
    const gr_histograms *pool = &grower->histograms;

    if (!grower->carry.on || left->histogram == GR_NO_HISTOGRAM ||
        right->histogram == GR_NO_HISTOGRAM)
        return;
    gr_histogram_add(gr_histogram_at(pool, left->histogram),
                     gr_histogram_at(pool, right->histogram), pool->words);
    node->histogram = left->histogram;
    node->kept = true;
    left->histogram = GR_NO_HISTOGRAM;
    gr_histogram_give(&grower->histograms, &right->histogram);
    left->kept = right->kept = false;
}

void gr_carry_end(gr_grower *grower, size_t leaves)
{
    gr_carry *carry = &grower->carry;

    carry->leaves = leaves;
    for (size_t i = 0; i < grower->node_count; i++) {
        const gr_branch *node = &grower->nodes[i];

        if (node->left)
            continue;
        carry->histograms[node->split] = node->histogram;
        carry->on &= node->histogram != GR_NO_HISTOGRAM;
    }
}

void gr_grower_follow(gr_grower *grower, const float *values)
{
    gr_carry *carry = &grower->carry;

    if (!carry->on)
        return;
    carry->known = true;
    carry->grid = grower->round.grid;
    for (size_t l = 0; l < carry->leaves; l++) {
        const double step = (double)values[l] * carry->grid;

        carry->known &= fabs(step) < GR_EXACT_GRADIENT && step == rint(step);
        carry->steps[l] = carry->known ? (uint32_t)(int32_t)step : 0;
    }
}

/* Sums up in histogram 0 what all leaves have in a range of bins. It may be that of a leaf. */
static void fold_range(void *argument, gr_range range)
{
    const gr_grower *grower = argument;
    const gr_carry *carry = &grower->carry;
    const size_t count = range.end - range.first;
    uint64_t sums[FOLDED] = { 0 };

    for (size_t l = 0; l < carry->leaves; l++) {
        const uint64_t *h =
            gr_histogram_at(&grower->histograms, carry->histograms[l]) + range.first;
        const uint64_t step = carry->steps[l];

        for (size_t b = 0; b < count; b++)
            sums[b] += h[b] + ((h[b] & UINT32_MAX) * step << 32);
    }
    memcpy(gr_histogram_at(&grower->histograms, 0) + range.first, sums, count * sizeof *sums);
}

bool gr_carry_fold(gr_grower *grower, size_t words, size_t count)
{
    gr_carry *carry = &grower->carry;

    if (!carry->known || !may_carry(grower) || carry->grid != grower->round.grid ||
        grower->histograms.words != words || grower->histograms.count != count)
        return false;
    gr_for_ranges(grower->pool, words, FOLDED, fold_range, grower);
    carry->folds++;
    return true;
}
