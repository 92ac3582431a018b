/* Discounted cumulative gain (Jarvelin and Kekalainen 2002). With tied scores the expectation
 * over their orders is the mean gain of the group at each of its places (McSherry and Najork
 * 2008). */
#include "metrics/gains.h"

#include "base/math.h"

#include <stdint.h>
#include <string.h>

/* 2^e for e from -1022 to 1023; a call of ldexp would take most of the time of NDCG. */
static double power_of_two(int e)
{
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double power;

    memcpy(&power, &bits, sizeof power);
    return power;
}

static double table_gain(double label, double most)
{
    return label >= 0.0 && label <= most ? power_of_two((int)label) - 1.0 : 0.0;
}

double gr_gain_of(gr_gain_rule rule, double label, int shift)
{
    switch (rule) {
    case GR_GAIN_EXP:
        return power_of_two((int)label - shift) - power_of_two(-shift);
    case GR_GAIN_LINEAR:
        return label;
    case GR_GAIN_LETOR:
        return table_gain(label, 2.0);
    case GR_GAIN_MSLR:
        return table_gain(label, 4.0);
    }
    return 0.0;
}

double gr_discount_at(gr_discount_rule rule, size_t i)
{
    if (rule == GR_DISCOUNT_LOG2)
        return 1.0 / gr_log2((double)i + 2.0);
    return i < 2 ? 1.0 : 1.0 / gr_log2((double)i + 1.0);
}

double gr_discount_of(const gr_settings *settings, size_t i)
{
    if (i < settings->discount_count)
        return settings->discounts[i];
    return gr_discount_at(settings->convention.discount, i);
}

int gr_gain_shift(const gr_ranked *ranked)
{
    const gr_gain_rule rule = ranked->settings->convention.gain;

    return rule == GR_GAIN_EXP && ranked->ideal_count > 0 && ranked->ideal[0] > 900.0 ? 128 : 0;
}

double gr_mean_gain(const gr_ranked *ranked, size_t start, size_t end, int shift)
{
    const gr_gain_rule rule = ranked->settings->convention.gain;
    double sum = 0.0;

    for (size_t i = start; i < end; i++)
        sum += gr_gain_of(rule, ranked->labels[i], shift);
    return end - start == 1 ? sum : sum / (double)(end - start);
}

double gr_dcg(const gr_ranked *ranked, size_t depth, int shift)
{
    const size_t last = gr_least(depth, ranked->count);
    double sum = 0.0;

    for (size_t g = 0; g < ranked->groups; g++) {
        const size_t start = gr_group_start(ranked, g), end = ranked->ends[g];
        const double gain = start < last ? gr_mean_gain(ranked, start, end, shift) : 0.0;
        double discounts = 0.0;

        if (start >= last)
            break;
        if (gain == 0.0)
            continue;
        for (size_t i = start; i < gr_least(end, last); i++)
            discounts += gr_discount_of(ranked->settings, i);
        sum += gain * discounts;
    }
    return sum;
}

size_t gr_ideal_start(const gr_ranked *ranked)
{
    const gr_gain_rule rule = ranked->settings->convention.gain;
    size_t start = 0;

    while (start < ranked->ideal_count && gr_gain_of(rule, ranked->ideal[start], 0) == 0.0)
        start++;
    return start;
}

double gr_ideal_dcg(const gr_ranked *ranked, size_t depth, int shift)
{
    const gr_gain_rule rule = ranked->settings->convention.gain;
    const size_t start = gr_ideal_start(ranked);
    const size_t last = gr_least(depth, ranked->ideal_count - start);
    double sum = 0.0;

    for (size_t i = 0; i < last; i++) {
        const double gain = gr_gain_of(rule, ranked->ideal[start + i], shift);

        if (gain == 0.0)
            break;
        sum += gain * gr_discount_of(ranked->settings, i);
    }
    return sum;
}
