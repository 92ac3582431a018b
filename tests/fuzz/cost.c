/* Cost matrices: what is read is square, finite, not negative, and 0 on the diagonal. */
#include "fuzz.h"

#include "costs/cost.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_cost_choice choice;
    const gradus_status status = gr_cost_parse((const char *)bytes, size, "input", &choice, &err);

    must_explain(status != GRADUS_OK, &err);
    for (size_t i = 0; status == GRADUS_OK && i < choice.grades; i++)
        for (size_t j = 0; j < choice.grades; j++) {
            const double cost = gr_cost_of(&choice, (double)i, (double)j);

            must(isfinite(cost) && cost >= 0.0 && (i != j || cost == 0.0), "a cost is a cost");
        }
    gr_cost_choice_free(&choice);
    return 0;
}
