/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses grade thresholds for a relevance so that the grades have given frequencies. */
#include "data/synth/synth_grades.h"

#include "base/memory.h"
#include "base/sort.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gradus_status gr_number_list(const char *option, const char *text, double low, double high,
                             double *numbers, size_t *count, gradus_error *err)
{
    const char *at = text, *end = text + strlen(text);

    for (*count = 0; at && *count < GR_GRADES; at++) {
        double number;

        at = gr_parse_double(at, end, &number);
        if (!at || !(number >= low) || !(number <= high))
            break;
        numbers[(*count)++] = number;
        if (at == end && *count >= 2)
            return GRADUS_OK;
        if (*at != ',')
            break;
    }
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "'%s' takes 2 to %d comma-separated numbers from %g to %g, not '%.60s'", option,
                   GR_GRADES, low, high, text);
}

gradus_status gr_grades_parse(gr_grades *grades, const char *shares, gradus_error *err)
{
    double sum = 0.0;

    GR_TRY(
        gr_number_list("grade-fractions", shares, 0.0, 1e9, grades->shares, &grades->count, err));
    for (size_t g = 0; g < grades->count; g++)
        sum += grades->shares[g];
    if (!(sum > 0.0))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'grade-fractions' must not be all 0");
    for (size_t g = 0; g < grades->count; g++)
        grades->shares[g] /= sum;
    return GRADUS_OK;
}

typedef struct sampling {
    gr_grade_draw draw;
    const void *argument;
    double *sample;
} sampling;

static void draw_part(void *argument, size_t part, size_t worker)
{
    const sampling *s = argument;

    (void)worker;
    s->draw(s->argument, part, s->sample + part * GR_GRADE_PART);
}

/* Each cut is the sample quantile at the cumulative fraction of the lower grades. */
static void cut_sorted(gr_grades *grades, const double *sample, const size_t *order)
{
    double below = 0.0;

    for (size_t g = 0; g + 1 < grades->count; g++) {
        below += grades->shares[g];
        const size_t place = (size_t)nearbyint(below * GR_GRADE_SAMPLE);

        grades->cuts[g] = place < GR_GRADE_SAMPLE ? sample[order[place]] : (double)INFINITY;
        if (place == 0)
            grades->cuts[g] = -(double)INFINITY;
    }
}

gradus_status gr_grades_cut(gr_grades *grades, gr_grade_draw draw, const void *argument,
                            gr_pool *pool, gradus_error *err)
{
    gradus_status status = GRADUS_OK;
    double *sample = gr_new_array(GR_GRADE_SAMPLE, sizeof *sample);
    size_t *order = gr_new_array(GR_GRADE_SAMPLE, sizeof *order);
    gr_keyed *scratch = malloc(GR_SORT_SCRATCH((size_t)GR_GRADE_SAMPLE));

    if (sample && order && scratch) {
        sampling s = { draw, argument, sample };

        gr_pool_run(pool, GR_GRADE_SAMPLE / GR_GRADE_PART, draw_part, &s);
        gr_sort_ascending(sample, GR_GRADE_SAMPLE, order, scratch);
        cut_sorted(grades, sample, order);
    } else {
        status = gr_fail_memory(err, "sampled relevances");
    }
    free(scratch);
    free(order);
    free(sample);
    return status;
}
