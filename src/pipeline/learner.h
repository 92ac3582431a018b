/* SPDX-License-Identifier: Apache-2.0 */
/* Learners fit the outputs of a problem: boosted trees, nets and the others in learners.def. To add
 * one: the algorithm and its options in learners/<name>/, a file pipeline/learners/learner_<name>.c
 * that ends in a `const gr_learner`, a kind of node in model/, and rows in learners.def. */
#ifndef GR_PIPELINE_LEARNER_H
#define GR_PIPELINE_LEARNER_H

#include "bins/bins.h"
#include "model/model.h"
#include "objectives/objective.h"

struct gr_boost_device;
struct gr_forest;
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
    const gr_objective_options *objective_options; /* parameters, gains, costs of pairs */
    const gradus_model *start; /* warm start, of the same method and learner; NULL: none */
    const double *initial;     /* initial outputs, outputs x rows; NULL: none */
    uint64_t last_round;       /* last round that may be requested, counting those of start */
} gr_fit;

/* The outputs of rows: sums over rounds. */
typedef struct gr_learner_outputs {
    /* Adds rounds [first, end) to sums (outputs x rows) of any rows; round 0 includes the base
     * scores. Learners with `snapshot` or `selection` instead write the outputs after the last
     * round. */
    gradus_status (*add)(const void *state, uint64_t first, uint64_t end,
                         const gradus_dataset *data, double *sums, gr_pool *pool,
                         gradus_error *err);
    /* The sums of the training rows, for learners that keep them; NULL: computed by add. */
    const double *(*train)(const void *state);
    /* Brings them up to date, if a device keeps them. NULL: they are. */
    gradus_status (*fetch)(void *state, gradus_error *err);
    /* The functions of the device that keeps them, and what these are called with; NULL: they are in
     * memory. */
    const struct gr_boost_device *(*device)(const void *state, void **boosting);
    /* The factor that turns sums over `rounds` rounds into outputs; NULL: 1. */
    double (*scale)(const void *state, uint64_t rounds);
    /* The trees that `add` adds, in their order, so that a device can do it; NULL: they are not
     * trees. */
    const struct gr_forest *(*forest)(const void *state);
} gr_learner_outputs;

/* Training in rounds, with truncation to k rounds and warm start. */
typedef struct gr_learner_rounds {
    uint64_t (*done)(const void *state);
    /* Steps taken since the start, each on sampled data; NULL: rounds use all rows. */
    uint64_t (*steps)(const void *state);
    /* Whether rounds sample rows or features, so that one without a split can be followed by one
     * with splits; NULL: no. */
    bool (*samples)(const struct gr_train_options *options);
    /* Snapshots the selected model, which is the best so far: node() will be called for this round
     * or the last one. NULL: node() can return any round. */
    gradus_status (*snapshot)(void *state, gradus_error *err);
} gr_learner_rounds;

/* Several models trained together, of which the validation data select one. */
typedef struct gr_learner_selection {
    size_t (*models)(const void *state);
    void (*select)(void *state, size_t model); /* whose outputs are used from now on */
    void (*describe)(const void *state, size_t model, char *text, size_t size); /* for a note */
} gr_learner_selection;

/* For learners that evaluate validation data themselves. */
typedef struct gr_learner_validation {
    /* Whether an evaluation is due after a round that is not the last. */
    bool (*due)(const void *state, uint64_t round);
    /* The value of the metric after the last round. */
    gradus_status (*validate)(void *state, double *value, gradus_error *err);
} gr_learner_validation;

/* What is reported about a fit; each function may be NULL. */
typedef struct gr_learner_report {
    /* Statistics of the fit; leaves unknown fields unchanged. */
    void (*facts)(const void *state, gr_fit_facts *facts);
    /* Why to stop, after a step that did not grow; "": nothing is left to fit. */
    const char *(*why_done)(const void *state);
    /* Numbers to report and store in the model, for the node last returned; false past the last. */
    bool (*result)(const void *state, size_t index, const char **name, double *value);
    double (*preparation_seconds)(const void *state);
} gr_learner_report;

