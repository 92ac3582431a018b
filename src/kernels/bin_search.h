/* Values of one feature to their bins. The bin of a value is the number of thresholds that are not
 * above it; that of NAN is the number of thresholds and one more. */
#ifndef GR_KERNELS_BIN_SEARCH_H
#define GR_KERNELS_BIN_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* What gr_bin_search saw among the values. */
enum {
    GR_SAW_MISSING = 1, /* a NAN */
    GR_SAW_EQUAL = 2    /* a value that equals a threshold */
};

/* halves[i] |= bin of values[i] << shift. thresholds ascend. */
typedef unsigned (*gr_bin_search_function)(const float *thresholds, size_t count,
                                           const float *values, size_t values_count, unsigned shift,
                                           uint32_t *halves);

unsigned gr_bin_search_reference(const float *thresholds, size_t count, const float *values,
                                 size_t values_count, unsigned shift, uint32_t *halves);

/* The fastest for this processor. */
gr_bin_search_function gr_bin_search_best(void);

/* One value. */
static inline uint32_t gr_bin_of(const float *thresholds, size_t count, float value)
{
    size_t low = 0;

    if (value != value)
        return (uint32_t)count + 1;
    while (count > 0) {
        const size_t half = (count + 1) / 2;

        low += thresholds[low + half - 1] <= value ? half : 0;
        count -= half;
    }
    return (uint32_t)low;
}

#endif
