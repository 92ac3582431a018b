/* SPDX-License-Identifier: Apache-2.0 */
/* What fits the outputs of a problem: boosted trees, and what else learners.def names. To add one:
 * the algorithm in learners/<name>/, a file pipeline/learners/<name>.c that ends in a
 * `const gr_learner`, a kind of node in model/, and a row in learners.def. */
#ifndef GR_PIPELINE_LEARNER_H
#define GR_PIPELINE_LEARNER_H

#include "model/model.h"
#include "objectives/objective.h"

struct gr_train_options;
struct gr_measuring;

/* What a learner is asked for. Everything outlives it. */
typedef struct gr_fit {
    const gradus_context *context;
    const gradus_dataset *data;     /* transformed */
    const gradus_dataset *valid;    /* the same way; NULL: none */
    struct gr_measuring *measuring; /* what values of valid are taken with */
    const gr_problem *problem;
    const struct gr_ranker *ranker; /* the method */
    const gr_objective *objective;  /* squared, unless the learner takes any */
    const struct gr_train_options *options;
    const gradus_model *start; /* to go on from, of the same method and learner; NULL: none */
    const double *initial;     /* outputs to begin with, outputs x rows; NULL: none */
    uint64_t last_round;       /* that may be asked for, those of the start included */
} gr_fit;

typedef struct gr_learner {
    gr_about about;
    bool any_objective;       /* else only the squared error */
    const gr_objective *also; /* one objective beside the squared error that it fits; NULL: none */
    bool by_method;           /* only for methods that have one of this name of their own */
    bool by_rounds;           /* a prefix of its rounds is a model, and one can be gone on from */
    size_t feature_bytes;     /* of memory per feature of the data, as measured */
    /* Scales of features matter: --transform auto is this without validation data, and tuning tries
     * transforms. NULL: they do not. */
    const char *transform;
    const gr_param *params, *more_params;        /* its own, and others it reads; NULL: no others */
    const struct gr_data_default *data_defaults; /* chosen by the size of the data; NULL: none */
    const char *reads; /* names of single ones of others that it reads, in words; NULL: none */
    /* Refuses options that were given and would be passed over, by others; NULL: there are none. */
    gradus_status (*check)(const struct gr_train_options *options, const gradus_options *given,
                           gradus_error *err);
    /* Bytes per feature besides, by the options; NULL: none. */
    double (*more_bytes)(const struct gr_train_options *options);
    gradus_status (*start)(const gr_fit *fit, void **state, gradus_error *err);
    /* One round, or all there is. *grew: whether more rounds may bring more. */
    gradus_status (*step)(void *state, bool *grew, gradus_error *err);
    uint64_t (*rounds)(const void *state);
    /* Steps taken since the start, each on something drawn; NULL: rounds go over all rows. */
    uint64_t (*steps)(const void *state);
    /* Of the training rows: outputs x rows; NULL if there are none before the first round. */
    const double *(*outputs)(const void *state);
    /* Adds rounds [first, end) to sums (outputs x rows) of any rows; what all rows start with comes
     * with round 0. Learners with `keep` write the outputs after the last round instead. */
    gradus_status (*add_outputs)(const void *state, uint64_t first, uint64_t end,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err);
    /* Of learners that see to the validation data themselves, instead of add_outputs: whether they
     * have something to measure after a round that is not the last, and the value of the metric
     * after the last round. */
    bool (*due)(const void *state, uint64_t round);
    gradus_status (*look)(void *state, double *value, gradus_error *err);
    /* What sums over so many rounds are multiplied by to be outputs; NULL: 1. */
    double (*share)(const void *state, uint64_t rounds);
    /* Models that are trained side by side, of which the validation data choose one; NULL: one. */
    size_t (*models)(const void *state);
    void (*choose)(void *state, size_t model); /* what outputs are of, from now on */
    void (*describe)(const void *state, size_t model, char *text, size_t size); /* for a note */
    /* The round just done, of the model chosen, is the best so far: node() will be asked for it, or
     * for the last one. NULL: node() knows every round. */
    gradus_status (*keep)(void *state, gradus_error *err);
    /* The first rounds as a node of a model. */
    gradus_status (*node)(const void *state, uint64_t rounds, gr_node *node, gradus_error *err);
    /* The nodes of the model of the first rounds, or of a checkpoint of all of them, and what it
     * tells of them: of learners whose models have several. NULL: node() is all. */
    gradus_status (*add_nodes)(const void *state, uint64_t rounds, bool finished,
                               gradus_model *model, gradus_error *err);
    /* What a checkpoint keeps beside, to go on from; NULL: the model is all there is. */
    gradus_status (*state_node)(const void *state, gr_node *node, gradus_error *err);
    /* Of problems with thresholds: sets x (levels - 1), as a gr_scorer keeps them; one set, or one
     * more than there are rounds. NULL: the learner fits none. */
    const double *(*thresholds)(const void *state, size_t *sets);
    /* What it can say of the fit, for the model; what it knows nothing of stays. NULL: nothing. */
    void (*say)(const void *state, gr_fit_facts *facts);
    /* Why no more rounds are wanted, after a step that did not grow; "" or NULL: nothing is left to
     * fit. */
    const char *(*why_done)(const void *state);
    /* Numbers that tell of the fit, for the model to keep; false past the last. NULL: none. Of the
     * last node that was asked for. */
    bool (*result)(const void *state, size_t index, const char **name, double *value);
    /* Seconds spent on preparing the data. */
    double (*preparing)(const void *state);
    void (*end)(void *state); /* takes NULL */
} gr_learner;

/* Thresholds of the model to go on from, for the objective; none if there is no such model. */
void gr_start_thresholds(const gr_fit *fit, gr_objective_options *options);
/* Fails unless a model to go on from, of so many features and outputs, is of the fit's. */
gradus_status gr_start_fits(const gr_fit *fit, size_t features, size_t outputs, gradus_error *err);

#define GR_LEARNER(name, text) extern const gr_learner gr_learner_##name;
#include "pipeline/learners.def"
#undef GR_LEARNER

extern const char *const gr_learner_names[]; /* NULL ends it */
const gr_learner *gr_learner_number(size_t index);
const gr_about *gr_learners_at(size_t index); /* NULL past the last */

#endif
