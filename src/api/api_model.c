/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: reading, writing, rescoring and inspecting models. */
#include "api/api_arguments.h"
#include "exchange/import.h"
#include "model/members.h"
#include "model/model_facts.h"
#include "model/model_open.h"
#include "model/model_write.h"
#include "model/uses.h"
#include "objectives/objective.h"
#include "pipeline/score_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gradus_status gradus_model_write(const gradus_model *model, const char *path, gradus_error *err)
{
    if (!GR_GIVEN(err, model, path))
        return GRADUS_BAD_ARGUMENT;
    return gr_model_write(model, path, err);
}

gradus_status gradus_model_size(const gradus_model *model, uint64_t *size, gradus_error *err)
{
    if (!GR_GIVEN(err, model, size))
        return GRADUS_BAD_ARGUMENT;
    return gr_model_size(model, size, err);
}

gradus_model *gradus_model_read(const char *path, gradus_error *err)
{
    if (!GR_GIVEN(err, path))
        return NULL;
    return gr_model_read_any(path, err);
}

gradus_status gradus_model_to_bytes(const gradus_model *model, void **bytes, size_t *size,
                                    gradus_error *err)
{
    if (!GR_GIVEN(err, model, bytes, size))
        return GRADUS_BAD_ARGUMENT;
    return gr_model_to_bytes(model, bytes, size, err);
}

gradus_model *gradus_model_from_bytes(const void *bytes, size_t size, gradus_error *err)
{
    if (!GR_GIVEN(err, bytes))
        return NULL;
    return gr_model_from_bytes(bytes, size, "model in memory", err);
}

void gradus_model_free(gradus_model *model)
{
    gr_model_free(model);
}

bool gradus_model_is_file(const char *path)
{
    bool is_model;

    return GR_GIVEN(NULL, path) && gr_model_is_any(path, &is_model, NULL) == GRADUS_OK && is_model;
}

gradus_model *gradus_model_rescored(gradus_context *context, const gradus_model *model,
                                    const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, model))
        return NULL;
    return gr_model_with(context, model, options, err);
}

void gradus_model_describe(const gradus_model *model, gradus_model_info *info)
{
    if (!GR_GIVEN(NULL, model, info))
        return;
    gr_model_describe(model, info);
}

bool gradus_model_fact_at(const gradus_model *model, size_t index, gradus_model_fact *fact)
{
    if (!GR_GIVEN(NULL, model, fact))
        return false;
    return gr_model_fact_at(model, index, fact);
}

bool gradus_model_fact_find(const gradus_model *model, const char *name, gradus_model_fact *fact)
{
    if (!GR_GIVEN(NULL, model, name, fact))
        return false;
    for (size_t i = 0; gr_model_fact_at(model, i, fact); i++)
        if (strcmp(fact->name, name) == 0)
            return true;
    return false;
}

gradus_model *gradus_model_member(const gradus_model *model, size_t index, double *weight,
                                  gradus_error *err)
{
    if (!GR_GIVEN(err, model))
        return NULL;
    if (index >= gr_model_members(model)) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has no member %zu", index);
        return NULL;
    }
    if (weight)
        *weight = gr_member_weight(gr_model_core(model), index);
    return gr_model_member(model, index, err);
}

bool gradus_model_calibration_at(const gradus_model *model, size_t calibration, size_t index,
                                 gradus_calibration_parameter *out)
{
    if (!GR_GIVEN(NULL, model, out))
        return false;
    const gr_calibration *found = gr_model_calibration_at(model, calibration);

    if (!found)
        return false;
    out->method = gr_calibration_names[found->method];
    return gr_calibration_parameter(found, index, &out->name, &out->output, &out->value);
}

bool gradus_model_option_at(const gradus_model *model, size_t index, const char **name,
                            const char **value)
{
    if (!GR_GIVEN(NULL, model, name, value))
        return false;
    if (index >= model->setting_count)
        return false;
    *name = model->settings[index].name;
    *value = model->settings[index].value;
    return true;
}

bool gradus_model_curve_at(const gradus_model *model, size_t index, size_t *round, double *train,
                           double *valid)
{
    if (!GR_GIVEN(NULL, model, round, train))
        return false;
    if (index >= model->point_count)
        return false;
    *round = (size_t)model->points[index].round;
    *train = model->points[index].train;
    *valid = model->points[index].valid;
    return true;
}

