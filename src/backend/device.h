/* SPDX-License-Identifier: Apache-2.0 */
/* A device that a training or a scoring runs on beside the processor. A plug-in (plugins/cuda) fills
 * in the groups of functions it has; code for the processor knows no other interface to it. Also
 * compiled as C++, by the plug-in. */
#ifndef GR_BACKEND_DEVICE_H
#define GR_BACKEND_DEVICE_H

#include "gradus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a plug-in built for another version, gradus_device_open fails. Raised with every change of this
 * file and of the groups. */
enum { GR_DEVICE_VERSION = 4 };

/* Each group is a table of functions, in the header of its name. Functions keep what belongs to one
 * training or one scoring in an object that they create, so that several of them can use a device at
 * the same time from several threads. Every function that can fail returns a status with a message,
 * and none ends the process. */
struct gr_tree_device;  /* tree_device.h */
struct gr_boost_device; /* boost_device.h */
struct gr_score_device; /* score_device.h */
struct gr_valid_device; /* valid_device.h */

struct gradus_device {
    int version;      /* GR_DEVICE_VERSION */
    const char *name; /* "NVIDIA H200" */
    /* The bytes that can be allocated now. */
    uint64_t (*free_memory)(const struct gradus_device *device);
    /* NULL: the device cannot do this, and the processor does it. */
    const struct gr_tree_device *trees;
    const struct gr_boost_device *boosting;
    const struct gr_score_device *scoring;
    const struct gr_valid_device *validation;
    void *state;                                 /* of the plug-in */
    void (*close)(struct gradus_device *device); /* frees it */
    void *library;                               /* of gradus_device_open */
};

/* What a plug-in exports: opens the first device. NULL and an error if the version differs, there is
 * no device or it does not work. */
#define GR_DEVICE_OPEN "gradus_device_plugin"
typedef struct gradus_device *gr_device_open_function(int version, gradus_error *err);

#ifdef __cplusplus
}
#endif

#endif
