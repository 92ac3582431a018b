/* SPDX-License-Identifier: Apache-2.0 */
/* The tree engine's bins (bins/bins.h), stored feature by feature, because a node reads one feature
 * at a time. */
#include "learners/m5/m5_build.h"

#include <stdlib.h>

enum { MAX_BINS = 255 };

typedef struct unpacking {
    const gr_bins *bins;
    const double *means;
    gr_m5_bins *to;
} unpacking;

/* The bin of the feature's mean, which missing values are put into. */
static uint8_t mean_bin(const unpacking *all, size_t f)
{
    const gr_cuts *cuts = &all->bins->cuts;
    uint8_t bin = 0;

    for (uint64_t i = cuts->starts[f]; i < cuts->starts[f + 1]; i++)
        bin = (uint8_t)(bin + (cuts->thresholds[i] <= (float)all->means[f]));
    return bin;
}

/* Unpacks a sparse feature, whose entries in the bundle are sparse->code + bin. */
static void unpack_sparse(const gr_bins *bins, size_t place, uint8_t *codes)
{
    const gr_sparse_feature *sparse = &bins->sparse[place];
    const size_t count = gr_cuts_bins(&bins->cuts, sparse->feature);
    const gr_bundle *bundle = bins->bundle;

    while (place >= bundle->end)
        bundle++;
    memset(codes, (int)sparse->default_bin, bins->rows);
    for (size_t r = 0; r < bins->rows; r++)
        for (uint64_t i = bundle->row_starts[r]; i < bundle->row_starts[r + 1]; i++)
            if (bundle->entries[i] >= sparse->code && bundle->entries[i] < sparse->code + count) {
                codes[r] = (uint8_t)(bundle->entries[i] - sparse->code);
                break;
            }
}

static void unpack(void *argument, size_t f, size_t worker)
{
    const unpacking *all = argument;
    const gr_bins *bins = all->bins;
    uint8_t *codes = (uint8_t *)all->to->codes.at + f * bins->rows;
    const uint32_t place = bins->place[f];
    const size_t count = gr_cuts_bins(&bins->cuts, f);

    (void)worker;
    if (place == GR_NO_PLACE) {
        memset(codes, 0, bins->rows);
        return;
    }
    if (place & 1u << 31)
        unpack_sparse(bins, ~place, codes);
    else
        for (size_t r = 0; r < bins->rows; r++)
            codes[r] = (uint8_t)gr_dense_bin(bins, place, r);
    if (!bins->cuts.missing[f])
        return;
    const uint8_t mean = mean_bin(all, f);

    for (size_t r = 0; r < bins->rows; r++)
        codes[r] = codes[r] == count - 1 ? mean : codes[r];
}

static gradus_status take(const gradus_context *context, const gr_bins *from, const double *means,
                          gr_m5_bins *bins, gradus_error *err)
{
    const size_t features = from->features, count = (size_t)from->cuts.starts[features];
    unpacking all = { from, means, bins };
    size_t bytes;

    bins->starts = gr_new_array(features + 1, sizeof *bins->starts);
    bins->cuts = gr_new_array(count, sizeof *bins->cuts);
    if (!bins->starts || !bins->cuts || !gr_size_times(features, from->rows, &bytes) ||
        !gr_array_reserve(&bins->codes, bytes + 1))
        return gr_fail_memory(err, "bins");
    memcpy(bins->starts, from->cuts.starts, (features + 1) * sizeof *bins->starts);
    for (size_t i = 0; i < count; i++) /* a threshold is the smallest value on its right */
        bins->cuts[i] = nextafterf(from->cuts.thresholds[i], -INFINITY);
    gr_pool_run(gr_pool_of(context), features, unpack, &all);
    return GRADUS_OK;
}

gradus_status gr_m5_bins_new(const gradus_context *context, const gradus_dataset *data,
                             const gr_bin_options *options, const double *means, gr_m5_bins *bins,
                             gradus_error *err)
{
    gr_bin_options fewer = *options;
    gradus_status status;
    gr_bins made;

    fewer.bins = fewer.bins > MAX_BINS ? MAX_BINS : fewer.bins;
    GR_TRY(gr_bins_new(data, &fewer, context, &made, err));
    status = take(context, &made, means, bins, err);
    gr_bins_free(&made);
    if (status != GRADUS_OK)
        gr_m5_bins_free(bins);
    return status;
}

void gr_m5_bins_free(gr_m5_bins *bins)
{
    free(bins->starts);
    free(bins->cuts);
    gr_array_free(&bins->codes);
    *bins = (gr_m5_bins){ .starts = NULL };
}