/* The core comes first; capabilities follow, NULL if the learner does not have them. */
typedef struct gr_learner {
    gr_about about;
    bool any_objective;       /* else only squared error */
    const gr_objective *also; /* another objective that it fits; NULL: none */
    bool by_method;           /* only for methods with their own learner of this name */
    bool distributed;         /* rows may be divided among processes */
    bool on_devices;          /* it can use a device */
    const char *alone;        /* if not, why, and what to use; NULL: sums depend on the order */
    bool quadratic;           /* time grows with the square of the rows, or faster */
    size_t feature_bytes;     /* memory per feature of the data, as measured */
    size_t row_bytes;         /* memory per training row with one output; 0: not estimated */
    size_t value_bytes;       /* per stored value */
    size_t cell_bytes;        /* per row and feature, whether stored or not */
    /* For learners that depend on feature scales: what --transform auto means without validation
     * data; tuning tries transforms. NULL: scales do not matter. */
    const char *transform;
    bool needs_clear_gain; /* with validation data, another transform needs a gain beyond noise */
    const gr_param *const *params; /* the tables of options it reads; NULL-terminated */
    const char *reads; /* space-separated names of other single options it reads; NULL: none */
    gradus_status (*start)(const gr_fit *fit, void **state, gradus_error *err);
    /* One round, or the whole fit. *grew: whether further rounds may improve it. */
    gradus_status (*step)(void *state, bool *grew, gradus_error *err);
    /* The first `rounds` rounds as a model node, after at least one step if it has no rounds. */
    gradus_status (*node)(const void *state, uint64_t rounds, gr_node *node, gradus_error *err);
    void (*free)(void *state); /* accepts NULL */

    /* For learners that need only bins of the training rows, and values only for a warm start: how
     * they bin. NULL: they need values. */
    void (*bins)(const struct gr_train_options *options, gr_bin_options *bins);
    const struct gr_data_default *data_defaults; /* options chosen by the size of the data */
    /* Rejects given options that other given options make meaningless. */
    gradus_status (*check)(const struct gr_train_options *options, const gradus_options *given,
                           gradus_error *err);
    /* The metric that it optimises, "" for that of --metric. */
    const char *(*metric)(const struct gr_train_options *options);
    /* Additional bytes per feature under these options. */
    double (*more_bytes)(const struct gr_train_options *options);
    const gr_learner_outputs *outputs; /* NULL only with `validation` */
    const gr_learner_rounds *rounds;   /* NULL: everything is fitted in one step */
    const gr_learner_selection *selection;
    const gr_learner_validation *validation;
    const gr_learner_report *report;
    /* For problems with thresholds: sets x (levels - 1), as in gr_scorer; one set, or one more than
     * the rounds. */
    const double *(*thresholds)(const void *state, size_t *sets);
    /* Additional state that a checkpoint needs for resuming. */
    gradus_status (*state_node)(const void *state, gr_node *node, gradus_error *err);
    /* Instead of node and state_node, for models of several nodes: adds the nodes of the first
     * `rounds` rounds, or of a checkpoint, and the results they report. */
    gradus_status (*add_nodes)(const void *state, uint64_t rounds, bool finished,
                               gradus_model *model, gradus_error *err);
} gr_learner;

/* Passes the thresholds of the warm-start model, if there is one, to the objective. */
void gr_start_thresholds(const gr_fit *fit, gr_objective_options *options);
/* Fails unless the warm-start model has the data's features and outputs. */
gradus_status gr_start_fits(const gr_fit *fit, size_t features, size_t outputs, gradus_error *err);
/* Fails if there are initial scores, for methods that do not support them. */
gradus_status gr_refuse_initial(const gr_fit *fit, gradus_error *err);

#define GR_LEARNER(name, text) extern const gr_learner gr_learner_##name;
#define GR_OPTIONS(name)
#include "pipeline/learners.def"
#undef GR_OPTIONS
#undef GR_LEARNER

extern const char *const gr_learner_names[]; /* NULL-terminated */
const gr_learner *gr_learner_number(size_t index);
const gr_about *gr_learners_at(size_t index); /* NULL past the last */

#endif
