/* Training round by round: what to fit is settled first, then each step boosts and measures. */
#include "pipeline/train.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void gr_training_free(gradus_training *t)
{
    if (!t)
        return;
    gr_booster_free(t->booster);
    gr_options_free(t->given);
    gr_cost_choice_free(&t->cost);
    gr_fitted_transform_free(&t->transform);
    gradus_dataset_free(t->own_train);
    gradus_dataset_free(t->own_valid);
    gr_posed_free(&t->posed);
    gr_scorer_free(&t->scorer);
    gr_array_free(&t->train_watch.scores);
    gr_array_free(&t->valid_watch.scores);
    gr_array_free(&t->valid_watch.outputs);
    free(t->measuring.metric);
    free(t->measuring.convention);
    free((char *)(uintptr_t)t->measuring.options.metric);
    free(t->points);
    free(t);
}

static const gr_reduction *reduction_of(const gradus_training *t)
{
    const bool gain = t->options.target == GR_TARGET_GAIN && t->ranker->of_gain;

    return gain ? t->ranker->of_gain : t->ranker->reduction;
}

/* Options that the method would pass over in silence are refused. */
static gradus_status check_options(const gradus_training *t, gradus_error *err)
{
    const char *method = t->ranker->about.name;

    if (t->options.target != GR_TARGET_GRADE && !t->ranker->of_gain)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "--target gain is for regression, not '%s'",
                       method);
    if (t->options.loss != GR_LOSS_SQUARED && !t->ranker->of_absolute)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "--loss absolute is for regression, not '%s'",
                       method);
    if (strcmp(t->options.cost, "absolute") != 0 && !t->ranker->reduction->takes_cost)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "--cost is for cocr, not '%s'", method);
    if (t->input.resume && !t->input.start)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "there is no checkpoint to resume");
    return GRADUS_OK;
}

static gradus_status settle_scorer(gradus_training *t, gradus_error *err)
{
    const gr_problem *problem = &t->posed.problem;
    const gr_meaning meaning = reduction_of(t)->meaning;
    const gr_score_rule rule =
        t->options.scoring ? (gr_score_rule)(t->options.scoring - 1) : t->ranker->rule;
    const bool graded = meaning != GR_MEANS_SCORE;
    const gr_scorer wanted = {
        .meaning = meaning,
        .rule = rule,
        .outputs = problem->outputs,
        .levels = graded ? problem->levels : 0,
        .level_labels = graded ? t->posed.level_labels : NULL,
        .weights = graded && problem->weights ? t->posed.weights : NULL,
    };

    if (!gr_model_can_score(&wanted, rule))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "--scoring %s is not for '%s'%s",
                       gr_score_rules[rule], t->ranker->about.name,
                       gr_scorer_can(meaning, rule) ? " with so many grades" : "");
    return gr_scorer_copy(&wanted, &t->scorer, err);
}

/* Everything the sets have is used sooner or later. */
static gradus_status look_at(gradus_training *t, const gradus_dataset *data, const double *initial,
                             uint64_t *fingerprint, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(t->context);

    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, pool, err));
    GR_TRY(gr_fingerprint(data, pool, fingerprint, err));
    if (initial)
        *fingerprint ^= gr_hash(initial, data->arrays.rows * sizeof *initial) | 1;
    return GRADUS_OK;
}

static gradus_status transform_sets(gradus_training *t, gradus_error *err)
{
    const gr_transform *transform = gr_transform_number((size_t)t->options.transform.kind);

    if (!transform)
        return GRADUS_OK;
    GR_TRY(gr_transform_fit(transform, t->train, t->options.transform.keep_zeros,
                            gr_pool_of(t->context), &t->transform, err));
    t->own_train = gr_transform_apply(t->context, &t->transform, t->train, err);
    if (!t->own_train)
        return err->status;
    t->train = t->own_train;
    if (!t->valid)
        return GRADUS_OK;
    t->own_valid = gr_transform_apply(t->context, &t->transform, t->valid, err);
    if (!t->own_valid)
        return err->status;
    t->valid = t->own_valid;
    return GRADUS_OK;
}

