/* SPDX-License-Identifier: Apache-2.0 */
/* Combines several models into one: averages probabilities if all members give them for the same
 * grades; otherwise averages scores, scaled to [0, 1] by their range on the validation data or
 * standardised within each query, or fuses ranks. */
#include "pipeline/ensemble.h"

#include "base/text.h"
#include "model/compose.h"
#include "model/fusion_node.h"
#include "model/mix_node.h"
#include "model/scored_node.h"
#include "model/standardized_node.h"
#include "pipeline/ensemble_fit.h"

#include <stdlib.h>
#include <string.h>

static bool same_transform(const gr_fitted_transform *a, const gr_fitted_transform *b)
{
    const size_t bytes = a->features * sizeof(double);

    if (a->transform != b->transform)
        return false;
    return !a->transform || (a->keep_zeros == b->keep_zeros && !a->shift == !b->shift &&
                             (!a->shift || (memcmp(a->shift, b->shift, bytes) == 0 &&
                                            memcmp(a->unit, b->unit, bytes) == 0)));
}

static gradus_status check_member(const gr_combining *m, size_t i, gradus_error *err)
{
    const gradus_model *first = m->models[0], *other = m->models[i];
    const bool named = first->feature_names.count || other->feature_names.count;

    if (first->features != other->features)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "model 1 has %zu features, model %zu has %zu: the members of an ensemble "
                       "must be trained on the same features",
                       first->features, i + 1, other->features);
    for (size_t f = 0; named && f < first->features; f++)
        if (strcmp(gr_name_at(&first->feature_names, f), gr_name_at(&other->feature_names, f)) != 0)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "feature %zu is '%.60s' in model 1 and '%.60s' in model %zu: the "
                           "members of an ensemble must be trained on the same features",
                           f + 1, gr_name_at(&first->feature_names, f),
                           gr_name_at(&other->feature_names, f), i + 1);
    return GRADUS_OK;
}

/* Rank fusion has no weights and learns nothing from validation data. */
static bool fuses(const gr_combining *m)
{
    return m->options.way == GR_WAY_BORDA || m->options.way == GR_WAY_RECIPROCAL;
}

/* Whether scores are standardised within each query. */
static bool standardises(const gr_combining *m)
{
    return !m->probabilities && !m->options.raw &&
           (m->options.way == GR_WAY_STANDARDIZED || m->options.way == GR_WAY_SELECTION ||
            m->options.way == GR_WAY_WEIGHTS);
}

static bool needs_valid(const gr_combining *m)
{
    switch (m->options.way) {
    case GR_WAY_BORDA:
    case GR_WAY_RECIPROCAL:
    case GR_WAY_STANDARDIZED:
    case GR_WAY_WEIGHTS:
        return false;
    case GR_WAY_MEAN:
        return !m->probabilities; /* scores are scaled */
    default:
        return true;
    }
}

/* Whether probabilities are averaged if all members have them for the same grades. */
static bool takes_probabilities(const gr_ensemble_options *options)
{
    return options->probabilities || options->way == GR_WAY_EXPONENTIAL ||
           options->way == GR_WAY_MEAN || options->way == GR_WAY_SELECTION;
}

static bool same_grades(const gr_scorer *a, const gr_scorer *b)
{
    return gr_scorer_knows_probabilities(b) && a->levels == b->levels &&
           memcmp(a->level_labels, b->level_labels, a->levels * sizeof(double)) == 0;
}

/* Decides whether probabilities are averaged. */
static gradus_status choose_columns(gr_combining *m, gradus_error *err)
{
    const gr_scorer *first = &m->models[0]->scorer;

    m->probabilities = takes_probabilities(&m->options) && gr_scorer_knows_probabilities(first);
    for (size_t i = 0; i < m->count; i++) {
        const gr_scorer *own = &m->models[i]->scorer;

        GR_TRY(check_member(m, i, err));
        if (m->options.probabilities && !gr_scorer_knows_probabilities(own))
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "model %zu gives no probabilities to average: calibrate it, or combine "
                           "scores",
                           i + 1);
        m->probabilities = m->probabilities && same_grades(first, own);
        if (m->options.probabilities && !m->probabilities)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "models 1 and %zu give probabilities of different grades, which cannot "
                           "be averaged",
                           i + 1);
    }
    m->columns = m->probabilities ? first->levels : 1;
    return GRADUS_OK;
}

