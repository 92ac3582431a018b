#include "data/describe.h"
#include "data/overlap.h"

gradus_description *gradus_describe(gradus_context *context, const gradus_dataset *data,
                                    gradus_error *err)
{
    if (!data) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "there are no data to describe");
        return NULL;
    }
    return gr_describe(data, gr_pool_of(context), err);
}

gradus_overlap *gradus_overlap_find(gradus_context *context, const gradus_dataset *first,
                                    const gradus_dataset *second, gradus_error *err)
{
    if (!first || !second) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "an overlap is of two sets");
        return NULL;
    }
    return gr_overlap_find(first, second, gr_pool_of(context), err);
}
