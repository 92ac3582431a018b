/* Stochastic gradients as a learner. A round is a share of the steps. The weights of earlier rounds
 * are gone, but for those of the best one. */
#include "pipeline/train.h"

#include <stdlib.h>
#include <string.h>

typedef struct fitting {
    gr_fit fit;
    gr_sgd *sgd;
    size_t model;      /* of the grid, that outputs are of */
    gr_linear current; /* its equations after round current_round */
    uint64_t current_round;
    size_t current_model;
    gr_linear kept;
    uint64_t kept_round; /* 0: none is kept */
    gr_array outputs;    /* of the training rows, if they are to be measured */
} fitting;

static void end(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    gr_sgd_free(f->sgd);
    gr_linear_free(&f->current);
    gr_linear_free(&f->kept);
    gr_array_free(&f->outputs);
    free(f);
}

static gr_sgd_loss loss_of(const gr_fit *fit)
{
    return fit->options->loss == GR_LOSS_LOGISTIC ? GR_SGD_LOGISTIC
           : fit->options->loss == GR_LOSS_HINGE  ? GR_SGD_HINGE
                                                  : GR_SGD_SQUARED;
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    const gr_sgd_task task = { .context = fit->context,
                               .data = fit->data,
                               .problem = fit->problem,
                               .options = &fit->options->sgd,
                               .loss = loss_of(fit),
                               .seed = fit->options->boost.seed,
                               .rounds = fit->options->rounds };
    fitting *f;

    if (fit->initial || fit->start)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the learner 'sgd' does not go on from %s to begin with",
                       fit->initial ? "scores" : "a model");
    f = calloc(1, sizeof *f);
    if (!f)
        return gr_fail_memory(err, "training");
    f->fit = *fit;
    f->sgd = gr_sgd_new(&task, err);
    if (!f->sgd) {
        end(f);
        return err->status;
    }
    *state = f;
    return GRADUS_OK;
}

static gradus_status bring_up(fitting *f, gradus_error *err)
{
    if (f->current.own && f->current_round == gr_sgd_rounds(f->sgd) && f->current_model == f->model)
        return GRADUS_OK;
    gr_linear_free(&f->current);
    GR_TRY(gr_sgd_linear(f->sgd, f->model, &f->current, err));
    f->current_round = gr_sgd_rounds(f->sgd);
    f->current_model = f->model;
    return GRADUS_OK;
}

/* Not added but written: the outputs of a round are not a sum over rounds. */
static gradus_status add_outputs(const void *state, uint64_t first, uint64_t last,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    fitting *f = (fitting *)(uintptr_t)state;

    if (first == last)
        return GRADUS_OK;
    GR_TRY(bring_up(f, err));
    memset(sums, 0, f->current.outputs * data->arrays.rows * sizeof *sums);
    return gr_linear_add(&f->current, data, sums, pool, err);
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;
    const gr_fit *fit = &f->fit;
    const uint64_t every = fit->options->train_eval_every;
    const size_t bytes = fit->problem->outputs * fit->problem->rows * sizeof(double);

    *grew = true;
    GR_TRY(gr_sgd_round(f->sgd, err));
    if (every == 0)
        return GRADUS_OK;
    if (!gr_array_reserve(&f->outputs, bytes))
        return gr_fail_memory(err, "outputs");
    return add_outputs(state, 0, 1, fit->data, f->outputs.at, gr_pool_of(fit->context), err);
}

static uint64_t rounds(const void *state)
{
    return gr_sgd_rounds(((const fitting *)state)->sgd);
}

static const double *outputs(const void *state)
{
    return ((const fitting *)state)->outputs.at;
}

static size_t models(const void *state)
{
    return gr_sgd_models(((const fitting *)state)->sgd);
}

static void choose(void *state, size_t model)
{
    ((fitting *)state)->model = model;
}

static gradus_status keep(void *state, gradus_error *err)
{
    fitting *f = state;

    GR_TRY(bring_up(f, err));
    gr_linear_free(&f->kept);
    GR_TRY(gr_linear_copy(&f->current, &f->kept, err));
    f->kept_round = f->current_round;
    return GRADUS_OK;
}

static gradus_status node(const void *state, uint64_t wanted, gr_node *made, gradus_error *err)
{
    fitting *f = (fitting *)(uintptr_t)state;
    gr_linear copy;
    gradus_status status;

    if (wanted == f->kept_round && wanted != 0) {
        GR_TRY(gr_linear_copy(&f->kept, &copy, err));
    } else {
        GR_TRY(bring_up(f, err));
        GR_TRY(gr_linear_copy(&f->current, &copy, err));
    }
    status = gr_linear_node_new(&copy, made, err);
    gr_linear_free(&copy);
    return status;
}

static double preparing(const void *state)
{
    (void)state;
    return 0.0;
}

const gr_learner gr_learner_sgd = {
    .about = { "sgd", "linear models by stochastic gradients, on rows and pairs of rows",
               "Steps against the gradient of the loss of a row or a pair of rows drawn at random. "
               "A "
               "step takes time by the values of the rows that are not 0, so that sparse data of "
               "any width and files larger than memory are fine. Sculley (2010)." },
    .by_rounds = true,
    .by_method = true,
    .params = gr_sgd_params,
    .start = start,
    .step = step,
    .rounds = rounds,
    .outputs = outputs,
    .add_outputs = add_outputs,
    .models = models,
    .choose = choose,
    .keep = keep,
    .node = node,
    .preparing = preparing,
    .end = end,
};
