/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the best cut of a feature: a vectorised version for the common case, and a plain
 * one that also checks monotone constraints and row counts. Both give the same bits. */
#include "learners/tree/split_search.h"

#include <string.h>

static inline double upper(uint64_t word)
{
    return (double)(int32_t)(uint32_t)(word >> 32);
}

static inline double lower(uint64_t word)
{
    return (double)(uint32_t)word;
}

/* Prefix sums over the bins. */
static void add_up(const gr_search *node, const uint64_t *bin_sums, size_t bins, double *gradients,
                   double *hessians)
{
    uint64_t first = 0, second = 0;

    for (size_t b = 0; b < bins; b++) {
        if (node->wide) {
            first += bin_sums[2 * b];
            second += bin_sums[2 * b + 1];
            gradients[b] = (double)(int64_t)first;
            hessians[b] = (double)(int64_t)second;
        } else {
            first += bin_sums[b];
            gradients[b] = upper(first);
            hessians[b] = lower(first);
        }
    }
}

static bool in_order(const gr_search *node, int sign, double left_gradient, double left_hessian,
                     double right_gradient, double right_hessian)
{
    const double left = -left_gradient / (left_hessian + node->l2);
    const double right = -right_gradient / (right_hessian + node->l2);

    if (left < node->low || left > node->high || right < node->low || right > node->high)
        return false;
    return sign == 0 || (sign > 0 ? left <= right : left >= right);
}

/* The side that receives the missing values. */
typedef enum missing_side { MISSING_RIGHT, MISSING_LEFT, MISSING_TO_HEAVIER } missing_side;

/* The sums of a feature's bins. */
typedef struct feature_sums {
    const double *gradients, *hessians; /* prefix sums */
    double gradient, hessian;           /* sums of the missing values */
    size_t values;                      /* bins, not counting that of missing values */
    int sign;
    const gr_bin_rows *rows; /* NULL: no row counts to check */
} feature_sums;

static bool enough_rows(const gr_bin_rows *rows, uint64_t left, uint64_t missing, bool missing_left)
{
    if (missing_left)
        left += missing;
    return left >= rows->min_rows && rows->rows - left >= rows->min_rows;
}

/* Tries all cuts, with the missing values on the given side. */
static gr_candidate try_cuts(const gr_search *node, const feature_sums *sums, missing_side side)
{
    const double gradient = side == MISSING_LEFT ? sums->gradient : 0;
    const double hessian = side == MISSING_LEFT ? sums->hessian : 0;
    const size_t cuts = side == MISSING_TO_HEAVIER ? sums->values - 1 : sums->values;
    const gr_bin_rows *rows = sums->rows;
    const uint64_t missing = rows ? rows->counts[sums->values] : 0;
    gr_candidate best = { .score = -1 };
    uint64_t count = 0;

    for (size_t b = 0; b < cuts; b++) {
        const double gl = sums->gradients[b] + gradient, hl = sums->hessians[b] + hessian;
        const double gr = node->gradient - gl, hr = node->hessian - hl;
        const double left = hl + node->l2, right = hr + node->l2;
        const double score = (gl * gl * right + gr * gr * left) / (left * right);
        const bool missing_left = side == MISSING_TO_HEAVIER ? hl > hr : side == MISSING_LEFT;

        count += rows ? rows->counts[b] : 0;
        if (hl >= node->need && hr >= node->need && score > best.score &&
            (!rows || enough_rows(rows, count, missing, missing_left)) &&
            (!node->checked || in_order(node, sums->sign, gl, hl, gr, hr)))
            best = (gr_candidate){ score, gl, hl, (uint32_t)b, missing_left, rows != NULL };
    }
    return best;
}

/* The same for 32-bit sums without monotone constraints or row counts, four cuts at a time. Each
 * lane performs the operations of try_cuts in the same order, so the results have the same bits. */
typedef double reals __attribute__((vector_size(32)));
typedef uint64_t words __attribute__((vector_size(32)));
enum { LANES = 4 };

typedef union lanes {
    words w;
    reals r;
    uint64_t word[LANES];
    double real[LANES];
} lanes;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Converts integers below 2^32 to doubles: x becomes the low mantissa bits of 2^52 + x. (Macros,
 * because functions that return vectors have a different ABI on each target.) */
#define LOWER_REALS(sums) ((reals)(((sums)&0xffffffffu) | 0x4330000000000000u) - 0x1p52)
#define UPPER_REALS(sums)                                                                          \
    ((reals)(((sums) >> 32 ^ 0x80000000u) | 0x4330000000000000u) - (0x1p52 + 0x1p31))

