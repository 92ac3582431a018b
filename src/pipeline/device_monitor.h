/* SPDX-License-Identifier: Apache-2.0 */
/* Monitored sets on a device: it keeps rows and outputs, adds the trees of each round and ranks for NDCG.
 * Values have the bits of the processor's, which evaluates all other metrics. */
#ifndef GR_PIPELINE_DEVICE_MONITOR_H
#define GR_PIPELINE_DEVICE_MONITOR_H

#include "pipeline/train.h"

/* Copies a set to the device of the training's context, with its outputs so far. Without an effect if
 * there is none, the learner does not grow trees, the set has no values, or it takes more than half of the
 * free memory: training allocates some later. */
gradus_status gr_monitor_use_device(const gradus_training *training, gr_monitor *monitor,
                                    gradus_error *err);
/* Adds a round to the outputs, on the device or not. */
gradus_status gr_monitor_add(const gradus_training *training, gr_monitor *monitor, uint64_t round,
                             gradus_error *err);
/* Evaluates the metric for the outputs after a round. */
gradus_status gr_monitor_measure(gradus_training *training, gr_monitor *monitor, uint64_t round,
                                 double *value, gradus_error *err);
/* Ends the use of the device. */
void gr_device_monitor_free(gr_monitor *monitor);

#endif
