/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the steps of binning, and frees and reads bins. */
#include "bins/attached.h"
#include "bins/bins_work.h"

#include <stdlib.h>

static const char *const schemes[] = { "quantile", "adaptive", NULL };

const gr_param gr_bin_params[] = {
    GR_PARAM_CHOICE(
        gr_bin_options, scheme, "binning", "SCHEME", "quantile", schemes,
        "quantile: about equally many rows per bin; adaptive: bins of equal width, none where "
        "there are no data"),
    GR_PARAM_COUNT(
        gr_bin_options, bins, "bins", "N", 255, 2, 65535,
        "maximum bins per feature; each value takes one byte, or two bytes above 255 bins",
        "max-bin"),
    GR_PARAM_COUNT(gr_bin_options, sample, "bin-sample", "N", 200000, 0, 4294967295.0,
                   "rows sampled to compute the bin boundaries; 0: all rows"),
    GR_PARAM_END
};

GR_OPTION_BLOCK(bin);

gradus_status gr_binning_check(size_t rows, size_t features, const gr_bin_options *options,
                               gradus_error *err)
{
    if (options->bins < 2 || options->bins > 65535)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'bins' is %llu but must be from 2 to 65535",
                       (unsigned long long)options->bins);
    if (rows >= UINT32_MAX)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "%zu rows, but at most %u can be binned", rows,
                       UINT32_MAX - 1);
    if (features >= GR_NO_PLACE)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "%zu features, but at most %u can be binned",
                       features, GR_NO_PLACE - 1);
    return GRADUS_OK;
}

gradus_status gr_binning_prepare(gr_binning *work, gradus_error *err)
{
    GR_TRY(gr_binning_cuts(work, err));
    GR_TRY(gr_progress(work->context, "binning", 0.5, err));
    gr_binning_prune(work);
    GR_TRY(gr_binning_layout(work, err));
    return gr_dataset_is_dense(work->data) ? gr_binning_tables(work, err)
                                           : gr_binning_zeros(work, err);
}

gradus_status gr_binning_complete(gr_binning *work, gradus_error *err)
{
    GR_TRY(gr_binning_bundles(work, err));
    GR_TRY(gr_bins_mask_rows(work->bins, gr_pool_of(work->context), err));
    GR_TRY(gr_binning_adjust(work, err));
    return gr_progress(work->context, "binning", 1.0, err);
}

static gradus_status run_steps(gr_binning *work, gradus_error *err)
{
    GR_TRY(gr_dataset_need(work->data, GR_NEED_VALUES, gr_pool_of(work->context), err));
    GR_TRY(gr_binning_sample(work, err));
    GR_TRY(gr_binning_prepare(work, err));
    GR_TRY(gr_binning_assign(work, err));
    GR_TRY(gr_share_or(work->bins->share, (uint8_t *)work->bins->cuts.missing, work->bins->features,
                       err));
    return gr_binning_complete(work, err);
}

void gr_binning_free(gr_binning *work)
{
    for (size_t c = 0; c < work->chunk_count && work->chunks; c++)
        gr_array_free(&work->chunks[c]);
    free(work->chunks);
    free(work->seen);
    free(work->table_memory);
    free(work->table_starts);
    free(work->nonzero);
    free(work->facts);
    free(work->codes);
    free(work->misses);
    free(work->columns);
    free(work->sample_rows);
    free(work->watch_rows);
}

gradus_status gr_bins_make(const gradus_dataset *data, const gr_bin_options *options,
                           const gradus_context *context, gr_bins *bins, gradus_error *err)
{
    gr_binning work = { .data = data, .options = options, .context = context, .bins = bins };
    gradus_status status;

    *bins = (gr_bins){ .rows = data->arrays.rows,
                       .features = data->arrays.features,
                       .share = data->share };
    status = gr_binning_check(gr_share_rows(data->share, data->arrays.rows), data->arrays.features,
                              options, err);
    if (status == GRADUS_OK)
        status = run_steps(&work, err);
    gr_binning_free(&work);
    if (status != GRADUS_OK)
        gr_bins_free(bins);
    return status;
}

gradus_status gr_bins_new(const gradus_dataset *data, const gr_bin_options *options,
                          const gradus_context *context, gr_bins *bins, gradus_error *err)
{
    bool found;

    GR_TRY(gr_bins_attached(data, options, gr_pool_of(context), bins, &found, err));
    if (found)
        return GRADUS_OK;
    return gr_bins_are_cached(context, data)
               ? gr_bins_from_cache(context->bins, data, options, context, bins, err)
               : gr_bins_make(data, options, context, bins, err);
}

void gr_bins_free(gr_bins *bins)
{
    if (bins->shared || bins->attached) {
        if (bins->shared)
            gr_bins_give_back(bins->shared);
        *bins = (gr_bins){ 0 };
        return;
    }
    if (bins->is_view) {
        gr_array_free(&bins->row_masks);
        free(bins->bundle);
        *bins = (gr_bins){ 0 };
        return;
    }
    for (size_t s = 0; s < bins->bundles && !bins->mapped; s++) {
        free(bins->bundle[s].row_starts);
        free(bins->bundle[s].entries);
    }
    free(bins->bundle);
    free(bins->sparse);
    free(bins->columns);
    free(bins->default_bin);
    free(bins->group);
    free(bins->group_of);
    free(bins->place);
    if (!bins->mapped)
        gr_array_free(&bins->words);
    gr_array_free(&bins->row_masks);
    free(bins->cuts.starts);
    free(bins->cuts.thresholds);
    free(bins->cuts.missing);
    *bins = (gr_bins){ 0 };
}

uint32_t gr_bin_at(const gr_bins *bins, size_t feature, size_t r)
{
    const uint32_t place = bins->place[feature];

    if (place == GR_NO_PLACE) /* its only bin is the first one or the missing one */
        return bins->cuts.missing[feature];
    if (place < GR_NO_PLACE)
        return gr_dense_bin(bins, place, r);
    const gr_sparse_feature *sparse = &bins->sparse[~place];
    size_t s = 0;

    while (bins->bundle[s].end <= ~place)
        s++;
    const gr_bundle *bundle = &bins->bundle[s];

    for (uint64_t e = bundle->row_starts[r]; e < bundle->row_starts[r + 1]; e++) {
        const uint32_t bin = bundle->entries[e] - sparse->code;

        if (bundle->entries[e] >= sparse->code && bin < gr_cuts_bins(&bins->cuts, feature))
            return bin;
    }
    return sparse->default_bin;
}