static gradus_status check_valid(const gradus_training *t, gradus_error *err)
{
    const size_t have = t->valid->arrays.features, want = t->train->arrays.features;

    if (!t->valid->arrays.labels || t->valid->arrays.rows == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the validation data have no %s",
                       t->valid->arrays.rows ? "labels" : "rows");
    if (have < want && gr_dataset_is_dense(t->valid))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the training data have %zu features, the validation data %zu", want, have);
    return GRADUS_OK;
}

/* Labels that are no grades have no NDCG: unless told otherwise, the error is watched. */
static gradus_status default_metric(gradus_training *t, gradus_error *err)
{
    if (t->input.metric || gr_options_given(t->given, "metric") ||
        gr_dataset_check_grades(t->train, 1023.0, NULL) == GRADUS_OK)
        return GRADUS_OK;
    GR_TRY(gr_options_set(t->given, "metric", "rmse", err));
    return gr_options_get(t->given, &gr_operation_train, &t->options, err);
}

/* Fails now rather than after hours of training. */
static gradus_status try_metric(gradus_training *t, gradus_error *err)
{
    double value;

    if (t->valid && !t->input.metric)
        GR_TRY(gr_measure_outputs(&t->measuring, &t->valid_watch, t->valid_watch.outputs.at, &value,
                                  err));
    if (t->options.train_eval_every && !t->input.metric)
        GR_TRY(gr_measure_outputs(&t->measuring, &t->train_watch, gr_booster_scores(t->booster),
                                  &value, err));
    return GRADUS_OK;
}

/* The first of the metrics is the one that is watched. */
static gradus_status settle_metric(gradus_training *t, gradus_error *err)
{
    gr_measuring *m = &t->measuring;
    char *first;

    GR_TRY(default_metric(t, err));
    first = strndup(t->options.metric, strcspn(t->options.metric, ","));
    if (gr_options_get(NULL, &gr_operation_evaluate, &m->options, err) != GRADUS_OK) {
        m->options.metric = NULL;
        free(first);
        return err->status;
    }
    m->options.metric = first;
    if (!first)
        return gr_fail_memory(err, "a metric");
    m->options.convention = t->options.convention;
    m->scorer = &t->scorer;
    m->pool = gr_pool_of(t->context);
    m->custom = t->input.metric;
    m->user = t->input.user;
    if (!m->custom) {
        gr_measures measures = { 0, NULL };

        GR_TRY(gr_measures_parse(first, &measures, err));
        gr_measures_free(&measures);
    }
    return GRADUS_OK;
}

static gradus_status custom_begin(const gr_problem *problem, const gr_objective_options *options,
                                  gr_pool *pool, void **state, gradus_error *err)
{
    (void)pool;
    if (problem->outputs != 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "an objective of the caller's needs a method with one output");
    *state = options->custom;
    return GRADUS_OK;
}

static void custom_bases(const void *state, const gr_problem *problem, double *bases)
{
    (void)state;
    (void)problem;
    bases[0] = 0.0;
}

static gradus_status custom_gradients(void *state, const gr_problem *problem, const double *scores,
                                      float *gradients, float *hessians, gr_pool *pool,
                                      gradus_error *err)
{
    const gradus_training *t = state;

    (void)problem;
    (void)pool;
    if (t->input.objective(t->input.user, t->input.train, scores, gradients, hessians) != GRADUS_OK)
        return gr_fail(err, GRADUS_CANCELLED, "the caller's objective ended training");
    return GRADUS_OK;
}

static const gr_objective custom_objective = {
    .about = { "custom", "of the caller's", "" },
    .begin = custom_begin,
    .bases = custom_bases,
    .gradients = custom_gradients,
};

static const gr_objective *objective_of(const gradus_training *t)
{
    if (t->input.objective)
        return &custom_objective;
    return t->options.loss == GR_LOSS_ABSOLUTE ? t->ranker->of_absolute : t->ranker->objective;
}

