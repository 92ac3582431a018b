/* SPDX-License-Identifier: Apache-2.0 */
/* Learners fit the outputs of a problem: boosted trees, nets and the others in learners.def. To add
 * one: the algorithm in learners/<name>/, a file pipeline/learners/<name>.c that ends in a `const
 * gr_learner`, a kind of node in model/, and a row in learners.def. */
#ifndef GR_PIPELINE_LEARNER_H
#define GR_PIPELINE_LEARNER_H

#include "model/model.h"
#include "objectives/objective.h"

struct gr_train_options;
struct gr_measuring;

/* The input of a learner. Everything outlives it. */
typedef struct gr_fit {
    const gradus_context *context;
    const gradus_dataset *data;     /* transformed */
    const gradus_dataset *valid;    /* transformed the same way; NULL: none */
    struct gr_measuring *measuring; /* how validation data are evaluated */
    const gr_problem *problem;
    const struct gr_ranker *ranker; /* the method */
    const gr_objective *objective;  /* squared error, unless the learner takes any objective */
    const struct gr_train_options *options;
    const gradus_model *start; /* warm start, of the same method and learner; NULL: none */
    const double *initial;     /* initial outputs, outputs x rows; NULL: none */
    uint64_t last_round;       /* last round that may be requested, counting those of start */
} gr_fit;

typedef struct gr_learner {
    gr_about about;
    bool any_objective;       /* else only squared error */
    const gr_objective *also; /* another objective that it fits; NULL: none */
    bool by_method;           /* only for methods with their own learner of this name */
    bool by_rounds;           /* supports truncation to k rounds and warm start */
    size_t feature_bytes;     /* memory per feature of the data, as measured */
    size_t row_bytes;         /* memory per training row with one output; 0: not estimated */
    size_t value_bytes;       /* per stored value */
    size_t cell_bytes;        /* per row and feature, whether stored or not */
    /* For learners that depend on feature scales: what --transform auto means without validation
     * data; tuning tries transforms. NULL: scales do not matter. */
    const char *transform;
    const gr_param *params, *more_params;        /* its own, and others it reads; NULL: none */
    const struct gr_data_default *data_defaults; /* chosen by the size of the data; NULL: none */
    const char *reads; /* space-separated names of other single options it reads; NULL: none */
    /* Rejects given options that other given options make meaningless. NULL: none. */
    gradus_status (*check)(const struct gr_train_options *options, const gradus_options *given,
                           gradus_error *err);
    /* Additional bytes per feature under these options; NULL: none. */
    double (*more_bytes)(const struct gr_train_options *options);
    gradus_status (*start)(const gr_fit *fit, void **state, gradus_error *err);
    /* One round, or the whole fit. *grew: whether further rounds may improve it. */
    gradus_status (*step)(void *state, bool *grew, gradus_error *err);
    uint64_t (*rounds)(const void *state);
    /* Steps taken since the start, each on sampled data; NULL: rounds use all rows. */
    uint64_t (*steps)(const void *state);
    /* Of the training rows: outputs x rows; may be NULL before the first round. */
    const double *(*outputs)(const void *state);
    /* Adds rounds [first, end) to sums (outputs x rows) of any rows; round 0 includes the base
     * scores. Learners with `keep` or `models` instead write the outputs after the last round. */
    gradus_status (*add_outputs)(const void *state, uint64_t first, uint64_t end,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err);
    /* For learners that evaluate validation data themselves, instead of add_outputs: whether an
     * evaluation is due after a round that is not the last, and the value of the metric after the
     * last round. */
    bool (*due)(const void *state, uint64_t round);
    gradus_status (*look)(void *state, double *value, gradus_error *err);
    /* The factor that turns sums over `rounds` rounds into outputs; NULL: 1. */
    double (*share)(const void *state, uint64_t rounds);
    /* Number of models trained together, of which the validation data select one; NULL: 1. */
    size_t (*models)(const void *state);
    void (*choose)(void *state, size_t model); /* whose outputs are used from now on */
    void (*describe)(const void *state, size_t model, char *text, size_t size); /* for a note */
    /* Snapshots the selected model, which is the best so far: node() will be called for this round
     * or the last one. NULL: node() can return any round. */
    gradus_status (*keep)(void *state, gradus_error *err);
    /* The first `rounds` rounds as a model node. */
    gradus_status (*node)(const void *state, uint64_t rounds, gr_node *node, gradus_error *err);
    /* For learners whose models have several nodes: adds the nodes of the first `rounds` rounds, or
     * of a checkpoint, and the results they report. NULL: node() is used. */
    gradus_status (*add_nodes)(const void *state, uint64_t rounds, bool finished,
                               gradus_model *model, gradus_error *err);
    /* Additional state that a checkpoint needs for resuming; NULL: none. */
    gradus_status (*state_node)(const void *state, gr_node *node, gradus_error *err);
    /* For problems with thresholds: sets x (levels - 1), as in gr_scorer; one set, or one more than
     * the rounds. NULL: the learner fits none. */
    const double *(*thresholds)(const void *state, size_t *sets);
    /* Reports statistics of the fit; leaves unknown fields unchanged. NULL: none. */
    void (*say)(const void *state, gr_fit_facts *facts);
    /* Why to stop, after a step that did not grow; "" or NULL: nothing is left to fit. */
    const char *(*why_done)(const void *state);
    /* Numbers to report and store in the model, for the node last returned; false past the last.
     * NULL: none. */
    bool (*result)(const void *state, size_t index, const char **name, double *value);
    /* Seconds spent preparing the data. */
    double (*preparing)(const void *state);
    void (*end)(void *state); /* accepts NULL */
} gr_learner;

/* Passes the thresholds of the warm-start model, if there is one, to the objective. */
void gr_start_thresholds(const gr_fit *fit, gr_objective_options *options);
/* Fails unless the warm-start model has the data's features and outputs. */
gradus_status gr_start_fits(const gr_fit *fit, size_t features, size_t outputs, gradus_error *err);

#define GR_LEARNER(name, text) extern const gr_learner gr_learner_##name;
#include "pipeline/learners.def"
#undef GR_LEARNER

extern const char *const gr_learner_names[]; /* NULL-terminated */
const gr_learner *gr_learner_number(size_t index);
const gr_about *gr_learners_at(size_t index); /* NULL past the last */

#endif
