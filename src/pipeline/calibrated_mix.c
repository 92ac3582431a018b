/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the calibrated ensemble: outputs of the base models after a number of rounds, calibrations
 * fitted to them, and weights from the validation data. */
#include "pipeline/calibrated_mix.h"

#include "ensembles/ensemble_weights.h"
#include "model/calibration_node.h"
#include "model/compose.h"
#include "model/mix_node.h"
#include "model/scored_node.h"
#include "model/votes_node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A weight below this fraction of the largest does not change a sum. */
#define LEAST_WEIGHT 0x1p-53

/* State while an ensemble is built. */
typedef struct mixing {
    const gr_mixing *with;
    gr_mixture *made;
    uint64_t rounds;
    double *known, *fresh; /* (bases, levels, rows): outputs on calibrate, and on valid */
    double *scores;        /* members x rows of valid */
    double *mixed, *values, *weights;
    gradus_error *errors; /* one per task */
} mixing;

void gr_mixture_free(gr_mixture *mixture)
{
    for (size_t m = 0; mixture->fitted && m < mixture->members; m++)
        gr_calibration_free(&mixture->fitted[m]);
    free(mixture->fitted);
    free(mixture->thresholds);
    free(mixture->weights);
    *mixture = (gr_mixture){ .rounds = 0 };
}

size_t gr_mixture_used(const gr_mixture *mixture)
{
    size_t used = 0;

    for (size_t m = 0; m < mixture->members; m++)
        used += mixture->weights[m] != 0.0;
    return used;
}

static void end(mixing *m)
{
    free(m->known);
    free(m->fresh);
    free(m->scores);
    free(m->mixed);
    free(m->values);
    free(m->weights);
    free(m->errors);
}

static gradus_status make_room(mixing *m, gradus_error *err)
{
    const gr_mixing *with = m->with;
    const size_t bases = with->grid->bases, members = m->made->members;
    const size_t rows = with->valid->arrays.rows;
    size_t known, fresh, scores;

    if (gr_size_times(bases * with->levels, with->calibrate->arrays.rows, &known) &&
        gr_size_times(bases * with->levels, rows, &fresh) &&
        gr_size_times(members, rows, &scores)) {
        m->known = gr_new_array(known, sizeof *m->known);
        m->fresh = gr_new_array(fresh, sizeof *m->fresh);
        m->scores = gr_new_array(scores, sizeof *m->scores);
    }
    m->mixed = gr_new_array(rows, sizeof *m->mixed);
    m->values = gr_new_array(members, sizeof *m->values);
    m->weights = gr_new_array(members, sizeof *m->weights);
    m->errors = gr_new_array(members, sizeof *m->errors);
    m->made->fitted = gr_new_array(members, sizeof *m->made->fitted);
    m->made->thresholds = gr_new_array(members * with->levels, sizeof *m->made->thresholds);
    m->made->weights = gr_new_array(members, sizeof *m->made->weights);
    return m->known && m->fresh && m->scores && m->mixed && m->values && m->weights && m->errors &&
                   m->made->fitted && m->made->thresholds && m->made->weights
               ? GRADUS_OK
               : gr_fail_memory(err, "calibrations");
}

/* Reports the first error in task order. */
static gradus_status first_error(const mixing *m, size_t tasks, gradus_error *err)
{
    for (size_t i = 0; i < tasks; i++)
        if (m->errors[i].status != GRADUS_OK)
            return gr_fail(err, m->errors[i].status, "%s", m->errors[i].message);
    return GRADUS_OK;
}

static gradus_status run_votes(const gr_votes *votes, size_t rounds, const gradus_dataset *data,
                               double *outputs, gradus_error *err)
{
    const double share = 1.0 / gr_votes_reach(votes, rounds);

    GR_TRY(gr_votes_add_sums(votes, 0, rounds, data, outputs, NULL, err));
    for (size_t i = 0; i < votes->outputs * data->arrays.rows; i++)
        outputs[i] *= share;
    return GRADUS_OK;
}