static double largest_label(const gradus_dataset *data)
{
    double largest = 0.0;

    for (size_t r = 0; r < data->arrays.rows; r++)
        largest = (double)data->arrays.labels[r] > largest ? (double)data->arrays.labels[r]
                                                           : largest;
    return largest;
}

/* The trees of the model to start from, if it suits the problem. */
static gradus_status starting_forest(const gradus_training *t, const gr_forest **forest,
                                     gradus_error *err)
{
    const gradus_model *start = t->input.start;

    *forest = start ? gr_model_forest(start) : NULL;
    if (!start)
        return GRADUS_OK;
    if (!*forest || strcmp(start->method, t->ranker->about.name) != 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model to start from is of '%s', not of '%s'",
                       start->method, t->ranker->about.name);
    if ((*forest)->outputs != t->posed.problem.outputs ||
        (*forest)->features != t->train->arrays.features)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model to start from has %zu features and %zu outputs, the data ask for "
                       "%zu and %zu",
                       (*forest)->features, (*forest)->outputs, t->train->arrays.features,
                       t->posed.problem.outputs);
    return GRADUS_OK;
}

/* A cost from a file is in the recipe as "matrix"; its numbers are the weights of the outputs. */
static bool same_weights(const gr_scorer *a, const gr_scorer *b)
{
    return a->outputs == b->outputs && a->levels == b->levels && !a->weights == !b->weights &&
           (!a->weights ||
            memcmp(a->weights, b->weights, a->outputs * a->levels * sizeof *a->weights) == 0);
}

/* A checkpoint goes on only with the data and the recipe it was made with; more rounds are fine. */
static gradus_status check_resume(gradus_training *t, gradus_error *err)
{
    const gradus_model *start = t->input.start;
    gr_param param;

    if (start->fingerprint != t->fingerprint || start->valid_fingerprint != t->valid_fingerprint)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the checkpoint was made with other %s data: it cannot be resumed",
                       start->fingerprint != t->fingerprint ? "training" : "validation");
    for (size_t i = 0; gr_param_number(t->given->operation, i, &param); i++) {
        const char *name = param.about.name, *then = gr_model_setting(start, name);
        const bool is_matrix = strcmp(name, "cost") == 0 && !t->cost.cost;
        const char *now = is_matrix ? "matrix" : gr_options_value(t->given, name);

        if (strcmp(name, "rounds") != 0 && then && strcmp(now, then) != 0)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "the checkpoint was made with --%s %.60s, not %.60s: it cannot be "
                           "resumed",
                           name, then, now);
    }
    if (!same_weights(&start->scorer, &t->scorer))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the checkpoint was made with another cost matrix: it cannot be resumed");
    return GRADUS_OK;
}

static gradus_status add_point(gradus_training *t, gr_point point, gradus_error *err)
{
    if (t->point_count == t->point_room) {
        const size_t room = t->point_room ? 2 * t->point_room : 64;
        gr_point *points = realloc(t->points, room * sizeof *points);

        if (!points)
            return gr_fail_memory(err, "the learning curve");
        t->points = points;
        t->point_room = room;
    }
    t->points[t->point_count++] = point;
    if (!isnan(point.valid) &&
        (t->best_round == 0 || (t->measuring.lower_is_better ? point.valid < t->best_value
                                                             : point.valid > t->best_value))) {
        t->best_round = point.round;
        t->best_value = point.valid;
    }
    return GRADUS_OK;
}

static gradus_status take_up_curve(gradus_training *t, gradus_error *err)
{
    const gradus_model *start = t->input.start;

    t->measuring.lower_is_better = start->lower_is_better;
    if (start->point_count) {
        t->measuring.metric = strdup(start->metric);
        t->measuring.convention = strdup(start->convention);
        if (!t->measuring.metric || !t->measuring.convention)
            return gr_fail_memory(err, "a metric");
    }
    for (size_t i = 0; i < start->point_count; i++)
        GR_TRY(add_point(t, start->points[i], err));
    return GRADUS_OK;
}

