/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments of the papers, to run again. To add one: a file experiments/papers/<paper>_<what>.c
 * that ends in a `const gr_experiment`, and a row in experiments.def. */
#ifndef GR_EXPERIMENTS_EXPERIMENT_H
#define GR_EXPERIMENTS_EXPERIMENT_H

#include "gradus_experiments.h"

#include "base/param.h"
#include "base/table.h"
#include "experiments/contest.h"
#include "experiments/results.h"

typedef struct gr_reproduce_options {
    const char *data;    /* folder of data sets; "": none */
    const char *journal; /* file; "": results are kept in memory only */
    double scale;
    uint64_t seed;
} gr_reproduce_options;

extern const gr_operation gr_operation_reproduce;

/* What a running experiment has. */
typedef struct gr_run {
    gradus_context *context;
    const char *data;
    double scale; /* 1: the size that figures are of; less: so much smaller, to try it */
    uint64_t seed;
    gr_journal *journal;
    gr_results *results;
    const struct gr_experiment *experiment;
} gr_run;

typedef struct gr_experiment {
    gr_about about;
    const char *family; /* experiments of one family share their trials, and the journal */
    const char *needs;  /* what --data must hold: "mq2008 ohsumed"; "": nothing */
    const char *takes;  /* on two cores: "4 min" */
    const char *uses;   /* what it takes of --data too where it is there; NULL: nothing */
    int variant;        /* which of its family it is */
    gradus_status (*run)(gr_run *run, gradus_error *err);
} gr_experiment;

#define GR_EXPERIMENT(name) extern const gr_experiment gr_experiment_##name;
#include "experiments/experiments.def"
#undef GR_EXPERIMENT

const gr_about *gr_experiments_at(size_t index);         /* NULL past the last */
const gr_experiment *gr_experiment_number(size_t index); /* NULL past the last */

gradus_reproduction *gr_reproduce(gradus_context *context, const char *name,
                                  const gradus_options *options, gradus_error *err);

/* A count at the scale of the run, at least `least`. */
size_t gr_scaled(const gr_run *run, size_t count, size_t least);

/* A data set cut into folds. */
typedef struct gr_folds {
    char name[64];
    size_t count; /* 0: there is none */
    gr_fold *folds;
    char (*names)[128];
    gradus_dataset **owned;
    size_t owned_count;
} gr_folds;

/* A set of run->data/name: five folds, Fold1/train.txt, Fold1/vali.txt, Fold1/test.txt and on; or
 * LETOR's parts S1.txt to S5.txt, of which the folds are made; or one fold, train.txt, vali.txt and
 * test.txt (as well set1.train.txt and so on); plain, packed or binary. What is not there gives an
 * error that says where it was looked for. */
gradus_status gr_folds_read(const gr_run *run, const char *name, gr_folds *folds,
                            gradus_error *err);
/* Whether such a set is there. */
bool gr_folds_are_there(const gr_run *run, const char *name);
/* One fold of synthetic data (gr_operation_synth_web and such; options NULL: none): three parts,
 * one after the other, of so many queries to train, validate and test. */
gradus_status gr_folds_synth(const gr_run *run, const gr_operation *operation, const char *options,
                             const size_t queries[3], gr_folds *folds, gradus_error *err);
void gr_folds_free(gr_folds *folds);
/* Parts of the above: room for so many folds and sets of their own; a set (NULL: err tells why) to
 * be freed with the folds, put in its place. */
gradus_status gr_folds_begin(gr_folds *folds, const char *name, size_t count, size_t sets,
                             gradus_error *err);
gradus_status gr_folds_own(gr_folds *folds, gradus_dataset *set, const gradus_dataset **where,
                           const gradus_error *err);

/* Options of an operation, from words "name=value name=value"; NULL: none. */
gradus_options *gr_options_from(const gr_operation *operation, const char *words,
                                gradus_error *err);

#endif
