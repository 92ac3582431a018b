/* SPDX-License-Identifier: Apache-2.0 */
/* Methods of the literature: each names the parts it is made of. To add one: a file
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
    const gr_reduction *reduction; /* of the target "grade", or the only one */
    const gr_reduction *of_gain;   /* of the target "gain"; NULL: the method has no choice */
    const gr_objective *objective;
    const gr_objective *of_absolute; /* of the loss "absolute"; NULL: the method has no choice */
    unsigned losses;     /* 1u << GR_LOSS_*: those it takes; 0: none but the objective's */
    const char *implies; /* options that naming the method sets; NULL: none */
    gr_score_rule rule;  /* unless the user chooses another */
    /* The reduction and the rule by options and data; NULL: always those above. */
    const gr_reduction *(*reduce)(const struct gr_train_options *options,
                                  const gradus_dataset *data, gr_score_rule *rule);
    /* Learners that the method brings itself, and that stand before those of learners.def of the
     * same name: its own solver under the name of what it fits. NULL ends them; NULL: none. */
    const struct gr_learner *const *own_learners;
    int variant;         /* which of its kin it is, for learners that several methods share */
    bool only_own;       /* it takes no others; the first is what fits unless the user chooses */
    bool needs_grades;   /* labels must be whole numbers, at most GR_MOST_LEVELS different ones */
    size_t least_levels; /* different grades that training data must have */
    int gains;           /* GR_GAINS_*: those of labels in its loss by default */
    bool pair_costs;     /* --cost is of pairs of grades */
    /* Whether these options compare rows of the same query, so that data must have query ids and
     * queries with different labels; NULL: each row is learned from by itself. */
    bool (*needs_queries)(const struct gr_train_options *options);
    const gr_param *params; /* options of its own, refused with methods that have not these; NULL */
} gr_ranker;

#define GR_RANKER(name, text) extern const gr_ranker gr_ranker_##name;
#include "pipeline/rankers.def"
#undef GR_RANKER

/* For needs_queries: whatever the options. */
bool gr_always_needs_queries(const struct gr_train_options *options);

extern const char *const gr_ranker_names[]; /* NULL ends it */
const gr_ranker *gr_ranker_number(size_t index);
const gr_ranker *gr_ranker_named(const char *name); /* NULL: there is none */
const gr_about *gr_rankers_at(size_t index);        /* NULL past the last */

/* Settings of published experiments, by name. */
extern const char *const gr_preset_names[];  /* "none" first; NULL ends it */
const gr_about *gr_presets_at(size_t index); /* NULL past the last */
/* "rounds=1000 depth=4 ..."; NULL for a name there is not. */
const char *gr_preset_settings(const char *name);

#endif
