/* SPDX-License-Identifier: Apache-2.0 */
/* The method and the learner that options choose, and which options these read. */
#include "pipeline/train_recipe.h"

#include "base/text.h"

#include <string.h>

/* The method's own learner of a name; NULL: none. */
static const gr_learner *own_learner(const gr_ranker *ranker, const char *name)
{
    for (size_t i = 0; ranker->own_learners && ranker->own_learners[i]; i++)
        if (strcmp(ranker->own_learners[i]->about.name, name) == 0)
            return ranker->own_learners[i];
    return NULL;
}

static bool is_own(const gr_recipe *recipe)
{
    return own_learner(recipe->ranker, recipe->learner->about.name) == recipe->learner;
}

static gradus_status refuse_learner(const gr_recipe *recipe, gradus_error *err)
{
    const gr_ranker *ranker = recipe->ranker;
    char names[200] = "";

    for (size_t i = 0; ranker->only_own && ranker->own_learners[i]; i++) {
        gr_text_append(names, sizeof names, i ? " or " : ", which is fitted by ");
        gr_text_append(names, sizeof names, ranker->own_learners[i]->about.name);
    }
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "the learner '%s' is not for '%s'%s",
                   recipe->learner->about.name, ranker->about.name, names);
}

gradus_status gr_recipe_of(const gradus_options *options, gr_recipe *recipe, gradus_error *err)
{
    const gr_ranker *ranker;
    const gr_learner *own;

    *recipe = (gr_recipe){ .options = gr_train_view(options, err) };
    if (!recipe->options)
        return GRADUS_BAD_ARGUMENT;
    ranker = recipe->ranker = gr_ranker_number((size_t)recipe->options->method);
    recipe->learner = gr_learner_number((size_t)recipe->options->learner);
    if (ranker->only_own && !gr_options_given(options, "learner"))
        recipe->learner = ranker->own_learners[0];
    own = own_learner(ranker, recipe->learner->about.name);
    if (own)
        recipe->learner = own;
    else if (recipe->learner->by_method || ranker->only_own)
        return refuse_learner(recipe, err);
    return GRADUS_OK;
}

static bool has_param(const gr_param *params, const char *name)
{
    const gr_operation part = { .params = params };
    gr_param param;

    for (size_t i = 0; params && gr_param_number(&part, i, &param); i++)
        if (strcmp(param.about.name, name) == 0)
            return true;
    return false;
}

static bool reads_param(const gr_learner *learner, const char *name)
{
    for (size_t i = 0; learner->params && learner->params[i]; i++)
        if (has_param(learner->params[i], name))
            return true;
    return false;
}

/* The first learner, or method, that an option belongs to; NULL: none. */
static const gr_learner *learner_of(const char *name)
{
    const gr_learner *learner;
    const gr_ranker *method;

    for (size_t l = 0; (learner = gr_learner_number(l)); l++)
        if (reads_param(learner, name))
            return learner;
    for (size_t m = 0; (method = gr_ranker_number(m)); m++)
        for (size_t l = 0; method->own_learners && method->own_learners[l]; l++)
            if (reads_param(method->own_learners[l], name))
                return method->own_learners[l];
    return NULL;
}

static const gr_ranker *ranker_of(const char *name)
{
    const gr_ranker *method;

    for (size_t m = 0; (method = gr_ranker_number(m)); m++)
        if (has_param(method->params, name))
            return method;
    return NULL;
}

static bool has_word(const char *words, const char *name)
{
    const size_t length = strlen(name);

    for (; words && *words; words += strspn(words, " ")) {
        const size_t word = strcspn(words, " ");

        if (word == length && memcmp(words, name, length) == 0)
            return true;
        words += word;
    }
    return false;
}

bool gr_recipe_reads(const gr_recipe *recipe, const char *name)
{
    const gr_learner *learner = recipe->learner;

    if (ranker_of(name))
        return has_param(recipe->ranker->params, name) || has_word(recipe->ranker->reads, name);
    return reads_param(learner, name) || has_word(learner->reads, name) || !learner_of(name);
}

/* The only regression loss that reads an option; NULL: none, or not an option of a loss. */
static const gr_objective *loss_of(const char *name)
{
    for (size_t i = 0; i < GR_REGRESSION_LOSSES; i++)
        if (has_word(gr_regression_losses[i]->reads, name))
            return gr_regression_losses[i];
    return NULL;
}

bool gr_recipe_applies(const gr_recipe *recipe, const char *name)
{
    const gr_objective *loss = loss_of(name);
    const int chosen = recipe->options->loss;

    return gr_recipe_reads(recipe, name) &&
           (!loss || (chosen < GR_REGRESSION_LOSSES && loss == gr_regression_losses[chosen]));
}

/* Whether the method has the part that an option belongs to, for options that no learner owns. */
static bool takes_part(const gr_recipe *recipe, const char *name)
{
    if (strcmp(name, "cost") == 0)
        return recipe->ranker->reduction->takes_cost;
    if (strcmp(name, "transform") == 0)
        return recipe->learner->transform != NULL;
    return strcmp(name, "target") != 0 || recipe->ranker->of_gain;
}

/* Whether settings "name=value name=value" contain a name. */
static bool sets(const char *words, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = words; at && (at = strstr(at, name)); at += length)
        if ((at == words || at[-1] == ' ') && at[length] == '=')
            return true;
    return false;
}

bool gr_recipe_tunes(const gr_recipe *recipe, const gr_param *param)
{
    const char *name = param->about.name;

    return param->tuned && gr_recipe_reads(recipe, name) && takes_part(recipe, name) &&
           (strcmp(name, "transform") == 0 || !sets(recipe->ranker->implies, name));
}

