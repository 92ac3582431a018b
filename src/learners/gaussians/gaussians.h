/* SPDX-License-Identifier: Apache-2.0 */
/* Boosted Gaussians (Uematsu and Lee, 2015): each round adds, for each output, a term
 *     weight * (e^-((x - centre)^2 / (2 bandwidth^2)) - offset)
 * of one feature x, where feature, centre and bandwidth are those that lower the loss most. The
 * offset is the hessian-weighted mean of the kernel over the training rows, so that a step does not
 * shift the scores as a whole. The kernel of a missing value is 0. The first k rounds are a model
 * by themselves.
 *
 * gaussians_boost.c runs the rounds with the boosting state of learners/boost/boost_state.h,
 * gaussians_search.c finds the best term of a round, gaussians_model.c stores, checks and evaluates
 * the terms, and gaussians_params.c declares the options. */
#ifndef GR_LEARNERS_GAUSSIANS_GAUSSIANS_H
#define GR_LEARNERS_GAUSSIANS_GAUSSIANS_H

#include "data/dataset.h"
#include "learners/boost/boost.h"

typedef struct gr_gaussian {
    double centre, bandwidth, weight, offset;
    double gain; /* decrease of the loss, to second order */
    uint64_t feature;
} gr_gaussian;

/* The terms of a model: round by round, one per output. */
typedef struct gr_gaussians {
    size_t features, outputs, terms;
    double *bases; /* per output */
    gr_gaussian *term;
    size_t room; /* capacity in terms; 0 with own NULL: the arrays are borrowed */
    void *own;   /* bases, if owned */
} gr_gaussians;

static inline size_t gr_gaussians_rounds(const gr_gaussians *g)
{
    return g->outputs ? g->terms / g->outputs : 0;
}

/* gaussians_model.c */
gradus_status gr_gaussians_start(gr_gaussians *g, size_t features, size_t outputs,
                                 const double *bases, gradus_error *err);
gradus_status gr_gaussians_add(gr_gaussians *g, const gr_gaussian *term, gradus_error *err);
/* A deep copy of the first `rounds` rounds (SIZE_MAX: all). */
gradus_status gr_gaussians_copy(const gr_gaussians *from, size_t rounds, gr_gaussians *to,
                                gradus_error *err);
void gr_gaussians_free(gr_gaussians *g);
/* Validates terms read from a file: outputs are finite for all rows. */
gradus_status gr_gaussians_check(const gr_gaussians *g, gradus_error *err);
/* Fills in one entry per term and returns their number. uses NULL: only counts. */
size_t gr_gaussians_uses(const gr_gaussians *g, gradus_feature_use *uses);

enum { GR_GAUSSIAN_ROWS = 256 }; /* maximum count of gr_gaussian_kernel */
/* kernel[r]: the term's kernel at values[r * stride], r < count. */
void gr_gaussian_kernel(const gr_gaussian *term, const float *values, size_t stride, size_t count,
                        double *kernel);
/* Output k of dense row r at out[k * rows + r]. */
void gr_gaussians_run(const gr_gaussians *g, const float *values, size_t rows, size_t stride,
                      double *out);
/* Adds rounds [first, end) to sums (outputs x rows). */
gradus_status gr_gaussians_add_scores(const gr_gaussians *g, size_t first, size_t end,
                                      const gradus_dataset *data, double *sums, gr_pool *pool,
                                      gradus_error *err);

enum { GR_KERNELS_BY_NEWTON, GR_KERNELS_EXACTLY };

typedef struct gr_gaussian_options {
    const char *bandwidth; /* comma-separated numbers, or "auto" */
    uint64_t centres;      /* maximum per feature */
    int search;            /* GR_KERNELS_BY_NEWTON or GR_KERNELS_EXACTLY */
} gr_gaussian_options;

extern const gr_param gr_gaussian_params[];
extern const gr_option_block gr_gaussian_option_block;

typedef struct gr_gaussian_booster gr_gaussian_booster;

/* gaussians_boost.c */
/* Like gr_booster_new. Of the boosting options it uses the learning rate, l2, the row and query
 * fractions, binning, the seed and those of the objective. */
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