ALWAYS_INLINE gr_candidate try_four(const gr_search *node, const uint64_t *sums, size_t cuts,
                                    double gradient, double hessian)
{
    lanes best = { .real = { -1, -1, -1, -1 } }, places = { .word = { 0 } };
    words at = { 0, 1, 2, 3 };
    gr_candidate found = { .score = -1 };

    for (size_t b = 0; b < cuts; b += LANES, at += LANES) {
        words here;
        reals gl, hl, gr, hr, left, right, score;
        words better;

        memcpy(&here, sums + b, sizeof here);
        gl = UPPER_REALS(here) + gradient;
        hl = LOWER_REALS(here) + hessian;
        gr = node->gradient - gl;
        hr = node->hessian - hl;
        left = hl + node->l2;
        right = hr + node->l2;
        score = (gl * gl * right + gr * gr * left) / (left * right);
        better = (words)(hl >= node->need) & (words)(hr >= node->need) & (words)(score > best.r);
        best.w = (better & (words)score) | (~better & best.w);
        places.w = (better & at) | (~better & places.w);
    }
    for (size_t lane = 0; lane < LANES; lane++)
        if (best.real[lane] > found.score ||
            (best.real[lane] == found.score && places.word[lane] < found.bin)) {
            found.score = best.real[lane];
            found.bin = (uint32_t)places.word[lane];
        }
    if (found.score >= 0) {
        found.gradient = upper(sums[found.bin]) + gradient;
        found.hessian = lower(sums[found.bin]) + hessian;
    }
    return found;
}

static gr_candidate try_four_plain(const gr_search *node, const uint64_t *sums, size_t cuts,
                                   double gradient, double hessian)
{
    return try_four(node, sums, cuts, gradient, hessian);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static gr_candidate try_four_avx2(const gr_search *node,
                                                                  const uint64_t *sums, size_t cuts,
                                                                  double gradient, double hessian)
{
    return try_four(node, sums, cuts, gradient, hessian);
}
#endif

static gr_candidate try_words(const gr_search *node, const uint64_t *sums, size_t cuts,
                              double gradient, double hessian)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return try_four_avx2(node, sums, cuts, gradient, hessian);
#endif
    return try_four_plain(node, sums, cuts, gradient, hessian);
}

static gr_candidate better_side(gr_candidate right, gr_candidate left)
{
    left.missing_left = 1;
    return left.score > right.score || (left.score == right.score && left.bin < right.bin) ? left
                                                                                           : right;
}

static gr_candidate heavier_side(const gr_search *node, gr_candidate cut)
{
    cut.missing_left = cut.hessian > node->hessian - cut.hessian;
    return cut;
}

static gr_candidate search_quickly(const gr_search *node, const gr_feature_sums *feature,
                                   uint64_t *sums)
{
    const size_t values = feature->bins - feature->missing;
    const uint64_t missing = feature->missing ? feature->bin_sums[values] : 0;
    uint64_t sum = 0;

    for (size_t b = 0; b < values; b++)
        sums[b] = sum += feature->bin_sums[b];
    /* padding after the last cut: the right side is empty, so it is rejected */
    for (size_t b = values; b < values + LANES; b++)
        sums[b] = (uint64_t)node->hessian;
    if (missing == 0) {
        sums[values - 1] = (uint64_t)node->hessian;
        return heavier_side(node, try_words(node, sums, values - 1, 0, 0));
    }
    return better_side(try_words(node, sums, values, 0, 0),
                       try_words(node, sums, values, upper(missing), lower(missing)));
}

gr_candidate gr_search_feature(const gr_search *node, const gr_feature_sums *feature,
                               double *scratch)
{
    const size_t values = feature->bins - feature->missing;
    double *gradients = scratch, *hessians = scratch + feature->bins;
    feature_sums sums = { gradients, hessians, 0, 0, values, feature->sign, feature->rows };

    if (!node->wide && !node->checked && !feature->rows)
        return search_quickly(node, feature, (uint64_t *)(void *)scratch);
    add_up(node, feature->bin_sums, values, gradients, hessians);
    if (feature->missing)
        add_up(node, feature->bin_sums + values * (node->wide ? 2 : 1), 1, &sums.gradient,
               &sums.hessian);
    if (sums.gradient == 0 && sums.hessian == 0)
        return try_cuts(node, &sums, MISSING_TO_HEAVIER);
    return better_side(try_cuts(node, &sums, MISSING_RIGHT), try_cuts(node, &sums, MISSING_LEFT));
}
