/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a real relevance into grades with wanted shares. */
#ifndef GR_DATA_SYNTH_GRADES_H
#define GR_DATA_SYNTH_GRADES_H

#include "base/pool.h"

enum { GR_GRADES = 64 }; /* the most there may be */
enum { GR_GRADE_SAMPLE = 200000 };

typedef struct gr_grades {
    size_t count;
    double shares[GR_GRADES]; /* sum to 1 */
    double cuts[GR_GRADES];   /* grade g is from cuts[g - 1] to below cuts[g]; count - 1 of them */
} gr_grades;

/* Reads "52,32,13,2,1" for the option of that name: 2 to GR_GRADES numbers from low to high. */
gradus_status gr_number_list(const char *option, const char *text, double low, double high,
                             double *numbers, size_t *count, gradus_error *err);

/* Reads shares: two numbers or more, none negative, of any positive sum. */
gradus_status gr_grades_parse(gr_grades *grades, const char *shares, gradus_error *err);

/* Fills the cuts with quantiles of a sample of GR_GRADE_SAMPLE draws. draw(argument, s, out)
 * writes part s of it, GR_GRADE_PART values, as a pure function of s: the sample is the same for
 * any number of threads. */
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
