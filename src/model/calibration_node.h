/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration nodes. */
#ifndef GR_MODEL_CALIBRATION_NODE_H
#define GR_MODEL_CALIBRATION_NODE_H

#include "calibration/calibration.h"
#include "model/node.h"

/* Takes over the calibration, which is empty afterwards. */
gradus_status gr_calibration_node_new(gr_calibration *calibration, gr_node *node,
                                      gradus_error *err);

#endif
