/* SPDX-License-Identifier: Apache-2.0 */
/* Monitored sets on a device: it keeps rows and outputs, adds the trees of each round, and ranks lists for
 * NDCG. Values have the bits of the processor's, which computes all other metrics. */
#ifndef GR_PIPELINE_DEVICE_MONITOR_H
#define GR_PIPELINE_DEVICE_MONITOR_H

#include "pipeline/train.h"

/* Copies a set to the device of the training's context, with its outputs so far. The set stays on the
 * processor if there is no device, the learner does not grow trees, the set has no values, or it needs more
 * than half of the device's free memory, of which training allocates some later. */
gradus_status gr_monitor_use_device(const gradus_training *training, gr_monitor *monitor,
                                    gradus_error *err);
/* Adds a round to the outputs, wherever they are. */
gradus_status gr_monitor_add(const gradus_training *training, gr_monitor *monitor, uint64_t round,
                             gradus_error *err);
/* Evaluates the metric for the outputs after a round. */
gradus_status gr_monitor_measure(gradus_training *training, gr_monitor *monitor, uint64_t round,
                                 double *value, gradus_error *err);
/* Releases what the set has on the device. */
void gr_device_monitor_free(gr_monitor *monitor);

#endif
