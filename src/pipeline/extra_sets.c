/* SPDX-License-Identifier: Apache-2.0 */
/* Additional validation sets, which are evaluated during training but do not influence it. */
#include "pipeline/extra_sets.h"

#include "data/share_rows.h"
#include "pipeline/check_data.h"
#include "pipeline/device_monitor.h"
#include "pipeline/share_training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gr_other {
    gradus_dataset *own;    /* a transformed copy; NULL: none */
    gradus_dataset *narrow; /* a copy with the used columns of wide data; NULL: none */
    gradus_dataset *shared; /* this process's share; NULL: all rows */
    gr_monitor monitor;
    double value;
} gr_other;

void gr_others_free(gradus_training *t)
{
    for (size_t i = 0; t->others && i < t->input.other_count; i++) {
        gradus_dataset_free(t->others[i].own);
        gradus_dataset_free(t->others[i].narrow);
        gradus_dataset_free(t->others[i].shared);
        gr_monitor_free(&t->others[i].monitor);
    }
    free(t->others);
    t->others = NULL;
}

const gradus_dataset *gr_given_set(const gradus_training *t, const gradus_dataset *data)
{
    if (data == gr_whole_set(t->train))
        return t->input.train;
    if (t->valid && data == gr_whole_set(t->valid))
        return t->input.valid;
    for (size_t i = 0; t->others && i < t->input.other_count; i++)
        if (data == gr_whole_set(t->others[i].monitor.data))
            return t->input.others[i];
    return data;
}

double gr_others_value(const gradus_training *t, size_t index)
{
    return t->others && index < t->input.other_count ? t->others[index].value : (double)NAN;
}

/* With initial scores the model is only part of the score, so it cannot be evaluated alone;
 * learners that validate themselves have no outputs to add. */
static bool are_measured(const gradus_training *t)
{
    return t->others && !t->input.initial && !t->recipe.learner->validation;
}

static gradus_status start_other(gradus_training *t, const gradus_dataset *data, gr_other *other,
                                 gradus_error *err)
{
    gr_pool *pool = gr_pool_of(t->context);
    const uint64_t rounds = gr_training_rounds(t);

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
    if (gr_training_is_shared(t)) {
        other->shared = gr_dataset_share(other->monitor.data, t->context->collectives, err);
        if (!other->shared)
            return GRADUS_NO_MEMORY;
        other->monitor.data = other->shared;
    }
    GR_TRY(gr_monitor_reserve(&other->monitor, t->built.problem.outputs, err));
    if (rounds)
        GR_TRY(gr_training_add_sums(t, 0, rounds, other->monitor.data, other->monitor.outputs.at,
                                    err));
    return gr_monitor_use_device(t, &other->monitor, err);
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

gradus_status gr_others_step(gradus_training *t, uint64_t round, bool measure, gradus_error *err)
{
    if (!are_measured(t) || (t->recipe.learner->selection && !measure))
        return GRADUS_OK;
    for (size_t i = 0; i < t->input.other_count; i++) {
        gr_other *other = &t->others[i];

        GR_TRY(gr_monitor_add(t, &other->monitor, round, err));
        if (measure)
            GR_TRY(gr_monitor_measure(t, &other->monitor, round, &other->value, err));
    }
    return GRADUS_OK;
}
