/* SPDX-License-Identifier: Apache-2.0 */
/* The format "xgboost-ubj": a model of XGBoost in Universal Binary JSON. */
#include "exchange/format.h"
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
               .details = "CHECK" },
    .used_by = "XGBoost, Triton FIL, Vespa",
    .extension = "ubj",
    .tolerance = 1e-5,
    .check = "",
    .write = write_ubj,
};
