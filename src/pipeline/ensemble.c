/* SPDX-License-Identifier: Apache-2.0 */
/* Combines several models into one: averages probabilities if all members give them for the same
 * grades; otherwise averages scores scaled to [0, 1] by their range on the validation data, or
 * fuses ranks. */
#include "pipeline/ensemble.h"

#include "base/grid.h"
#include "base/text.h"
#include "ensembles/ensemble_weights.h"
#include "model/compose.h"
#include "model/fusion_node.h"
#include "model/mix_node.h"
#include "model/predict.h"
#include "model/scored_node.h"
#include "pipeline/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAY_EXPONENTIAL, WAY_MEAN, WAY_STACKING, WAY_NONNEGATIVE, WAY_BORDA, WAY_RECIPROCAL };
static const char *const ways[] = {
    "exponential", "mean", "stacking", "stacking-nonnegative", "borda", "reciprocal-rank", NULL
};

typedef struct gr_ensemble_options {
    int way;
    const char *rates, *metric;
    int convention;
    double rank_constant;
} gr_ensemble_options;

static const gr_param ensemble_params[] = {
    GR_PARAM_CHOICE(
        gr_ensemble_options, way, "way", "NAME", "exponential", ways,
        "member weights: e^(rate * metric), equal, or by least squares; or rank fusion (borda, "
        "reciprocal-rank)"),
    GR_PARAM_TEXT(gr_ensemble_options, rates, "rates", "LIST", "0,1,2,5,10,20,50,100,150,200",
                  "exponential: rates to try; the best on --valid is used"),
    GR_PARAM_TEXT(gr_ensemble_options, metric, "metric", "NAME", "ndcg@10",
                  "exponential: the metric"),
    GR_PARAM_CHOICE(gr_ensemble_options, convention, "convention", "NAME", "gradus",
                    gr_convention_names, "convention of the metric (gradus help conventions)"),
    GR_PARAM_REAL(gr_ensemble_options, rank_constant, "rank-constant", "K", 60, 0, 1e9,
                  "reciprocal-rank: a member adds 1 / (K + i) for a row at rank i"),
    GR_PARAM_END,
};

const gr_operation gr_operation_ensemble = {
    .name = "ensemble",
    .summary = "combine several models into one",
    .params = ensemble_params,
    .size = sizeof(gr_ensemble_options),
};

typedef struct mixing {
    const gradus_context *context;
    const gradus_model *const *models;
    size_t count;
    const gradus_dataset *valid;
    gr_ensemble_options options;
    bool probabilities; /* averages probabilities; else scores */
    size_t columns;     /* per member */
    double *members;    /* (count, columns, rows) on the validation data */
    double *mixed;      /* columns x rows */
    double *weights, *values;
    gr_scorer scorer;
    gr_measuring measuring;
    gr_monitor monitor;
} mixing;

static void end(mixing *m)
{
    free(m->members);
    free(m->mixed);
    free(m->weights);
    free(m->values);
    free(m->measuring.metric);
    free(m->measuring.convention);
    gr_array_free(&m->monitor.scores);
    gr_array_free(&m->monitor.scaled);
}

static bool same_transform(const gr_fitted_transform *a, const gr_fitted_transform *b)
{
    const size_t bytes = a->features * sizeof(double);

    if (a->transform != b->transform)
        return false;
    return !a->transform || (a->keep_zeros == b->keep_zeros && !a->shift == !b->shift &&
                             (!a->shift || (memcmp(a->shift, b->shift, bytes) == 0 &&
                                            memcmp(a->unit, b->unit, bytes) == 0)));
}

static gradus_status check_member(const mixing *m, size_t i, gradus_error *err)
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
static bool fuses(const mixing *m)
{
    return m->options.way == WAY_BORDA || m->options.way == WAY_RECIPROCAL;
}

