/* SPDX-License-Identifier: Apache-2.0 */
/* Reports at the end of training if the model ranks no better than a constant score. */
#include "pipeline/check_constant.h"

#include "pipeline/check_data.h"
#include "pipeline/share_training.h"

#include <math.h>
#include <stdlib.h>

/* The metric of a constant score, averaged over all orders of tied rows whatever the convention
 * does with ties. */
static gradus_status measure_constant(gr_measuring *m, const gradus_dataset *data, double *value,
                                      gradus_error *err)
{
    const int ties = m->options.ties;
    double *scores = gr_new_array(data->arrays.rows, sizeof *scores);
    gradus_status status;

    if (!scores)
        return gr_fail_memory(err, "scores");
    m->options.ties = GR_TIES_EXPECTED + 1;
    status = gr_measure_scores(m, data, scores, value, err);
    m->options.ties = ties;
    free(scores);
    return status;
}

/* The metric on the training rows. Some learners do not keep their outputs. */
static gradus_status measure_train(const gradus_training *t, gr_measuring *m, double *value,
                                   gradus_error *err)
{
    const uint64_t rounds = gr_training_rounds(t);
    const double *known;
    gr_monitor monitor = { .data = t->train };
    gradus_status status = GRADUS_OK;

    GR_TRY(gr_training_sums(t, &known, err));
    if (!known) {
        status = gr_monitor_reserve(&monitor, t->built.problem.outputs, err);
        if (status == GRADUS_OK)
            status = gr_training_add_sums(t, 0, rounds, t->train, monitor.outputs.at, err);
    }
    if (status == GRADUS_OK)
        status = gr_measure_outputs(m, &monitor, known ? known : monitor.outputs.at,
                                    gr_training_scale(t, rounds), value, err);
    gr_monitor_free(&monitor);
    return status;
}

/* The value for the rounds that the model keeps; NAN: not evaluated. */
static double value_on_valid(const gradus_training *t)
{
    if (t->recipe.options->keep == GR_KEEP_BEST)
        return t->best_round ? t->best_value : (double)NAN;
    return t->point_count ? t->points[t->point_count - 1].valid : (double)NAN;
}

static gradus_status compare(const gradus_training *t, gr_measuring *m, gradus_error *err)
{
    const gradus_dataset *data = t->valid ? t->valid : t->train;
    double value = t->valid ? value_on_valid(t) : (double)NAN, constant = NAN;

    if (!t->valid)
        GR_TRY(measure_train(t, m, &value, err));
    GR_TRY(measure_constant(m, data, &constant, err));
    if (m->lower_is_better ? value >= constant : value <= constant)
        gr_note(t->context,
                "the model ranks no better than a constant score: %s %.4f on %s, %.4f "
                "for a constant",
                m->metric, value, t->valid ? "valid" : "train", constant);
    return GRADUS_OK;
}

/* Metrics of grades and errors depend on which constant it is. */
static gradus_status ranks(const char *metric, bool *yes, gradus_error *err)
{
    gr_measures measures = { 0, NULL };

    GR_TRY(gr_measures_parse(metric, &measures, err));
    *yes = !measures.at[0].metric->pooled;
    gr_measures_free(&measures);
    return GRADUS_OK;
}

/* Evaluates with its own metric names, because a model without a learning curve must not get any.
 * An evaluation that fails is ignored: it is not worth losing the model. */
gradus_status gr_training_check_constant(gradus_training *t, gradus_error *err)
{
    gr_measuring m = t->measuring;
    const gradus_dataset *data = t->valid ? t->valid : t->train;
    gradus_error failure = { GRADUS_OK, "" };
    bool ranking = false;

    /* all processes take part in an evaluation, whether or not they have someone to tell */
    if (m.custom || !t->context || (!t->context->note && !data->share) || t->input.objective ||
        (!t->valid && t->recipe.learner->validation) || !gr_labels_vary(gr_whole_set(data), true))
        return GRADUS_OK;
    GR_TRY(ranks(m.options.metric, &ranking, err));
    if (!ranking)
        return GRADUS_OK;
    m.metric = m.convention = NULL;
    if (compare(t, &m, &failure) == GRADUS_CANCELLED)
        gr_fail(err, failure.status, "%s", failure.message);
    free(m.metric);
    free(m.convention);
    return failure.status == GRADUS_CANCELLED ? GRADUS_CANCELLED : GRADUS_OK;
}
