/* What to fit, with what, and how it is measured: settled and checked before the first round. */
#include "pipeline/train.h"

#include <stdlib.h>
#include <string.h>

static const gr_reduction *reduction_of(const gradus_training *t)
{
    const bool gain = t->options.target == GR_TARGET_GAIN && t->ranker->of_gain;

    return gain ? t->ranker->of_gain : t->ranker->reduction;
}

static bool has_param(const gr_param *params, const char *name)
{
    const gr_operation part = { .params = params };
    gr_param param;

    for (size_t i = 0; params && gr_param_number(&part, i, &param); i++)
        if (strcmp(param.about.name, name) == 0)
            return true;
    return false;
}

/* Options of other learners that this one would pass over in silence are refused. */
static gradus_status check_learner_options(const gradus_training *t, gradus_error *err)
{
    const gr_learner *other;
    gr_param param;

    for (size_t l = 0; (other = gr_learner_number(l)); l++)
        for (size_t i = 0; gr_param_number(&gr_operation_train, i, &param); i++) {
            const char *name = param.about.name;

            if (gr_options_given(t->given, name) && has_param(other->params, name) &&
                !has_param(t->learner->params, name) && !has_param(t->learner->more_params, name))
                return gr_fail(err, GRADUS_BAD_ARGUMENT,
                               "--%s is for the learner '%s', not for '%s'", name,
                               other->about.name, t->learner->about.name);
        }
    return GRADUS_OK;
}

static gradus_status check_ranker_options(const gradus_training *t, gradus_error *err)
{
    const gr_ranker *other;
    gr_param param;

    for (size_t m = 0; gr_rankers_at(m); m++) {
        const gr_operation own = { .params = (other = gr_ranker_number(m))->params };

        for (size_t i = 0; own.params && gr_param_number(&own, i, &param); i++)
            if (gr_options_given(t->given, param.about.name) &&
                !has_param(t->ranker->params, param.about.name))
                return gr_fail(err, GRADUS_BAD_ARGUMENT, "--%s is for %s, not for '%s'",
                               param.about.name, other->about.name, t->ranker->about.name);
    }
    return GRADUS_OK;
}

static bool fits_also(const gradus_training *t)
{
    return t->learner->also && t->ranker->objective == t->learner->also && !t->input.objective;
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
    if (strcmp(t->options.cost, "absolute") != 0 && !t->ranker->reduction->takes_cost &&
        !t->ranker->pair_costs)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "--cost is for cocr and pairrank, not '%s'",
                       method);
    if (!t->learner->any_objective && !fits_also(t) &&
        (t->input.objective || t->options.loss != GR_LOSS_SQUARED ||
         t->ranker->objective != &gr_objective_squared))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the learner '%s' fits by squared error: it is for regression and cocr, not "
                       "for '%s'%s",
                       t->learner->about.name, method,
                       t->ranker->objective == &gr_objective_squared ? " with that loss" : "");
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
    const bool graded = meaning != GR_MEANS_SCORE, cut = gr_meaning_has_thresholds(meaning);
    double unknown[GR_MOST_LEVELS] = { 0.0 }; /* until the learner knows better */
    const gr_scorer wanted = {
        .meaning = meaning,
        .rule = rule,
        .outputs = problem->outputs,
        .levels = graded ? problem->levels : 0,
        .level_labels = graded ? t->posed.level_labels : NULL,
        .weights = graded && problem->weights ? t->posed.weights : NULL,
        .shares = graded ? t->posed.shares : NULL,
        .threshold_sets = cut,
        .thresholds = cut ? unknown : NULL,
    };

    if (!gr_scorer_takes(&wanted, rule))
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
        GR_TRY(gr_measure_outputs(&t->measuring, &t->valid_watch, t->valid_watch.outputs.at, 1.0,
                                  &value, err));
    if (t->options.train_eval_every && !t->input.metric && t->learner->outputs(t->fitted))
        GR_TRY(gr_measure_outputs(&t->measuring, &t->train_watch, t->learner->outputs(t->fitted),
                                  1.0, &value, err));
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

static const gr_objective *objective_of(const gradus_training *t)
{
    if (t->input.objective)
        return &gr_custom_objective;
    return t->options.loss == GR_LOSS_ABSOLUTE ? t->ranker->of_absolute : t->ranker->objective;
}

static double largest_label(const gradus_dataset *data)
{
    double largest = 0.0;

    for (size_t r = 0; r < data->arrays.rows; r++)
        largest =
            (double)data->arrays.labels[r] > largest ? (double)data->arrays.labels[r] : largest;
    return largest;
}