static gradus_status settle(gr_combining *m, gradus_error *err)
{
    const gr_scorer *first = &m->models[0]->scorer;

    GR_TRY(choose_columns(m, err));
    if (m->count > GR_NODE_INPUTS)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "an ensemble has at most %d members, not %zu",
                       GR_NODE_INPUTS, m->count);
    m->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    if (m->probabilities)
        m->scorer = (gr_scorer){ .meaning = GR_MEANS_PROBABILITIES,
                                 .rule = GR_SCORE_EXPECTED_GAIN,
                                 .outputs = first->levels,
                                 .levels = first->levels,
                                 .level_labels = first->level_labels,
                                 .shares = first->shares };
    if (!m->valid && needs_valid(m))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "this ensemble needs validation data: --valid FILE");
    return GRADUS_OK;
}

static gradus_status find_weights(gr_combining *m, gradus_error *err)
{
    m->weights = gr_new_array(m->count, sizeof *m->weights);
    if (!m->weights)
        return gr_fail_memory(err, "an ensemble");
    for (size_t i = 0; i < m->count; i++)
        m->weights[i] = 1.0 / (double)m->count;
    if (m->options.way == GR_WAY_WEIGHTS)
        return gr_ensemble_weights(&m->options, m->count, m->weights, err);
    return needs_valid(m) ? gr_ensemble_fit(m, err) : GRADUS_OK;
}

/* Whether a member is part of the model: members of weight 0 are left out, except that one must
 * remain. */
static bool is_used(const gr_combining *m, size_t member)
{
    bool any = false;

    for (size_t i = 0; i < m->count && !any; i++)
        any = m->weights[i] != 0.0;
    return any ? m->weights[member] != 0.0 : member == 0;
}

static gradus_status add_nodes(const gr_combining *m, gradus_model *made, gradus_error *err)
{
    size_t inputs[GR_NODE_INPUTS], last, used = 0;
    double weights[GR_NODE_INPUTS];
    gr_node node;

    for (size_t i = 0; i < m->count; i++) {
        if (!is_used(m, i))
            continue;
        GR_TRY(gr_model_borrow(made, m->models[i], &last, err));
        GR_TRY(gr_scored_node_new(&m->models[i]->scorer, m->probabilities, m->models[i]->method,
                                  &node, err));
        GR_TRY(gr_model_append(made, &node, &last, 1, err));
        inputs[used] = made->node_count - 1;
        weights[used++] = m->weights[i];
    }
    if (used < m->count)
        gr_note(m->context, "%zu of %zu members %s weight 0 and %s left out", m->count - used,
                m->count, gr_plural(m->count - used, "has", "have"),
                gr_plural(m->count - used, "is", "are"));
    const gr_fusion fusion = { .members = used,
                               .reciprocal = m->options.way == GR_WAY_RECIPROCAL,
                               .constant = m->options.rank_constant };

    if (fuses(m))
        GR_TRY(gr_fusion_node_new(&fusion, &node, err));
    else if (standardises(m))
        GR_TRY(gr_standardized_node_new(weights, used, &node, err));
    else
        GR_TRY(gr_mix_node_new(weights, used, m->columns, &node, err));
    return gr_model_append(made, &node, inputs, used, err);
}

static gradus_model *make_model(const gr_combining *m, gradus_error *err)
{
    static const char method[] = "ensemble";
    gr_scorer scorer;
    gradus_model *made;

    if (gr_scorer_copy(&m->scorer, &scorer, err) != GRADUS_OK)
        return NULL;
    made = gr_model_wrap(m->models[0], &scorer, err);
    if (!made)
        return NULL;
    for (size_t i = 1; i < m->count; i++)
        if (!same_transform(&m->models[0]->transform, &m->models[i]->transform))
            made->transform =
                (gr_fitted_transform){ .transform = NULL }; /* members keep their own */
    made->method = (char *)(uintptr_t)method;
    made->setting_count = made->result_count = made->point_count = 0;
    made->best_round = 0;
    made->distilled = false;
    if (add_nodes(m, made, err) == GRADUS_OK)
        return made;
    gr_model_free(made);
    return NULL;
}

gradus_model *gr_ensemble(const gradus_context *context, const gradus_model *const *models,
                          size_t count, const gradus_dataset *valid, const gradus_options *options,
                          gradus_error *err)
{
    gr_combining m = { .context = context, .models = models, .count = count, .valid = valid };
    gradus_model *made = NULL;

    if (gr_ensemble_options_get(options, &m.options, err) != GRADUS_OK)
        return NULL;
    gr_pool_begin(gr_pool_of(context));
    if (settle(&m, err) == GRADUS_OK && find_weights(&m, err) == GRADUS_OK)
        made = make_model(&m, err);
    free(m.weights);
    return made;
}
