/* SPDX-License-Identifier: Apache-2.0 */
/* Copies monitored sets to a device, adds rounds there, and decides for each evaluation whether it needs
 * the DCG of each list or the outputs of all rows from there. The outputs of the training rows are there
 * already, if boosting keeps them there. */
#include "pipeline/device_monitor.h"

#include "backend/boost_device.h"
#include "backend/valid_device.h"
#include "base/ranges.h"
#include "data/binned.h"
#include "data/row_blocks.h"
#include "learners/forest/score_forest.h"
#include "metrics/dcg_plan.h"
#include "pipeline/dataset_lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 32 << 20, /* of values that are copied at once */
    LEAST_BATCH = 64,       /* rows */
    FILL_ROWS = 1024,       /* rows that a thread copies at once */
    MAX_DOCUMENTS = 1 << 28
};

typedef struct gr_device_monitor {
    const gr_valid_device *does; /* NULL: boosting has the outputs, those of the training rows */
    gr_valid_run *run;
    const gr_boost_device *boosts;
    void *boosting;
    bool ranks; /* lists are ranked on the device */
    gr_dcg_plan plan;
    double *dcgs; /* [list] */
} gr_device_monitor;

static void free_there(gr_device_monitor *there)
{
    if (!there)
        return;
    if (there->does)
        there->does->close(there->run);
    gr_dcg_plan_free(&there->plan);
    free(there->dcgs);
    free(there);
}

void gr_device_monitor_free(gr_monitor *monitor)
{
    free_there(monitor->there);
    monitor->there = NULL;
}

/* ---- copying a set ---- */

typedef struct filling {
    const gradus_arrays *arrays;
    size_t first, features;
    float *room; /* of row `first` */
} filling;

static void fill_some(void *argument, gr_range range)
{
    const filling *work = argument;
    const size_t from = work->first + range.first, to = work->first + range.end;
    float *room = work->room + range.first * work->features;

    if (!gr_block_in_place(work->arrays, work->features))
        memset(room, 0, (to - from) * work->features * sizeof *room);
    gr_block_fill(work->arrays, from, to, work->features, room);
}

static gradus_status load_rows(const gr_device_monitor *there, const gradus_arrays *arrays,
                               const gr_device_set *set, gr_pool *pool, gradus_error *err)
{
    for (size_t first = 0; first < arrays->rows; first += set->batch) {
        const size_t rows = gr_least(set->batch, arrays->rows - first);
        filling work = { arrays, first, set->features, there->does->room(there->run) };

        gr_for_ranges(pool, rows, FILL_ROWS, fill_some, &work);
        GR_TRY(there->does->load(there->run, first, rows, err));
    }
    return GRADUS_OK;
}

/* Describes the lists if the device can compute the metric: NDCG of the outputs themselves. */
static gradus_status plan_lists(const gr_measuring *m, const gradus_dataset *data,
                                const double *scores, gr_device_monitor *there,
                                gr_device_lists *described, gradus_error *err)
{
    const gr_lists lists = gr_dataset_lists(data, scores);

    if (m->custom || m->scorer->rule != GR_SCORE_OUTPUT)
        return GRADUS_OK;
    GR_TRY(gr_dcg_plan_make(&lists, &m->options, m->pool, &there->plan, &there->ranks, err));
    there->ranks = there->ranks && there->plan.largest <= MAX_DOCUMENTS;
    if (!there->ranks)
        return GRADUS_OK;
    there->dcgs = gr_new_array(lists.queries, sizeof *there->dcgs);
    *described = (gr_device_lists){ .queries = lists.queries,
                                    .largest = there->plan.largest,
                                    .starts = lists.starts,
                                    .gains = there->plan.gains,
                                    .discounts = there->plan.discounts,
                                    .depth = there->plan.depth };
    return there->dcgs ? GRADUS_OK : gr_fail_memory(err, "the values of queries");
}

static gradus_status open_set(const gradus_training *t, const gr_monitor *monitor,
                              const gr_forest *forest, gr_device_monitor *there, gradus_error *err)
{
    const gradus_device *device = t->context->device;
    const gradus_arrays *arrays = &monitor->data->arrays;
    const size_t features = forest->features;
    const size_t fit = BATCH_BYTES / sizeof(float) / (features ? features : 1);
    gr_device_lists lists;
    gr_device_set set = { .rows = arrays->rows,
                          .features = features,
                          .outputs = forest->outputs,
                          .batch = gr_least(fit < LEAST_BATCH ? LEAST_BATCH : fit, arrays->rows),
                          .sums = monitor->outputs.at };

    GR_TRY(plan_lists(&t->measuring, monitor->data, monitor->outputs.at, there, &lists, err));
    set.lists = there->ranks ? &lists : NULL;
    if (gr_device_set_bytes(&set) > (double)device->free_memory(device) / 2.0)
        return gr_fail_memory(err, "the validation set on the device");
    GR_TRY(there->does->open(device, &set, &there->run, err));
    gr_dcg_plan_drop_gains(&there->plan);
    return load_rows(there, arrays, &set, gr_pool_of(t->context), err);
}

