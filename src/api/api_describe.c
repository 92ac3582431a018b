/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: summaries of datasets and overlaps between them. */
#include "api/api_arguments.h"
#include "data/describe.h"
#include "data/overlap.h"

gradus_description *gradus_describe(gradus_context *context, const gradus_dataset *data,
                                    gradus_error *err)
{
    if (!GR_GIVEN(err, data))
        return NULL;
    return gr_describe(data, gr_pool_of(context), err);
}

gradus_overlap *gradus_overlap_find(gradus_context *context, const gradus_dataset *first,
                                    const gradus_dataset *second, gradus_error *err)
{
    if (!GR_GIVEN(err, first, second))
        return NULL;
    return gr_overlap_find(first, second, gr_pool_of(context), err);
}