/* Outputs of the validation rows at the start; rounds are added as they come. */
static gradus_status start_valid(gradus_training *t, gradus_error *err)
{
    const gr_forest *forest = gr_booster_forest(t->booster);
    const size_t rows = t->valid->arrays.rows;
    size_t cells;
    double *outputs;

    t->valid_watch.data = t->valid;
    if (!gr_size_times(rows, forest->outputs, &cells) ||
        !gr_array_reserve(&t->valid_watch.outputs, cells * sizeof *outputs))
        return gr_fail_memory(err, "validation scores");
    outputs = t->valid_watch.outputs.at;
    for (size_t k = 0; k < forest->outputs; k++)
        for (size_t r = 0; r < rows; r++)
            outputs[k * rows + r] =
                forest->bases[k] + (t->input.initial_valid ? t->input.initial_valid[r] : 0.0);
    return gr_forest_add_scores(forest, 0, gr_forest_rounds(forest), t->valid, outputs,
                                gr_pool_of(t->context), err);
}

static gradus_status start_boosting(gradus_training *t, gradus_error *err)
{
    const double started = seconds();
    const gr_forest *forest;

    GR_TRY(starting_forest(t, &forest, err));
    if (t->input.resume) {
        GR_TRY(check_resume(t, err));
        t->first_round = t->input.start->start_rounds;
        GR_TRY(take_up_curve(t, err));
    } else if (forest) {
        t->first_round = gr_forest_rounds(forest);
    }
    if (t->input.initial && t->posed.problem.outputs != 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "scores to begin with need a method with one output");
    t->options.boost.objective.max_grade = largest_label(t->train);
    t->options.boost.objective.custom = t;
    t->booster = gr_booster_new(t->context, t->train, &t->posed.problem, objective_of(t),
                                &t->options.boost, forest, t->input.initial, err);
    if (!t->booster)
        return err->status;
    t->bin_seconds = seconds() - started;
    t->train_watch.data = t->train;
    if (t->valid)
        GR_TRY(start_valid(t, err));
    return try_metric(t, err);
}

static gradus_status set_up(gradus_training *t, gradus_error *err)
{
    t->ranker = gr_ranker_number((size_t)t->options.method);
    t->train = t->input.train;
    t->valid = t->input.valid;
    GR_TRY(check_options(t, err));
    GR_TRY(gr_cost_choose(t->options.cost, &t->cost, err));
    if (t->cost.cost && !t->cost.cost->of)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the cost '%s' is of pairs in a list: it is not the cost of a wrong grade",
                       t->options.cost);
    GR_TRY(look_at(t, t->train, t->input.initial, &t->fingerprint, err));
    if (t->valid)
        GR_TRY(look_at(t, t->valid, t->input.initial_valid, &t->valid_fingerprint, err));
    GR_TRY(gr_pose(t->train, t->ranker, reduction_of(t), &t->cost, &t->posed, err));
    if (t->valid)
        GR_TRY(check_valid(t, err));
    GR_TRY(settle_scorer(t, err));
    GR_TRY(settle_metric(t, err));
    GR_TRY(transform_sets(t, err));
    return start_boosting(t, err);
}

gradus_training *gr_training_new(gradus_context *context, const gradus_training_input *input,
                                 const gradus_options *options, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gradus_training *t = calloc(1, sizeof *t);

    if (!t) {
        gr_fail_memory(err, "training");
        return NULL;
    }
    t->context = context;
    t->input = *input;
    t->stopped = "";
    t->given = options ? gr_options_copy(options, &failure)
                       : gr_options_new(&gr_operation_train, &failure);
    if (!t->given ||
        gr_options_get(t->given, &gr_operation_train, &t->options, &failure) != GRADUS_OK ||
        set_up(t, &failure) != GRADUS_OK) {
        gr_fail(err, failure.status, "%s", failure.message);
        gr_training_free(t);
        return NULL;
    }
    return t;
}

