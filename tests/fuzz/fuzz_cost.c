/* SPDX-License-Identifier: Apache-2.0 */
/* Cost matrices: an accepted matrix is square and has valid costs. */
#include "fuzz_target.h"

#include "costs/cost.h"

#include <math.h>

static void check_matrix(const gr_cost_choice *choice)
{
    must(choice->grades > 0 && choice->grades <= GR_COST_GRADES, "the size is within the limit");
    for (size_t truth = 0; truth < choice->grades; truth++)
        for (size_t guess = 0; guess < choice->grades; guess++) {
            const double cost = gr_cost_of(choice, (double)truth, (double)guess);

            must(isfinite(cost) && cost >= 0.0, "costs are finite and not negative");
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_cost_choice choice;
    const gradus_status status = gr_cost_parse((const char *)bytes, size, "input", &choice, &err);

    must_explain(status != GRADUS_OK, &err);
    if (status == GRADUS_OK)
        check_matrix(&choice);
    gr_cost_choice_free(&choice);
    return 0;
}
