/* SPDX-License-Identifier: Apache-2.0 */
/* BFGS with backtracking. */
#include "calibration/descend.h"

#include "base/math.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* BFGS update of the inverse Hessian after a step s that changed the gradient by y. Skipped if the
 * curvature is not positive. room: n doubles. */
static void update(double *inverse, const double *s, const double *y, size_t n, double *room)
{
    const double sy = gr_inner_product(s, y, n);
    double yhy = 0.0;

    if (!(sy > 1e-12 * sqrt(gr_inner_product(s, s, n) * gr_inner_product(y, y, n))))
        return;
    for (size_t i = 0; i < n; i++)
        room[i] = gr_inner_product(inverse + i * n, y, n);
    yhy = gr_inner_product(y, room, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            inverse[i * n + j] +=
                (1.0 + yhy / sy) * s[i] * s[j] / sy - (room[i] * s[j] + s[i] * room[j]) / sy;
}

gradus_status gr_descend(gr_smooth f, const void *task, double *x, size_t n, size_t most,
                         gr_pool *asked, double *value, gradus_error *err)
{
    double *memory = gr_new_array(n * (n + 6), sizeof *memory);
    double *gradient = memory + n * n, *next = gradient + n, *after = next + n, *step = after + n;
    double *change = step + n, *room = change + n;

    if (!memory)
        return gr_fail_memory(err, "a minimisation");
    for (size_t i = 0; i < n; i++)
        memory[i * n + i] = 1.0;
    *value = f(task, x, gradient);
    for (size_t taken = 0; taken < most; taken++) {
        double share = 1.0, found = INFINITY, slope;

        for (size_t i = 0; i < n; i++)
            step[i] = -gr_inner_product(memory + i * n, gradient, n);
        slope = gr_inner_product(step, gradient, n);
        if (!(slope < -1e-14 * (1.0 + fabs(*value))))
            break;
        for (int h = 0;
             h < 40 && !gr_pool_cancelled(asked) && !(found <= *value + 1e-4 * share * slope);
             h++) {
            share = h ? 0.5 * share : 1.0;
            for (size_t i = 0; i < n; i++)
                next[i] = x[i] + share * step[i];
            found = f(task, next, after);
        }
        if (!(found < *value))
            break;
        for (size_t i = 0; i < n; i++) {
            step[i] = next[i] - x[i];
            change[i] = after[i] - gradient[i];
        }
        update(memory, step, change, n, room);
        memcpy(x, next, n * sizeof *x);
        memcpy(gradient, after, n * sizeof *x);
        *value = found;
    }
    free(memory);
    return gr_pool_check(asked, err);
}
