/* SPDX-License-Identifier: Apache-2.0 */
/* Multiple testing: Holm's correction ("A simple sequentially rejective multiple test procedure",
 * 1979) and Fisher's combination (Statistical Methods for Research Workers, 4th edition, 1932,
 * section 21.1). */
#include "statistics/multiple.h"

#include "base/memory.h"
#include "base/sort.h"
#include "base/special.h"

#include <math.h>
#include <stdlib.h>

static gradus_status check_p(double p, size_t index, gradus_error *err)
{
    if (p >= 0.0 && p <= 1.0)
        return GRADUS_OK;
    return gr_fail(err, isnan(p) ? GRADUS_BAD_NUMBER : GRADUS_BAD_ARGUMENT,
                   "p-value %zu is %g, not from 0 to 1", index, p);
}

/* In ascending order, the k-th of m p-values is multiplied by m - k + 1, and no result is below an
 * earlier one. */
static void step_down(const double *sorted, const size_t *order, const size_t *place, size_t count,
                      double *adjusted)
{
    double largest = 0.0;

    for (size_t k = 0; k < count; k++) {
        const double p = sorted[order[k]] * (double)(count - k);

        largest = fmax(largest, fmin(1.0, p));
        adjusted[place[order[k]]] = largest;
    }
}

gradus_status gr_holm(const double *p, size_t count, double *adjusted, gradus_error *err)
{
    size_t used = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]))
            GR_TRY(check_p(p[i], i, err));
    double *known = gr_new_array(count, sizeof *known);
    size_t *place = gr_new_array(count, sizeof *place);
    size_t *order = gr_new_array(count, sizeof *order);
    gr_keyed *scratch = gr_new_array(count, GR_SORT_SCRATCH(1));
    const bool ready = known && place && order && scratch;

    if (ready) {
        for (size_t i = 0; i < count; i++) {
            if (!isnan(p[i])) {
                known[used] = p[i];
                place[used++] = i;
            }
            adjusted[i] = (double)NAN;
        }
        gr_sort_ascending(known, used, order, scratch);
        step_down(known, order, place, used, adjusted);
    }
    free(known);
    free(place);
    free(order);
    free(scratch);
    return ready ? GRADUS_OK : gr_fail_memory(err, "p-values");
}

gradus_status gr_fisher(const double *p, size_t count, double *statistic, double *combined,
                        gradus_error *err)
{
    double sum = 0.0;

    if (count == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "there are no p-values to combine");
    for (size_t i = 0; i < count; i++) {
        GR_TRY(check_p(p[i], i, err));
        sum -= 2.0 * log(p[i]);
    }
    *statistic = sum + 0.0; /* 0, not -0, if all p are 1 */
    *combined = gr_chi_square_upper(sum, 2.0 * (double)count);
    return GRADUS_OK;
}
