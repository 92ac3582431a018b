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
/* Has the device rank the training rows if boosting keeps their outputs there and the metric of the training
 * is NDCG of the outputs themselves. Otherwise, or if the device has not enough memory, the processor
 * evaluates. */
gradus_status gr_monitor_use_boosting(gradus_training *training, gradus_error *err);
/* Adds a round to the outputs, wherever they are. */
gradus_status gr_monitor_add(const gradus_training *training, gr_monitor *monitor, uint64_t round,
                             gradus_error *err);
/* Evaluates the metric for the outputs after a round. */
gradus_status gr_monitor_measure(gradus_training *training, gr_monitor *monitor, uint64_t round,
                                 double *value, gradus_error *err);
/* The metric of lists that the device ranks. *found false: it does not, or a score is not finite, which
 * the processor reports. */
gradus_status gr_monitor_rank(const gr_measuring *measuring, gr_monitor *monitor, double *value,
                              bool *found, gradus_error *err);
/* Releases what the set has on the device. */
void gr_device_monitor_free(gr_monitor *monitor);

#endif
