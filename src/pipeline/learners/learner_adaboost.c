/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "adaboost": AdaBoost.MH (Schapire and Singer, 1999). Outputs are the sums of votes
 * divided by their largest possible value. */
#include "pipeline/learners/learner_adaboost.h"

#include "base/math.h"
#include "learners/adaboost/adaboost.h"
#include "learners/boost/boost.h"
#include "model/state_node.h"
#include "model/votes_node.h"
#include "pipeline/train_options.h"

#include <stdlib.h>
#include <string.h>

typedef struct fitting {
    gr_fit fit;
    gr_bin_options bin;
    gr_adaboost *boost;
} fitting;

static void free_state(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    gr_adaboost_free(f->boost);
    free(f);
}

/* Rejects options of base classifiers that were not chosen. */
static gradus_status check(const gr_train_options *options, const gradus_options *given,
                           gradus_error *err)
{
    static const char *const bases[] = { "tree", "product", "stump" };
    const int base = GR_TRAIN_BLOCK(options, adaboost)->base;
    const char *name = NULL;

    if (base != GR_BASE_TREE && gr_options_given(given, "leaves"))
        name = "leaves";
    else if (base != GR_BASE_TREE && gr_options_given(given, "real-leaves"))
        name = "real-leaves";
    else if (base != GR_BASE_PRODUCT && gr_options_given(given, "terms"))
        name = "terms";
    if (!name)
        return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' is for 'base %s', not for '%s'", name,
                   bases[strcmp(name, "terms") == 0 ? GR_BASE_PRODUCT : GR_BASE_TREE], bases[base]);
}

/* Checkpoints also store the edge of the last round and the logarithm of the error bound. */
static gradus_status state_node(const void *state, gr_node *made, gradus_error *err)
{
    const gr_adaboost *boost = ((const fitting *)state)->boost;
    double *numbers;

    GR_TRY(gr_state_node_new(2, &numbers, made, err));
    numbers[0] = gr_adaboost_edge(boost);
    numbers[1] = gr_adaboost_log_bound(boost);
    return GRADUS_OK;
}

/* Models to start from, and checkpoints of early versions, have no state. */
static void take_state(fitting *f)
{
    const gr_state *saved = f->fit.start ? gr_model_state(f->fit.start) : NULL;

    if (saved && saved->count == 2)
        gr_adaboost_set_bound(f->boost, saved->at[0], saved->at[1]);
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    const gr_train_options *options = fit->options;
    fitting *f;

    GR_TRY(gr_refuse_initial(fit, err));
    f = calloc(1, sizeof *f);
    if (!f)
        return gr_fail_memory(err, "training");
    f->fit = *fit;
    f->bin = *GR_TRAIN_BLOCK(options, bin);
    f->bin.seed = options->seed;
    const gr_adaboost_task task = { .context = fit->context,
                                    .data = fit->data,
                                    .problem = fit->problem,
                                    .options = GR_TRAIN_BLOCK(options, adaboost),
                                    .bin = &f->bin,
                                    .leaves = GR_TRAIN_BLOCK(options, boost)->tree.leaves,
                                    .start = fit->start ? gr_model_votes(fit->start) : NULL };

    f->boost = gr_adaboost_new(&task, err);
    if (!f->boost) {
        free_state(f);
        return err->status;
    }
    take_state(f);
    *state = f;
    return GRADUS_OK;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    return gr_adaboost_step(((fitting *)state)->boost, grew, err);
}

static uint64_t rounds_done(const void *state)
{
    return gr_adaboost_votes(((const fitting *)state)->boost)->rounds;
}

static const double *train_sums(const void *state)
{
    return gr_adaboost_sums(((const fitting *)state)->boost);
}

static gradus_status add_outputs(const void *state, uint64_t first, uint64_t last,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    return gr_votes_add_sums(gr_adaboost_votes(((const fitting *)state)->boost), (size_t)first,
                             (size_t)last, data, sums, pool, err);
}

static double scale(const void *state, uint64_t count)
{
    const gr_votes *votes = gr_adaboost_votes(((const fitting *)state)->boost);

    return count ? 1.0 / gr_votes_reach(votes, (size_t)count) : 1.0;
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    gr_votes copy;
    gradus_status status;

    GR_TRY(gr_votes_copy(gr_adaboost_votes(((const fitting *)state)->boost), (size_t)kept, &copy,
                         err));
    status = gr_votes_node_new(&copy, made, err);
    gr_votes_free(&copy);
    return status;
}

static const char *why_done(const void *state)
{
    const gr_adaboost *boost = ((const fitting *)state)->boost;

    return gr_adaboost_separated(boost)      ? "the training rows are classified without error"
           : gr_adaboost_edge(boost) < 1e-12 ? "no classifier has an edge over chance"
                                             : "";
}

static bool result(const void *state, size_t index, const char **name, double *value)
{
    const gr_adaboost *boost = ((const fitting *)state)->boost;

    if (index > 1 || gr_adaboost_votes(boost)->rounds == 0)
        return false;
    *name = index ? "training error bound" : "last edge";
    *value = index ? gr_exp(gr_adaboost_log_bound(boost)) : gr_adaboost_edge(boost);
    return true;
}

static double preparation_seconds(const void *state)
{
    return gr_adaboost_preparing(((const fitting *)state)->boost);
}

static const gr_param *const params[] = { gr_adaboost_params, gr_bin_params, NULL };

static const gr_learner_outputs outputs = { .add = add_outputs,
                                            .train = train_sums,
                                            .scale = scale };
static const gr_learner_rounds rounds = { .done = rounds_done };
static const gr_learner_report report = { .why_done = why_done,
                                          .result = result,
                                          .preparation_seconds = preparation_seconds };

const gr_learner gr_learner_adaboost = {
    .about = { "adaboost", "votes of trees or products of stumps, weighted by their edge",
               "Discrete AdaBoost.MH on binned features. Models can be truncated to fewer "
               "rounds." },
    .by_method = true,
    .alone =
        "its weights of rows and grades are multiplied in every round and summed in the order of the rows; use mcrank",
    .params = params,
    .reads = "leaves",
    .check = check,
    .feature_bytes = 72,
    .start = start,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .rounds = &rounds,
    .report = &report,
    .state_node = state_node,
};

const gr_learner *const gr_adaboost_learners[] = { &gr_learner_adaboost, NULL };
