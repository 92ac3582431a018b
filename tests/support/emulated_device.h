/* SPDX-License-Identifier: Apache-2.0 */
/* A device for tests that runs the kernels of plugins/cuda as C on the processor. */
#ifndef GR_TESTS_EMULATED_DEVICE_H
#define GR_TESTS_EMULATED_DEVICE_H

#include "backend/tree_device.h"

extern const struct gr_tree_device emulated_trees;

/* Tests change these: the bytes that are reported as free, and the largest allocation that succeeds. */
extern uint64_t emulated_room, emulated_largest;

/* With all groups of functions that are emulated. */
extern const struct gradus_device emulated_device;

#endif
