/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: reading datasets from files and Arrow streams. */
#include "api/api_arguments.h"
#include "data/arrow.h"
#include "data/read_files.h"
#include "pipeline/read_binned.h"

gradus_dataset *gradus_dataset_read(gradus_context *context, const char *path,
                                    const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, path))
        return NULL;
    gr_read_options values = { 0 };

    if (gr_options_get(options, &gr_operation_read, &values, err) != GRADUS_OK)
        return NULL;
    return gr_read(context, path, &values, err);
}

gradus_dataset *gradus_dataset_read_files(gradus_context *context, const char *const *paths,
                                          size_t count, const gradus_options *options,
                                          gradus_error *err)
{
    if (!GR_GIVEN(err, paths))
        return NULL;
    gr_read_options values = { 0 };

    if (count == 0) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "a dataset needs at least one file");
        return NULL;
    }
    if (gr_options_get(options, &gr_operation_read, &values, err) != GRADUS_OK)
        return NULL;
    return gr_read_files(context, paths, count, &values, err);
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
