/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "bagged-m5p": bagged model trees (Breiman, 1996). Each round samples rows and grows
 * one tree per output on them. Rounds are independent, so one per thread is grown at a time and
 * stored until requested. */
#include "pipeline/learners/learner_m5p.h"

#include "pipeline/train_options.h"

#include <stdlib.h>

#define MAX_BYTES 2e9 /* memory limit of the rounds grown at a time */

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    return gr_m5_rounds_start(fit, true, state, err);
}

/* Rounds grown in parallel. */
typedef struct growing {
    gr_m5_rounds *rounds;
    size_t count;
    uint32_t *counts;   /* per round: how often each row was drawn */
    gradus_error *errs; /* one per round */
    gr_pool *pool_of_each;
} growing;

static void grow_one(void *argument, size_t i, size_t worker)
{
    const growing *all = argument;
    const size_t rows = all->rounds->fit.data->arrays.rows;

    (void)worker;
    gr_m5_rounds_grow(all->rounds, all->counts + i * rows, all->pool_of_each,
                      &all->rounds->ahead[i], &all->errs[i]);
}

static gradus_status draw_and_grow(growing *all, gradus_error *err)
{
    gr_m5_rounds *rounds = all->rounds;
    const gr_train_options *options = rounds->fit.options;
    gr_pool *pool = gr_pool_of(rounds->fit.context);
    gradus_status status = GRADUS_OK;

    for (size_t i = 0; i < all->count; i++) {
        uint32_t *counts = all->counts + i * rounds->fit.data->arrays.rows;

        GR_TRY(gr_m5_draw(rounds->fit.problem, GR_TRAIN_BLOCK(options, m5), options->seed,
                          gr_m5_rounds_done(rounds) + i, counts, err));
        GR_TRY(gr_m5_prepare(rounds->grower, counts, err));
    }
    all->pool_of_each = all->count > 1 ? NULL : pool;
    gr_pool_run(all->count > 1 ? pool : NULL, all->count, grow_one, all);
    for (size_t i = 0; i < all->count && status == GRADUS_OK; i++)
        if (all->errs[i].status != GRADUS_OK)
            status = gr_fail(err, all->errs[i].status, "%s", all->errs[i].message);
    rounds->ahead_end = all->count;
    if (status == GRADUS_OK)
        return GRADUS_OK;
    for (size_t i = 0; i < all->count; i++)
        if (all->errs[i].status == GRADUS_OK)
            gr_m5_free(&rounds->ahead[i]);
    rounds->ahead_end = 0;
    return status;
}

/* One round per thread, as far as memory and the remaining rounds allow. */
static size_t rounds_at_once(const gr_m5_rounds *rounds)
{
    const gr_fit *fit = &rounds->fit;
    const double rows =
        GR_TRAIN_BLOCK(fit->options, m5)->bag_share * (double)fit->data->arrays.rows;
    const double fit_in = MAX_BYTES / (gr_m5_grower_bytes(rounds->grower, rows) + 1.0);
    const uint64_t done = gr_m5_rounds_done(rounds);
    const uint64_t left = fit->last_round > done ? fit->last_round - done : 1;
    size_t count = gr_pool_threads(gr_pool_of(fit->context));

    count = count < left ? count : (size_t)left;
    return (double)count <= fit_in ? count : fit_in > 1.0 ? (size_t)fit_in : 1;
}

static gradus_status grow_ahead(gr_m5_rounds *rounds, gradus_error *err)
{
    const size_t count = rounds_at_once(rounds), rows = rounds->fit.data->arrays.rows;
    growing all = { .rounds = rounds, .count = count };
    gradus_status status;
    size_t cells;

    free(rounds->ahead);
    rounds->ahead_first = rounds->ahead_end = 0;
    rounds->ahead = gr_new_array(count, sizeof *rounds->ahead);
    all.errs = gr_new_array(count, sizeof *all.errs);
    if (gr_size_times(count, rows, &cells))
        all.counts = gr_new_array(cells, sizeof *all.counts);
    status = rounds->ahead && all.errs && all.counts ? draw_and_grow(&all, err)
                                                     : gr_fail_memory(err, "rounds");
    free(all.counts);
    free(all.errs);
    return status;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    gr_m5_rounds *rounds = state;

    *grew = true;
    if (rounds->ahead_first == rounds->ahead_end)
        GR_TRY(grow_ahead(rounds, err));
    return gr_m5_rounds_add(rounds, &rounds->ahead[rounds->ahead_first++], err);
}

static double scale(const void *state, uint64_t rounds)
{
    (void)state;
    return rounds ? 1.0 / (double)rounds : 1.0;
}

static const gr_learner_outputs outputs = { .add = gr_m5_rounds_add_outputs, .scale = scale };
static const gr_learner_rounds bagging_rounds = { .done = gr_m5_rounds_done };

const gr_learner gr_learner_bagged_m5p = {
    .about = { "bagged-m5p", "model trees on samples of the rows, averaged",
               "Each round samples a fraction of the rows (or of whole queries) with replacement "
               "and grows the trees of 'm5p' on them; the outputs of the rounds are averaged. A "
               "model truncated to k rounds equals one trained with k rounds. Breiman (1996)." },
    .alone =
        "its linear models of leaves need all rows of a leaf; use regression with boosted trees (learner gbrt) or the learner linear",
    .params = gr_m5_learner_params,
    .feature_bytes = 56,
    .start = start,
    .step = step,
    .node = gr_m5_rounds_node,
    .free = gr_m5_rounds_free,
    .outputs = &outputs,
    .rounds = &bagging_rounds,
    .report = &gr_m5_report,
};
