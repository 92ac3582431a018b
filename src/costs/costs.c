/* SPDX-License-Identifier: Apache-2.0 */
/* The table of costs, and the selection of a cost by name or file. */
#include "costs/cost.h"

#include "base/source.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 64 << 20 };

static const gr_cost *const costs[] = {
#define GR_COST(name) &gr_cost_##name,
#include "costs/costs.def"
#undef GR_COST
};

static const char *const names[] = {
#define GR_COST(name) #name,
#include "costs/costs.def"
#undef GR_COST
};

enum { COSTS = sizeof costs / sizeof costs[0] };

const gr_about *gr_costs_at(size_t index)
{
    return index < COSTS ? &costs[index]->about : NULL;
}

static gradus_status read_matrix(const char *path, gr_cost_choice *choice, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gradus_status status;
    char *text = NULL;
    size_t size;

    status = gr_source_read_all(path, LARGEST_FILE, &text, &size, &failure);
    if (status == GRADUS_NO_FILE && gr_nearest(path, names, COSTS))
        return gr_fail_unknown(err, "cost", path, names, COSTS);
    if (status != GRADUS_OK)
        return gr_fail(err, status, "there is no cost with that name, and %s", failure.message);
    status = gr_cost_parse(text, size, path, choice, err);
    free(text);
    return status;
}

/* Parses the parameter after the colon, at `at`. */
static gradus_status read_parameter(const char *at, gr_cost_choice *choice, gradus_error *err)
{
    const gr_cost *cost = choice->cost;
    const char *end = at + strlen(at);
    double number = 0.0;

    if (cost->least == cost->most)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "cost '%s' takes no parameter, found ':%.60s'",
                       cost->about.name, at);
    if (gr_parse_double(at, end, &number) != end || at == end ||
        !(number >= cost->least && number <= cost->most))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "cost '%s' takes a number from %g to %g, not '%.60s'", cost->about.name,
                       cost->least, cost->most, at);
    choice->parameter = number;
    return GRADUS_OK;
}

gradus_status gr_cost_choose(const char *word, gr_cost_choice *choice, gradus_error *err)
{
    const size_t length = strcspn(word, ":");

    *choice = (gr_cost_choice){ .cost = NULL };
    for (size_t c = 0; c < COSTS; c++)
        if (strlen(names[c]) == length && strncmp(names[c], word, length) == 0) {
            choice->cost = costs[c];
            choice->parameter = costs[c]->parameter;
            return word[length] ? read_parameter(word + length + 1, choice, err) : GRADUS_OK;
        }
    return read_matrix(word, choice, err);
}

void gr_cost_choice_free(gr_cost_choice *choice)
{
    free(choice->matrix);
    *choice = (gr_cost_choice){ .cost = NULL };
}

gradus_status gr_cost_covers(const gr_cost_choice *choice, double most, gradus_error *err)
{
    const gr_cost *cost = choice->cost;

    if (!cost && most >= (double)choice->grades)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the cost matrix covers grades 0 to %zu, but the data have grade %g",
                       choice->grades - 1, most);
    if (cost && cost->of && !isfinite(cost->of(0.0, most, choice->parameter)))
        return gr_fail(err, GRADUS_BAD_NUMBER, "cost '%s' is infinite for grade %g",
                       cost->about.name, most);
    return GRADUS_OK;
}

double gr_cost_raise(double base, double exponent)
{
    double power = 1.0;

    for (uint64_t left = (uint64_t)exponent; left; left >>= 1, base *= base)
        if (left & 1)
            power *= base;
    return power;
}

double gr_cost_of(const gr_cost_choice *choice, double truth, double guess)
{
    if (choice->cost)
        return choice->cost->of(truth, guess, choice->parameter);
    return choice->matrix[(size_t)truth * choice->grades + (size_t)guess];
}

double gr_cost_of_pair(const gr_cost_choice *choice, const gr_levels *levels, size_t low,
                       size_t high)
{
    if (choice->cost && choice->cost->of_pair)
        return choice->cost->of_pair(levels, low, high);
    return gr_cost_of(choice, levels->labels[low], levels->labels[high]);
}
