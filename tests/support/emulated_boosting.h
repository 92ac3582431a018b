/* SPDX-License-Identifier: Apache-2.0 */
/* The boosting functions of the emulated device: the kernels of plugins/cuda, run as C. */
#ifndef EMULATED_BOOSTING_H
#define EMULATED_BOOSTING_H

#include "backend/boost_device.h"

extern const gr_boost_device emulated_boosting;

/* Gradients and sums computed, trees added and scores fetched since the last call. */
typedef struct emulated_calls {
    size_t gradients, sums, added, fetched;
} emulated_calls;
emulated_calls emulated_boosting_calls(void);

#endif
