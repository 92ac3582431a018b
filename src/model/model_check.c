/* SPDX-License-Identifier: Apache-2.0 */
/* Consistency checks for any model. Readers run them because files are untrusted, writers so that
 * every file written can be read back. */
#include "model/model.h"

#include "base/math.h"
#include "objectives/problem.h"

#include <math.h>

static gradus_status bad(gradus_error *err, const char *what)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "%s", what);
}

static gradus_status check_names(const gr_names *names, size_t features, gradus_error *err)
{
    if (names->count == 0)
        return GRADUS_OK;
    if (names->count != features)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%zu names for %zu features", names->count,
                       features);
    if (names->starts[0] != 0)
        return bad(err, "the name of feature 0 does not begin at the first byte");
    for (size_t f = 0; f < names->count; f++)
        if (names->starts[f] >= names->starts[f + 1] ||
            names->starts[f + 1] > names->starts[names->count] ||
            names->bytes[names->starts[f + 1] - 1] != '\0')
            return gr_fail(err, GRADUS_BAD_FORMAT, "the name of feature %zu is not terminated", f);
    return GRADUS_OK;
}

static gradus_status check_transform(const gr_fitted_transform *fitted, size_t features,
                                     gradus_error *err)
{
    if (!fitted->transform)
        return GRADUS_OK;
    if (fitted->features != features)
        return gr_fail(err, GRADUS_BAD_FORMAT, "the transform has %zu features, the model %zu",
                       fitted->features, features);
    if (fitted->transform->by_query)
        return GRADUS_OK;
    if (!fitted->shift || !fitted->unit || !gr_all_finite(fitted->shift, features) ||
        !gr_all_finite(fitted->unit, features))
        return bad(err, "its transform is not finite");
    for (size_t f = 0; fitted->keep_zeros && f < features; f++)
        if (fitted->shift[f] != 0.0)
            return bad(err, "its transform claims to keep zeros but shifts them");
    return GRADUS_OK;
}

/* Columns of nodes are features of the model, in ascending order. */
static gradus_status check_node_columns(const gradus_model *model, gradus_error *err)
{
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        if (!node->columns)
            continue;
        if (!gr_node_takes_rows(node) || model->transform.transform)
            return gr_fail(err, GRADUS_BAD_FORMAT, "node %zu must not have columns", n);
        for (size_t c = 0; c < node->column_count; c++)
            if (node->columns[c] >= model->features ||
                (c > 0 && node->columns[c] <= node->columns[c - 1]))
                return gr_fail(err, GRADUS_BAD_FORMAT,
                               "node %zu: column %zu is out of range or out of order", n, c);
    }
    return GRADUS_OK;
}

/* Only nodes that read the rows have transforms, and only if the model itself has none. */
static gradus_status check_node_transforms(const gradus_model *model, gradus_error *err)
{
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        if (!node->transform)
            continue;
        if (model->transform.transform || node->input_count > 0)
            return gr_fail(err, GRADUS_BAD_FORMAT, "node %zu must not have a transform", n);
        GR_TRY(check_transform(node->transform, gr_node_features(model, node), err));
    }
    return GRADUS_OK;
}

static gradus_status check_levels(const gr_scorer *scorer, gradus_error *err)
{
    if (scorer->levels > GR_MAX_LEVELS)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%zu grades; at most %d are allowed", scorer->levels,
                       GR_MAX_LEVELS);
    if ((scorer->levels > 0) != (scorer->level_labels != NULL) ||
        (scorer->levels && !gr_all_finite(scorer->level_labels, scorer->levels)))
        return bad(err, "its grades are not finite");
    for (size_t l = 1; l < scorer->levels; l++)
        if (scorer->level_labels[l] <= scorer->level_labels[l - 1])
            return bad(err, "its grades are not in ascending order");
    return GRADUS_OK;
}

gradus_status gr_model_check_scorer(const gr_scorer *scorer, gradus_error *err)
{
    size_t wanted = 1;

    GR_TRY(check_levels(scorer, err));
    if (!gr_scorer_takes(scorer, scorer->rule))
        return bad(err, "its scoring rule does not apply to its outputs");
    if (scorer->meaning == GR_MEANS_CLASSES || scorer->meaning == GR_MEANS_EACH ||
        scorer->meaning == GR_MEANS_EACH_ODDS || scorer->meaning == GR_MEANS_VOTES ||
        scorer->meaning == GR_MEANS_PROBABILITIES)
        wanted = scorer->levels;
    else if (scorer->meaning != GR_MEANS_SCORE && !gr_meaning_has_thresholds(scorer->meaning))
        wanted = scorer->levels ? scorer->levels - 1 : 0;
    if (scorer->outputs == 0 || scorer->outputs != wanted)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%zu outputs for %zu grades", scorer->outputs,
                       scorer->levels);
    if (scorer->weights && (scorer->meaning != GR_MEANS_ABOVE ||
                            !gr_all_finite(scorer->weights, scorer->outputs * scorer->levels)))
        return bad(err, "its weights are not finite");
    return gr_scorer_check(scorer, err);
}

