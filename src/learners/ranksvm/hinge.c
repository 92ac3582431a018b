/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over active pairs in O(n log n) for a query of n rows: rows are visited in score order, and
 * those within the margin are kept in a Fenwick tree of sums by label (Fenwick 1994; Kuo, Lee and
 * Lin 2014). */
#include "learners/ranksvm/ranksvm.h"

#include <string.h>

static void tree_add(double *tree, uint32_t levels, uint32_t rank, double value)
{
    for (uint32_t i = rank + 1; i <= levels; i += i & -i) {
        tree[(size_t)2 * i] += 1.0;
        tree[(size_t)2 * i + 1] += value;
    }
}

/* The count and sum over ranks below `rank`. */
static void tree_sum(const double *tree, uint32_t rank, double *count, double *sum)
{
    *count = *sum = 0.0;
    for (uint32_t i = rank; i > 0; i -= i & -i) {
        *count += tree[(size_t)2 * i];
        *sum += tree[(size_t)2 * i + 1];
    }
}

void gr_hinge_sum(const gr_hinge_list *list, const double *values, gr_hinge_sums *sums,
                  double *tree)
{
    const size_t count = list->count, bytes = 2 * ((size_t)list->levels + 1) * sizeof *tree;
    const uint32_t levels = list->levels;
    size_t next = count;

    /* In descending order of scores s, the set of rows with a score above s - 1 only grows. */
    memset(tree, 0, bytes);
    for (size_t i = count; i-- > 0;) {
        const uint32_t at = list->order[i];

        for (; next > 0 && list->scores[at] - list->scores[list->order[next - 1]] < 1.0; next--)
            tree_add(tree, levels, list->ranks[list->order[next - 1]],
                     values[list->order[next - 1]]);
        tree_sum(tree, list->ranks[at], &sums[at].better_count, &sums[at].better_sum);
    }
    /* In ascending order of scores s, the set of rows with a score below s + 1 only grows. Ranks
     * are reversed. */
    memset(tree, 0, bytes);
    next = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = list->order[i];

        for (; next < count && list->scores[list->order[next]] - list->scores[at] < 1.0; next++)
            tree_add(tree, levels, levels - 1 - list->ranks[list->order[next]],
                     values[list->order[next]]);
        tree_sum(tree, levels - 1 - list->ranks[at], &sums[at].worse_count, &sums[at].worse_sum);
    }
}
