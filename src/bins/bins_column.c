/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the thresholds of one feature: sorts its values, counts distinct ones and divides them
 * into bins. */
#include "bins/bins_column.h"

#include "base/sort.h"

#include <math.h>

float gr_threshold_between(float low, float high)
{
    const double middle = (double)low / 2 + (double)high / 2;
    const float threshold = isnan(middle) ? 0.0f : (float)middle; /* NAN: -inf and inf */
    const int32_t after = gr_float_key(low) + 1, before = gr_float_key(high) - 1;

    if (threshold <= low)
        return gr_key_float(after);
    if (threshold >= high && before >= after)
        return gr_key_float(before);
    return threshold + 0.0f;
}

/* Converts sorted keys to distinct values, and inserts the zeros at their position. */
static size_t list_distinct(const uint32_t *keys, size_t count, uint32_t zeros,
                            gr_distinct *distinct)
{
    const uint32_t zero = gr_sort_key(0);
    size_t used = 0, i = 0;

    while (i < count || zeros > 0) {
        if (zeros > 0 && (i == count || keys[i] > zero)) {
            distinct[used++] = (gr_distinct){ zero, zeros };
            zeros = 0;
            continue;
        }
        const size_t start = i;

        while (i < count && keys[i] == keys[start])
            i++;
        distinct[used++] = (gr_distinct){ keys[start], (uint32_t)(i - start) };
    }
    return used;
}

/* A bin is closed when it holds the mean number of rows, or before a value that has its own
 * bin. The mean is recomputed from the remaining rows and bins after each bin, so that exactly the
 * allowed bins are used. */
typedef struct quantile_walk {
    uint64_t rows; /* remaining rows of values without their own bin */
    size_t bins;   /* remaining bins for these rows */
} quantile_walk;

static double mean_left(const quantile_walk *walk)
{
    return walk->bins > 0 ? (double)walk->rows / (double)walk->bins : HUGE_VAL;
}

/* A value with at least the mean number of rows per bin gets its own bin. Removing such values
 * lowers the mean of the rest, so that further values may qualify: repeats until none does. */
static quantile_walk set_heavy_aside(const gr_distinct *distinct, size_t count, size_t bins,
                                     uint32_t *heavy_from)
{
    quantile_walk walk = { 0, bins };

    for (size_t i = 0; i < count; i++)
        walk.rows += distinct[i].rows;
    const uint64_t all = walk.rows;

    *heavy_from = UINT32_MAX;
    for (;;) {
        const double mean = ceil(mean_left(&walk));
        uint64_t rows = 0;
        size_t heavy = 0;

        if (mean >= (double)*heavy_from)
            return walk;
        *heavy_from = mean < 1.0 ? 1 : (uint32_t)mean;
        for (size_t i = 0; i < count; i++) {
            rows += distinct[i].rows >= *heavy_from ? distinct[i].rows : 0;
            heavy += distinct[i].rows >= *heavy_from;
        }
        walk = (quantile_walk){ all - rows, bins - heavy };
    }
}

size_t gr_cut_quantiles(const gr_distinct *distinct, size_t count, size_t bins, uint32_t *ends)
{
    uint32_t heavy_from;
    quantile_walk walk = set_heavy_aside(distinct, count, bins, &heavy_from);
    double mean = mean_left(&walk);
    uint64_t held = 0;
    size_t used = 0;

    for (size_t i = 0; i + 1 < count && used + 1 < bins; i++) {
        const uint32_t rows = distinct[i].rows, next = distinct[i + 1].rows;

        if (rows >= heavy_from) { /* rows before it that do not fill a bin join it */
            walk.rows -= held;
        } else {
            held += rows;
            if (next >= heavy_from ? (double)held < mean / 2 : (double)held + next / 2.0 < mean)
                continue;
            walk.rows -= held;
            walk.bins--;
        }
        held = 0;
        mean = mean_left(&walk);
        ends[used++] = (uint32_t)i + 1;
    }
    ends[used++] = (uint32_t)count;
    return used;
}

static void find_default_bin(const gr_distinct *distinct, const uint32_t *ends, size_t bins,
                             gr_column *column)
{
    column->default_bin = (uint32_t)bins; /* the bin of missing values: thresholds + 1 */
    column->covered = column->missing;
    for (size_t b = 0, i = 0; b < bins; b++) {
        uint32_t rows = 0;

        for (; i < ends[b]; i++)
            rows += distinct[i].rows;
        if (rows > column->covered) {
            column->default_bin = (uint32_t)b;
            column->covered = rows;
        }
    }
}

void gr_column_cut(const gr_bin_options *options, uint32_t *keys, size_t count, uint32_t *spare,
                   gr_distinct *distinct, gr_column *column, float *thresholds)
{
    uint32_t *ends = keys; /* the keys are not needed once the distinct values are known */
    size_t values, bins;

    gr_sort_numbers(keys, count, spare);
    values = list_distinct(keys, count, column->zeros, distinct);
    if (values <= options->bins) {
        ends = spare;
        bins = values ? values : 1;
        ends[0] = 0;
        for (size_t i = 0; i < values; i++)
            ends[i] = (uint32_t)i + 1;
    } else if (options->scheme == GR_BINS_ADAPTIVE) {
        bins = gr_cut_lengths(distinct, values, (size_t)options->bins, ends);
    } else {
        bins = gr_cut_quantiles(distinct, values, (size_t)options->bins, ends);
    }
    column->thresholds = (uint32_t)bins - 1;
    for (size_t b = 0; b + 1 < bins; b++)
        thresholds[b] = gr_threshold_between(gr_sort_key_float(distinct[ends[b] - 1].key),
                                             gr_sort_key_float(distinct[ends[b]].key));
    find_default_bin(distinct, ends, bins, column);
}
