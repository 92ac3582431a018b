/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses data that do not fit into the memory of a device before they are binned, which takes far longer
 * than this. The need is computed from below: the device checks the exact one when the bins are known. */
#include "learners/boost/device_room.h"

#include "backend/tree_device.h"
#include "data/binned.h"
#include "learners/boost/device_scores.h"

#include <math.h>
#include <stdlib.h>

enum { LOOK_AT_ROWS = 1 << 16 };

static bool same(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Features that differ from those of the first row in one of the rows; the bins of others may be all the
 * same, and then they take no memory on a device. */
static size_t count_varying(const gradus_arrays *a, const float *first, bool *varies)
{
    const size_t rows = a->rows < LOOK_AT_ROWS ? a->rows : LOOK_AT_ROWS;
    size_t found = 0;

    for (size_t r = 1; r < rows && found < a->features; r++) {
        const uint64_t begin = a->row_starts ? a->row_starts[r] : 0;
        const uint64_t end = a->row_starts ? a->row_starts[r + 1] : a->features;

        for (uint64_t i = begin; i < end; i++) {
            const size_t f = a->row_starts ? a->columns[i] : (size_t)i;
            const float value = a->row_starts ? a->entries[i] : a->values[r * a->stride + i];

            found += !varies[f] && !same(value, first[f]);
            varies[f] |= !same(value, first[f]);
        }
    }
    return found;
}

/* The features of which it is certain that they have bins; 0 if there is no memory to find out. */
static size_t varying_features(const gradus_arrays *a)
{
    float *first = calloc(a->features + 1, sizeof *first);
    bool *varies = calloc(a->features + 1, sizeof *varies);
    size_t found = 0;

    if (first && varies && a->rows > 0) {
        for (size_t f = 0; !a->row_starts && f < a->features; f++)
            first[f] = a->values[f];
        for (uint64_t i = 0; a->row_starts && i < a->row_starts[1]; i++)
            first[a->columns[i]] = a->entries[i];
        found = count_varying(a, first, varies);
    }
    free(first);
    free(varies);
    return found;
}

gradus_status gr_device_room_check(const gr_boost_state *c, gradus_error *err)
{
    const gradus_device *device = c->context ? c->context->device : NULL;
    const gradus_arrays *a = &c->data->arrays;
    const size_t outputs = c->problem->outputs;

    if (!device || !device->trees || gr_dataset_lacks_values(c->data))
        return GRADUS_OK;
    const double scores = gr_device_scores_bytes(c);
    const double available = (double)device->free_memory(device);
    double need = scores + gr_device_tree_bytes(a->rows, a->features, outputs);

    if (need > available) /* constant features, which are seldom, are counted only then */
        need = scores + gr_device_tree_bytes(a->rows, varying_features(a), outputs);
    if (need <= available)
        return GRADUS_OK;
    return gr_fail(
        err, GRADUS_NO_MEMORY,
        "trees on %zu rows of %zu features need %.3g GB of the memory of the GPU, which has "
        "%.3g GB free; about %.0f rows of these features would fit, or choose device 'cpu'",
        a->rows, a->features, need / 1e9, available / 1e9,
        floor((double)a->rows * available / need));
}
