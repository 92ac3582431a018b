/* SPDX-License-Identifier: Apache-2.0 */
/* Training, from options to a model: the main path of the library.
 *
 *   data -> (used columns) -> (transform) -> problem -> learner, round by round -> best round ->
 * model
 *                                        └ valid -> outputs -> scores -> metric ┘ */
#ifndef GR_PIPELINE_TRAIN_H
#define GR_PIPELINE_TRAIN_H

#include "data/used_columns.h"
#include "pipeline/build_problem.h"
#include "pipeline/train_recipe.h"
#include "pipeline/validate.h"

struct gradus_training {
    gradus_context *context;
    gradus_training_input input;
    gradus_options *given;          /* a copy; recorded in the model */
    gr_recipe recipe;               /* the choices of `given` */
    gr_gain_options gain_options;   /* those of the options, or as the labels allow */
    gr_objective_options objective; /* parameters, and what the data and the caller give */
    char chosen[128];               /* options chosen by the size of the data, as text for a note */
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
    /* This process's share of the sets and of the problem; NULL: it is alone. */
    gradus_dataset *shared_train, *shared_valid;
    const gradus_dataset *train, *valid;
    gr_built_problem built; /* of the rows of all processes */
    gr_problem shared_problem;
    gr_scorer scorer;
    void *fitted; /* the learner's state */
    bool is_done; /* a learner without rounds has been fitted */
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
gradus_status gr_training_add_point(gradus_training *training, gr_point point, gradus_error *err);
/* Copies the learner's current thresholds to the scorer, which evaluates the curve. */
void gr_training_take_thresholds(gradus_training *training);
void gr_training_get_state(const gradus_training *training, gradus_training_state *state);
/* Rounds done; learners without rounds count as one. */
uint64_t gr_training_rounds(const gradus_training *training);
/* The factor that turns the learner's sums over `rounds` rounds into outputs. */
double gr_training_scale(const gradus_training *training, uint64_t rounds);
/* The learner's sums for the training rows; *sums is NULL if they are not computed yet. */
gradus_status gr_training_sums(const gradus_training *training, const double **sums,
                               gradus_error *err);
/* Adds rounds [first, end) to sums (outputs x rows) of any rows. */
gradus_status gr_training_add_sums(const gradus_training *training, uint64_t first, uint64_t end,
                                   const gradus_dataset *data, double *sums, gradus_error *err);
/* Whether a training resumed from a checkpoint made now would have nothing left to do. */
bool gr_training_is_over(const gradus_training *training);
/* Number of rounds that the finished model keeps. */
uint64_t gr_training_kept(const gradus_training *training);
void gr_training_free(gradus_training *training);

#endif