/* Averages probabilities if all members have them for the same grades. */
static gradus_status settle(mixing *m, gradus_error *err)
{
    const gr_scorer *first = &m->models[0]->scorer;

    m->probabilities = m->options.way == WAY_EXPONENTIAL || m->options.way == WAY_MEAN;
    for (size_t i = 0; i < m->count; i++) {
        const gr_scorer *own = &m->models[i]->scorer;

        GR_TRY(check_member(m, i, err));
        m->probabilities =
            m->probabilities && gr_scorer_knows_probabilities(own) &&
            own->levels == first->levels &&
            memcmp(own->level_labels, first->level_labels, own->levels * sizeof(double)) == 0;
    }
    if (m->count > GR_NODE_INPUTS)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "an ensemble has at most %d members, not %zu",
                       GR_NODE_INPUTS, m->count);
    m->columns = m->probabilities ? first->levels : 1;
    m->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    if (m->probabilities)
        m->scorer = (gr_scorer){ .meaning = GR_MEANS_PROBABILITIES,
                                 .rule = GR_SCORE_EXPECTED_GAIN,
                                 .outputs = first->levels,
                                 .levels = first->levels,
                                 .level_labels = first->level_labels,
                                 .shares = first->shares };
    if (!m->valid && !fuses(m) && (m->options.way != WAY_MEAN || !m->probabilities))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "these weights are computed on validation data, and there are none");
    return GRADUS_OK;
}

/* Computes the columns of one member on the validation data. */
static gradus_status run_member(mixing *m, size_t i, double *room, gradus_error *err)
{
    const size_t rows = m->valid->arrays.rows;
    double *to = m->members + i * m->columns * rows;

    GR_TRY(gr_model_fits(m->models[i], m->valid, m->context, err));
    if (!m->probabilities)
        return gr_model_run(m->models[i], m->valid, m->context, to, NULL, err);
    GR_TRY(gr_model_run(m->models[i], m->valid, m->context, NULL, room, err));
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < m->columns; k++)
            to[k * rows + r] = room[r * m->columns + k];
    return GRADUS_OK;
}

static gradus_status run_members(mixing *m, gradus_error *err)
{
    const size_t cells = m->valid->arrays.rows * m->columns;
    gradus_status status = GRADUS_OK;
    double *room;

    GR_TRY(gr_dataset_need(m->valid, GR_NEED_ALL, gr_pool_of(m->context), err));
    if (!m->valid->arrays.labels || m->valid->arrays.rows == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the validation data have no %s",
                       m->valid->arrays.rows ? "labels" : "rows");
    m->members = gr_new_array(cells * m->count, sizeof *m->members);
    m->mixed = gr_new_array(cells, sizeof *m->mixed);
    room = gr_new_array(cells, sizeof *room);
    if (!m->members || !m->mixed || !room)
        status = gr_fail_memory(err, "scores of the members");
    for (size_t i = 0; i < m->count && status == GRADUS_OK; i++)
        status = run_member(m, i, room, err);
    free(room);
    return status;
}

/* Scales scores to [0, 1]. scales: the factors. */
static void rescale(mixing *m, double *scales)
{
    const size_t rows = m->valid->arrays.rows;

    for (size_t i = 0; i < m->count; i++) {
        double *own = m->members + i * rows, low = INFINITY, high = -INFINITY;

        for (size_t r = 0; r < rows; r++) {
            low = fmin(low, own[r]);
            high = fmax(high, own[r]);
        }
        scales[i] = high > low ? 1.0 / (high - low) : 0.0;
        for (size_t r = 0; r < rows; r++)
            own[r] = (own[r] - low) * scales[i];
    }
}

static gradus_status measure(mixing *m, const double *columns, double *value, gradus_error *err)
{
    return gr_measure_outputs(&m->measuring, &m->monitor, columns, 1.0, value, err);
}

static gradus_status start_measuring(mixing *m, gradus_error *err)
{
    GR_TRY(gr_options_get(NULL, &gr_operation_evaluate, &m->measuring.options, err));
    m->measuring.options.metric = m->options.metric;
    m->measuring.options.convention = m->options.convention;
    m->measuring.scorer = &m->scorer;
    m->measuring.pool = gr_pool_of(m->context);
    m->monitor.data = m->valid;
    return GRADUS_OK;
}

static void mix(mixing *m, const double *weights)
{
    const size_t cells = m->valid->arrays.rows * m->columns;

    memset(m->mixed, 0, cells * sizeof *m->mixed);
    for (size_t i = 0; i < m->count; i++)
        for (size_t c = 0; c < cells; c++)
            m->mixed[c] += weights[i] * m->members[i * cells + c];
}

