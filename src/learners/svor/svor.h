/* SPDX-License-Identifier: Apache-2.0 */
/* Support vector ordinal regression (SVOR): one function f(x) and thresholds t_1 <= t_2 <= ...
 * between adjacent grades, separated with margin 1. For a row of grade y and threshold j let s = +1
 * if the row belongs above the threshold and -1 if below; C is the row's penalty (`prices`). SVOR
 * minimises
 *
 *     |w|^2 / 2 + sum over rows of C * sum over thresholds j of (1 - s (f(x) - t_j))+
 *
 * where the inner sum is over
 *
 *     imc  all thresholds; they come out ordered (Chu and Keerthi 2007)
 *     exc  the two adjacent to the grade, with ordered thresholds as a constraint (the same)
 *     sl   the two adjacent to the grade; thresholds may cross (Shashua and Levin 2003)
 *
 * The dual has a variable a in [0, C] for each row and each of its thresholds; f(x) = sum over rows
 * of b K(x, row), where b is the row's sum of s a. For each threshold the sum of s a over the rows
 * is 0 (exc: every prefix sum over the thresholds is at most 0, and the total is 0). The duality
 * gap bounds the distance of the objective from its minimum and is the stopping criterion.
 *
 * How the files work together: svor_train.c declares the options and trains with a kernel: it
 * selects the kernel, computes the row prices (gr_svor_task) and calls smo.c, which optimises pairs
 * of dual variables (SMO) on a working set of rows that shrink.c keeps small and svor_cache.c
 * supplies with kernel rows. coordinate_descent.c trains linear models by dual coordinate descent
 * on the rows of design.c. Both solvers call svor_thresholds.c for the thresholds that are optimal
 * for given f, and thus for the primal objective. */
#ifndef GR_LEARNERS_SVOR_SVOR_H
#define GR_LEARNERS_SVOR_SVOR_H

#include "learners/kernel/kernel.h"
#include "learners/linear/linear.h"
#include "objectives/problem.h"

typedef enum gr_svor_loss { GR_SVOR_IMC, GR_SVOR_EXC, GR_SVOR_SL } gr_svor_loss;

typedef struct gr_svor_options {
    double c;         /* cost of a margin error of a row of weight 1 */
    double tolerance; /* stop when the gap is this fraction of the objective */
    uint64_t cache;   /* kernel only: size of the kernel row cache in MB */
    uint64_t passes;  /* linear only: maximum passes over the rows */
} gr_svor_options;

extern const gr_param gr_svor_params[]; /* c and tolerance, for both solvers */
extern const gr_param gr_svor_kernel_params[], gr_svor_linear_params[];

/* The optimisation problem, as seen by both solvers. */
typedef struct gr_svor_task {
    const gradus_context *context;
    gr_svor_loss loss;
    size_t rows;
    size_t cuts;             /* number of thresholds */
    const uint8_t *level_of; /* [row]: grade, 0 to cuts */
    double *prices;          /* [row]: C times the row's weight */
    double tolerance;
} gr_svor_task;

typedef struct gr_svor_fit {
    double *thresholds; /* [cuts], owned */
    double objective;   /* primal objective */
    double gap;         /* primal minus dual objective */
    uint64_t steps;     /* kernel: SMO steps; linear: passes over the rows */
    size_t support;     /* rows with a nonzero coefficient */
    bool converged;
    bool crossed; /* the thresholds are not ordered */
} gr_svor_fit;

/* svor_train.c */
/* Trains a kernel machine with one output, or a linear function of the features. The caller frees
 * the result and the fit. */
gradus_status gr_svor_train_kernel(const gradus_context *context, const gradus_dataset *data,
                                   const gr_problem *problem, gr_svor_loss loss,
                                   const gr_svor_options *options, const gr_kernel_options *kernel,
                                   gr_machine *machine, gr_svor_fit *fit, gradus_error *err);

/* coordinate_descent.c */
gradus_status gr_svor_train_linear(const gradus_context *context, const gradus_dataset *data,
                                   const gr_problem *problem, gr_svor_loss loss,
                                   const gr_svor_options *options, uint64_t seed, gr_linear *linear,
                                   gr_svor_fit *fit, gradus_error *err);

/* svor_train.c */
void gr_svor_fit_free(gr_svor_fit *fit);

/* ---- Internal, for the solvers and their tests ---- */

/* The dual variables of a row are stored in slots. imc: one slot per threshold. exc, sl: slot 0 for
 * the threshold below the grade, slot 1 for the one above; the lowest and the highest grade lack
 * one of them. */
static inline size_t gr_svor_slots(const gr_svor_task *task)
{
    return task->loss == GR_SVOR_IMC ? task->cuts : 2;
}
/* The threshold of a slot; SIZE_MAX: the slot is unused. */
static inline size_t gr_svor_cut(const gr_svor_task *task, size_t level, size_t slot)
{
    if (task->loss == GR_SVOR_IMC)
        return slot;
    if (slot == 0)
        return level == 0 ? SIZE_MAX : level - 1;
    return level == task->cuts ? SIZE_MAX : level;
}
/* Whether a row of this grade belongs above the threshold of the slot. */
static inline bool gr_svor_is_above(const gr_svor_task *task, size_t level, size_t slot)
{
    return task->loss == GR_SVOR_IMC ? slot < level : slot == 0;
}

/* svor_thresholds.c */
/* The optimal thresholds for given values f ([row]), and the sum of price times margin error at
 * them. If a whole interval is optimal, its midpoint is taken. */
gradus_status gr_svor_cut_best(const gr_svor_task *task, const double *f, double *thresholds,
                               double *loss, gradus_error *err);
/* The same sum at given thresholds. */
double gr_svor_errors(const gr_svor_task *task, const double *f, const double *thresholds);

/* svor_train.c */
/* Sets up the task; the caller frees task->prices. */
gradus_status gr_svor_task_of(const gradus_context *context, const gr_problem *problem,
                              gr_svor_loss loss, const gr_svor_options *options, gr_svor_task *task,
                              gradus_error *err);

/* smo.c */
/* SMO solver. betas: [row], the coefficients b of the kernel expansion. */
gradus_status gr_svor_smo(const gr_svor_task *task, const gr_kernel *kernel,
                          const gr_kernel_rows *rows, uint64_t cache_bytes, double *betas,
                          gr_svor_fit *fit, gradus_error *err);

#endif
