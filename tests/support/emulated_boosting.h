/* SPDX-License-Identifier: Apache-2.0 */
/* The boosting functions of the emulated device: the kernels of plugins/cuda, run as C. */
#ifndef EMULATED_BOOSTING_H
#define EMULATED_BOOSTING_H

#include "backend/boost_device.h"

extern const gr_boost_device emulated_boosting;

/* Gradients and sums computed, trees added, scores fetched, lists copied and ranked since the last
 * call. */
typedef struct emulated_calls {
    size_t gradients, sums, added, fetched, listed, ranked;
} emulated_calls;
emulated_calls emulated_boosting_calls(void);
/* From now on there is no memory for lists. */
void emulated_boosting_refuse_lists(bool refuse);

#endif
