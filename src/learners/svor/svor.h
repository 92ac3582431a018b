/* SPDX-License-Identifier: Apache-2.0 */
/* Support vector ordinal regression: one function f and thresholds t_1 <= ... between neighbouring
 * grades, so that f + 1 margins separate them. With s the side of the threshold that a row of grade
 * y belongs on (above: y is higher, +1; below: -1) and C the price of a row, minimises
 *
 *     |w|^2 / 2 + sum over rows of C * sum over thresholds j of (1 - s (f(x) - t_j))+
 *
 *   imc  over all thresholds: they come out in order by themselves (Chu and Keerthi, 2007)
 *   exc  over the two beside the grade, with the order of thresholds imposed (the same)
 *   sl   over the two beside the grade: thresholds may cross (Shashua and Levin, 2003)
 *
 * Solved in the dual: a variable a in [0, C] for each row and threshold it meets, f = sum over rows
 * of b K(x, row), b = the sum of s a of the row; for each threshold the sum of s a is 0 (exc: sums
 * over the first thresholds are at most 0, over all of them 0). The duality gap bounds how far the
 * objective is above its least value, and says when to stop. */
#ifndef GR_LEARNERS_SVOR_SVOR_H
#define GR_LEARNERS_SVOR_SVOR_H

#include "learners/kernel/kernel.h"
#include "learners/linear/linear.h"
#include "objectives/problem.h"

typedef enum gr_svor_loss { GR_SVOR_IMC, GR_SVOR_EXC, GR_SVOR_SL } gr_svor_loss;

typedef struct gr_svor_options {
    double c;         /* price of a margin error of a row of weight 1 */
    double tolerance; /* stop at a gap of this share of the objective */
    uint64_t cache;   /* megabytes of kernel rows that are kept */
    uint64_t passes;  /* over the rows, at most, of linear */
} gr_svor_options;

extern const gr_param gr_svor_params[]; /* c and tolerance; the others are of one solver */
extern const gr_param gr_svor_kernel_params[], gr_svor_linear_params[];

/* The rows of one problem, the same for every solver. */
typedef struct gr_svor_task {
    const gradus_context *context;
    gr_svor_loss loss;
    size_t rows;
    size_t cuts;             /* thresholds */
    const uint8_t *level_of; /* 0 to cuts */
    double *prices;          /* C times the weight, one a row */
    double tolerance;
} gr_svor_task;

typedef struct gr_svor_fit {
    double *thresholds; /* owned */
    double objective;   /* at w and the thresholds */
    double gap;         /* objective minus the value of the dual */
    uint64_t steps;     /* pairs of variables, or passes over the rows */
    size_t support;     /* rows with a coefficient */
    bool converged;
    bool crossed; /* thresholds are not in order */
} gr_svor_fit;

/* Fits by a kernel; linear: a linear function of the features. The machine (one output) or the
 * equation is the caller's to end, as is the fit. */
gradus_status gr_svor_train_kernel(const gradus_context *context, const gradus_dataset *data,
                                   const gr_problem *problem, gr_svor_loss loss,
                                   const gr_svor_options *options, const gr_kernel_options *kernel,
                                   gr_machine *machine, gr_svor_fit *fit, gradus_error *err);
gradus_status gr_svor_train_linear(const gradus_context *context, const gradus_dataset *data,
                                   const gr_problem *problem, gr_svor_loss loss,
                                   const gr_svor_options *options, uint64_t seed, gr_linear *linear,
                                   gr_svor_fit *fit, gradus_error *err);
void gr_svor_fit_free(gr_svor_fit *fit);

/* ---- Parts, for the solvers and their tests ---- */

/* Variables of a row stand in slots: of imc one a threshold, else that of the threshold below the
 * grade and that above it, of which the lowest and the highest grade have one only. */
static inline size_t gr_svor_slots(const gr_svor_task *task)
{
    return task->loss == GR_SVOR_IMC ? task->cuts : 2;
}
/* The threshold that a slot is of; SIZE_MAX if it is of none. */
static inline size_t gr_svor_cut(const gr_svor_task *task, size_t level, size_t slot)
{
    if (task->loss == GR_SVOR_IMC)
        return slot;
    if (slot == 0)
        return level == 0 ? SIZE_MAX : level - 1;
    return level == task->cuts ? SIZE_MAX : level;
}
/* Whether a row of the level is to be above the threshold of the slot. */
static inline bool gr_svor_is_above(const gr_svor_task *task, size_t level, size_t slot)
{
    return task->loss == GR_SVOR_IMC ? slot < level : slot == 0;
}

/* The thresholds that are best for values f of the rows, and the sum of prices times errors at
 * them. Where a whole interval is best, its middle. */
gradus_status gr_svor_cut_best(const gr_svor_task *task, const double *f, double *thresholds,
                               double *loss, gradus_error *err);
/* That sum at any thresholds. */
double gr_svor_errors(const gr_svor_task *task, const double *f, const double *thresholds);

/* Prices and levels of a problem; prices are freed by the caller. */
gradus_status gr_svor_task_of(const gradus_context *context, const gr_problem *problem,
                              gr_svor_loss loss, const gr_svor_options *options, gr_svor_task *task,
                              gradus_error *err);

/* The solver for kernels. betas: one a row, the coefficients. */
gradus_status gr_svor_smo(const gr_svor_task *task, const gr_kernel *kernel,
                          const gr_kernel_rows *rows, uint64_t cache_bytes, double *betas,
                          gr_svor_fit *fit, gradus_error *err);

#endif