/* Whether the method's objective is the one that the learner fits besides squared error. */
static bool fits_also(const gr_recipe *recipe)
{
    return recipe->learner->also && recipe->ranker->objective == recipe->learner->also;
}

/* Whether the objective, or the learner's own objective, uses a LambdaRank option. */
static bool reads_lambdas(const gr_recipe *recipe, const char *name)
{
    static const char names[] = "lambda-metric lambda-depth truncation sigma normalise";

    return !has_word(names, name) || recipe->ranker->objective == &gr_objective_lambdarank ||
           (recipe->learner->by_method && recipe->ranker->own_learners);
}

/* Unlike gr_recipe_reads, false for options of parts that the method does not have. */
static bool uses(const gr_recipe *recipe, const char *name)
{
    if (strcmp(name, "cost") == 0)
        return recipe->ranker->reduction->takes_cost || recipe->ranker->pair_costs;
    if (strcmp(name, "target") == 0)
        return recipe->ranker->of_gain != NULL;
    if (strcmp(name, "loss") == 0)
        return recipe->ranker->losses != 0;
    if (has_word("rounds patience keep eval-every train-eval-every", name))
        return recipe->learner->rounds != NULL; /* others fit everything in one step */
    return gr_recipe_reads(recipe, name) && reads_lambdas(recipe, name);
}

/* Whether the learner can fit the method's objective. */
static bool fit_together(const gr_recipe *recipe)
{
    const gr_learner *learner = recipe->learner;

    return is_own(recipe) || learner->any_objective || fits_also(recipe) ||
           recipe->ranker->objective == &gr_objective_squared;
}

gradus_option_use gr_method_uses(const char *method, const char *learner, const char *option)
{
    gradus_options *options = gr_options_new(&gr_operation_train, NULL);
    gradus_option_use use = GRADUS_OPTION_UNUSED;
    gr_recipe recipe;
    gr_param param;

    if (options && gr_param_named(&gr_operation_train, option, &param) &&
        gr_options_set(options, "method", method, NULL) == GRADUS_OK &&
        (!learner || gr_options_set(options, "learner", learner, NULL) == GRADUS_OK) &&
        gr_recipe_of(options, &recipe, NULL) == GRADUS_OK && fit_together(&recipe) &&
        uses(&recipe, param.about.name))
        use = gr_recipe_tunes(&recipe, &param) ? GRADUS_OPTION_TUNED : GRADUS_OPTION_USED;
    gr_options_free(options);
    return use;
}

/* Rejects options of other learners and methods, which would otherwise be ignored silently. */
static gradus_status check_foreign_options(const gr_recipe *recipe, gradus_options *given,
                                           gradus_error *err)
{
    gr_param param;

    for (size_t i = 0; gr_param_number(&gr_operation_train, i, &param); i++) {
        const char *name = param.about.name;

        if (!given->given[i] || gr_recipe_applies(recipe, name))
            continue;
        if (ranker_of(name) == recipe->ranker && loss_of(name))
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' is for 'loss %s', not 'loss %s'", name,
                           loss_of(name)->about.name, gr_options_value(given, "loss"));
        if (ranker_of(name))
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' is for %s, not for '%s'", name,
                           ranker_of(name)->about.name, recipe->ranker->about.name);
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' is for the learner '%s', not for '%s'%s%s",
                       name, learner_of(name)->about.name, recipe->learner->about.name,
                       is_own(recipe) ? " of " : "",
                       is_own(recipe) ? recipe->ranker->about.name : "");
    }
    return GRADUS_OK;
}

/* Rejects options that the method would ignore silently. */
static gradus_status check_options(const gr_recipe *recipe, gradus_options *given,
                                   bool custom_objective, gradus_error *err)
{
    const char *method = recipe->ranker->about.name;
    const int loss = recipe->options->loss;

    if (recipe->options->target != GR_TARGET_GRADE && !recipe->ranker->of_gain)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'target gain' is for regression, not '%s'",
                       method);
    if (!(recipe->ranker->losses >> loss & 1u) &&
        (recipe->ranker->losses || loss != GR_LOSS_SQUARED))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT, "'loss %s' is for %s, not '%s'",
            gr_options_value(given, "loss"),
            loss != GR_LOSS_SQUARED && loss < GR_REGRESSION_LOSSES ? "regression" : "crr", method);
    if (strcmp(recipe->options->cost, "absolute") != 0 && !recipe->ranker->reduction->takes_cost &&
        !recipe->ranker->pair_costs)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'cost' is for cocr and pairrank, not '%s'",
                       method);
    if (is_own(recipe) && custom_objective)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the learner '%s' of '%s' has its own objective",
                       recipe->learner->about.name, method);
    if (!is_own(recipe) && !recipe->learner->any_objective &&
        !(fits_also(recipe) && !custom_objective) &&
        (custom_objective || loss != GR_LOSS_SQUARED ||
         recipe->ranker->objective != &gr_objective_squared))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "the learner '%s' minimises squared error: it is for regression and cocr, not for "
            "'%s'%s",
            recipe->learner->about.name, method,
            recipe->ranker->objective == &gr_objective_squared ? " with that loss" : "");
    return GRADUS_OK;
}

gradus_status gr_recipe_check(const gr_recipe *recipe, gradus_options *given, bool custom_objective,
                              gradus_error *err)
{
    GR_TRY(check_options(recipe, given, custom_objective, err));
    return check_foreign_options(recipe, given, err);
}
