/* SPDX-License-Identifier: Apache-2.0 */
/* The exact linear solver of RankSVM, in a single step. A list of lambdas trains one model each, of
 * which the validation data select one. */
#include "pipeline/learners/learner_ranksvm.h"

#include "base/grid.h"
#include "base/text.h"
#include "learners/ranksvm/ranksvm.h"
#include "learners/sgd/sgd.h"
#include "learners/weak/weak.h"
#include "model/linear_node.h"
#include "pipeline/ranker.h"
#include "pipeline/train_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fitting {
    gr_fit fit;
    double lambdas[GR_GRID_VALUES];
    size_t count, chosen;
    double *weights; /* count x features */
    gr_ranksvm_fit *found;
} fitting;

static void free_state(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    free(f->weights);
    free(f->found);
    free(f);
}

static gradus_status begin(fitting *f, gradus_error *err)
{
    const gr_fit *fit = &f->fit;
    const char *lambdas = GR_TRAIN_BLOCK(fit->options, sgd)->lambda;

    if (fit->initial || fit->start)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' cannot start from %s",
                       fit->ranker->about.name, fit->initial ? "initial scores" : "a model");
    GR_TRY(gr_grid_parse(lambdas, "lambda", 1e-12, 1e12, f->lambdas, &f->count, err));
    f->weights = gr_new_array(fit->data->arrays.features, f->count * sizeof *f->weights);
    f->found = gr_new_array(f->count, sizeof *f->found);
    return f->weights && f->found ? GRADUS_OK : gr_fail_memory(err, "training");
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    fitting *f = calloc(1, sizeof *f);

    if (!f)
        return gr_fail_memory(err, "training");
    f->fit = *fit;
    if (begin(f, err) != GRADUS_OK) {
        free_state(f);
        return err->status;
    }
    *state = f;
    return GRADUS_OK;
}

static gradus_status linear_now(const fitting *f, gr_linear *linear, gradus_error *err)
{
    return gr_weak_linear(f->fit.data, f->weights + f->chosen * f->fit.data->arrays.features,
                          linear, gr_pool_of(f->fit.context), err);
}

/* Overwrites instead of adding: there may be several models. */
static gradus_status add_outputs(const void *state, uint64_t first, uint64_t last,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    const fitting *f = state;
    gr_linear linear = { .features = 0 };
    gradus_status status;

    (void)first;
    (void)last;
    GR_TRY(linear_now(f, &linear, err));
    memset(sums, 0, data->arrays.rows * sizeof *sums);
    status = gr_linear_add(&linear, data, sums, pool, err);
    gr_linear_free(&linear);
    return status;
}

/* Each lambda starts from the solution of the previous one. */
static gradus_status solve(fitting *f, size_t i, gradus_error *err)
{
    const gr_fit *fit = &f->fit;
    const size_t features = fit->data->arrays.features;
    const int sampling = GR_TRAIN_BLOCK(fit->options, sgd)->sampling;
    const gr_ranksvm_task task = { .context = fit->context,
                                   .data = fit->data,
                                   .problem = fit->problem,
                                   .lambda = f->lambdas[i],
                                   .by_query = sampling == GR_PAIRS_BY_QUERY,
                                   .gap = GR_TRAIN_BLOCK(fit->options, ranksvm)->gap };
    double *weights = f->weights + i * features;

    if (i > 0)
        memcpy(weights, weights - features, features * sizeof *weights);
    GR_TRY(gr_ranksvm_train(&task, weights, &f->found[i], err));
    if (!f->found[i].converged)
        gr_note(
            fit->context,
            "lambda %g: stopped with a duality gap of %.3g, which is %.2g of the objective: scale "
            "the features ('transform standardise') or increase 'lambda'",
            f->lambdas[i], f->found[i].gap, f->found[i].gap / f->found[i].objective);
    return GRADUS_OK;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;

    *grew = false;
    for (size_t i = 0; i < f->count; i++)
        GR_TRY(solve(f, i, err));
    if (f->found[0].skipped)
        gr_note(f->fit.context, "%zu of %zu queries %s rows of one grade only, and %s skipped",
                f->found[0].skipped, f->fit.problem->queries,
                gr_plural(f->found[0].skipped, "has", "have"),
                gr_plural(f->found[0].skipped, "is", "are"));
    return GRADUS_OK;
}

static size_t models(const void *state)
{
    return ((const fitting *)state)->count;
}

static void select_model(void *state, size_t model)
{
    ((fitting *)state)->chosen = model;
}

static void describe(const void *state, size_t model, char *text, size_t size)
{
    snprintf(text, size, "lambda %g", ((const fitting *)state)->lambdas[model]);
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    const fitting *f = state;
    gr_linear linear = { .features = 0 };
    gradus_status status;

    (void)kept;
    GR_TRY(linear_now(f, &linear, err));
    status = gr_linear_node_new(&linear, made, err);
    gr_linear_free(&linear);
    return status;
}

static bool result(const void *state, size_t index, const char **name, double *value)
{
    const fitting *f = state;
    const gr_ranksvm_fit *found = &f->found[f->chosen];
    const struct {
        const char *name;
        double value;
    } all[] = {
        { "lambda", f->lambdas[f->chosen] },
        { "objective", found->objective },
        { "duality gap", found->gap },
        { "pairs", found->pairs },
        { "steps", (double)found->steps },
        { "products", (double)found->products },
        { "queries skipped", (double)found->skipped },
    };

    if (index >= sizeof all / sizeof *all)
        return false;
    *name = all[index].name;
    *value = all[index].value;
    return true;
}

static const gr_param *const params[] = { gr_ranksvm_params, NULL };

static const gr_learner_outputs outputs = { .add = add_outputs };
static const gr_learner_selection selection = { models, select_model, describe };
static const gr_learner_report report = { .result = result };

const gr_learner gr_learner_ranksvm_linear = {
    .about = { "linear", "a linear function, by Newton's method to convergence",
               "Minimises lambda/2 |w|^2 plus the mean squared hinge loss of pairs, until the "
               "duality gap is --hinge-gap of the objective. A list of --lambda is a grid." },
    .by_method = true,
    .transform = "standardise",
    .alone =
        "each step of Newton's method sums pairs in the order of the rows; use pairrank or lambdamart",
    .params = params,
    .reads = "lambda sampling",
    .feature_bytes = 80,
    .start = start,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .selection = &selection,
    .report = &report,
};
