/* SPDX-License-Identifier: Apache-2.0 */
/* The model document of XGBoost, which has two encodings: JSON and Universal Binary JSON. */
#ifndef GR_EXCHANGE_XGBOOST_DOCUMENT_H
#define GR_EXCHANGE_XGBOOST_DOCUMENT_H

#include "base/buffer.h"
#include "model/model.h"

/* Appends the document. format: for messages. binary: Universal Binary JSON. */
gradus_status gr_xgboost_write(const gradus_model *model, const char *format, bool binary,
                               gr_buffer *out, gradus_error *err);

/* The check program of both encodings, for gr_format.check. */
#define GR_XGBOOST_CHECK                                                                           \
    "import numpy as np, xgboost as xgb\n"                                                         \
    "b = xgb.Booster(model_file=\"MODEL\")\n"                                                      \
    "rows = [line.strip().split(\",\") for line in open(\"PARITY\") if line[0] != \"#\"]\n"        \
    "x = np.zeros((len(rows) - 1, b.num_features()), \"f4\")\n"                                    \
    "x[:, [int(c) for c in rows[0][1:]]] = [[float(v) for v in r[1:]] for r in rows[1:]]\n"        \
    "target = np.array([float(r[0]) for r in rows[1:]])\n"                                         \
    "found = b.predict(xgb.DMatrix(x, feature_names=b.feature_names))\n"                           \
    "gap = np.abs(found - target) / np.maximum(1, np.abs(target))\n"                               \
    "good = gap.max() <= TOLERANCE\n"                                                              \
    "print(\"largest difference:\", gap.max(), \"ok\" if good else \"WRONG\")\n"                   \
    "raise SystemExit(not good)"

/* A float as JSON of which XGBoost and Java parsers make the same float: with a point or an
 * exponent, because XGBoost refuses integers, and beyond the largest float for infinity, which JSON
 * does not have. */
void gr_put_json_float(gr_buffer *out, float number);

#endif
