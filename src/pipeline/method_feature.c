/* SPDX-License-Identifier: Apache-2.0 */
/* Scores rows by the value of one feature; BM25 alone is a strong baseline in many collections. */
#include "pipeline/methods.h"

#include "base/ranges.h"
#include "data/row_names.h"

#include <float.h>
#include <math.h>

typedef struct chosen {
    const gradus_dataset *data;
    size_t feature;
    double sign;
    double *scores;
} chosen;

/* Keeps scores finite: missing values rank last, infinite ones just beyond the finite floats. */
static double finite_score(double value)
{
    if (isnan(value))
        return -DBL_MAX;
    return isinf(value) ? copysign(0x1p128, value) : value;
}

static void score_rows(void *argument, gr_range range)
{
    const chosen *c = argument;

    for (size_t r = range.first; r < range.end; r++)
        c->scores[r] = finite_score(c->sign * (double)gr_dataset_value(c->data, r, c->feature));
}

static gradus_status feature_score(const gr_scoring *scoring, double *scores, gradus_error *err)
{
    chosen choice = { scoring->data, 0, 1.0, scores };
    const char *word = scoring->argument;
    gradus_error unknown = { GRADUS_OK, "" };
    gradus_status status = gr_find_feature(scoring->data, word, &choice.feature, &unknown);

    if (status == GRADUS_BAD_ARGUMENT && *word == '-') {
        choice.sign = -1.0;
        status = gr_find_feature(scoring->data, word + 1, &choice.feature, &unknown);
    }
    if (status != GRADUS_OK)
        return gr_fail(err, status, "%s", unknown.message);
    gr_for_ranges(scoring->pool, scoring->data->arrays.rows, GR_METHOD_ROWS, score_rows, &choice);
    return GRADUS_OK;
}

const gr_method gr_method_feature = {
    .about = { .name = "feature",
               .summary = "the value of one feature: feature:ID, or feature:-ID for its negative",
               .details = "The score of a row is its value of the feature, which is named as in "
                          "the data file: by its name (the header of a CSV file) or by its id. A "
                          "minus sign before it gives the negative, for features where less is "
                          "better, such as the length of a URL. A row where the value is missing "
                          "comes after all others, with either sign." },
    .argument = "ID",
    .needs = GR_NEED_VALUES | 1u << GR_FEATURE_BYTES | 1u << GR_FEATURE_NAMES,
    .score = feature_score,
};
