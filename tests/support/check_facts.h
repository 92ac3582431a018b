/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a named fact of a model. */
#ifndef GR_TESTS_CHECK_FACTS_H
#define GR_TESTS_CHECK_FACTS_H

#include "checks.h"

#include "gradus.h"

static inline void check_fact(const gradus_model *model, const char *name, double wanted)
{
    gradus_model_fact fact;

    if (!gradus_model_fact_find(model, name, &fact))
        fail_msg("the model has no fact '%s'", name);
    check_near(fact.number, wanted, 0.0, name, __FILE__, __LINE__);
}

#endif
