/* SPDX-License-Identifier: Apache-2.0 */
/* A recipe: what options of "train" choose, before there are data. */
#ifndef GR_PIPELINE_TRAIN_RECIPE_H
#define GR_PIPELINE_TRAIN_RECIPE_H

#include "pipeline/learner.h"
#include "pipeline/ranker.h"
#include "pipeline/train_options.h"

typedef struct gr_recipe {
    const gr_ranker *ranker;
    const gr_learner *learner;
    const gr_train_options *options; /* a view of the gradus_options, which must outlive it */
} gr_recipe;

/* The method and learner that the options choose. Fails if the learner is not for the method. */
gradus_status gr_recipe_of(const gradus_options *options, gr_recipe *recipe, gradus_error *err);
/* Rejects given options that the recipe would ignore, and learners that cannot fit the method's
 * objective. */
gradus_status gr_recipe_check(const gr_recipe *recipe, gradus_options *given, bool custom_objective,
                              gradus_error *err);
/* Whether an option is read by the learner or the method, or is common to all. */
bool gr_recipe_reads(const gr_recipe *recipe, const char *name);
/* The same under the recipe's options: not an option of another loss. */
bool gr_recipe_applies(const gr_recipe *recipe, const char *name);
/* Whether it reads a parameter that has values to tune and that the method does not set itself. */
bool gr_recipe_tunes(const gr_recipe *recipe, const gr_param *param);
/* For help; see gradus_method_uses. */
gradus_option_use gr_method_uses(const char *method, const char *learner, const char *option);

#endif
