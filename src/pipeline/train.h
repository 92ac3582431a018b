/* SPDX-License-Identifier: Apache-2.0 */
/* Training, from options to a model: the main path of the library.
 *
 *   data -> (used columns) -> (transform) -> problem -> learner, round by round -> best round ->
 * model
 *                                        └ valid -> outputs -> scores -> metric ┘ */
#ifndef GR_PIPELINE_TRAIN_H
#define GR_PIPELINE_TRAIN_H

#include "learners/adaboost/adaboost.h"
#include "learners/boost/boost.h"
#include "learners/gaussians/gaussians.h"
#include "learners/m5/m5.h"
#include "learners/net/net.h"
#include "learners/ranksvm/ranksvm.h"
#include "learners/sgd/sgd.h"
#include "learners/svor/svor.h"
#include "learners/weak/weak.h"
#include "metrics/evaluate.h"
#include "pipeline/calibrated.h"
#include "pipeline/learner.h"
#include "pipeline/ranker.h"

typedef struct gr_train_options { /* declared in learner.h */
    int method, learner, preset;
    int target; /* grade or gain */
    int loss;   /* index of gr_regression_losses, or GR_LOSS_LOGISTIC, GR_LOSS_HINGE */
    const char *cost;
    int scoring; /* 0: the method's default; else 1 + a gr_score_rule */
    gr_transform_options transform;
    uint64_t rounds;
    bool one_query; /* data without query ids form one query */
    const char *metric;
    int convention;
    gr_gain_options gains;
    uint64_t patience;         /* rounds without improvement before training stops; 0: never */
    int keep;                  /* the best round, or the last */
    uint64_t eval_every;       /* rounds between evaluations of the validation data */
    uint64_t train_eval_every; /* of the training data; 0: never */
    gr_boost_options boost;
    gr_linear_options linear;
    gr_m5_options m5;
    gr_kernel_options kernel;
    gr_svor_options svor;
    gr_sgd_options sgd;
    gr_net_options net;
    gr_adaboost_options adaboost;
    gr_calibrated_options calibrated;
    gr_gaussian_options gaussians;
    gr_weak_options weak;
    gr_ranksvm_options ranksvm;
} gr_train_options;

enum { GR_TARGET_GRADE, GR_TARGET_GAIN };
enum { GR_KEEP_BEST, GR_KEEP_LAST };

extern const gr_operation gr_operation_train;

/* The learning problem that a reduction makes of the labels of a set (build_problem.c), with the
 * memory it uses. */
typedef struct gr_built_problem {
    gr_problem problem;
    gr_array level_of, row_weights;
    double *level_labels, *shares, *targets, *weights;
} gr_built_problem;

/* Checks that the labels suit the method, and builds the problem. */
gradus_status gr_problem_build(const gradus_dataset *data, const gr_ranker *ranker,
                               const gr_reduction *reduction, const gr_cost_choice *cost,
                               gr_built_problem *built, gradus_error *err);
void gr_built_problem_free(gr_built_problem *built);

/* Fails if the method cannot learn from the training data; notes data that it learns little
 * from. */
gradus_status gr_training_check_data(const gradus_training *training, gradus_error *err);
/* The same for validation data. */
gradus_status gr_check_valid(const gradus_dataset *train, const gradus_dataset *valid,
                             gradus_context *context, gradus_error *err);
/* Notes labels for which a ranking metric is the same in every round. */
void gr_note_valid_labels(const gradus_dataset *valid, const char *metric, gradus_context *context);
/* Whether the method compares rows of the same query under these options. */
bool gr_needs_queries(const gr_ranker *ranker, const gr_train_options *options);
gradus_status gr_fail_without_queries(const char *method, gradus_error *err);

/* Notes if the finished model ranks no better than a constant score; pipeline/check_constant.c. */
gradus_status gr_training_check_constant(gradus_training *training, gradus_error *err);
/* Whether labels differ within a query, or (by_query false) over all rows. */
bool gr_labels_vary(const gradus_dataset *data, bool by_query);

/* A hash of everything that training uses of a set; independent of the file format. */
gradus_status gr_fingerprint(const gradus_dataset *data, gr_pool *pool, uint64_t *fingerprint,
                             gradus_error *err);

/* A dataset that is evaluated during training. */
typedef struct gr_monitor {
    const gradus_dataset *data;
    gr_array outputs; /* double, outputs x rows; not used for the training data */
    gr_array scaled;  /* double, outputs x rows; for learners whose sums must be scaled */
    gr_array scores;  /* double */
} gr_monitor;

typedef struct gr_measuring {
    gr_evaluate_options options;
    const gr_scorer *scorer;
    gradus_metric_function custom; /* NULL: none */
    void *user;
    gr_pool *pool;
    char *metric, *convention; /* names; set by the first evaluation */
    bool lower_is_better;
} gr_measuring;

/* Evaluates the metric for scores. */
gradus_status gr_measure_scores(gr_measuring *measuring, const gradus_dataset *data,
                                const double *scores, double *value, gradus_error *err);