static gradus_status weigh_exponentially(mixing *m, gradus_error *err)
{
    double rates[GR_GRID_VALUES], best = NAN, chosen = 0.0, value;
    size_t count;

    GR_TRY(gr_grid_parse(m->options.rates, "rates", 0, 1e300, rates, &count, err));
    GR_TRY(start_measuring(m, err));
    for (size_t i = 0; i < m->count; i++)
        GR_TRY(measure(m, m->members + i * m->valid->arrays.rows * m->columns, &m->values[i], err));
    const double sign = m->measuring.lower_is_better ? -1.0 : 1.0;

    for (size_t i = 0; i < m->count; i++)
        m->values[i] *= sign;
    for (size_t i = 0; i < count; i++) {
        gr_exponential_weights(m->values, m->count, rates[i], m->weights);
        mix(m, m->weights);
        GR_TRY(measure(m, m->mixed, &value, err));
        if (isnan(best) || sign * value > best) {
            best = sign * value;
            chosen = rates[i];
        }
    }
    gr_exponential_weights(m->values, m->count, chosen, m->weights);
    gr_note(m->context, "rate %g: %s %.4f on the validation data", chosen, m->measuring.metric,
            sign * best);
    return GRADUS_OK;
}

static gradus_status stack(mixing *m, gradus_error *err)
{
    const size_t rows = m->valid->arrays.rows;
    gradus_status status;
    double *gains = gr_new_array(rows, sizeof *gains);

    if (!gains)
        return gr_fail_memory(err, "an ensemble");
    for (size_t r = 0; r < rows; r++)
        gains[r] = exp2((double)m->valid->arrays.labels[r]) - 1.0;
    status = gr_stacking_weights(m->members, m->count, gains, rows,
                                 m->options.way == WAY_NONNEGATIVE, m->weights, err);
    free(gains);
    return status;
}

static gradus_status find_weights(mixing *m, gradus_error *err)
{
    double scales[GR_NODE_INPUTS];

    m->weights = gr_new_array(m->count, sizeof *m->weights);
    m->values = gr_new_array(m->count, sizeof *m->values);
    if (!m->weights || !m->values)
        return gr_fail_memory(err, "an ensemble");
    for (size_t i = 0; i < m->count; i++) {
        m->weights[i] = 1.0 / (double)m->count;
        scales[i] = 1.0;
    }
    if (m->valid)
        GR_TRY(run_members(m, err));
    if (!m->probabilities)
        rescale(m, scales);
    if (m->options.way == WAY_EXPONENTIAL)
        GR_TRY(weigh_exponentially(m, err));
    else if (m->options.way != WAY_MEAN)
        GR_TRY(stack(m, err));
    for (size_t i = 0; i < m->count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): set above, one per member */
        m->weights[i] *= scales[i];
    return GRADUS_OK;
}

/* Whether a member is part of the model: members of weight 0 are left out, except that one must
 * remain. */
static bool is_used(const mixing *m, size_t member)
{
    bool any = fuses(m);

    for (size_t i = 0; i < m->count && !any; i++)
        any = m->weights[i] != 0.0;
    return fuses(m) || (any ? m->weights[member] != 0.0 : member == 0);
}

static gradus_status add_nodes(const mixing *m, gradus_model *made, gradus_error *err)
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
        weights[used++] = fuses(m) ? 1.0 : m->weights[i];
    }
    if (used < m->count)
        gr_note(m->context, "%zu of %zu members %s weight 0 and %s left out", m->count - used,
                m->count, gr_plural(m->count - used, "has", "have"),
                gr_plural(m->count - used, "is", "are"));
    const gr_fusion fusion = { .members = used,
                               .reciprocal = m->options.way == WAY_RECIPROCAL,
                               .constant = m->options.rank_constant };

    if (fuses(m))
        GR_TRY(gr_fusion_node_new(&fusion, &node, err));
    else
        GR_TRY(gr_mix_node_new(weights, used, m->columns, &node, err));
    return gr_model_append(made, &node, inputs, used, err);
}

static gradus_model *make_model(const mixing *m, gradus_error *err)
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
    if (add_nodes(m, made, err) == GRADUS_OK)
        return made;
    gr_model_free(made);
    return NULL;
}

gradus_model *gr_ensemble(const gradus_context *context, const gradus_model *const *models,
                          size_t count, const gradus_dataset *valid, const gradus_options *options,
                          gradus_error *err)
{
    mixing m = { .context = context, .models = models, .count = count, .valid = valid };
    gradus_model *made = NULL;

    if (gr_options_get(options, &gr_operation_ensemble, &m.options, err) != GRADUS_OK)
        return NULL;
    if (settle(&m, err) == GRADUS_OK && (fuses(&m) || find_weights(&m, err) == GRADUS_OK))
        made = make_model(&m, err);
    end(&m);
    return made;
}
