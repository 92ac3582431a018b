/* Bagged model trees as a learner: each round draws rows and grows a tree an output on them. */
#include "pipeline/learners/m5p.h"

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    return gr_m5_rounds_start(fit, true, state, err);
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    gr_m5_rounds *rounds = state;
    const gr_train_options *options = rounds->fit.options;

    *grew = true;
    GR_TRY(gr_m5_draw(rounds->fit.problem, &options->m5, options->boost.seed,
                      gr_m5_rounds_done(rounds), rounds->counts, err));
    return gr_m5_rounds_add(rounds, rounds->counts, err);
}

static double share(const void *state, uint64_t rounds)
{
    (void)state;
    return rounds ? 1.0 / (double)rounds : 1.0;
}

const gr_learner gr_learner_bagged_m5p = {
    .about = { "bagged-m5p", "model trees on samples of the rows, averaged",
               "Each round draws a share of the rows (or of the queries, whole) with replacement "
               "and "
               "grows the trees of 'm5p' on them; the outputs of the rounds are averaged. A prefix "
               "of the rounds is what fewer rounds would have given. Breiman (1996)." },
    .by_rounds = true,
    .params = gr_m5_params,
    .more_params = gr_bin_params,
    .start = start,
    .step = step,
    .rounds = gr_m5_rounds_done,
    .outputs = gr_m5_rounds_outputs,
    .add_outputs = gr_m5_rounds_add_outputs,
    .share = share,
    .node = gr_m5_rounds_node,
    .preparing = gr_m5_rounds_preparing,
    .end = gr_m5_rounds_end,
};
