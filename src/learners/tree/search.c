#include "learners/tree/search.h"

static inline double upper(uint64_t word)
{
    return (double)(int32_t)(uint32_t)(word >> 32);
}

static inline double lower(uint64_t word)
{
    return (double)(uint32_t)word;
}

/* Sums up to each bin. */
static void add_up(const gr_search *node, const uint64_t *slots, size_t bins, double *gradients,
                   double *hessians)
{
    uint64_t first = 0, second = 0;

    for (size_t b = 0; b < bins; b++) {
        if (node->wide) {
            first += slots[2 * b];
            second += slots[2 * b + 1];
            gradients[b] = (double)(int64_t)first;
            hessians[b] = (double)(int64_t)second;
        } else {
            first += slots[b];
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

/* Tries the first `cuts` sums, with the missing values on the left added to each. */
static gr_candidate try_cuts(const gr_search *node, const double *gradients, const double *hessians,
                             size_t cuts, double gradient, double hessian, int sign)
{
    gr_candidate best = { -1, 0, 0, 0, 0 };

    for (size_t b = 0; b < cuts; b++) {
        const double gl = gradients[b] + gradient, hl = hessians[b] + hessian;
        const double gr = node->gradient - gl, hr = node->hessian - hl;
        const double left = hl + node->l2, right = hr + node->l2;
        const double score = (gl * gl * right + gr * gr * left) / (left * right);

        if (hl >= node->need && hr >= node->need && score > best.score &&
            (!node->checked || in_order(node, sign, gl, hl, gr, hr)))
            best = (gr_candidate){ score, gl, hl, (uint32_t)b, 0 };
    }
    return best;
}

gr_candidate gr_search_feature(const gr_search *node, const gr_feature_slots *feature,
                               double *scratch)
{
    const size_t values = feature->bins - feature->missing;
    double *gradients = scratch, *hessians = scratch + feature->bins;
    const size_t last = values; /* the place of the bin of missing values */
    double gradient = 0, hessian = 0;
    gr_candidate right, left;

    add_up(node, feature->slots, values, gradients, hessians);
    if (feature->missing)
        add_up(node, feature->slots + last * (node->wide ? 2 : 1), 1, &gradient, &hessian);
    if (gradient == 0 && hessian == 0) {
        right = try_cuts(node, gradients, hessians, values - 1, 0, 0, feature->sign);
        right.missing_left = right.hessian > node->hessian - right.hessian;
        return right;
    }
    right = try_cuts(node, gradients, hessians, values, 0, 0, feature->sign);
    left = try_cuts(node, gradients, hessians, values - 1, gradient, hessian, feature->sign);
    left.missing_left = 1;
    return left.score > right.score || (left.score == right.score && left.bin < right.bin) ? left
                                                                                           : right;
}
