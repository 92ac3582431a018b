/* SPDX-License-Identifier: Apache-2.0 */
/* The table of objectives. */
#include "objectives/objective.h"

#include <string.h>

static const gr_objective *const objectives[] = {
#define GR_OBJECTIVE(name) &gr_objective_##name,
#include "objectives/objectives.def"
};

const gr_objective *const gr_regression_losses[] = {
#define GR_REGRESSION_LOSS(name) &gr_objective_##name,
#include "objectives/objectives.def"
};

enum { OBJECTIVES = sizeof objectives / sizeof objectives[0] };

const gr_about *gr_objectives_at(size_t index)
{
    return index < OBJECTIVES ? &objectives[index]->about : NULL;
}

const gr_objective *gr_objective_find(const char *name)
{
    for (size_t i = 0; i < OBJECTIVES; i++)
        if (strcmp(objectives[i]->about.name, name) == 0)
            return objectives[i];
    return NULL;
}
