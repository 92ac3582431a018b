/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: statistical tests between rankers, and adjustment of p-values. */
#include "api/api_arguments.h"
#include "base/context.h"
#include "statistics/compare.h"
#include "statistics/multiple.h"

#include <stdlib.h>

struct gradus_comparison {
    gradus_contrast *contrasts;
    size_t count;
};

static gradus_status check_values(size_t systems, size_t queries, const double *const *values,
                                  gradus_error *err)
{
    for (size_t s = 0; s < systems; s++)
        if (!values[s] && queries > 0)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "the values of system %zu are NULL", s);
    return GRADUS_OK;
}

gradus_comparison *gradus_compare(gradus_context *context, size_t systems, size_t queries,
                                  const double *const *values, const gradus_options *options,
                                  gradus_error *err)
{
    if (systems && !GR_GIVEN(err, values))
        return NULL;
    gr_compare_options chosen;
    gradus_comparison *comparison;

    if (check_values(systems, queries, values, err) != GRADUS_OK ||
        gr_options_get(options, &gr_operation_compare, &chosen, err) != GRADUS_OK)
        return NULL;
    comparison = calloc(1, sizeof *comparison);
    if (!comparison) {
        gr_fail_memory(err, "a comparison");
        return NULL;
    }
    gr_pool_begin(gr_pool_of(context));
    if (gr_compare(gr_pool_of(context), systems, queries, values, &chosen, &comparison->contrasts,
                   &comparison->count, err) != GRADUS_OK) {
        free(comparison);
        return NULL;
    }
    return comparison;
}

bool gradus_comparison_at(const gradus_comparison *comparison, size_t index,
                          gradus_contrast *contrast)
{
    if (!GR_GIVEN(NULL, comparison, contrast))
        return false;
    if (index >= comparison->count)
        return false;
    *contrast = comparison->contrasts[index];
    return true;
}

void gradus_comparison_free(gradus_comparison *comparison)
{
    if (!comparison)
        return;
    free(comparison->contrasts);
    free(comparison);
}

gradus_status gradus_combine_p(const double *p, size_t count, double *statistic, double *combined,
                               gradus_error *err)
{
    double sum, tail;

    if (count && !GR_GIVEN(err, p))
        return GRADUS_BAD_ARGUMENT;
    GR_TRY(gr_fisher(p, count, &sum, &tail, err));
    if (statistic)
        *statistic = sum;
    if (combined)
        *combined = tail;
    return GRADUS_OK;
}

gradus_status gradus_adjust_p(const double *p, size_t count, double *adjusted, gradus_error *err)
{
    if (count && !GR_GIVEN(err, p, adjusted))
        return GRADUS_BAD_ARGUMENT;
    return gr_holm(p, count, adjusted, err);
}
