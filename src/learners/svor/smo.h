/* SPDX-License-Identifier: Apache-2.0 */
/* State of the kernel solver: smo.c optimises it, shrink.c reduces its working set. The arrays hold
 * the active rows, renumbered from 0; the all_* arrays keep the state of the others. */
#ifndef GR_LEARNERS_SVOR_SMO_H
#define GR_LEARNERS_SVOR_SMO_H

#include "learners/svor/svor_cache.h"
#include "learners/svor/svor.h"

/* Optimality conditions of each threshold t. With v = f - 1 for rows above it and f + 1 for rows
 * below: t <= v if s a can increase, t >= v if s a can decrease. The solution is optimal if low <=
 * high for every pair of thresholds that constrain each other. */
typedef struct gr_svor_bounds {
    double high[GR_MAX_LEVELS], low[GR_MAX_LEVELS];       /* min and max of these v */
    size_t high_at[GR_MAX_LEVELS], low_at[GR_MAX_LEVELS]; /* their variables' indices */
} gr_svor_bounds;

typedef struct gr_smo {
    const gr_svor_task *task;
    const gr_kernel *kernel;
    const gr_kernel_rows *all_rows;
    gr_kernel_rows few_rows; /* the active rows, if not all are */
    gr_row_cache cache;
    size_t slots, active;
    uint32_t *numbers; /* [active]: original row number */
    uint8_t *levels;
    double *prices, *f, *diagonal;
    double *a;             /* [active x slots] */
    double *all_f, *all_a; /* [rows], [rows x slots]: valid for inactive rows */
    double *all_diagonal;
    /* exc: multipliers of the constraints t_j <= t_{j+1}. Thresholds with a positive multiplier
     * between them are tied (equal). */
    double ties[GR_MAX_LEVELS];
    gr_svor_bounds bounds;
    double violation; /* of the optimality conditions, by the worst pair */
    double told;      /* last reported progress, 0 to 1 */
    uint64_t steps;
    gr_arena arena; /* owns the arrays */
} gr_smo;

/* The first and the last threshold tied to this one. */
size_t gr_smo_first_tied(const gr_smo *smo, size_t cut);
size_t gr_smo_last_tied(const gr_smo *smo, size_t cut);

/* shrink.c */
/* Removes rows from the working set whose variables are at bounds and likely to stay there. */
gradus_status gr_smo_shrink(gr_smo *smo, gradus_error *err);
/* Reactivates all rows and recomputes f of those that were inactive. */
gradus_status gr_smo_unshrink(gr_smo *smo, gradus_error *err);
static inline double gr_smo_beta(const gr_smo *smo, const double *a, size_t level)
{
    double sum = 0.0;

    for (size_t slot = 0; slot < smo->slots; slot++)
        sum += gr_svor_is_above(smo->task, level, slot) ? a[slot] : -a[slot];
    return sum;
}

#endif