static gradus_status check_inputs(const gradus_model *model, size_t n, gradus_error *err)
{
    const gr_node *node = &model->nodes[n];

    if (node->input_count > GR_NODE_INPUTS)
        return gr_fail(err, GRADUS_BAD_FORMAT, "node %zu has %zu inputs; at most %d are allowed", n,
                       node->input_count, GR_NODE_INPUTS);
    if (node->input_count > 0 && !node->kind->takes)
        return gr_fail(err, GRADUS_BAD_FORMAT, "node %zu is a %s, which takes rows, not nodes", n,
                       node->kind->noun);
    if (node->kind->takes && node->input_count != gr_node_inputs(node))
        return gr_fail(err, GRADUS_BAD_FORMAT, "node %zu has %zu inputs but needs %zu", n,
                       node->input_count, gr_node_inputs(node));
    for (size_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] >= n)
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "node %zu uses node %zu, which does not come before it", n,
                           node->inputs[i]);
        const gr_node *input = &model->nodes[node->inputs[i]];

        if (input->kind->columns(input->state) != node->kind->takes(node->state))
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "node %zu takes %zu columns, but node %zu has %zu", n,
                           node->kind->takes(node->state), node->inputs[i],
                           input->kind->columns(input->state));
    }
    return GRADUS_OK;
}

static gradus_status check_nodes(const gradus_model *model, gradus_error *err)
{
    const gr_node *last;

    if (model->node_count == 0)
        return bad(err, "it has no nodes");
    for (size_t n = 0; n < model->node_count; n++)
        GR_TRY(check_inputs(model, n, err));
    last = &model->nodes[model->node_count - 1];
    if (last->kind->columns(last->state) != model->scorer.outputs)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the last node has %zu outputs, the scorer expects %zu",
                       last->kind->columns(last->state), model->scorer.outputs);
    return GRADUS_OK;
}

static gradus_status check_fit(const gradus_model *model, gradus_error *err)
{
    if (isnan(model->log_likelihood) && !model->errors)
        return GRADUS_OK;
    if (!isfinite(model->log_likelihood))
        return bad(err, "its log likelihood is not finite");
    if (!model->errors)
        return GRADUS_OK;
    if (model->scorer.levels < 2)
        return bad(err, "standard errors in a model without thresholds");
    for (size_t i = 0; i < gr_model_error_count(model); i++)
        if (!isfinite(model->errors[i]) || model->errors[i] < 0.0)
            return bad(err, "its standard errors are not finite or are negative");
    return GRADUS_OK;
}

/* Per-round thresholds must cover exactly the model's rounds. */
static gradus_status check_sets(const gradus_model *model, gradus_error *err)
{
    const gr_scorer *scorer = &model->scorer;
    const size_t rounds = gr_model_rounds(model);

    if (scorer->threshold_sets > 1 && scorer->threshold_sets - 1 != rounds)
        return gr_fail(err, GRADUS_BAD_FORMAT, "thresholds for %zu rounds in a model with %zu",
                       scorer->threshold_sets - 1, rounds);
    return GRADUS_OK;
}

gradus_status gr_model_check(const gradus_model *model, gradus_error *err)
{
    if (model->features > UINT32_MAX)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%zu features are too many", model->features);
    if (model->first_id > 1)
        return gr_fail(err, GRADUS_BAD_FORMAT, "the first feature has number %zu, not 0 or 1",
                       model->first_id);
    GR_TRY(check_names(&model->feature_names, model->features, err));
    GR_TRY(check_transform(&model->transform, model->features, err));
    GR_TRY(check_node_columns(model, err));
    GR_TRY(check_node_transforms(model, err));
    GR_TRY(gr_model_check_scorer(&model->scorer, err));
    GR_TRY(check_nodes(model, err));
    GR_TRY(check_fit(model, err));
    return check_sets(model, err);
}
