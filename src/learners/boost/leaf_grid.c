/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether scores are kept on a grid, and on which.
 *
 * The grid is half as fine as the gradients of the first round could be quantised: 2^k =
 * 2^floor(log2(2^29 / sum |target - base|)). The sum mostly falls from round to round, and the spare
 * bit keeps the scale of later rounds at 2^k if it does not. With grades as targets, score - target
 * is then a multiple of 2^-k and exact as a float, and the stochastic rounding of an integer changes
 * nothing (learners/tree/quantize.h).
 *
 * Rounding moves a leaf value by up to 2^-(k + 1). A step is the learning rate times a mean residual,
 * so a grid is used only if learning rate * RMS(target - base) is at least 64 / 2^k. */
#include "learners/boost/leaf_grid.h"

#include "learners/boost/boost_sample.h"
#include "learners/tree/quantize.h"

static const double least_step = 64; /* learning rate * RMS(target - base), in units of the grid */

/* Whether gradients are differences of scores and targets in every round, of all rows. Several
 * outputs have no grid: their root histograms come from a single pass over the rows
 * (root_histograms.c), and the leaf histograms of all of them would have to be kept. */
static bool has_plain_residuals(const gr_boost_state *c, const gr_problem *all)
{
    const size_t least = c->options.grid_rows ? c->options.grid_rows : GR_GRID_ROWS;

    return c->objective->residual && all->outputs == 1 && !all->row_weights && !all->weights &&
           !gr_samples_rows(&c->options) && all->rows >= least && all->rows <= GR_NARROW_ROWS;
}

/* From the first scores. Gradients must be exact integers in units of the grid, with a bit to spare. */
static double find_grid(const gr_problem *all, double base, double learning_rate)
{
    double sum = 0, squares = 0, most = 0, grid;

    for (size_t r = 0; r < all->rows; r++) {
        const double off = fabs(gr_problem_target(all, 0, r) - base);

        sum += off;
        squares += off * off;
        most = fmax(most, off);
    }
    grid = gr_scale_for(sum, 29);
    return most * grid < GR_EXACT_GRADIENT / 2 &&
                   learning_rate * sqrt(squares / (double)all->rows) * grid >= least_step
               ? grid
               : 0.0;
}

static bool is_on_grid(double value, double grid)
{
    return gr_on_grid(value, grid) == value;
}

/* Of a forest of a version that did not round leaf values, some are off the grid. */
static bool forest_is_on_grid(const gr_forest *forest, double base, double grid)
{
    const size_t leaves = forest->trees ? (size_t)forest->starts[forest->trees] + forest->trees : 0;

    if (forest->bases[0] != gr_on_grid(base, grid))
        return false;
    for (size_t l = 0; l < leaves; l++)
        if (!is_on_grid((double)forest->leaves[l], grid))
            return false;
    return true;
}

double gr_leaf_grid(const gr_boost_state *c, const gr_forest *start, const double *initial)
{
    const gr_problem *all = gr_problem_whole(c->problem);
    double base, grid;

    if (initial || !has_plain_residuals(c, all))
        return 0.0;
    c->objective->bases(c->state, all, &base);
    grid = find_grid(all, base, c->options.learning_rate);
    for (size_t r = 0; grid > 0.0 && r < all->rows; r++)
        if (!is_on_grid(gr_problem_target(all, 0, r), grid))
            return 0.0;
    return grid > 0.0 && (!start || forest_is_on_grid(start, base, grid)) ? grid : 0.0;
}
