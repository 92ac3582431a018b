/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the values of datasets that hold bins. */
#include "data/binned.h"

#include "data/binary.h"

#include <stdlib.h>

gradus_status gr_binned_attach(gradus_dataset *data, const gr_binned *binned, gradus_error *err)
{
    gr_binned *own = malloc(sizeof *own);

    if (!own) {
        free(binned->sums);
        if (binned->state)
            binned->free(binned->state);
        return gr_fail_memory(err, "a dataset");
    }
    *own = *binned;
    pthread_mutex_init(&own->loading, NULL);
    gr_binned_free(data->binned);
    data->binned = own;
    return GRADUS_OK;
}

void gr_binned_free(gr_binned *binned)
{
    if (!binned)
        return;
    if (binned->state)
        binned->free(binned->state);
    free(binned->sums);
    pthread_mutex_destroy(&binned->loading);
    free(binned);
}

gradus_status gr_binned_need_values(const gradus_dataset *data, gr_pool *pool, gradus_error *err)
{
    /* as with checks of mapped files, what a dataset contains does not change */
    gradus_dataset *own = (gradus_dataset *)(uintptr_t)data;
    gradus_status status = GRADUS_OK;

    if (!data->binned->load)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%.300s' has bins instead of values, which is enough only to train boosted "
                       "trees and to score with them: use the file that it was made from",
                       gr_binary_name(data->binary));
    pthread_mutex_lock(&data->binned->loading);
    if (!data->arrays.values) {
        status = data->binned->load(data->binned->state, own, pool, err);
        if (status == GRADUS_OK)
            own->arrays.values = own->owned[GR_VALUES].at;
    }
    pthread_mutex_unlock(&data->binned->loading);
    return status;
}
