/* SPDX-License-Identifier: Apache-2.0 */
/* Boosted Gaussians (Uematsu and Lee, 2015): each round adds, for each output,
 *     weight * (e^-((x - centre)^2 / (2 bandwidth^2)) - offset)
 * of one feature x, chosen among all features, centres and bandwidths for what it lowers the loss
 * by. The offset is the mean of the kernel in the training data, so that a step moves no rows as a
 * whole. A missing value is 0 to the kernel. A prefix of the rounds is a model. */
#ifndef GR_LEARNERS_GAUSSIANS_GAUSSIANS_H
#define GR_LEARNERS_GAUSSIANS_GAUSSIANS_H

#include "data/dataset.h"
#include "learners/boost/boost.h"

typedef struct gr_gaussian {
    double centre, bandwidth, weight, offset;
    double gain; /* how much it lowered the loss, to second order */
    uint64_t feature;
} gr_gaussian;

/* The terms of a model: round by round, one an output. */
typedef struct gr_gaussians {
    size_t features, outputs, terms;
    double *bases; /* one an output */
    gr_gaussian *term;
    size_t room; /* terms there is memory for; 0 and own NULL: somebody else's */
    void *own;   /* bases, if ours */
} gr_gaussians;

static inline size_t gr_gaussians_rounds(const gr_gaussians *g)
{
    return g->outputs ? g->terms / g->outputs : 0;
}

gradus_status gr_gaussians_start(gr_gaussians *g, size_t features, size_t outputs,
                                 const double *bases, gradus_error *err);
gradus_status gr_gaussians_add(gr_gaussians *g, const gr_gaussian *term, gradus_error *err);
/* The first rounds; SIZE_MAX: all. */
gradus_status gr_gaussians_copy(const gr_gaussians *from, size_t rounds, gr_gaussians *to,
                                gradus_error *err);
void gr_gaussians_free(gr_gaussians *g);
/* Whether numbers are such that outputs are finite for any rows. */
gradus_status gr_gaussians_check(const gr_gaussians *g, gradus_error *err);
/* As in gradus_model_importance: gains of the terms of each feature, and how many there are. */
void gr_gaussians_importance(const gr_gaussians *g, double *gains, uint64_t *terms);
/* One entry per term; how many. NULL: only counts. */
size_t gr_gaussians_uses(const gr_gaussians *g, gradus_feature_use *uses);

enum { GR_GAUSSIAN_ROWS = 256 }; /* at most, of a call of the next */
/* The kernel of values[r * stride], r < count. */
void gr_gaussian_kernel(const gr_gaussian *term, const float *values, size_t stride, size_t count,
                        double *kernel);
/* out[k * rows + r], of dense rows. */
void gr_gaussians_run(const gr_gaussians *g, const float *values, size_t rows, size_t stride,
                      double *out);
/* Adds rounds [first, end) to sums (outputs x rows). */
gradus_status gr_gaussians_add_scores(const gr_gaussians *g, size_t first, size_t end,
                                      const gradus_dataset *data, double *sums, gr_pool *pool,
                                      gradus_error *err);

typedef struct gr_gaussian_options {
    const char *bandwidth; /* numbers, or "auto" */
    uint64_t centres;      /* of a feature, at most */
} gr_gaussian_options;

extern const gr_param gr_gaussian_params[];
/* Of boosting: what this learner heeds, too. */
extern const gr_param gr_gaussian_boost_params[];

typedef struct gr_gaussian_booster gr_gaussian_booster;

/* As gr_booster_new. Of the boosting options the learning rate, l2, shares of rows and queries, the
 * seed and the objective's are heeded. */
gr_gaussian_booster *
gr_gaussian_booster_new(const gradus_context *context, const gradus_dataset *data,
                        const gr_problem *problem, const gr_objective *objective,
                        const gr_boost_options *boost, const gr_gaussian_options *options,
                        const gr_gaussians *start, const double *initial, gradus_error *err);
void gr_gaussian_booster_free(gr_gaussian_booster *booster);
gradus_status gr_gaussian_booster_step(gr_gaussian_booster *booster, bool *grew, gradus_error *err);
const gr_gaussians *gr_gaussian_booster_terms(const gr_gaussian_booster *booster);
const double *gr_gaussian_booster_scores(const gr_gaussian_booster *booster);
const double *gr_gaussian_booster_thresholds(const gr_gaussian_booster *booster, size_t *sets);
bool gr_gaussian_booster_separated(const gr_gaussian_booster *booster);
double gr_gaussian_booster_preparing(const gr_gaussian_booster *booster);

#endif
