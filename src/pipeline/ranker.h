/* Methods of the literature: each names the parts it is made of. To add one: a file
 * pipeline/rankers/<name>.c that ends in a `const gr_ranker`, and a row in rankers.def. */
#ifndef GR_PIPELINE_RANKER_H
#define GR_PIPELINE_RANKER_H

#include "objectives/objective.h"
#include "reductions/reduction.h"
#include "scoring/scoring.h"

typedef struct gr_ranker {
    gr_about about;
    const gr_reduction *reduction; /* of the target "grade", or the only one */
    const gr_reduction *of_gain;   /* of the target "gain"; NULL: the method has no choice */
    const gr_objective *objective;
    const gr_objective *of_absolute; /* of the loss "absolute"; NULL: the method has no choice */
    gr_score_rule rule;              /* unless the user chooses another */
    bool needs_grades;   /* labels must be whole numbers, at most GR_MOST_LEVELS different ones */
    size_t least_levels; /* different grades that training data must have */
    bool pair_costs;     /* --cost is of pairs of grades */
    const gr_param *params; /* options of its own, refused with methods that have not these; NULL */
} gr_ranker;

#define GR_RANKER(name, text) extern const gr_ranker gr_ranker_##name;
#include "pipeline/rankers.def"
#undef GR_RANKER

extern const char *const gr_ranker_names[]; /* NULL ends it */
const gr_ranker *gr_ranker_number(size_t index);
const gr_about *gr_rankers_at(size_t index); /* NULL past the last */

/* Settings of published experiments, by name. */
extern const char *const gr_preset_names[];  /* "none" first; NULL ends it */
const gr_about *gr_presets_at(size_t index); /* NULL past the last */
/* "rounds=1000 depth=4 ..."; NULL for a name there is not. */
const char *gr_preset_settings(const char *name);

#endif
