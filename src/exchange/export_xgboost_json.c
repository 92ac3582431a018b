/* SPDX-License-Identifier: Apache-2.0 */
/* The format "xgboost-json": a model of XGBoost in JSON. */
#include "exchange/format.h"
#include "exchange/tree_sum.h"
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
               .details =
                   "Holds sums of trees: one output, sums of outputs, weighted sums of such models. "
                   "Transforms by minmax and standardise move into the thresholds. Every row reaches "
                   "the same leaves as in gradus; XGBoost adds leaf values as floats, so that scores "
                   "differ by float rounding. The base score is a tree of one leaf (more, if it is "
                   "not a float), because Elasticsearch LTR ignores base_score. The objective is "
                   "rank:ndcg, which every consumer accepts and which leaves scores as they are. Row "
                   "counts are in sum_hessian. XGBoost refuses infinite values. Elasticsearch LTR "
                   "(type model/xgboost+json+raw) requires every feature of the model in its feature "
                   "set, in the same order." },
    .used_by = "XGBoost, Triton FIL, treelite, Elasticsearch LTR",
    .extension = "json",
    .methods = GR_TREE_SUM_METHODS,
    .tolerance = 1e-5,
    .check = GR_XGBOOST_CHECK,
    .write = write_json,
};
