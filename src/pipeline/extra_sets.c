/* SPDX-License-Identifier: Apache-2.0 */
/* Additional validation sets, which are evaluated during training but do not influence it. */
#include "pipeline/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gr_other {
    gradus_dataset *own;    /* a transformed copy; NULL: none */
    gradus_dataset *narrow; /* a copy with the used columns of wide data; NULL: none */
    gr_monitor monitor;
    double value;
} gr_other;

void gr_others_free(gradus_training *t)
{
    for (size_t i = 0; t->others && i < t->input.other_count; i++) {
        gradus_dataset_free(t->others[i].own);
        gradus_dataset_free(t->others[i].narrow);
        gr_array_free(&t->others[i].monitor.outputs);
        gr_array_free(&t->others[i].monitor.scaled);
        gr_array_free(&t->others[i].monitor.scores);
    }
    free(t->others);
    t->others = NULL;
}

double gr_others_value(const gradus_training *t, size_t index)
{
    return t->others && index < t->input.other_count ? t->others[index].value : (double)NAN;
}

/* With initial scores the model is only part of the score, so it cannot be evaluated alone;
 * learners with `look` have no outputs to add. */
static bool are_measured(const gradus_training *t)
{
    return t->others && !t->input.initial && !t->learner->look;
}

static gradus_status start_other(gradus_training *t, const gradus_dataset *data, gr_other *other,
                                 gradus_error *err)
{
    gr_pool *pool = gr_pool_of(t->context);
    const uint64_t rounds = gr_training_rounds(t);
    size_t bytes;

    other->value = NAN;
    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, pool, err));
    GR_TRY(gr_check_valid(t->input.train, data, t->context, err));
    if (t->columns.count) {
        other->narrow = gr_used_narrow(&t->columns, data, err);
        if (!other->narrow)
            return err->status;
        data = other->narrow;
    }
    if (t->transform.transform) {
        other->own = gr_transform_apply(t->context, &t->transform, data, err);
        if (!other->own)
            return err->status;
    }
    other->monitor.data = other->own ? other->own : data;
    if (!gr_size_times(data->arrays.rows, t->built.problem.outputs, &bytes) ||
        !gr_size_times(bytes, sizeof(double), &bytes) ||
        !gr_array_reserve(&other->monitor.outputs, bytes))
        return gr_fail_memory(err, "validation scores");
    memset(other->monitor.outputs.at, 0, bytes);
    return rounds ? t->learner->add_outputs(t->fitted, 0, rounds, other->monitor.data,
                                            other->monitor.outputs.at, pool, err)
                  : GRADUS_OK;
}

gradus_status gr_others_start(gradus_training *t, gradus_error *err)
{
    const size_t count = t->input.other_count;

    if (count == 0)
        return GRADUS_OK;
    t->others = gr_new_array(count, sizeof *t->others);
    if (!t->others)
        return gr_fail_memory(err, "validation sets");
    for (size_t i = 0; i < count; i++)
        t->others[i].value = NAN;
    for (size_t i = 0; are_measured(t) && i < count; i++)
        GR_TRY(start_other(t, t->input.others[i], &t->others[i], err));
    return GRADUS_OK;
}

gradus_status gr_others_step(gradus_training *t, uint64_t round, double share, bool measure,
                             gradus_error *err)
{
    const gr_learner *learner = t->learner;

    if (!are_measured(t) || (learner->models && !measure))
        return GRADUS_OK;
    for (size_t i = 0; i < t->input.other_count; i++) {
        gr_other *other = &t->others[i];

        GR_TRY(learner->add_outputs(t->fitted, round - 1, round, other->monitor.data,
                                    other->monitor.outputs.at, gr_pool_of(t->context), err));
        if (measure)
            GR_TRY(gr_measure_outputs(&t->measuring, &other->monitor, other->monitor.outputs.at,
                                      share, &other->value, err));
    }
    return GRADUS_OK;
}