/* The trees that a device can add; NULL: none. */
static const gr_forest *forest_for_device(const gradus_training *t)
{
    const gradus_device *device = t->context ? t->context->device : NULL;
    const gr_learner *learner = t->recipe.learner;
    const gr_forest *forest = NULL;

    if (device && device->validation && learner->outputs && learner->outputs->forest &&
        !learner->outputs->scale && !learner->validation && !learner->selection)
        forest = learner->outputs->forest(t->fitted);
    return forest && gr_score_forest_fits(forest) ? forest : NULL;
}

gradus_status gr_monitor_use_device(const gradus_training *t, gr_monitor *monitor,
                                    gradus_error *err)
{
    const gr_forest *forest = forest_for_device(t);
    const gradus_dataset *data = monitor->data;
    gradus_error failure = { GRADUS_OK, "" };
    gr_device_monitor *there;
    gradus_status status;

    if (!forest || data->whole || data->arrays.rows == 0 || gr_dataset_lacks_values(data))
        return GRADUS_OK;
    there = calloc(1, sizeof *there);
    if (!there)
        return gr_fail_memory(err, "validation");
    there->does = t->context->device->validation;
    status = open_set(t, monitor, forest, there, &failure);
    if (status == GRADUS_OK) {
        monitor->there = there;
        return GRADUS_OK;
    }
    free_there(there);
    /* the processor validates */
    return status == GRADUS_NO_MEMORY ? GRADUS_OK : gr_fail(err, status, "%s", failure.message);
}

/* *kept: whether the device has taken the lists. */
static gradus_status open_train(const gradus_training *t, gr_device_monitor *there, bool *kept,
                                gradus_error *err)
{
    const gradus_device *device = t->context->device;
    gr_device_lists lists;

    GR_TRY(plan_lists(&t->measuring, t->train, t->recipe.learner->outputs->train(t->fitted), there,
                      &lists, err));
    *kept =
        there->ranks && gr_device_lists_bytes(&lists) <= (double)device->free_memory(device) / 2.0;
    if (*kept)
        GR_TRY(there->boosts->lists(there->boosting, &lists, err));
    gr_dcg_plan_drop_gains(&there->plan);
    return GRADUS_OK;
}

gradus_status gr_monitor_use_boosting(gradus_training *t, gradus_error *err)
{
    const gr_learner_outputs *outputs = t->recipe.learner->outputs;
    void *boosting = NULL;
    const gr_boost_device *boosts =
        outputs && outputs->device ? outputs->device(t->fitted, &boosting) : NULL;
    gradus_error failure = { GRADUS_OK, "" };
    gr_device_monitor *there;
    gradus_status status;
    bool kept = false;

    if (!boosts || !t->recipe.options->train_eval_every || outputs->scale)
        return GRADUS_OK;
    there = calloc(1, sizeof *there);
    if (!there)
        return gr_fail_memory(err, "the metric of the training rows");
    there->boosts = boosts;
    there->boosting = boosting;
    status = open_train(t, there, &kept, &failure);
    if (status == GRADUS_OK && kept) {
        t->train_monitor.there = there;
        return GRADUS_OK;
    }
    free_there(there);
    /* the processor evaluates */
    return status == GRADUS_OK || status == GRADUS_NO_MEMORY
               ? GRADUS_OK
               : gr_fail(err, status, "%s", failure.message);
}

/* ---- rounds ---- */

gradus_status gr_monitor_add(const gradus_training *t, gr_monitor *monitor, uint64_t round,
                             gradus_error *err)
{
    const gr_device_monitor *there = monitor->there;
    gr_score_forest described;
    gradus_status status;

    if (!there)
        return gr_training_add_sums(t, round - 1, round, monitor->data, monitor->outputs.at, err);
    GR_TRY(gr_score_forest_make(t->recipe.learner->outputs->forest(t->fitted), (size_t)round - 1,
                                (size_t)round, &described, err));
    if (round > 1)
        described.trees.bases = NULL;
    status = there->does->add(there->run, &described.trees, err);
    gr_score_forest_free(&described);
    return status;
}

gradus_status gr_monitor_rank(const gr_measuring *m, gr_monitor *monitor, double *value,
                              bool *found, gradus_error *err)
{
    gr_device_monitor *there = monitor->there;
    const gr_lists lists = gr_dataset_lists(monitor->data, NULL);

    *found = there && there->ranks && m->convention;
    if (!*found)
        return GRADUS_OK;
    GR_TRY(there->does ? there->does->dcgs(there->run, there->dcgs, err)
                       : there->boosts->dcgs(there->boosting, there->dcgs, err));
    for (size_t q = 0; q < lists.queries; q++)
        *found = *found && !(there->dcgs[q] < 0.0);
    if (*found)
        *value = gr_dcg_plan_mean(&there->plan, &lists, there->dcgs);
    return GRADUS_OK;
}

gradus_status gr_monitor_measure(gradus_training *t, gr_monitor *monitor, uint64_t round,
                                 double *value, gradus_error *err)
{
    const gr_device_monitor *there = monitor->there;
    bool found = false;

    GR_TRY(gr_monitor_rank(&t->measuring, monitor, value, &found, err));
    if (there && !found)
        GR_TRY(there->does->fetch(there->run, monitor->outputs.at, err));
    return found ? GRADUS_OK
                 : gr_measure_outputs(&t->measuring, monitor, monitor->outputs.at,
                                      gr_training_scale(t, round), value, err);
}