/* Rounds that training is to come to. */
static uint64_t rounds_wanted(const gradus_training *t)
{
    return t->first_round + t->options.rounds;
}

static gradus_status measure_round(gradus_training *t, uint64_t round, bool last, gradus_error *err)
{
    const gr_forest *forest = gr_booster_forest(t->booster);
    const uint64_t every = t->options.train_eval_every;
    gr_point point = { round, NAN, NAN };

    if (t->valid) {
        GR_TRY(gr_forest_add_scores(forest, (size_t)round - 1, (size_t)round, t->valid,
                                    t->valid_watch.outputs.at, gr_pool_of(t->context), err));
        if (round % t->options.eval_every == 0 || last)
            GR_TRY(gr_measure_outputs(&t->measuring, &t->valid_watch, t->valid_watch.outputs.at,
                                      &point.valid, err));
    }
    if (every && (round % every == 0 || last))
        GR_TRY(gr_measure_outputs(&t->measuring, &t->train_watch, gr_booster_scores(t->booster),
                                  &point.train, err));
    if (isnan(point.train) && isnan(point.valid))
        return GRADUS_OK;
    return add_point(t, point, err);
}

static bool samples(const gr_train_options *options)
{
    return options->boost.row_share < 1.0 || options->boost.query_share < 1.0 ||
           options->boost.tree.feature_share < 1.0;
}

static const char *why_stop(const gradus_training *t, uint64_t round, bool grew)
{
    if (!grew && !samples(&t->options))
        return "no split is worth while any more";
    if (round >= rounds_wanted(t))
        return "all rounds are done";
    if (t->options.patience && t->best_round &&
        round - t->best_round >= t->options.patience)
        return "the validation metric got no better";
    return "";
}

gradus_status gr_training_step(gradus_training *t, bool *done, gradus_error *err)
{
    double started = seconds();
    uint64_t round = gr_forest_rounds(gr_booster_forest(t->booster));
    bool grew = true;

    if (!*t->stopped)
        t->stopped = why_stop(t, round, true); /* a checkpoint of the last round */
    *done = *t->stopped != '\0';
    if (*done)
        return GRADUS_OK;
    GR_TRY(gr_booster_step(t->booster, &grew, err));
    t->train_seconds += seconds() - started;
    started = seconds();
    round++;
    GR_TRY(measure_round(t, round, round == rounds_wanted(t) || !grew, err));
    t->evaluate_seconds += seconds() - started;
    t->stopped = why_stop(t, round, grew);
    *done = *t->stopped != '\0';
    return gr_progress(t->context, "training", (double)round / (double)rounds_wanted(t), err);
}

void gr_training_look(const gradus_training *t, gradus_training_state *state)
{
    *state = (gradus_training_state){
        .round = gr_forest_rounds(gr_booster_forest(t->booster)),
        .rounds = (size_t)rounds_wanted(t),
        .metric = t->measuring.metric ? t->measuring.metric : "",
        .lower_is_better = t->measuring.lower_is_better,
        .train = NAN,
        .valid = NAN,
        .best_round = (size_t)t->best_round,
        .best_valid = t->best_round ? t->best_value : NAN,
        .stopped = t->stopped,
        .bin_seconds = t->bin_seconds,
        .train_seconds = t->train_seconds,
        .evaluate_seconds = t->evaluate_seconds,
    };
    for (size_t i = t->point_count; i-- > 0 && (isnan(state->train) || isnan(state->valid));) {
        if (isnan(state->train))
            state->train = t->points[i].train;
        if (isnan(state->valid))
            state->valid = t->points[i].valid;
    }
}

uint64_t gr_training_kept(const gradus_training *t)
{
    if (t->options.keep == GR_KEEP_BEST && t->best_round)
        return t->best_round;
    return gr_forest_rounds(gr_booster_forest(t->booster));
}
