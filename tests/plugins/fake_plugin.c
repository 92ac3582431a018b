/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in for the tests of --device: the kernels for CUDA, run as C, on a device that is lost after as many
 * rounds as the environment variable GRADUS_FAKE_ROUNDS says. GRADUS_FAKE_VERSION 1: one of another version. */
#include "emulated_boosting.h"
#include "emulated_device.h"
#include "emulated_scoring.h"
#include "emulated_validation.h"

#include "base/error.h"

#include <stdlib.h>

static struct {
    gradus_device shown;
    struct gr_tree_device trees;
    long rounds; /* -1: as many as there are */
} fake;

static gradus_status measure(gr_device_trees *trees, const gr_device_round *round,
                             const gr_device_extent **extents, size_t *slots, gradus_error *err)
{
    if (fake.rounds >= 0 && fake.rounds-- == 0)
        return gr_fail(err, GRADUS_LOST,
                       "the GPU has failed while growing a tree: it has fallen off the bus");
    return emulated_trees.measure(trees, round, extents, slots, err);
}

static uint64_t free_memory(const gradus_device *device)
{
    (void)device;
    return (uint64_t)1 << 30;
}

static void close_device(gradus_device *device)
{
    (void)device;
}

__attribute__((visibility("default"))) gr_device_open_function gradus_device_plugin;

gradus_device *gradus_device_plugin(int version, gradus_error *err)
{
    const char *rounds = getenv("GRADUS_FAKE_ROUNDS");

    if (version != GR_DEVICE_VERSION || getenv("GRADUS_FAKE_VERSION")) {
        gr_fail(err, GRADUS_BAD_ARGUMENT,
                "the plug-in for CUDA belongs to another version of gradus");
        return NULL;
    }
    fake.rounds = rounds ? atol(rounds) : -1;
    fake.trees = emulated_trees;
    fake.trees.measure = measure;
    fake.shown = (gradus_device){ .version = version,
                                  .name = "fake",
                                  .free_memory = free_memory,
                                  .trees = &fake.trees,
                                  .boosting = &emulated_boosting,
                                  .scoring = &emulated_scoring,
                                  .validation = &emulated_validation,
                                  .close = close_device };
    return &fake.shown;
}
