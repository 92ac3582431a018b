#include "kernels/bin_search.h"

unsigned gr_bin_search_reference(const float *thresholds, size_t count, const float *values,
                                 size_t values_count, unsigned shift, uint32_t *halves)
{
    unsigned saw = 0;

    for (size_t i = 0; i < values_count; i++) {
        const uint32_t bin = gr_bin_of(thresholds, count, values[i]);

        saw |= bin > count ? GR_SAW_MISSING : 0;
        saw |= bin > 0 && bin <= count && thresholds[bin - 1] == values[i] ? GR_SAW_EQUAL : 0;
        halves[i] |= bin << shift;
    }
    return saw;
}

gr_bin_search_function gr_bin_search_best(void)
{
    return gr_bin_search_reference;
}
