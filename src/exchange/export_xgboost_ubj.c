/* SPDX-License-Identifier: Apache-2.0 */
/* The format "xgboost-ubj": a model of XGBoost in Universal Binary JSON. */
#include "exchange/format.h"
#include "exchange/tree_sum.h"
#include "exchange/xgboost_document.h"

static gradus_status write_ubj(const gradus_model *model, const gr_export_options *options,
                               gr_buffer *out, gradus_error *err)
{
    (void)options;
    return gr_xgboost_write(model, "xgboost-ubj", true, out, err);
}

const gr_format gr_format_xgboost_ubj = {
    .about = { .name = "xgboost-ubj",
               .summary = "a model of XGBoost in Universal Binary JSON",
               .details =
                   "The same document as xgboost-json, in the binary encoding that XGBoost has "
                   "written by default since version 2.1. Numbers are the floats of the model. Vespa "
                   "needs a list of feature names beside it." },
    .used_by = "XGBoost, Triton FIL, Vespa",
    .extension = "ubj",
    .methods = GR_TREE_SUM_METHODS,
    .tolerance = 1e-5,
    .check = GR_XGBOOST_CHECK,
    .write = write_ubj,
};
