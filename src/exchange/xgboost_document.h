/* SPDX-License-Identifier: Apache-2.0 */
/* The model document of XGBoost, which has two encodings: JSON and Universal Binary JSON. */
#ifndef GR_EXCHANGE_XGBOOST_DOCUMENT_H
#define GR_EXCHANGE_XGBOOST_DOCUMENT_H

#include "base/buffer.h"
#include "model/model.h"

/* Appends the document. format: for messages. binary: Universal Binary JSON. */
gradus_status gr_xgboost_write(const gradus_model *model, const char *format, bool binary,
                               gr_buffer *out, gradus_error *err);

/* A float as JSON of which XGBoost and Java parsers make the same float: with a point or an
 * exponent, because XGBoost refuses integers, and beyond the largest float for infinity, which JSON
 * does not have. */
void gr_put_json_float(gr_buffer *out, float number);

#endif