/* Computes the outputs of a base model. */
static void run_base(void *argument, size_t b, size_t worker)
{
    const mixing *m = argument;
    const gr_mixing *with = m->with;
    const gr_votes *votes = with->votes[b];
    const size_t rounds = m->rounds < votes->rounds ? (size_t)m->rounds : votes->rounds;
    double *known = m->known + b * with->levels * with->calibrate->arrays.rows;
    double *fresh = m->fresh + b * with->levels * with->valid->arrays.rows;

    (void)worker;
    if (run_votes(votes, rounds, with->calibrate, known, &m->errors[b]) == GRADUS_OK)
        run_votes(votes, rounds, with->valid, fresh, &m->errors[b]);
}

/* How the outputs of a calibration are scored. Owns no memory. */
static gr_scorer scorer_of(const gr_mixing *with, const gr_mixture *made, size_t member)
{
    const gr_calibrated_meaning gives = gr_calibrators[made->fitted[member].method]->gives;
    const bool odds = gives == GR_CALIBRATED_ODDS;

    if (gives == GR_CALIBRATED_SCORE)
        return (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    return (gr_scorer){
        .meaning = odds ? GR_MEANS_ODDS : GR_MEANS_PROBABILITIES,
        .rule = GR_SCORE_EXPECTED_GAIN,
        .outputs = made->fitted[member].outputs,
        .levels = with->levels,
        .level_labels = (double *)(uintptr_t)with->level_labels,
        .shares = (double *)(uintptr_t)with->shares,
        .threshold_sets = odds,
        .thresholds = odds ? made->thresholds + member * with->levels : NULL,
    };
}

static gradus_status score_member(const mixing *m, size_t member, gradus_error *err)
{
    const gr_mixing *with = m->with;
    const size_t rows = with->valid->arrays.rows, base = member / with->grid->calibrations;
    const gr_calibration *fitted = &m->made->fitted[member];
    const gr_scorer scorer = scorer_of(with, m->made, member);
    double *outputs = gr_new_array(fitted->outputs * rows, sizeof *outputs);

    if (!outputs)
        return gr_fail_memory(err, "calibrations");
    gr_calibration_apply(fitted, m->fresh + base * with->levels * rows, rows, outputs);
    for (size_t r = 0; r < rows; r++)
        m->scores[member * rows + r] = gr_scorer_score(&scorer, outputs + r, rows);
    free(outputs);
    for (size_t r = 0; r < rows; r++)
        if (!isfinite(m->scores[member * rows + r]))
            return gr_fail(err, GRADUS_BAD_NUMBER, "the scores of a member are not finite");
    return GRADUS_OK;
}

static void fit_member(void *argument, size_t member, size_t worker)
{
    const mixing *m = argument;
    const gr_mixing *with = m->with;
    const size_t calibrations = with->grid->calibrations, base = member / calibrations;
    const gradus_arrays *arrays = &with->calibrate->arrays;
    const gr_calibration_task task = {
        .options = &with->grid->calibration[member % calibrations],
        .rows = arrays->rows,
        .inputs = with->levels,
        .x = m->known + base * with->levels * arrays->rows,
        .levels = with->levels,
        .level_labels = with->level_labels,
        .level_of = with->level_of,
        .weights = with->row_weights,
        .queries = arrays->queries,
        .query_starts = arrays->query_starts,
        .asked = gr_pool_of(with->context),
    };
    gr_mixture *made = m->made;

    (void)worker;
    if (gr_calibration_fit(&task, &made->fitted[member], made->thresholds + member * with->levels,
                           &m->errors[member]) == GRADUS_OK)
        score_member(m, member, &m->errors[member]);
}

/* Scales scores to [0, 1] by their range on the validation data, for members that give no
 * probabilities. Returns the factor. */
static double rescale(double *scores, size_t rows)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t r = 0; r < rows; r++) {
        low = fmin(low, scores[r]);
        high = fmax(high, scores[r]);
    }
    const double scale = high > low && isfinite(1.0 / (high - low)) ? 1.0 / (high - low) : 0.0;

    for (size_t r = 0; r < rows; r++)
        scores[r] = (scores[r] - low) * scale;
    return scale;
}

