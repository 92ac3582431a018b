/* SPDX-License-Identifier: Apache-2.0 */
/* The validation functions of the emulated device: the kernels of plugins/cuda, run as C. */
#ifndef EMULATED_VALIDATION_H
#define EMULATED_VALIDATION_H

#include "backend/valid_device.h"

#include <stdbool.h>

extern const gr_valid_device emulated_validation;

/* Sets opened, rounds added, DCGs computed and outputs fetched since the last call. */
typedef struct emulated_valid_calls {
    size_t opened, added, ranked, fetched;
} emulated_valid_calls;
emulated_valid_calls emulated_validation_calls(void);

/* How the device behaves from now on; all 0: well. */
typedef struct emulated_valid_plan {
    uint32_t threads; /* of a block; 0: 64 */
    bool full;        /* it has no memory for a set */
    size_t good;      /* rounds added after which it is lost; 0: never */
} emulated_valid_plan;
void emulated_validation_use(emulated_valid_plan plan);

#endif
