/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking methods from the literature, each a combination of parts. To add one: a file
 * pipeline/rankers/<name>.c that ends in a `const gr_ranker`, and a row in rankers.def. */
#ifndef GR_PIPELINE_RANKER_H
#define GR_PIPELINE_RANKER_H

#include "objectives/label_gains.h"
#include "objectives/objective.h"
#include "reductions/reduction.h"
#include "scoring/scoring.h"

enum { GR_LOSS_SQUARED, GR_LOSS_ABSOLUTE, GR_LOSS_LOGISTIC, GR_LOSS_HINGE };

struct gr_train_options;

typedef struct gr_ranker {
    gr_about about;
    const gr_reduction *reduction; /* for target "grade", or the only one */
    const gr_reduction *of_gain;   /* for target "gain"; NULL: only one target */
    const gr_objective *objective;
    const gr_objective *of_absolute; /* for loss "absolute"; NULL: not available */
    unsigned losses;                 /* bits 1u << GR_LOSS_* of the losses it takes; 0: no choice */
    const char *implies;             /* options that choosing the method sets; NULL: none */
    gr_score_rule rule;              /* default scoring rule */
    /* The reduction and the rule for given options and data; NULL: always those above. */
    const gr_reduction *(*reduce)(const struct gr_train_options *options,
                                  const gradus_dataset *data, gr_score_rule *rule);
    /* NULL-terminated list of the method's own solvers. A solver here replaces the learner of the
     * same name in learners.def. NULL: none. */
    const struct gr_learner *const *own_learners;
    int variant;         /* distinguishes methods that share a learner */
    bool only_own;       /* takes no other learners; the first is the default */
    bool needs_grades;   /* labels must be whole numbers, at most GR_MAX_LEVELS different ones */
    size_t least_levels; /* minimum number of different grades in the training data */
    int gains;           /* GR_GAINS_*: default gains of labels in the loss */
    bool pair_costs;     /* --cost applies to pairs of grades */
    /* Whether it compares rows of the same query under these options, so that data need query ids
     * and queries with different labels; NULL: it learns from each row separately. */
    bool (*needs_queries)(const struct gr_train_options *options);
    const gr_param *params; /* the method's own options, rejected for other methods; NULL: none */
} gr_ranker;

#define GR_RANKER(name, text) extern const gr_ranker gr_ranker_##name;
#include "pipeline/rankers.def"
#undef GR_RANKER

/* A needs_queries function that is always true. */
bool gr_always_needs_queries(const struct gr_train_options *options);

extern const char *const gr_ranker_names[]; /* NULL-terminated */
const gr_ranker *gr_ranker_number(size_t index);
const gr_ranker *gr_ranker_named(const char *name); /* NULL: unknown */
const gr_about *gr_rankers_at(size_t index);        /* NULL past the last */

/* Settings of published experiments, by name. */
extern const char *const gr_preset_names[];  /* "none" first; NULL-terminated */
const gr_about *gr_presets_at(size_t index); /* NULL past the last */
/* "rounds=1000 depth=4 ..."; NULL: unknown name. */
const char *gr_preset_settings(const char *name);

#endif
