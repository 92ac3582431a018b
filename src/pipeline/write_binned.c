/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a binned file. Large text and CSV are binned while they are read, as for training, so that
 * memory is needed for bins only. */
#include "pipeline/write_binned.h"

#include "bins/attached.h"
#include "bins/bins_file.h"
#include "pipeline/fingerprint.h"
#include "pipeline/read_binned.h"

#include <stdlib.h>

typedef struct bin_file_options {
    gr_bin_options bin;
} bin_file_options;

static const gr_param bin_file_params[] = {
    GR_PARAM_GROUP(bin_file_options, bin, gr_bin_options, gr_bin_params),
    GR_PARAM_COUNT(bin_file_options, bin.seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "seed of the sample of rows; a training on the file needs the same"),
    GR_PARAM_END,
};

const gr_operation gr_operation_bin = {
    .name = "bin",
    .summary = "bins of features in a binned file",
    .params = bin_file_params,
    .size = sizeof(bin_file_options),
};

/* Training on few used columns of wide data makes bins of these only. */
static gradus_status check_features(const gradus_context *context, const gradus_dataset *data,
                                    gradus_error *err)
{
    if (data->arrays.row_starts && data->arrays.features >= gr_wide_features(context))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the data are sparse and have %zu features: a binned file would have "
                       "thresholds of all of them; train on the file itself",
                       data->arrays.features);
    return GRADUS_OK;
}

static gradus_status write_file(const gradus_dataset *data, const gr_bins *bins,
                                const gr_bin_options *options, const gr_binned *values,
                                const char *to, gr_pool *pool, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gr_sink *sink = gr_sink_open(to, gr_packing_of_name(to), &failure);

    if (!sink)
        return gr_fail(err, failure.status, "%s", failure.message);
    const gradus_status status = gr_bins_file_write(data, bins, options, values, sink, pool, err);

    if (status == GRADUS_OK)
        return gr_sink_close(sink, err);
    gr_sink_abandon(sink);
    return status;
}

static gradus_status write_bins(gradus_context *context, const gradus_dataset *data,
                                const gr_bin_options *options, const char *to, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(context);
    gr_binned values = { .sums = NULL };
    gr_bins bins;
    gradus_status status;

    if (gr_dataset_lacks_values(data)) /* they were binned while they were read */
        return write_file(data, gr_attached_bins(data->binned->state), options, data->binned, to,
                          pool, err);
    GR_TRY(check_features(context, data, err));
    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, pool, err));
    GR_TRY(gr_bins_new(data, options, context, &bins, err));
    status = gr_value_sums(data, pool, &values, err);
    if (status == GRADUS_OK)
        status = write_file(data, &bins, options, &values, to, pool, err);
    free(values.sums);
    gr_bins_free(&bins);
    return status;
}

gradus_status gr_write_binned(gradus_context *context, const char *const *paths, size_t count,
                              const gradus_options *read, const gradus_options *bin, const char *to,
                              gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    bin_file_options options;
    gradus_status status;

    GR_TRY(gr_options_get(bin, &gr_operation_bin, &options, err));
    gradus_dataset *data = gr_read_bins(context, paths, count, read, &options.bin, &failure);

    if (!data)
        return gr_fail(err, failure.status, "%s", failure.message);
    status = gr_dataset_is_binned(data)
                 ? gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "'%.300s' is binned already: bins are made from values", paths[0])
                 : write_bins(context, data, &options.bin, to, err);
    gradus_dataset_free(data);
    return status;
}
