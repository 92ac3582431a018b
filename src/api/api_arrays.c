/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: datasets over the caller's arrays, copies of them, and the arrays of a dataset. */
#include "api/api_arguments.h"
#include "data/arrays.h"

gradus_dataset *gradus_dataset_borrow(const gradus_arrays *arrays, gradus_error *err)
{
    if (!GR_GIVEN(err, arrays))
        return NULL;
    return gr_arrays_borrow(arrays, err);
}

gradus_dataset *gradus_dataset_copy(gradus_context *context, const gradus_arrays *arrays,
                                    gradus_error *err)
{
    if (!GR_GIVEN(err, arrays))
        return NULL;
    return gr_arrays_copy(context, arrays, err);
}

gradus_status gradus_dataset_arrays(gradus_context *context, const gradus_dataset *data,
                                    gradus_arrays *arrays, gradus_error *err)
{
    if (!GR_GIVEN(err, data, arrays))
        return GRADUS_BAD_ARGUMENT;
    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, gr_pool_of(context), err));
    gr_arrays_get(data, arrays);
    return GRADUS_OK;
}
