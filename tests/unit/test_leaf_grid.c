/* SPDX-License-Identifier: Apache-2.0 */
/* The grid of least squares: which trainings have one, and leaf values on it. */
#include "checks.h"

#include "learners/boost/leaf_grid.h"

#include <stdlib.h>

enum { ROWS = 10000 };

/* A problem whose targets are the grades 0 to 4. */
typedef struct graded {
    float labels[ROWS];
    gr_problem problem;
    gr_boost_state state;
} graded;

static graded *new_graded(void)
{
    graded *g = calloc(1, sizeof *g);

    for (size_t r = 0; r < ROWS; r++)
        g->labels[r] = (float)(r % 7 == 0 ? 4 : r % 5 % 3);
    g->problem = (gr_problem){ .rows = ROWS, .labels = g->labels, .outputs = 1 };
    g->state = (gr_boost_state){
        .problem = &g->problem,
        .objective = &gr_objective_squared,
        .options = { .learning_rate = 0.1, .row_share = 1, .query_share = 1, .grid_rows = ROWS }
    };
    return g;
}

/* sum |target - mean| is between 2^13 and 2^14, so that the scale of gradients is 2^16 at first. */
static void test_grid(void **state)
{
    graded *g = new_graded();

    (void)state;
    assert_true(gr_leaf_grid(&g->state, NULL, NULL) == 0x1p15);
    g->state.options.learning_rate = 0.002; /* times RMS 1.3 times 2^15: 86 */
    assert_true(gr_leaf_grid(&g->state, NULL, NULL) == 0x1p15);
    g->state.options.learning_rate = 0.001;
    assert_true(gr_leaf_grid(&g->state, NULL, NULL) == 0);
    free(g);
    assert_true(gr_on_grid(0.3, 4) == 0.25 && gr_on_grid(-0.3, 4) == -0.25);
    assert_true(gr_on_grid(0.3, 0) == 0.3);
}

static void check_none(graded *g, const double *initial)
{
    assert_true(gr_leaf_grid(&g->state, NULL, initial) == 0);
    free(g);
}

static void test_without_grid(void **state)
{
    const double initial[ROWS] = { 0 };
    float row_weights[ROWS];
    graded *g = new_graded();

    (void)state;
    check_none(g, initial);
    g = new_graded();
    g->state.options.grid_rows = ROWS + 1;
    check_none(g, NULL);
    g = new_graded();
    g->state.options.grid_rows = 0; /* as usual: few rows keep their models */
    check_none(g, NULL);
    g = new_graded();
    g->state.objective = &gr_objective_huber;
    check_none(g, NULL);
    g = new_graded();
    g->state.options.row_share = 0.9;
    check_none(g, NULL);
    g = new_graded();
    g->state.options.query_share = 0.9;
    check_none(g, NULL);
    g = new_graded();
    for (size_t r = 0; r < ROWS; r++)
        row_weights[r] = 1;
    g->problem.row_weights = row_weights;
    check_none(g, NULL);
    g = new_graded();
    g->labels[ROWS - 1] = 0.3f; /* off the grid */
    check_none(g, NULL);
    g = new_graded();
    g->labels[7] = 1000; /* too large for exact integers */
    check_none(g, NULL);
    g = new_graded();
    for (size_t r = 0; r < ROWS; r++)
        g->labels[r] = 2; /* nothing to learn */
    check_none(g, NULL);
}

/* Resuming finds the grid from the forest's base and leaf values; a forest of another version, whose
 * values are off the grid, has none. */
static void test_resumed(void **state)
{
    graded *g = new_graded();
    const double grid = gr_leaf_grid(&g->state, NULL, NULL);
    float leaves[] = { 0.25f, -1.5f, 3 };
    uint64_t starts[] = { 0, 1, 1 };
    double base;

    (void)state;
    gr_objective_squared.bases(NULL, &g->problem, &base);
    double bases[] = { gr_on_grid(base, grid) };
    const gr_forest forest = {
        .outputs = 1, .trees = 2, .bases = bases, .starts = starts, .leaves = leaves
    };

    assert_true(bases[0] != base && fabs(bases[0] - base) <= 0.5 / grid);
    assert_true(gr_leaf_grid(&g->state, &forest, NULL) == grid);
    leaves[2] = 0.1f;
    assert_true(gr_leaf_grid(&g->state, &forest, NULL) == 0);
    leaves[2] = 3;
    bases[0] = base;
    assert_true(gr_leaf_grid(&g->state, &forest, NULL) == 0);
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_without_grid),
        cmocka_unit_test(test_resumed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
