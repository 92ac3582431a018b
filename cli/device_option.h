/* SPDX-License-Identifier: Apache-2.0 */
/* --device of the commands that can use a GPU. */
#ifndef CLI_DEVICE_OPTION_H
#define CLI_DEVICE_OPTION_H

#include "command.h"

/* The row of the option. */
#define DEVICE_OPTION                                                                               \
    {                                                                                               \
        "device", 0, "WHERE",                                                                       \
            "where trees are grown and evaluated: cpu (the default), cuda (the first NVIDIA GPU), " \
            "or auto: the GPU if there is one and the work is large enough to gain back the half "  \
            "second of its start. The result is the same to the last byte"                          \
    }
#define DEVICE_PLUGIN "libgradus-cuda.so"

typedef struct chosen_device {
    gradus_device *opened; /* NULL: none, or not yet */
    bool automatic; /* --device auto: a device that is absent or cannot be used is left out */
} chosen_device;

/* Checks --device, and opens the GPU with --device cuda. Exit status, or -1 to continue. */
int device_begin(chosen_device *device, const arguments *given);
/* With --device auto: open the GPU if there is enough work. */
void device_to_train(chosen_device *device, const arguments *given, const gradus_dataset *data);
void device_to_score(chosen_device *device, const arguments *given, const gradus_dataset *data,
                     const gradus_model *model); /* NULL: no model */
/* With --device auto, after a failure with the GPU: leaves it out. Whether to try again. */
bool device_leave(chosen_device *device, const arguments *given);
void device_end(chosen_device *device, const arguments *given);
/* "NVIDIA H200"; "cpu": none is used. */
const char *device_name(const chosen_device *device);

#endif
