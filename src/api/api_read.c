/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: reading datasets from files and Arrow streams. */
#include "api/api_arguments.h"
#include "data/arrow.h"
#include "pipeline/read_binned.h"
#include "pipeline/write_binned.h"

gradus_dataset *gradus_dataset_read(gradus_context *context, const char *path,
                                    const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, path))
        return NULL;
    gr_read_options values = { 0 };

    if (gr_options_get(options, &gr_operation_read, &values, err) != GRADUS_OK)
        return NULL;
    return gr_read_any(context, &path, 1, &values, err);
}

/* Reads files by one of the functions of read_binned.h. */
static gradus_dataset *read_by(gradus_dataset *(*read)(gradus_context *, const char *const *,
                                                       size_t, const gr_read_options *,
                                                       gradus_error *),
                               gradus_context *context, const char *const *paths, size_t count,
                               const gradus_options *options, gradus_error *err)
{
    gr_read_options values = { 0 };

    if (count == 0) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "a dataset needs at least one file");
        return NULL;
    }
    if (gr_options_get(options, &gr_operation_read, &values, err) != GRADUS_OK)
        return NULL;
    return read(context, paths, count, &values, err);
}

gradus_dataset *gradus_dataset_read_files(gradus_context *context, const char *const *paths,
                                          size_t count, const gradus_options *options,
                                          gradus_error *err)
{
    if (!GR_GIVEN(err, paths))
        return NULL;
    return read_by(gr_read_any, context, paths, count, options, err);
}

gradus_dataset *gradus_dataset_read_shared(gradus_context *context, const char *const *paths,
                                           size_t count, const gradus_options *options,
                                           gradus_error *err)
{
    if (!GR_GIVEN(err, paths))
        return NULL;
    return read_by(gr_read_shared, context, paths, count, options, err);
}

gradus_dataset *gradus_dataset_read_for_training(gradus_context *context, const char *const *paths,
                                                 size_t count, const gradus_options *read,
                                                 const gradus_options *train, gradus_error *err)
{
    if (!GR_GIVEN(err, paths))
        return NULL;
    if (count == 0) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "a dataset needs at least one file");
        return NULL;
    }
    return gr_read_for_training(context, paths, count, read, train, err);
}

gradus_status gradus_bin_files(gradus_context *context, const char *const *paths, size_t count,
                               const gradus_options *read, const gradus_options *bin,
                               const char *to, gradus_error *err)
{
    if (!GR_GIVEN(err, paths, to))
        return GRADUS_BAD_ARGUMENT;
    if (count == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a dataset needs at least one file");
    return gr_write_binned(context, paths, count, read, bin, to, err);
}

gradus_dataset *gradus_dataset_from_arrow(gradus_context *context, struct ArrowArrayStream *stream,
                                          const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, stream))
        return NULL;
    gr_read_options values = { 0 };

    if (gr_options_get(options, &gr_operation_read, &values, err) != GRADUS_OK) {
        if (stream->release)
            stream->release(stream);
        return NULL;
    }
    return gr_arrow_read(context, stream, &values, err);
}
