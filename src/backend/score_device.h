/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a device that evaluate trees on many rows. Also compiled as C++ and CUDA. */
#ifndef GR_BACKEND_SCORE_DEVICE_H
#define GR_BACKEND_SCORE_DEVICE_H

#include "backend/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A split; left and right: another split of the tree, or ~leaf. Aligned, so that a GPU loads it at once. */
typedef struct __attribute__((aligned(16))) gr_score_node {
    float threshold;  /* smaller values go left */
    uint32_t feature; /* times 2; plus 1 if missing values go left */
    int32_t left, right;
} gr_score_node;

/* Trees in the order of their rounds, as in a gr_forest: tree t belongs to output t % outputs, has
 * nodes[starts[t]] to nodes[starts[t + 1] - 1], and its leaves start at starts[t] + t. */
typedef struct gr_score_trees {
    uint64_t features, outputs, trees;
    const double *bases;    /* per output */
    const uint64_t *starts; /* trees + 1 */
    const gr_score_node *nodes;
    const float *leaves;
} gr_score_trees;

enum { GR_SCORE_SLOTS = 2 }; /* batches of rows in flight */

typedef struct gr_score_run gr_score_run; /* of the device */

typedef struct gr_score_device {
    /* Copies the trees to the device, and allocates batches of up to `rows` rows. */
    gradus_status (*open)(const gradus_device *device, const gr_score_trees *trees, size_t rows,
                          gr_score_run **scoring, gradus_error *err);
    /* Where the caller writes the rows of a slot, features floats each, while it is not running. */
    float *(*room)(gr_score_run *scoring, size_t slot);
    /* Starts to evaluate the rows of a slot and returns. */
    gradus_status (*start)(gr_score_run *scoring, size_t slot, size_t rows, gradus_error *err);
    /* Waits for a slot. *outputs: output k of row r at [k * rows + r], valid until the next start. Each
     * is the base plus the leaf values as doubles, in the order of the rounds. */
    gradus_status (*finish)(gr_score_run *scoring, size_t slot, const double **outputs,
                            gradus_error *err);
    void (*close)(gr_score_run *scoring); /* accepts NULL; batches in flight are given up */
} gr_score_device;

#ifdef __cplusplus
}
#endif

#endif
