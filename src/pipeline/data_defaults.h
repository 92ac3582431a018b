/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults that depend on the size of the training data. A learner lists them in its row; the
 * `rule` of the parameter states each for help and documentation. */
#ifndef GR_PIPELINE_DATA_DEFAULTS_H
#define GR_PIPELINE_DATA_DEFAULTS_H

#include "base/error.h"

struct gr_train_options;

/* What the choices depend on. */
typedef struct gr_data_size {
    size_t rows, queries;
    bool compares; /* the loss compares the rows of a query with each other */
} gr_data_size;

typedef struct gr_data_default {
    const char *name; /* of the option; NULL ends the list */
    uint64_t (*choose)(const struct gr_train_options *options, const gr_data_size *size);
    bool needs_valid; /* only chosen if there are validation data, which stop training early */
} gr_data_default;

/* Sets the options of the training's learner that neither the user nor a preset has set. A
 * checkpoint that is resumed keeps its own. */
gradus_status gr_training_choose_defaults(gradus_training *training, gradus_error *err);
/* Reports what was chosen, once it is clear that training begins. */
void gr_training_note_defaults(const gradus_training *training);

#endif