bool gradus_model_result_at(const gradus_model *model, size_t index, const char **name,
                            double *value)
{
    if (!GR_GIVEN(NULL, model, name, value))
        return false;
    if (index >= model->result_count)
        return false;
    *name = model->results[index].name;
    *value = model->results[index].value;
    return true;
}

const char *gradus_model_feature_name(const gradus_model *model, size_t feature)
{
    if (!GR_GIVEN(NULL, model))
        return "";
    return gr_name_at(&model->feature_names, feature);
}

size_t gradus_model_first_id(const gradus_model *model)
{
    if (!GR_GIVEN(NULL, model))
        return 0;
    return model->first_id;
}

gradus_status gradus_model_importance(const gradus_model *model, double *gains, uint64_t *splits,
                                      gradus_error *err)
{
    if (!GR_GIVEN(err, model))
        return GRADUS_BAD_ARGUMENT;
    return gr_model_importance(model, gains, splits, err);
}

size_t gradus_model_max_uses(const gradus_model *model)
{
    if (!GR_GIVEN(NULL, model))
        return 0;
    return gr_model_max_uses(model);
}

gradus_status gradus_model_uses(const gradus_model *model, gradus_feature_use *uses, size_t *count,
                                gradus_error *err)
{
    if (!GR_GIVEN(err, model, uses, count))
        return GRADUS_BAD_ARGUMENT;
    return gr_model_uses(model, uses, count, err);
}

const uint32_t *gradus_model_columns(const gradus_model *model, size_t *count)
{
    if (!GR_GIVEN(NULL, model, count))
        return NULL;
    const gr_node *node = gr_model_members(model) ? NULL : gr_model_listed(model);

    *count = node ? node->column_count : 0;
    return node ? node->columns : NULL;
}

bool gradus_model_equation(const gradus_model *model, size_t output, double *intercept,
                           const double **coefficients, const double **means,
                           const double **spreads)
{
    if (!GR_GIVEN(NULL, model))
        return false;
    const gr_node *core = gr_model_core(model);

    return core && core->kind->equation &&
           core->kind->equation(core->state, output, intercept, coefficients, means, spreads);
}

bool gradus_model_errors(const gradus_model *model, const double **coefficients,
                         const double **thresholds)
{
    if (!GR_GIVEN(NULL, model))
        return false;
    if (!model->errors)
        return false;
    if (coefficients)
        *coefficients = model->errors;
    if (thresholds)
        *thresholds = model->errors + gr_model_error_count(model) - (model->scorer.levels - 1);
    return true;
}

bool gradus_model_implied_cost(const gradus_model *model, size_t low, size_t high, double *cost)
{
    if (!GR_GIVEN(NULL, model, cost))
        return false;
    const char *form = model ? gr_model_setting(model, "form") : NULL;
    const double *thresholds = model ? gr_scorer_thresholds(&model->scorer) : NULL;
    double up[GR_MAX_LEVELS], down[GR_MAX_LEVELS];

    if (!thresholds || !form || strcmp(model->method, "orboost") != 0 || low >= high ||
        high >= model->scorer.levels)
        return false;
    gr_orboost_terms(thresholds, model->scorer.levels,
                     strcmp(form, "all") == 0 ? GR_ORBOOST_ALL : GR_ORBOOST_LEFT_RIGHT, up, down);
    *cost = exp(up[high] + down[low]) - exp(up[low] + down[high]);
    return true;
}

bool gradus_model_tree_at(const gradus_model *model, size_t tree, size_t node,
                          gradus_tree_node *out)
{
    if (!GR_GIVEN(NULL, model, out))
        return false;
    const gr_node *core = gr_model_core(model);

    if (!core || !core->kind->tree_at || !core->kind->tree_at(core->state, tree, node, out))
        return false;
    if (core->columns && !out->is_leaf)
        out->feature = core->columns[out->feature];
    return true;
}

bool gradus_model_leaf_at(const gradus_model *model, size_t tree, size_t node,
                          gradus_leaf_model *out)
{
    if (!GR_GIVEN(NULL, model, out))
        return false;
    const gr_node *core = gr_model_core(model);

    return core && core->kind->leaf_at && core->kind->leaf_at(core->state, tree, node, out);
}
