/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: confusion matrix of labels and predicted grades. */
#include "api/api_arguments.h"
#include "base/memory.h"
#include "data/dataset.h"

#include <math.h>
#include <string.h>

/* The index of a grade in the sorted list, inserting it if new; SIZE_MAX: the list is full. */
static size_t place_of(double *values, size_t *count, double grade)
{
    size_t at = 0;

    while (at < *count && values[at] < grade)
        at++;
    if (at < *count && values[at] == grade)
        return at;
    if (*count == GRADUS_MAX_GRADES)
        return SIZE_MAX;
    memmove(values + at + 1, values + at, (*count - at) * sizeof *values);
    values[at] = grade;
    ++*count;
    return at;
}

static gradus_status find_grades(const gradus_dataset *data, const double *predicted, size_t *count,
                                 double *values, gradus_error *err)
{
    for (size_t r = 0; r < data->arrays.rows; r++) {
        const double label = (double)data->arrays.labels[r];

        if (!isfinite(predicted[r]) || !isfinite(label) ||
            place_of(values, count, label) == SIZE_MAX ||
            place_of(values, count, predicted[r]) == SIZE_MAX)
            return gr_fail(
                err, GRADUS_BAD_NUMBER,
                "row %zu: label %g and predicted grade %g: a confusion matrix takes at most %d "
                "different grades, all finite",
                r + 1, label, predicted[r], GRADUS_MAX_GRADES);
    }
    return GRADUS_OK;
}

gradus_status gradus_confusion(const gradus_dataset *data, const double *predicted, size_t *grades,
                               double *grade_values, double *counts, gradus_error *err)
{
    if (!GR_GIVEN(err, data, predicted, grades, grade_values, counts))
        return GRADUS_BAD_ARGUMENT;
    GR_TRY(gr_dataset_need(data, 1u << GR_LABELS, NULL, err));
    if (!data->arrays.labels)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the data have no labels");
    *grades = 0;
    GR_TRY(find_grades(data, predicted, grades, grade_values, err));
    memset(counts, 0, *grades * *grades * sizeof *counts);
    for (size_t r = 0; r < data->arrays.rows; r++) {
        const size_t label = place_of(grade_values, grades, (double)data->arrays.labels[r]);

        counts[label * *grades + place_of(grade_values, grades, predicted[r])] +=
            data->arrays.row_weights ? (double)data->arrays.row_weights[r] : 1.0;
    }
    return GRADUS_OK;
}
