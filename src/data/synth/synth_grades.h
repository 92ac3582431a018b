/* SPDX-License-Identifier: Apache-2.0 */
/* Divides a real-valued relevance into grades with given frequencies. */
#ifndef GR_DATA_SYNTH_SYNTH_GRADES_H
#define GR_DATA_SYNTH_SYNTH_GRADES_H

#include "base/pool.h"

enum { GR_GRADES = 64 }; /* maximum */
enum { GR_GRADE_SAMPLE = 200000 };

typedef struct gr_grades {
    size_t count;
    double shares[GR_GRADES]; /* fractions, sum 1 */
    double cuts[GR_GRADES];   /* count - 1 thresholds: grade g is [cuts[g - 1], cuts[g]) */
} gr_grades;

/* Parses "52,32,13,2,1": 2 to GR_GRADES numbers from low to high. option: its name, for errors. */
gradus_status gr_number_list(const char *option, const char *text, double low, double high,
                             double *numbers, size_t *count, gradus_error *err);

/* Parses the fractions: two or more non-negative numbers with a positive sum, which are
 * normalised. */
gradus_status gr_grades_parse(gr_grades *grades, const char *shares, gradus_error *err);

/* Sets the cuts to quantiles of GR_GRADE_SAMPLE draws. draw(argument, part, out) writes part number
 * `part`, GR_GRADE_PART values, as a pure function of its arguments, so that the sample does not
 * depend on the number of threads. */
enum { GR_GRADE_PART = 1000 };
typedef void (*gr_grade_draw)(const void *argument, size_t part, double *out);
gradus_status gr_grades_cut(gr_grades *grades, gr_grade_draw draw, const void *argument,
                            gr_pool *pool, gradus_error *err);

static inline size_t gr_grade_of(const gr_grades *grades, double relevance)
{
    size_t grade = 0;

    while (grade + 1 < grades->count && relevance >= grades->cuts[grade])
        grade++;
    return grade;
}

#endif
