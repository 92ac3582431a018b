/* SPDX-License-Identifier: Apache-2.0 */
/* Discounted cumulative gain (Jarvelin and Kekalainen 2002). The expectation over the orders of
 * tied documents gives each position of a tie group the group's mean gain (McSherry and Najork
 * 2008). */
#include "metrics/gains.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* 2^e for e from -1022 to 1023, built from its bits: calls to ldexp would dominate the time of
 * NDCG. */
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

double gr_gain_of(const gr_gains *gains, double label, int shift)
{
    switch (gains->rule) {
    case GR_GAIN_EXP:
        return power_of_two((int)label - shift) - power_of_two(-shift);
    case GR_GAIN_LINEAR:
        return label;
    case GR_GAIN_LETOR:
        return table_gain(label, 2.0);
    case GR_GAIN_MSLR:
        return table_gain(label, 4.0);
    case GR_GAIN_TABLE:
        return label >= 0.0 && label < (double)gains->count ? gains->table[(size_t)label] : 0.0;
    }
    return 0.0;
}

gr_label_use gr_labels_use(const float *labels, uint64_t count)
{
    bool whole = true;
    float most = 0.0f;

    for (uint64_t r = 0; r < count; r++) {
        if (!(labels[r] >= 0.0f))
            return GR_LABELS_ARE_OTHER;
        whole = whole && labels[r] == floorf(labels[r]);
        most = labels[r] > most ? labels[r] : most;
    }
    if (!whole)
        return GR_LABELS_ARE_NUMBERS;
    return most <= 1023.0f ? GR_LABELS_ARE_GRADES : GR_LABELS_ARE_OTHER;
}

gradus_status gr_metric_uses_gains(const char *list, bool *uses, gradus_error *err)
{
    gr_measures measures = { 0, NULL };

    *uses = false;
    GR_TRY(gr_measures_parse(list, &measures, err));
    for (size_t m = 0; m < measures.count; m++)
        *uses = *uses || measures.at[m].metric->labels == GR_LABELS_GAIN;
    gr_measures_free(&measures);
    return GRADUS_OK;
}

/* Parses one number of a comma-separated list; NULL: not one from low to high. */
static const char *next_number(const char *text, double low, double high, double *number)
{
    const char *end = text + strcspn(text, ",");

    return gr_parse_double(text, end, number) == end && *number >= low && *number <= high ? end
                                                                                          : NULL;
}

/* Non-negative numbers in ascending or descending order, not all 0; NULL: not such a list. *count:
 * at most GR_MAX_LABEL_GAINS. */
static double *parse_ordered(const char *text, bool descending, size_t *count, bool *no_memory)
{
    double *numbers = gr_new_array(GR_MAX_LABEL_GAINS, sizeof *numbers), low = 0.0, high = 1e30;
    const char *at = text;

    *count = 0;
    *no_memory = !numbers;
    while (numbers && *count < GR_MAX_LABEL_GAINS &&
           (at = next_number(at, low, high, &numbers[*count]))) {
        *(descending ? &high : &low) = numbers[(*count)++];
        if (*at++ == '\0')
            break;
    }
    if (numbers && at && at[-1] == '\0' && numbers[descending ? 0 : *count - 1] > 0.0)
        return numbers;
    free(numbers);
    return NULL;
}

gradus_status gr_label_gains_parse(const char *text, double **table, size_t *count,
                                   gradus_error *err)
{
    bool no_memory;

    *table = parse_ordered(text, false, count, &no_memory);
    if (*table)
        return GRADUS_OK;
    return no_memory
               ? gr_fail_memory(err, "gains")
               : gr_fail(err, GRADUS_BAD_ARGUMENT,
                         "--label-gain takes the gains of the labels 0, 1, ..., comma-separated: "
                         "up to %d non-negative numbers, non-decreasing and not all 0; found "
                         "'%.60s'",
                         GR_MAX_LABEL_GAINS, text);
}

gradus_status gr_discounts_parse(const char *text, double **table, size_t *count, gradus_error *err)
{
    bool no_memory;

    *table = parse_ordered(text, true, count, &no_memory);
    if (*table)
        return GRADUS_OK;
    return no_memory ? gr_fail_memory(err, "the discounts of ranks")
                     : gr_fail(err, GRADUS_BAD_ARGUMENT,
                               "--rank-discounts takes the discounts of the ranks 1, 2, ..., "
                               "comma-separated: up to %d non-negative numbers, non-increasing and "
                               "not all 0; found '%.60s'",
                               GR_MAX_LABEL_GAINS, text);
}

double gr_discount_at(gr_discount_rule rule, size_t i)
{
    if (rule == GR_DISCOUNT_LOG2)
        return 1.0 / gr_log2((double)i + 2.0);
    if (rule == GR_DISCOUNT_RANK)
        return 1.0 / ((double)i + 1.0);
    if (rule == GR_DISCOUNT_NONE)
        return 1.0;
    return i < 2 ? 1.0 : 1.0 / gr_log2((double)i + 1.0);
}

double gr_discount_of(const gr_settings *settings, size_t i)
{
    if (i < settings->discount_count)
        return settings->discounts[i];
    if (settings->convention.discount == GR_DISCOUNT_TABLE) /* the last one applies to the rest */
        return settings->discounts[settings->discount_count - 1];
    return gr_discount_at(settings->convention.discount, i);
}

int gr_gain_shift(const gr_ranked *ranked)
{
    const gr_gain_rule rule = ranked->settings->gains.rule;

    return rule == GR_GAIN_EXP && ranked->ideal_count > 0 && ranked->ideal[0] > 900.0 ? 128 : 0;
}

double gr_mean_gain(const gr_ranked *ranked, size_t start, size_t end, int shift)
{
    const gr_gains *gains = &ranked->settings->gains;
    double sum = 0.0;

    for (size_t i = start; i < end; i++)
        sum += gr_gain_of(gains, ranked->labels[i], shift);
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
    const gr_gains *gains = &ranked->settings->gains;
    size_t start = 0;

    while (start < ranked->ideal_count && gr_gain_of(gains, ranked->ideal[start], 0) == 0.0)
        start++;
    return start;
}

double gr_ideal_dcg(const gr_ranked *ranked, size_t depth, int shift)
{
    const gr_gains *gains = &ranked->settings->gains;
    const size_t start = gr_ideal_start(ranked);
    const size_t last = gr_least(depth, ranked->ideal_count - start);
    double sum = 0.0;

    for (size_t i = 0; i < last; i++) {
        const double gain = gr_gain_of(gains, ranked->ideal[start + i], shift);

        if (gain == 0.0)
            break;
        sum += gain * gr_discount_of(ranked->settings, i);
    }
    return sum;
}
