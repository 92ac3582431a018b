/* SPDX-License-Identifier: Apache-2.0 */
/* Random forests, and rows whose values hit their thresholds. */
#include "random_forest.h"

#include <stdlib.h>
#include <string.h>

static float any_number(gr_rng *rng, uint64_t grid)
{
    if (grid == 0)
        return (float)gr_rng_normal(rng);
    return (float)gr_rng_below(rng, grid) - (float)(grid / 2);
}

static float any_threshold(gr_rng *rng, uint64_t grid)
{
    const uint64_t odd = gr_rng_below(rng, 60);

    return odd == 0 ? -0.0f : odd == 1 ? INFINITY : odd == 2 ? -INFINITY : any_number(rng, grid);
}

/* Splits leaves until there are enough; child indices stay open until then. */
static size_t grow_tree(gr_rng *rng, const forest_plan *plan, gr_split *splits)
{
    const size_t leaves =
        plan->exactly ? plan->leaves : 1 + (size_t)gr_rng_below(rng, plan->leaves);
    int32_t *ends[MAX_SPLITS + 2];
    int32_t root = 0;
    size_t open = 1;

    ends[0] = &root;
    for (size_t s = 0; s + 1 < leaves; s++) {
        const size_t pick = plan->shape == SHAPE_CHAIN    ? open - 1
                            : plan->shape == SHAPE_LEVELS ? 0
                                                          : (size_t)gr_rng_below(rng, open);

        *ends[pick] = (int32_t)s;
        splits[s] = (gr_split){ .feature = (uint32_t)gr_rng_below(rng, plan->features),
                                .threshold = any_threshold(rng, plan->grid),
                                .gain = (float)gr_rng_uniform(rng),
                                .missing_left = (uint32_t)gr_rng_below(rng, 2) };
        memmove(ends + pick, ends + pick + 1, (open - pick - 1) * sizeof *ends);
        ends[open - 1] = &splits[s].left;
        ends[open++] = &splits[s].right;
    }
    for (size_t l = 0; l < open; l++)
        *ends[l] = ~(int32_t)l;
    return leaves;
}

void random_forest(gr_rng *rng, const forest_plan *plan, gr_forest *forest)
{
    gr_split splits[MAX_SPLITS];
    float values[MAX_SPLITS + 1];
    uint32_t covers[MAX_SPLITS + 1];
    double bases[16];

    assert_true(plan->leaves <= MAX_SPLITS && plan->outputs <= 16);
    for (size_t k = 0; k < plan->outputs; k++)
        bases[k] = gr_rng_normal(rng);
    assert_int_equal(gr_forest_start(forest, plan->features, plan->outputs, bases, NULL),
                     GRADUS_OK);
    for (size_t t = 0; t < plan->rounds * plan->outputs; t++) {
        const size_t leaves = grow_tree(rng, plan, splits);

        for (size_t l = 0; l < leaves; l++) {
            values[l] = (float)gr_rng_normal(rng);
            covers[l] = (uint32_t)(l + t);
        }
        assert_int_equal(gr_forest_add(forest, splits, leaves, values, covers, NULL), GRADUS_OK);
    }
}

float *random_rows(gr_rng *rng, const forest_plan *plan, const gr_forest *forest, size_t rows,
                   size_t stride)
{
    const uint64_t splits = forest->starts[forest->trees];
    float *values = gr_new_array(rows * stride, sizeof *values);

    assert_non_null(values);
    for (size_t i = 0; i < rows * stride; i++) {
        const uint64_t kind = gr_rng_below(rng, 16);
        const float threshold = splits ? forest->splits[gr_rng_below(rng, splits)].threshold : 1.0f;

        values[i] = kind == 0   ? NAN
                    : kind == 1 ? INFINITY
                    : kind == 2 ? -INFINITY
                    : kind == 3 ? -0.0f
                    : kind == 4 ? nextafterf(threshold, -INFINITY)
                    : kind < 8  ? threshold
                                : any_number(rng, plan->grid);
    }
    return values;
}
