/* SPDX-License-Identifier: Apache-2.0 */
/* A device that evaluates trees: the bodies of the kernels for CUDA, run as C. */
#ifndef GR_TESTS_EMULATED_SCORING_H
#define GR_TESTS_EMULATED_SCORING_H

#include "backend/score_device.h"

/* How a device of the tests behaves; the device's state. NULL: a good one with large blocks. */
typedef struct emulated_score_plan {
    uint32_t threads; /* of a block; 0: 128 */
    bool untiled;     /* the values stay in global memory */
    size_t good;      /* batches after which it is lost; 0: never */
    size_t batches;   /* so far */
} emulated_score_plan;

/* The state of the device is an emulated_score_plan, or NULL. */
extern const gr_score_device emulated_scoring;

#endif