/* Outputs of the validation rows at the start; rounds are added as they come. */
static gradus_status start_valid(gradus_training *t, gradus_error *err)
{
    const size_t rows = t->valid->arrays.rows;
    size_t bytes;

    t->valid_watch.data = t->valid;
    if (!gr_size_times(rows, t->posed.problem.outputs, &bytes) ||
        !gr_size_times(bytes, sizeof(double), &bytes) ||
        !gr_array_reserve(&t->valid_watch.outputs, bytes))
        return gr_fail_memory(err, "validation scores");
    memset(t->valid_watch.outputs.at, 0, bytes);
    if (t->input.initial_valid)
        memcpy(t->valid_watch.outputs.at, t->input.initial_valid, rows * sizeof(double));
    return t->learner->add_outputs(t->fitted, 0, gr_training_rounds(t), t->valid,
                                   t->valid_watch.outputs.at, gr_pool_of(t->context), err);
}

static gradus_status start_learner(gradus_training *t, gradus_error *err)
{
    const gr_fit fit = { .context = t->context,
                         .data = t->train,
                         .problem = &t->posed.problem,
                         .objective = objective_of(t),
                         .options = &t->options,
                         .start = t->input.start,
                         .initial = t->input.initial };

    GR_TRY(gr_training_take_up(t, err));
    if (t->input.initial && t->posed.problem.outputs != 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "scores to begin with need a method with one output");
    t->options.boost.objective.max_grade = largest_label(t->train);
    t->options.boost.objective.custom = t;
    t->options.boost.objective.pair_costs = t->pair_costs;
    GR_TRY(t->learner->start(&fit, &t->fitted, err));
    gr_training_take_thresholds(t);
    t->train_watch.data = t->train;
    if (t->valid)
        GR_TRY(start_valid(t, err));
    return try_metric(t, err);
}

/* Costs of pairs in the population of the training data. */
static gradus_status take_pair_costs(gradus_training *t, gradus_error *err)
{
    const gr_problem *problem = &t->posed.problem;
    const size_t levels = problem->levels;
    const double *labels = problem->level_labels;
    double *costs = gr_new_array(levels * levels, sizeof *costs);

    t->pair_costs = costs;
    if (!costs)
        return gr_fail_memory(err, "costs");
    GR_TRY(gr_cost_covers(&t->cost, labels[levels - 1], err));
    GR_TRY(gr_pair_costs(&t->cost, levels, labels, t->posed.shares, costs, err));
    if (!(costs[levels - 1] > 0.0))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%s' needs a cost of ranking grade %g under grade %g, and it is 0",
                       t->ranker->about.name, labels[levels - 1], labels[0]);
    if (!t->options.boost.objective.pairrank.plain)
        gr_pair_costs_note(costs, levels, labels, t->ranker->about.name, t->context);
    return GRADUS_OK;
}

gradus_status gr_training_set_up(gradus_training *t, gradus_error *err)
{
    t->ranker = gr_ranker_number((size_t)t->options.method);
    t->learner = gr_learner_number((size_t)t->options.learner);
    t->train = t->input.train;
    t->valid = t->input.valid;
    GR_TRY(check_options(t, err));
    GR_TRY(check_learner_options(t, err));
    GR_TRY(check_ranker_options(t, err));
    GR_TRY(gr_cost_choose(t->options.cost, &t->cost, err));
    if (t->cost.cost && !t->cost.cost->of && !t->ranker->pair_costs)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the cost '%s' is of pairs in a list: it is not the cost of a wrong grade",
                       t->options.cost);
    GR_TRY(look_at(t, t->train, t->input.initial, &t->fingerprint, err));
    if (t->valid)
        GR_TRY(look_at(t, t->valid, t->input.initial_valid, &t->valid_fingerprint, err));
    GR_TRY(gr_pose(t->train, t->ranker, reduction_of(t), &t->cost, &t->posed, err));
    if (reduction_of(t)->takes_cost)
        gr_cost_note_shape(&t->cost, t->posed.level_labels, t->posed.problem.levels, t->context);
    if (t->ranker->pair_costs)
        GR_TRY(take_pair_costs(t, err));
    if (t->valid)
        GR_TRY(check_valid(t, err));
    GR_TRY(settle_scorer(t, err));
    GR_TRY(settle_metric(t, err));
    GR_TRY(transform_sets(t, err));
    return start_learner(t, err);
}
