/* SPDX-License-Identifier: Apache-2.0 */
/* What boosting keeps whatever its rounds add, trees or kernels: the objective, the scores so far,
 * their gradients and the rows that a round sees. */
#ifndef GR_LEARNERS_BOOST_COURSE_H
#define GR_LEARNERS_BOOST_COURSE_H

#include "learners/boost/boost.h"
#include "objectives/cuts.h"

typedef struct gr_course {
    const gradus_context *context;
    gr_pool *pool;
    const gradus_dataset *data;
    const gr_problem *problem;
    const gr_objective *objective;
    gr_boost_options options;
    void *state;                  /* of the objective */
    gr_array scores;              /* double, outputs x rows */
    gr_array gradients, hessians; /* float, outputs x rows */
    gr_array sample;              /* uint32_t, rows; not there if all rows are seen */
    gr_array passed_over;         /* bool, queries; likewise */
    gr_threshold_log thresholds;
    bool separated; /* the last round told the grades apart without doubt */
} gr_course;

/* Begins the objective; context to options are set already. To be freed in any case. */
gradus_status gr_course_begin(gr_course *course, gradus_error *err);
void gr_course_free(gr_course *course);

/* Where the outputs begin, one each, to free(): at what the objective says, or at 0 if the caller
 * brings scores. NULL: no memory. */
double *gr_course_bases(const gr_course *course, bool from_scores);
/* Room, and scores that begin at the bases, with what the caller adds (NULL: nothing). */
gradus_status gr_course_scores(gr_course *course, const double *bases, const double *initial,
                               gradus_error *err);
/* Thresholds for the scores there are, with the rounds that the course starts with. */
gradus_status gr_course_thresholds(gr_course *course, gradus_error *err);

/* Gradients for a round, and the rows it sees: *rows ascending, *count of them; NULL: all. */
gradus_status gr_course_gradients(gr_course *course, uint64_t round, const uint32_t **rows,
                                  size_t *count, gradus_error *err);
/* After a round: thresholds follow the scores. *grew becomes false if training is to stop. */
gradus_status gr_course_follow(gr_course *course, uint64_t round, bool *grew, gradus_error *err);

#endif
