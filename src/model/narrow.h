/* SPDX-License-Identifier: Apache-2.0 */
/* Models and the few used columns of wide data. */
#ifndef GR_MODEL_NARROW_H
#define GR_MODEL_NARROW_H

#include "model/model.h"

/* Adds the features that the nodes use. *known is false, and the set incomplete, if a node or a
 * transform has numbers for every feature. */
gradus_status gr_model_add_columns(const gradus_model *model, gr_used *columns, bool *known,
                                   gradus_error *err);
/* A view of the model for rows with these columns alone, which include all that it uses. The
 * columns must outlive it. */
gradus_model *gr_model_narrowed(const gradus_model *model, const gr_used *columns,
                                gradus_error *err);
/* The reverse, for a model trained on these columns, in place: nodes get the feature numbers of the
 * wide data, or a list of the columns. */
gradus_status gr_model_widen(gradus_model *model, const gr_used *columns, gradus_error *err);

#endif
