/* SPDX-License-Identifier: Apache-2.0 */
/* Reproductions of the papers' experiments. To add one: a file experiments/papers/<paper>_<what>.c
 * that ends in a `const gr_experiment`, and a line in experiments.def. */
#ifndef GR_EXPERIMENTS_EXPERIMENT_H
#define GR_EXPERIMENTS_EXPERIMENT_H

#include "gradus_experiments.h"

#include "base/table.h"
#include "experiments/crossval.h"
#include "experiments/helpers.h"
#include "experiments/results.h"

/* The state of a running experiment. */
typedef struct gr_run {
    gradus_context *context;
    const char *data;
    double scale; /* 1: full size; less: a proportionally smaller trial run */
    uint64_t seed;
    uint64_t seeds; /* limit of the seeds of an experiment; 0: none */
    gr_journal *journal;
    gr_results *results;
    const struct gr_experiment *experiment;
} gr_run;

typedef struct gr_experiment {
    gr_about about;
    const char *family; /* experiments of one family share their trials and the journal */
    const char *needs;  /* datasets required in --data: "mq2008 ohsumed"; "": none */
    const char *takes;  /* run time on two cores: "30 s", "4 min", "3 h" */
    const char *uses;   /* optional datasets in --data, used if present; NULL: none */
    int variant;        /* distinguishes the experiments of a family */
    gradus_status (*run)(gr_run *run, gradus_error *err);
} gr_experiment;

#define GR_EXPERIMENT(name) extern const gr_experiment gr_experiment_##name;
#include "experiments/experiments.def"
#undef GR_EXPERIMENT

const gr_experiment *gr_experiment_number(size_t index); /* NULL past the last */

/* The run time that the row declares, in seconds. */
double gr_experiment_seconds(const gr_experiment *experiment);

gradus_reproduction *gr_reproduce(gradus_context *context, const char *name,
                                  const gradus_options *options, gradus_error *err);

/* Scales a count to the size of the run; the result is at least `least`. */
size_t gr_scaled(const gr_run *run, size_t count, size_t least);
/* How many of an experiment's seeds (or samples) to run: `count`, or fewer with --seeds; nothing is
 * concluded from fewer. */
size_t gr_run_seeds(const gr_run *run, size_t count);

/* A dataset split into folds. */
typedef struct gr_folds {
    char name[64];
    size_t count; /* 0: none */
    gr_fold *folds;
    char (*names)[128];
    gradus_dataset **owned;
    size_t owned_count;
} gr_folds;

/* folds.c */
/* Opens the dataset run->data/name: five folds, Fold1/train.txt, Fold1/vali.txt, Fold1/test.txt to
 * Fold5; or LETOR's parts S1.txt to S5.txt, from which the folds are built; or one fold, train.txt,
 * vali.txt and test.txt (or set1.train.txt and so on); plain, compressed or binary. If a file is
 * missing, the error names the path that was tried. */
gradus_status gr_folds_read(const gr_run *run, const char *name, gr_folds *folds,
                            gradus_error *err);
/* Whether the dataset exists. */
bool gr_folds_are_there(const gr_run *run, const char *name);
/* One fold of synthetic data ("synth web" and similar; options NULL: defaults): consecutive parts
 * with the given numbers of queries for training, validation and testing. */
gradus_status gr_folds_synth(const gr_run *run, const char *operation, const char *options,
                             const size_t queries[3], gr_folds *folds, gradus_error *err);
void gr_folds_free(gr_folds *folds);
/* Building blocks of the above: allocates space for folds and for datasets that they own; and
 * stores a dataset (NULL: returns err's status) to be freed with the folds. */
gradus_status gr_folds_begin(gr_folds *folds, const char *name, size_t count, size_t sets,
                             gradus_error *err);
gradus_status gr_folds_own(gr_folds *folds, gradus_dataset *set, const gradus_dataset **where,
                           const gradus_error *err);

#endif
