/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the cut with the largest AdaBoost edge, four labels at a time. */
#include "kernels/adaboost_cut.h"

#include <string.h>

typedef int64_t labels __attribute__((vector_size(32)));

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* |x|. A macro, because functions that return such wide vectors have a different ABI on each
 * target. */
#define SIZE_OF(x) (((x) ^ ((x) < 0)) - ((x) < 0))

/* Tries cuts after bins 0 to cuts - 1. `left` holds the initial sums of the left side. */
ALWAYS_INLINE void walk(const gr_edge_scan *scan, size_t groups, size_t cuts, labels *left,
                        bool missing_left, bool opposed, gr_edge_cut *best)
{
    const labels *totals = (const labels *)(const void *)scan->totals;
    const size_t apart = scan->apart / GR_EDGE_LANES;

    for (size_t b = 0; b < cuts; b++) {
        const labels *slot = (const labels *)(const void *)scan->slots + b;
        labels sum = { 0, 0, 0, 0 };

        for (size_t g = 0; g < groups; g++) {
            left[g] += slot[g * apart];
            const labels right = totals[g] - left[g], more = right - left[g];

            sum += opposed ? SIZE_OF(more) : SIZE_OF(left[g]) + SIZE_OF(right);
        }
        const int64_t edge = sum[0] + sum[1] + sum[2] + sum[3];

        if (edge > best->edge)
            *best = (gr_edge_cut){ edge, b, missing_left };
    }
}

ALWAYS_INLINE gr_edge_cut search(const gr_edge_scan *scan, size_t groups, bool opposed)
{
    const labels *missing = (const labels *)(const void *)scan->slots + scan->bins;
    gr_edge_cut best = { -1, 0, false };
    labels left[GR_EDGE_GROUPS];

    memset(left, 0, groups * sizeof *left);
    walk(scan, groups, scan->missing ? scan->bins : scan->bins - 1, left, false, opposed, &best);
    if (!scan->missing)
        return best;
    for (size_t g = 0; g < groups; g++)
        left[g] = missing[g * (scan->apart / GR_EDGE_LANES)];
    walk(scan, groups, scan->bins - 1, left, true, opposed, &best);
    return best;
}

ALWAYS_INLINE gr_edge_cut search_any(const gr_edge_scan *scan)
{
    if (scan->groups == 1)
        return scan->opposed ? search(scan, 1, true) : search(scan, 1, false);
    return scan->opposed ? search(scan, scan->groups, true) : search(scan, scan->groups, false);
}

gr_edge_cut gr_edge_best_plain(const gr_edge_scan *scan)
{
    return search_any(scan);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static gr_edge_cut search_avx2(const gr_edge_scan *scan)
{
    return search_any(scan);
}
#endif

gr_edge_cut gr_edge_best(const gr_edge_scan *scan)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return search_avx2(scan);
#endif
    return gr_edge_best_plain(scan);
}
