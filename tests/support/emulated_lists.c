/* SPDX-License-Identifier: Apache-2.0 */
/* Ranked lists on the emulated device, for trainings and for validation sets. It copies all arrays, as a
 * device with its own memory does. */
#include "thread_order.h" /* before the bodies */

#include "emulated_lists.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static void *copy(emulated_lists *lists, size_t number, const void *from, size_t bytes)
{
    void *made = malloc(bytes + 1);

    if (made && from)
        memcpy(made, from, bytes);
    else if (made)
        memset(made, 0x5a, bytes); /* nothing may depend on what was there */
    lists->copies[number] = made;
    return made;
}

gradus_status emulated_lists_make(emulated_lists *lists, const gr_device_lists *from,
                                  const double *scores, gradus_error *err)
{
    const size_t rows = (size_t)from->starts[from->queries];
    gr_dcg_lists *there = &lists->lists;

    *lists = (emulated_lists){ .queries = from->queries };
    there->depth = from->depth;
    there->scores = scores;
    there->starts = copy(lists, 0, from->starts, (from->queries + 1) * sizeof *from->starts);
    there->gains = copy(lists, 1, from->gains, rows * sizeof *from->gains);
    there->discounts = copy(lists, 2, from->discounts, from->depth * sizeof *from->discounts);
    there->dcgs = copy(lists, 3, NULL, from->queries * sizeof *there->dcgs);
    if (there->starts && there->gains && there->discounts && there->dcgs)
        return GRADUS_OK;
    emulated_lists_free(lists);
    return gr_fail_memory(err, "an emulated device");
}

gradus_status emulated_lists_dcgs(const emulated_lists *lists, uint32_t threads, double *dcgs,
                                  gradus_error *err)
{
    const gr_dcg_lists *there = &lists->lists;

    for (size_t q = lists->queries; q-- > 0;) {
        const size_t count = (size_t)(there->starts[q + 1] - there->starts[q]);
        void *ranks = malloc(count * GR_DCG_RANK_BYTES + 1);
        uint32_t invalid;

        if (!ranks)
            return gr_fail_memory(err, "an emulated device");
        gr_dcg_block(there, (uint32_t)q, threads, gr_dcg_lay_out(ranks, count), &invalid);
        free(ranks);
    }
    memcpy(dcgs, there->dcgs, lists->queries * sizeof *dcgs);
    return GRADUS_OK;
}

void emulated_lists_free(emulated_lists *lists)
{
    for (size_t i = 0; i < sizeof lists->copies / sizeof *lists->copies; i++)
        free(lists->copies[i]);
    *lists = (emulated_lists){ .queries = 0 };
}