static gradus_status measure_members(mixing *m, gradus_error *err)
{
    const size_t rows = m->with->valid->arrays.rows;

    for (size_t i = 0; i < m->made->members; i++) {
        double *scores = m->scores + i * rows;

        GR_TRY(gr_measure_scores(m->with->measuring, m->with->valid, scores, &m->values[i], err));
        if (m->with->measuring->lower_is_better)
            m->values[i] = -m->values[i];
        m->made->weights[i] = m->with->grid->probabilities ? 1.0 : rescale(scores, rows);
    }
    return GRADUS_OK;
}

static void mix(mixing *m)
{
    const size_t rows = m->with->valid->arrays.rows;

    memset(m->mixed, 0, rows * sizeof *m->mixed);
    for (size_t i = 0; i < m->made->members; i++)
        for (size_t r = 0; m->weights[i] > 0.0 && r < rows; r++)
            m->mixed[r] += m->weights[i] * m->scores[i * rows + r];
}

/* Weights for a rate; negligible ones are set to 0. */
static void weigh(const mixing *m, double rate)
{
    double largest = 0.0;

    gr_exponential_weights(m->values, m->made->members, rate, m->weights);
    for (size_t i = 0; i < m->made->members; i++)
        largest = fmax(largest, m->weights[i]);
    for (size_t i = 0; i < m->made->members; i++)
        if (m->weights[i] < largest * LEAST_WEIGHT)
            m->weights[i] = 0.0;
}

static gradus_status choose_rate(mixing *m, gradus_error *err)
{
    const gr_calibrated_grid *grid = m->with->grid;
    gr_mixture *made = m->made;
    double best = NAN;

    for (size_t i = 0; i < grid->rates; i++) {
        double value;

        weigh(m, grid->rate[i]);
        mix(m);
        GR_TRY(gr_measure_scores(m->with->measuring, m->with->valid, m->mixed, &value, err));
        const double good = m->with->measuring->lower_is_better ? -value : value;

        if (isnan(best) || good > best) {
            best = good;
            made->rate = grid->rate[i];
            made->value = value;
        }
    }
    weigh(m, made->rate);
    for (size_t i = 0; i < made->members; i++)
        made->weights[i] *= m->weights[i];
    return GRADUS_OK;
}

static gradus_status make(mixing *m, gradus_error *err)
{
    const gr_mixing *with = m->with;
    gr_pool *pool = gr_pool_of(with->context);

    GR_TRY(make_room(m, err));
    gr_pool_run(pool, with->grid->bases, run_base, m);
    GR_TRY(first_error(m, with->grid->bases, err));
    gr_pool_run(pool, m->made->members, fit_member, m);
    GR_TRY(first_error(m, m->made->members, err));
    GR_TRY(measure_members(m, err));
    return choose_rate(m, err);
}

gradus_status gr_mixture_make(const gr_mixing *with, uint64_t rounds, gr_mixture *mixture,
                              gradus_error *err)
{
    mixing m = { .with = with, .made = mixture, .rounds = rounds };
    gradus_status status;

    *mixture =
        (gr_mixture){ .rounds = rounds, .members = with->grid->bases * with->grid->calibrations };
    status = make(&m, err);
    end(&m);
    if (status != GRADUS_OK)
        gr_mixture_free(mixture);
    return status;
}

static gradus_status add_votes(const gr_votes *votes, uint64_t rounds, gradus_model *model,
                               gradus_error *err)
{
    gr_votes copy;
    gr_node node;
    gradus_status status;

    GR_TRY(gr_votes_copy(votes, (size_t)rounds, &copy, err));
    status = gr_votes_node_new(&copy, &node, err);
    gr_votes_free(&copy);
    return status == GRADUS_OK ? gr_model_append(model, &node, NULL, 0, err) : status;
}