/* Evaluates the metric for outputs multiplied by share. */
gradus_status gr_measure_outputs(gr_measuring *measuring, gr_monitor *monitor,
                                 const double *outputs, double share, double *value,
                                 gradus_error *err);

struct gradus_training {
    gradus_context *context;
    gradus_training_input input;
    gr_train_options options;
    gradus_options *given; /* a copy, which owns the texts in `options`; becomes the recipe */
    char chosen[128];      /* options chosen by the size of the data, as text for a note */
    const gr_ranker *ranker;
    gr_cost_choice cost;
    gr_gains gains;                        /* of labels, in the loss */
    double *label_gains;                   /* the table in gains; NULL: none */
    double *pair_costs;                    /* levels x levels; NULL: the method takes none */
    gr_fitted_transform transform;         /* transform NULL: none */
    char transform_note[480];              /* how it was chosen; "": it was not */
    gradus_dataset *own_train, *own_valid; /* transformed copies; NULL: none */
    /* Copies of wide data, and a view of the model to start from, with the used columns; NULL: as
     * given. columns.count 0: data are not wide. */
    gr_used columns;
    gradus_dataset *narrow_train, *narrow_valid;
    gradus_model *narrow_start;
    const gradus_dataset *train, *valid;
    gr_built_problem built;
    gr_scorer scorer;
    const gr_learner *learner;
    void *fitted; /* the learner's state */
    gr_monitor train_monitor, valid_monitor;
    struct gr_other *others; /* input.other_count; NULL: none */
    gr_measuring measuring;
    size_t point_count, point_room;
    gr_point *points;
    uint64_t first_round; /* rounds of the model it started from */
    uint64_t best_round;  /* counted from the first round of all; 0: none yet */
    double best_value;
    const char *stopped;
    uint64_t fingerprint, valid_fingerprint;
    double train_seconds, evaluate_seconds;
};

gradus_training *gr_training_new(gradus_context *context, const gradus_training_input *input,
                                 const gradus_options *options, gradus_error *err);
gradus_status gr_training_step(gradus_training *training, bool *done, gradus_error *err);
/* Parts of gr_training_new, in their own files. */
gradus_status gr_training_configure(gradus_training *training, gradus_error *err);
/* Leaves out the unused columns of wide sparse data; narrow_training.c. */
gradus_status gr_training_narrow(gradus_training *training, gradus_error *err);
void gr_training_narrow_free(gradus_training *training);
/* Chooses the gains of labels in the loss and in the metric, and a metric that suits the labels. */
gradus_status gr_training_configure_gains(gradus_training *training, gradus_error *err);
bool gr_is_gain_option(const char *name);
/* A method and its learner. */
typedef struct gr_recipe {
    const gr_ranker *ranker;
    const gr_learner *learner;
} gr_recipe;

/* The method and learner that options of "train" choose. Whether they fit together is checked only
 * in part. */
gradus_status gr_recipe_of(const gradus_options *options, gr_recipe *recipe, gradus_error *err);
bool gr_recipe_reads(const gr_recipe *recipe, const char *name);
/* Whether it reads a parameter that has values to tune and that the method does not set itself. */
bool gr_recipe_tunes(const gr_recipe *recipe, const gr_param *param);
/* For help; see gradus_method_uses. */
gradus_option_use gr_method_uses(const char *method, const char *learner, const char *option);
/* Whether an option is read by the learner or the method, or is common to all. */
bool gr_training_reads(const gradus_training *training, const char *name);
/* Replaces --transform auto with a transform; pipeline/choose_transform.c. */
gradus_status gr_training_choose_transform(gradus_training *training, gradus_error *err);
gradus_status gr_training_resume(gradus_training *training, gradus_error *err);
gradus_status gr_training_add_point(gradus_training *training, gr_point point, gradus_error *err);
/* Copies the learner's current thresholds to the scorer, which evaluates the curve. */
void gr_training_take_thresholds(gradus_training *training);
extern const gr_objective gr_custom_objective;
void gr_training_get_state(const gradus_training *training, gradus_training_state *state);
static inline uint64_t gr_training_rounds(const gradus_training *training)
{
    return training->learner->rounds(training->fitted);
}
/* extra_sets.c: the sets in input.others. Computes their outputs for the rounds done so far. */
gradus_status gr_others_start(gradus_training *training, gradus_error *err);
/* Adds a round to their outputs; if `measure`, evaluates the outputs multiplied by share. */
gradus_status gr_others_step(gradus_training *training, uint64_t round, double share, bool measure,
                             gradus_error *err);
double gr_others_value(const gradus_training *training, size_t index); /* NAN: not evaluated */
void gr_others_free(gradus_training *training);
/* Whether a training resumed from a checkpoint made now would have nothing left to do. */
bool gr_training_is_over(const gradus_training *training);
/* rounds: the number of rounds to keep. */
gradus_model *gr_training_model(const gradus_training *training, uint64_t rounds, bool finished,
                                gradus_error *err);
/* Number of rounds that the finished model keeps. */
uint64_t gr_training_kept(const gradus_training *training);
void gr_training_free(gradus_training *training);

#endif
