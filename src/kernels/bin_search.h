/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the bins of the values of one feature: a branch-free search in a table of thresholds.
 * Values and thresholds are compared as keys: integers that sort like the floats. */
#ifndef GR_KERNELS_BIN_SEARCH_H
#define GR_KERNELS_BIN_SEARCH_H

#include "kernels/versions.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bits of the magnitude, with the sign: 0 and -0 have the same key, and the keys of
 * neighbouring floats differ by 1. The keys of NANs are beyond those of the infinities. */
static inline int32_t gr_float_key(float value)
{
    int32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? -(bits & INT32_MAX) : bits;
}

enum { GR_KEY_INFINITY = 0x7f800000 };

static inline bool gr_key_is_missing(int32_t key)
{
    return key > GR_KEY_INFINITY || key < -GR_KEY_INFINITY;
}

static inline float gr_key_float(int32_t key)
{
    const int32_t bits = key < 0 ? -key | INT32_MIN : key;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The thresholds of a feature, ascending, padded with INT32_MAX from count to room - 1, where room
 * is gr_table_room(count). Tables aligned to 64 bytes are searched fastest. */
typedef struct gr_bin_table {
    const int32_t *thresholds;
    uint32_t count, room;
} gr_bin_table;

/* The padded size, more than count: 32, or a power of two from 256 on. */
static inline uint32_t gr_table_room(size_t count)
{
    uint32_t room = 256;

    if (count < 32)
        return 32;
    while (room <= count)
        room *= 2;
    return room;
}

/* What a search found among the keys: flags. */
enum {
    GR_SAW_MISSING = 1, /* a NAN */
    GR_SAW_CLOSE = 2    /* a value that equals a threshold or is the float just below one */
};

/* halves[i] |= bin << shift. The bin of a key is the number of thresholds that are not above it;
 * the bin of a missing value is one more than the largest of these. Returns flags. */
typedef unsigned (*gr_bin_search)(const gr_bin_table *table, const int32_t *keys, size_t count,
                                  unsigned shift, uint32_t *halves);

typedef struct gr_bin_search_kernels {
    gr_bin_search search;
} gr_bin_search_kernels;

GR_KERNEL_VERSIONS(bin_search, gr_bin_search_kernels)

/* transpose.c */
/* Converts rows to keys and transposes them: keys[c * across + r] is the key of rows[r][c]. */
void gr_transpose_keys(const float *const *rows, size_t count, size_t columns, int32_t *keys,
                       size_t across);

/* The bin of a single value, for thresholds without padding. */
static inline uint32_t gr_bin_of(const float *thresholds, size_t count, float value)
{
    size_t low = 0;

    if (value != value)
        return (uint32_t)count + 1;
    while (count > 0) {
        const size_t half = (count + 1) / 2;

        low += half & -(size_t)(thresholds[low + half - 1] <= value); /* branch-free */
        count -= half;
    }
    return (uint32_t)low;
}

#endif
