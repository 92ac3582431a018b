/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that the emulated device ranks: the kernels of plugins/cuda, run as C. */
#ifndef EMULATED_LISTS_H
#define EMULATED_LISTS_H

#include "backend/ranked_lists.h"
#include "gradus.h"
#include "plugins/cuda/dcg_body.h"

typedef struct emulated_lists {
    gr_dcg_lists lists;
    size_t queries;
    void *copies[4];
} emulated_lists;

/* Copies the lists; scores: of all rows. GRADUS_NO_MEMORY: nothing is allocated. */
gradus_status emulated_lists_make(emulated_lists *lists, const gr_device_lists *from,
                                  const double *scores, gradus_error *err);
/* Ranks the last list first, because nothing may depend on their order. */
gradus_status emulated_lists_dcgs(const emulated_lists *lists, uint32_t threads, double *dcgs,
                                  gradus_error *err);
void emulated_lists_free(emulated_lists *lists);

#endif
