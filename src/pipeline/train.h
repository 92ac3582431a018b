/* SPDX-License-Identifier: Apache-2.0 */
/* Training, from options to a model: the main path of the library.
 *
 *   data -> (transform) -> problem -> learner, round by round -> best round -> model
 *                                        └ valid -> outputs -> scores -> metric ┘            */
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
    int loss;   /* GR_LOSS_* */
    const char *cost;
    int scoring; /* 0: the method's; else one more than a gr_score_rule */
    gr_transform_options transform;
    uint64_t rounds;
    bool one_query; /* data without query ids are meant to be one query */
    const char *metric;
    int convention;
    gr_gain_options gains;
    uint64_t patience;         /* rounds without a better value before training stops; 0: never */
    int keep;                  /* the best round, or the last */
    uint64_t eval_every;       /* rounds between two looks at the validation data */
    uint64_t train_eval_every; /* and at the training data; 0: never */
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

/* The labels of a set as a problem, and what it owns of it. */
typedef struct gr_posed {
    gr_problem problem;
    gr_array level_of, row_weights;
    double *level_labels, *shares, *targets, *weights;
} gr_posed;

/* Checks the labels against what the method needs, and poses the problem. */
gradus_status gr_pose(const gradus_dataset *data, const gr_ranker *ranker,
                      const gr_reduction *reduction, const gr_cost_choice *cost, gr_posed *posed,
                      gradus_error *err);
void gr_posed_free(gr_posed *posed);

/* Fails on training data that the method cannot learn from; notes those it learns little from. */
gradus_status gr_training_check_data(const gradus_training *training, gradus_error *err);
/* The same of validation data. */
gradus_status gr_check_valid(const gradus_dataset *train, const gradus_dataset *valid,
                             gradus_context *context, gradus_error *err);
/* Notes labels under which a ranking metric cannot tell rounds apart. */
void gr_note_valid_labels(const gradus_dataset *valid, const char *metric, gradus_context *context);
/* Whether the method, with these options, compares rows of the same query. */
bool gr_needs_queries(const gr_ranker *ranker, const gr_train_options *options);
gradus_status gr_fail_without_queries(const char *method, gradus_error *err);

/* Notes a finished training whose model ranks no better than a constant score;
 * pipeline/check_constant.c. */
gradus_status gr_training_check_constant(gradus_training *training, gradus_error *err);
/* Whether labels differ within a query, or over all rows. */
bool gr_labels_vary(const gradus_dataset *data, bool by_query);

/* A number that depends on everything training sees of a set; not on how it was stored on disk. */
gradus_status gr_fingerprint(const gradus_dataset *data, gr_pool *pool, uint64_t *fingerprint,
                             gradus_error *err);

/* A set that is measured while training goes on. */
typedef struct gr_watch {
    const gradus_dataset *data;
    gr_array outputs; /* double, outputs x rows; of validation data, which the learner has not */
    gr_array scaled;  /* double, outputs x rows; of learners whose sums are not outputs yet */
    gr_array scores;  /* double */
} gr_watch;

typedef struct gr_measuring {
    gr_evaluate_options options;
    const gr_scorer *scorer;
    gradus_metric_function custom; /* NULL: none */
    void *user;
    gr_pool *pool;
    char *metric, *convention; /* as words; set at the first measurement */
    bool lower_is_better;
} gr_measuring;

/* Scores of a set to the value of the metric. */
gradus_status gr_measure_scores(gr_measuring *measuring, const gradus_dataset *data,
                                const double *scores, double *value, gradus_error *err);
/* Outputs, times share, to the value of the metric. */
gradus_status gr_measure_outputs(gr_measuring *measuring, gr_watch *watch, const double *outputs,
                                 double share, double *value, gradus_error *err);

