/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "gbrt": gradient boosted regression trees (Friedman, 2001). */
#include "learners/boost/boost.h"
#include "model/forest_node.h"
#include "pipeline/data_defaults.h"
#include "pipeline/learner.h"
#include "pipeline/learners/forest_rounds.h"
#include "pipeline/train_options.h"

#include <math.h>

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    const gr_forest *forest = fit->start ? gr_model_forest(fit->start) : NULL;
    gr_boost_options options = *GR_TRAIN_BLOCK(fit->options, boost);

    if (forest)
        GR_TRY(gr_start_fits(fit, forest->features, forest->outputs, err));
    options.seed = fit->options->seed;
    options.bin = *GR_TRAIN_BLOCK(fit->options, bin);
    options.objective = *fit->objective_options;
    gr_start_thresholds(fit, &options.objective);
    *state = gr_booster_new(fit->context, fit->data, fit->problem, fit->objective, &options, forest,
                            fit->initial, err);
    return *state ? GRADUS_OK : err->status;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    return gr_booster_step(state, grew, err);
}

static uint64_t rounds_done(const void *state)
{
    return gr_forest_rounds(gr_booster_forest(state));
}

static const double *train_outputs(const void *state)
{
    return gr_booster_scores(state);
}

static gradus_status fetch_outputs(void *state, gradus_error *err)
{
    return gr_booster_fetch(state, err);
}

static const gr_boost_device *device_of(const void *state, void **boosting)
{
    return gr_booster_device(state, boosting);
}

static gradus_status add_outputs(const void *state, uint64_t first, uint64_t end,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    return gr_forest_add_rounds(gr_booster_forest(state), first, end, data, sums, pool, err);
}

static const gr_forest *forest_of(const void *state)
{
    return gr_booster_forest(state);
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    return gr_forest_rounds_node(gr_booster_forest(state), kept, made, err);
}

static const double *thresholds(const void *state, size_t *sets)
{
    return gr_booster_thresholds(state, sets);
}

static const char *why_done(const void *state)
{
    return gr_booster_separated(state) ? "the grades are perfectly separated" : "";
}

static double preparation_seconds(const void *state)
{
    return gr_booster_times(state).bins;
}

static void free_state(void *state)
{
    gr_booster_free(state);
}

static void bins(const gr_train_options *options, gr_bin_options *chosen)
{
    *chosen = *GR_TRAIN_BLOCK(options, bin);
    chosen->seed = options->seed;
}

static bool samples(const gr_train_options *options)
{
    const gr_boost_options *boost = GR_TRAIN_BLOCK(options, boost);

    return boost->row_share < 1.0 || boost->query_share < 1.0 || boost->tree.feature_share < 1.0;
}

/* Small data need small trees: with a number of leaves that suits large data, every tree fits
 * noise. Leaves and minimum rows per leaf both grow with the square root of the number of rows, so
 * that both the number of leaves and the rows in each grow with the data. Fitted by bench/defaults
 * on LETOR and synthetic data; docs/results/defaults.md has the leave-one-dataset-out table. */
static uint64_t clamped_root(double rows, double divisor, double low, double high)
{
    const double value = round(sqrt(rows) / divisor);

    return (uint64_t)(value < low ? low : value > high ? high : value);
}

enum { COUNTED_OF_QUERY = 64 }; /* rows */

/* The rows by which leaves are chosen. Losses that compare the rows of a query rank better with
 * smaller trees if queries are large: 64 rows per query are counted, but at least half of all, so
 * that a few large queries do not get the smallest trees. */
static double counted_rows(const gr_data_size *size)
{
    const double rows = (double)size->rows;
    const double most = COUNTED_OF_QUERY * (double)size->queries;

    return !size->compares || rows <= most ? rows : most < rows / 2.0 ? rows / 2.0 : most;
}

/* With an explicit depth, the depth determines the number of leaves. */
static uint64_t choose_leaves(const gr_train_options *options, const gr_data_size *size)
{
    if (GR_TRAIN_BLOCK(options, boost)->tree.depth > 0)
        return 0;
    return clamped_root(counted_rows(size), 10.0, 8.0, 255.0);
}

static uint64_t choose_min_rows(const gr_train_options *options, const gr_data_size *size)
{
    (void)options;
    return clamped_root((double)size->rows, 2.0, 20.0, 50.0);
}

/* Early stopping decides; small trees may need many rounds. */
static uint64_t choose_rounds(const gr_train_options *options, const gr_data_size *size)
{
    (void)options;
    (void)size;
    return 2000;
}

/* The metric is noisy on small validation sets: 50 rounds without improvement are common long
 * before the best round. */
static uint64_t choose_patience(const gr_train_options *options, const gr_data_size *size)
{
    (void)options;
    (void)size;
    return 100;
}

static const gr_data_default data_defaults[] = {
    { "leaves", choose_leaves, false },
    { "min-rows", choose_min_rows, false },
    { "rounds", choose_rounds, true },
    { "patience", choose_patience, true },
    { NULL, NULL, false },
};

static const gr_param *const params[] = { gr_boost_params, gr_bin_params, gr_objective_params,
                                          NULL };

static const gr_learner_outputs outputs = { .add = add_outputs,
                                            .train = train_outputs,
                                            .fetch = fetch_outputs,
                                            .device = device_of,
                                            .forest = forest_of };
static const gr_learner_rounds rounds = { .done = rounds_done, .samples = samples };
static const gr_learner_report report = { .why_done = why_done,
                                          .preparation_seconds = preparation_seconds };

const gr_learner gr_learner_gbrt = {
    .about = { "gbrt", "boosted regression trees",
               "Rounds of trees, one per output, each fitted to the gradients of the method's loss "
               "at the current outputs. Friedman (2001)." },
    .any_objective = true,
    .distributed = true,
    .on_devices = true,
    .params = params,
    .feature_bytes = 72,
    .row_bytes = 52,
    .value_bytes = 1,
    .bins = bins,
    .data_defaults = data_defaults,
    .start = start,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .rounds = &rounds,
    .report = &report,
    .thresholds = thresholds,
};
