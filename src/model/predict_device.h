/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of a model on a device. */
#ifndef GR_MODEL_PREDICT_DEVICE_H
#define GR_MODEL_PREDICT_DEVICE_H

#include "base/context.h"
#include "model/model.h"

/* The outputs of nodes that a device has computed for all rows. */
typedef struct gr_ready {
    double **of; /* per node: outputs x rows; NULL: the processor computes it */
    size_t nodes, rows;
} gr_ready;

/* Evaluates the forests of a model that take the rows as they are, if the context has a device that
 * can, with the same bits as the processor. */
gradus_status gr_ready_start(gr_ready *ready, const gradus_model *model,
                             const gradus_arrays *arrays, const gradus_context *context,
                             gradus_error *err);
void gr_ready_free(gr_ready *ready);
/* Whether node n is ready; then copies its outputs of `rows` rows from row `first` on. ready NULL: none
 * is. */
bool gr_ready_take(const gr_ready *ready, size_t n, size_t first, size_t rows, size_t outputs,
                   double *out);

#endif
