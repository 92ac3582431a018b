/* Selection digit by digit: residuals become unsigned integers of the same order, and each pass
 * weighs those that agree with the median in the digits so far by their next digit. */
#include "objectives/median.h"

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

static uint64_t key_of(double number)
{
    uint64_t bits;

    number += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double number_of(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static int shift_of(int digit) /* digit 0 is the highest; the last one is short */
{
    const int shift = 64 - (digit + 1) * DIGIT_BITS;

    return shift > 0 ? shift : 0;
}

/* Weighs the residuals whose key starts as `prefix` does (all of it above digit), by digit. */
static void weigh(const residuals *all, uint64_t prefix, int digit, double *buckets)
{
    const int shift = shift_of(digit), above = digit == 0 ? 64 : shift_of(digit - 1);

    memset(buckets, 0, BUCKETS * sizeof *buckets);
    for (size_t i = 0; i < all->count; i++) {
        double weight;
        const uint64_t key = key_of(residual_at(all, i, &weight));

        if (above == 64 || key >> above == prefix >> above)
            buckets[key >> shift & (BUCKETS - 1) & (((uint64_t)1 << (above - shift)) - 1)] +=
                weight;
    }
}

/* The least residual of positive weight above a key; itself if there is none. */
static double next_above(const residuals *all, uint64_t key)
{
    uint64_t best = UINT64_MAX;

    for (size_t i = 0; i < all->count; i++) {
        double weight;
        const uint64_t other = key_of(residual_at(all, i, &weight));

        if (other > key && other < best && weight > 0.0)
            best = other;
    }
    return number_of(best == UINT64_MAX ? key : best);
}

double gr_residual_median(const gr_problem *problem, size_t k, const double *scores,
                          const uint32_t *rows, size_t count)
{
    const residuals all = { problem, k, scores, rows, count };
    double buckets[BUCKETS], total = 0.0, below = 0.0;
    uint64_t prefix = 0;

    for (int digit = 0; digit < DIGITS; digit++) {
        size_t b = 0, last = 0;

        weigh(&all, prefix, digit, buckets);
        if (digit == 0)
            for (size_t i = 0; i < BUCKETS; i++)
                total += buckets[i];
        if (!(total > 0.0))
            return 0.0;
        for (; b < BUCKETS; b++) {
            if (buckets[b] > 0.0)
                last = b;
            if (buckets[b] > 0.0 && below + buckets[b] >= total / 2)
                break;
            below += buckets[b];
        }
        prefix |= (uint64_t)(b < BUCKETS ? b : last) << shift_of(digit);
        if (digit == DIGITS - 1 && b < BUCKETS)
            below += buckets[b];
    }
    const double median = number_of(prefix);
    return below == total / 2 ? median + (next_above(&all, prefix) - median) / 2 : median;
}
