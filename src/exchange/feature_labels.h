/* SPDX-License-Identifier: Apache-2.0 */
/* Names of features in exported models. */
#ifndef GR_EXCHANGE_FEATURE_LABELS_H
#define GR_EXCHANGE_FEATURE_LABELS_H

#include "base/buffer.h"
#include "model/model.h"

/* The name of feature f; of a numbered feature "f" and its id in text files, such as "f1", made in
 * `made`. */
const char *gr_feature_label(const gradus_model *model, size_t f, char made[GRADUS_NUMBER_SIZE]);

/* Fails if two features have the same label, for formats that identify features by name. format: for
 * messages. */
gradus_status gr_feature_labels_check(const gradus_model *model, const char *format,
                                      gradus_error *err);

/* Appends a text as a JSON string. */
void gr_put_json_text(gr_buffer *out, const char *text);

#endif