/* Adds a calibration after its base model, and a scored node if the sum needs other columns. */
static gradus_status add_member(const gr_mixing *with, const gr_mixture *mixture, size_t member,
                                size_t base, gradus_model *model, gradus_error *err)
{
    const gr_scorer scorer = scorer_of(with, mixture, member);
    const bool probabilities = with->grid->probabilities;
    gr_calibration copy;
    gr_node node;
    gradus_status status;
    size_t last;

    GR_TRY(gr_calibration_copy(&mixture->fitted[member], &copy, err));
    status = gr_calibration_node_new(&copy, &node, err);
    gr_calibration_free(&copy);
    if (status != GRADUS_OK)
        return status;
    GR_TRY(gr_model_append(model, &node, &base, 1, err));
    if (scorer.meaning == (probabilities ? GR_MEANS_PROBABILITIES : GR_MEANS_SCORE))
        return GRADUS_OK;
    last = model->node_count - 1;
    GR_TRY(gr_scored_node_new(&scorer, probabilities, NULL, &node, err));
    return gr_model_append(model, &node, &last, 1, err);
}

static gradus_status add_mix(const gr_mixing *with, const double *weights, const size_t *inputs,
                             size_t count, gradus_model *model, gradus_error *err)
{
    gr_node node;

    GR_TRY(
        gr_mix_node_new(weights, count, with->grid->probabilities ? with->levels : 1, &node, err));
    return gr_model_append(model, &node, inputs, count, err);
}

gradus_status gr_mixture_add_nodes(const gr_mixing *with, const gr_mixture *mixture,
                                   gradus_model *model, gradus_error *err)
{
    const size_t calibrations = with->grid->calibrations;
    const bool none = gr_mixture_used(mixture) == 0; /* all members are constant on valid */
    double weights[GR_NODE_INPUTS];
    size_t inputs[GR_NODE_INPUTS], count = 0;

    for (size_t b = 0; b < with->grid->bases; b++) {
        size_t base = SIZE_MAX;

        for (size_t m = b * calibrations; m < (b + 1) * calibrations; m++) {
            if (mixture->weights[m] == 0.0 && !(none && m == 0))
                continue;
            if (base == SIZE_MAX) {
                GR_TRY(add_votes(with->votes[b], mixture->rounds, model, err));
                base = model->node_count - 1;
            }
            GR_TRY(add_member(with, mixture, m, base, model, err));
            inputs[count] = model->node_count - 1;
            weights[count++] = mixture->weights[m];
        }
    }
    return add_mix(with, weights, inputs, count, model, err);
}

gradus_status gr_mixture_add_plain(const gr_mixing *with, uint64_t rounds, gradus_model *model,
                                   gradus_error *err)
{
    const gr_scorer scorer = { .meaning = GR_MEANS_VOTES,
                               .rule = GR_SCORE_EXPECTED_GAIN,
                               .outputs = with->levels,
                               .levels = with->levels,
                               .level_labels = (double *)(uintptr_t)with->level_labels,
                               .shares = (double *)(uintptr_t)with->shares };
    double weights[GR_NODE_INPUTS];
    size_t inputs[GR_NODE_INPUTS], last;
    gr_node node;

    for (size_t b = 0; b < with->grid->bases; b++) {
        GR_TRY(add_votes(with->votes[b], rounds, model, err));
        last = model->node_count - 1;
        GR_TRY(gr_scored_node_new(&scorer, with->grid->probabilities, NULL, &node, err));
        GR_TRY(gr_model_append(model, &node, &last, 1, err));
        inputs[b] = model->node_count - 1;
        weights[b] = 1.0 / (double)with->grid->bases;
    }
    return add_mix(with, weights, inputs, with->grid->bases, model, err);
}
