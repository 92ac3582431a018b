/* SPDX-License-Identifier: Apache-2.0 */
/* The format "xgboost-json": a model of XGBoost in JSON. */
#include "exchange/format.h"
#include "exchange/xgboost_document.h"

static gradus_status write_json(const gradus_model *model, const gr_export_options *options,
                                gr_buffer *out, gradus_error *err)
{
    (void)options;
    return gr_xgboost_write(model, "xgboost-json", false, out, err);
}

const gr_format gr_format_xgboost_json = {
    .about = { .name = "xgboost-json",
               .summary = "a model of XGBoost in JSON",
               .details = "CHECK" },
    .used_by = "XGBoost, Triton FIL, treelite, Elasticsearch LTR",
    .extension = "json",
    .tolerance = 1e-5,
    .check = "",
    .write = write_json,
};
