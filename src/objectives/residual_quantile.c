/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted quantiles by radix selection: residuals are mapped to unsigned integers of the same order;
 * each pass sums the weights, by the next digit, of those that match the quantile's digits so far. */
#include "objectives/residual_quantile.h"

#include "base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS };

typedef struct residuals {
    const gr_problem *problem;
    size_t k;
    const double *scores;
    const uint32_t *rows;
    size_t count;
} residuals;

static double residual_at(const residuals *all, size_t i, double *weight)
{
    const size_t r = all->rows ? all->rows[i] : i;

    *weight = gr_problem_weight(all->problem, all->k, r);
    return gr_problem_target(all->problem, all->k, r) - (all->scores ? all->scores[r] : 0.0);
}

static int shift_of(int digit) /* digit 0 is the most significant; the last one is shorter */
{
    const int shift = 64 - (digit + 1) * DIGIT_BITS;

    return shift > 0 ? shift : 0;
}

/* Weight and number of residuals by one digit of their keys. */
typedef struct scale {
    double weights[BUCKETS];
    uint32_t counts[BUCKETS];
} scale;

/* Whether a key agrees with prefix in all digits above the given one. */
static bool agrees(uint64_t key, uint64_t prefix, int digit)
{
    return digit == 0 || (key ^ prefix) >> shift_of(digit - 1) == 0;
}

static void weigh(const residuals *all, uint64_t prefix, int digit, scale *by_digit)
{
    const int shift = shift_of(digit), above = digit == 0 ? 64 : shift_of(digit - 1);
    const uint64_t mask = ((uint64_t)1 << (above - shift)) - 1;

    memset(by_digit, 0, sizeof *by_digit);
    for (size_t i = 0; i < all->count; i++) {
        double weight;
        const uint64_t key = gr_double_key(residual_at(all, i, &weight));

        if (agrees(key, prefix, digit) && weight > 0.0) {
            by_digit->weights[key >> shift & mask] += weight;
            by_digit->counts[key >> shift & mask]++;
        }
    }
}

/* The only key with positive weight that agrees with prefix down to the given digit. */
static uint64_t only_key(const residuals *all, uint64_t prefix, int digit)
{
    for (size_t i = 0; i < all->count; i++) {
        double weight;
        const uint64_t key = gr_double_key(residual_at(all, i, &weight));

        if (agrees(key, prefix, digit + 1) && weight > 0.0)
            return key;
    }
    return prefix;
}

/* The smallest residual with positive weight above a key; the key's own if there is none. */
static double next_above(const residuals *all, uint64_t key)
{
    uint64_t best = UINT64_MAX;

    for (size_t i = 0; i < all->count; i++) {
        double weight;
        const uint64_t other = gr_double_key(residual_at(all, i, &weight));

        if (other > key && other < best && weight > 0.0)
            best = other;
    }
    return gr_key_double(best == UINT64_MAX ? key : best);
}

/* The digit at which the weight reaches `target`; *below is increased by the weight of the smaller
 * digits. */
static size_t digit_at(const scale *by_digit, double target, double *below)
{
    size_t last = 0;

    for (size_t b = 0; b < BUCKETS; b++) {
        if (by_digit->counts[b] == 0)
            continue;
        if (*below + by_digit->weights[b] >= target)
            return b;
        *below += by_digit->weights[b];
        last = b;
    }
    *below -= by_digit->weights[last]; /* the sums fell short by rounding */
    return last;
}

double gr_residual_quantile(const gr_problem *problem, size_t k, const double *scores,
                            const uint32_t *rows, size_t count, double fraction)
{
    const residuals all = { problem, k, scores, rows, count };
    double total = 0.0, below = 0.0, own = 0.0;
    uint64_t prefix = 0;
    scale by_digit;

    for (int digit = 0; digit < DIGITS; digit++) {
        weigh(&all, prefix, digit, &by_digit);
        if (digit == 0)
            for (size_t b = 0; b < BUCKETS; b++)
                total += by_digit.weights[b];
        if (!(total > 0.0))
            return 0.0;
        const size_t b = digit_at(&by_digit, fraction * total, &below);

        prefix |= (uint64_t)b << shift_of(digit);
        own = by_digit.weights[b];
        if (by_digit.counts[b] == 1) {
            prefix = only_key(&all, prefix, digit);
            break;
        }
    }
    const double found = gr_key_double(prefix);
    return below + own == fraction * total ? found + (next_above(&all, prefix) - found) / 2 : found;
}
