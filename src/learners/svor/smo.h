/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the solver for kernels, which smo.c moves and shrink.c makes smaller. Its rows are
 * the active ones, numbered anew; what the others have waits in the arrays of all. */
#ifndef GR_LEARNERS_SVOR_SMO_H
#define GR_LEARNERS_SVOR_SMO_H

#include "learners/svor/cache.h"
#include "learners/svor/svor.h"

/* Of each threshold t, by the conditions on it (v = f - 1 of rows above, f + 1 of rows below): it
 * is at most v where s a may rise, at least v where it may fall. Optimal: low <= high of all that
 * limit each other. */
typedef struct gr_svor_bounds {
    double high[GR_MOST_LEVELS], low[GR_MOST_LEVELS]; /* least of the former, most of the latter */
    size_t high_at[GR_MOST_LEVELS], low_at[GR_MOST_LEVELS]; /* their variables */
} gr_svor_bounds;

typedef struct gr_smo {
    const gr_svor_task *task;
    const gr_kernel *kernel;
    const gr_kernel_rows *all_rows;
    gr_kernel_rows few_rows; /* the active ones, if they are not all */
    gr_row_cache cache;
    size_t slots, active;
    uint32_t *numbers; /* of active rows among all */
    uint8_t *levels;
    double *prices, *f, *diagonal;
    double *a;             /* active x slots */
    double *all_f, *all_a; /* of inactive rows they are in force */
    double *all_diagonal;
    /* Of exc: multipliers of t_j <= t_{j+1}. Thresholds with one above 0 between them are tied. */
    double ties[GR_MOST_LEVELS];
    gr_svor_bounds bounds;
    double violation; /* of the worst pair */
    double told;      /* the share of the work that was told last */
    uint64_t steps;
} gr_smo;

/* The first and the last threshold that is tied to this one. */
size_t gr_smo_first_tied(const gr_smo *smo, size_t cut);
size_t gr_smo_last_tied(const gr_smo *smo, size_t cut);

/* Leaves out rows whose variables are at bounds and will likely stay there. */
gradus_status gr_smo_shrink(gr_smo *smo, gradus_error *err);
/* Brings all rows back, and f of those that were out up to date. */
gradus_status gr_smo_unshrink(gr_smo *smo, gradus_error *err);
static inline double gr_smo_beta(const gr_smo *smo, const double *a, size_t level)
{
    double sum = 0.0;

    for (size_t slot = 0; slot < smo->slots; slot++)
        sum += gr_svor_is_above(smo->task, level, slot) ? a[slot] : -a[slot];
    return sum;
}

#endif