struct gradus_training {
    gradus_context *context;
    gradus_training_input input;
    gr_train_options options;
    gradus_options *given; /* a copy: texts of the options, and the recipe */
    char chosen[128];      /* options that were chosen from the data, as text for a note */
    const gr_ranker *ranker;
    gr_cost_choice cost;
    gr_gains gains;                        /* of labels in the loss */
    double *label_gains;                   /* their table; NULL: none */
    double *pair_costs;                    /* levels x levels; NULL: the method takes none */
    gr_fitted_transform transform;         /* transform NULL: none */
    char transform_note[480];              /* why, where it was chosen; "": it was not */
    gradus_dataset *own_train, *own_valid; /* transformed copies; NULL: none */
    const gradus_dataset *train, *valid;
    gr_posed posed;
    gr_scorer scorer;
    const gr_learner *learner;
    void *fitted; /* the learner's */
    gr_watch train_watch, valid_watch;
    struct gr_other *others; /* input.other_count; NULL: none */
    gr_measuring measuring;
    size_t point_count, point_room;
    gr_point *points;
    uint64_t first_round; /* rounds of the model that it started from */
    uint64_t best_round;  /* of all, 0: none yet */
    double best_value;
    const char *stopped;
    uint64_t fingerprint, valid_fingerprint;
    double train_seconds, evaluate_seconds;
};

gradus_training *gr_training_new(gradus_context *context, const gradus_training_input *input,
                                 const gradus_options *options, gradus_error *err);
gradus_status gr_training_step(gradus_training *training, bool *done, gradus_error *err);
/* Parts of gr_training_new, in files of their own. */
gradus_status gr_training_set_up(gradus_training *training, gradus_error *err);
/* Settles the gains of labels in the loss and in the metric, and the metric that labels allow. */
gradus_status gr_training_settle_gains(gradus_training *training, gradus_error *err);
bool gr_is_gain_option(const char *name);
/* A method and what fits it. */
typedef struct gr_recipe {
    const gr_ranker *ranker;
    const gr_learner *learner;
} gr_recipe;

/* What options of "train" ask for; whether the two go together is not all checked. */
gradus_status gr_recipe_of(const gradus_options *options, gr_recipe *recipe, gradus_error *err);
bool gr_recipe_reads(const gr_recipe *recipe, const char *name);
/* Whether it reads a parameter that has values to tune, and does not settle it itself. */
bool gr_recipe_tunes(const gr_recipe *recipe, const gr_param *param);
/* For help: as gradus_method_uses. */
gradus_option_use gr_method_uses(const char *method, const char *learner, const char *option);
/* Whether an option is read by the learner or the method, or by none in particular. */
bool gr_training_reads(const gradus_training *training, const char *name);
/* Puts a transform in the place of --transform auto; pipeline/choose_transform.c. */
gradus_status gr_training_choose_transform(gradus_training *training, gradus_error *err);
gradus_status gr_training_take_up(gradus_training *training, gradus_error *err);
gradus_status gr_training_add_point(gradus_training *training, gr_point point, gradus_error *err);
/* The thresholds that the learner has now, for scores of the curve. */
void gr_training_take_thresholds(gradus_training *training);
extern const gr_objective gr_custom_objective;
void gr_training_look(const gradus_training *training, gradus_training_state *state);
static inline uint64_t gr_training_rounds(const gradus_training *training)
{
    return training->learner->rounds(training->fitted);
}
/* others.c: sets of input.others. Brings their outputs up to the rounds that there are. */
gradus_status gr_others_start(gradus_training *training, gradus_error *err);
/* Adds a round to their outputs, times share, and measures them if wanted. */
gradus_status gr_others_step(gradus_training *training, uint64_t round, double share, bool measure,
                             gradus_error *err);
double gr_others_value(const gradus_training *training, size_t index); /* NAN: none was taken */
void gr_others_free(gradus_training *training);
/* Whether no more rounds are wanted, as a training sees that goes on from a checkpoint of now. */
bool gr_training_is_over(const gradus_training *training);
/* rounds: how many to keep. */
gradus_model *gr_training_model(const gradus_training *training, uint64_t rounds, bool finished,
                                gradus_error *err);
/* Rounds that the finished model keeps. */
uint64_t gr_training_kept(const gradus_training *training);
void gr_training_free(gradus_training *training);

#endif
