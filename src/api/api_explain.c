/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: explanations. */
#include "api/api_arguments.h"
#include "explain/changed_feature.h"
#include "explain/explain.h"

gradus_explanation *gradus_explain(gradus_context *context, const gradus_model *model,
                                   const gradus_dataset *data, const size_t *rows, size_t count,
                                   const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, model, data))
        return NULL;
    return gr_explain(context, model, data, rows, count, options, err);
}

gradus_explainer *gradus_explainer_new(const gradus_model *model, const gradus_options *options,
                                       gradus_error *err)
{
    if (!GR_GIVEN(err, model))
        return NULL;
    return gr_explainer_new(model, options, err);
}

gradus_explanation *gradus_explainer_run(const gradus_explainer *explainer, gradus_context *context,
                                         const gradus_dataset *data, const size_t *rows,
                                         size_t count, gradus_error *err)
{
    if (!GR_GIVEN(err, explainer, data))
        return NULL;
    return gr_explainer_run(explainer, context, data, rows, count, err);
}

void gradus_explainer_free(gradus_explainer *explainer)
{
    gr_explainer_free(explainer);
}

void gradus_explanation_free(gradus_explanation *explanation)
{
    gr_explanation_free(explanation);
}

void gradus_explanation_describe(const gradus_explanation *explanation,
                                 gradus_explanation_info *info)
{
    if (!GR_GIVEN(NULL, explanation, info))
        return;
    *info = (gradus_explanation_info){ explanation->rows, explanation->targets,
                                       explanation->against == GR_AGAINST_MEAN    ? "mean"
                                       : explanation->against == GR_AGAINST_QUERY ? "query"
                                                                                  : "document",
                                       explanation->exact, explanation->zero_means };
}

const char *gradus_explanation_target(const gradus_explanation *explanation, size_t target)
{
    if (!GR_GIVEN(NULL, explanation) || target >= explanation->targets)
        return "";
    return explanation->names[target];
}

bool gradus_explanation_at(const gradus_explanation *explanation, size_t index, size_t target,
                           gradus_contributions *out)
{
    if (!GR_GIVEN(NULL, explanation, out))
        return false;
    const gradus_explanation *e = explanation;
    const size_t at = index * e->targets + target;

    if (index >= e->rows || target >= e->targets)
        return false;
    *out = (gradus_contributions){
        .row = e->row[index],
        .value = e->values[at],
        .base = e->bases[at],
        .count = e->used,
        .features = e->features,
        .contributions = e->contributions + at * e->used,
        .errors = e->errors ? e->errors + at * e->used : NULL,
        .values = e->inputs + index * e->used,
        .references = e->references ? e->references + index * e->used : NULL,
        .reference = e->reference_row ? e->reference_row[index] : SIZE_MAX,
    };
    return true;
}

gradus_status gradus_dataset_find_query(const gradus_dataset *data, const char *word, size_t *query,
                                        gradus_error *err)
{
    if (!GR_GIVEN(err, data, word, query))
        return GRADUS_BAD_ARGUMENT;
    return gr_find_query(data, word, query, err);
}

gradus_status gradus_dataset_find_document(const gradus_dataset *data, size_t query,
                                           const char *word, size_t *row, gradus_error *err)
{
    if (!GR_GIVEN(err, data, word, row))
        return GRADUS_BAD_ARGUMENT;
    if (query >= gradus_dataset_queries(data))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the data have no query %zu", query);
    return gr_find_document(data, query, word, row, err);
}

gradus_status gradus_permutation_importance(gradus_context *context, const gradus_model *model,
                                            const gradus_dataset *data,
                                            const gradus_options *options, size_t repeats,
                                            uint64_t seed, gradus_permuted *permuted,
                                            gradus_error *err)
{
    gr_evaluate_options chosen;

    if (!GR_GIVEN(err, model, data, permuted))
        return GRADUS_BAD_ARGUMENT;
    if (repeats < 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "repeats is 0: at least 1 is required");
    GR_TRY(gr_options_get(options, &gr_operation_evaluate, &chosen, err));
    return gr_permutation_importance(context, model, data, &chosen, repeats, seed, permuted, err);
}

gradus_status gradus_partial_dependence(gradus_context *context, const gradus_model *model,
                                        const gradus_dataset *data, size_t feature,
                                        gradus_dependence *points, size_t *count, gradus_error *err)
{
    if (!GR_GIVEN(err, model, data, points, count))
        return GRADUS_BAD_ARGUMENT;
    return gr_partial_dependence(context, model, data, feature, points, count, err);
}
