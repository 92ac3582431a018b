/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of several outputs, with 256-bit bin_sums. */
#include "kernels/histogram_outputs.h"

#include "kernels/histogram.h"

#include <string.h>

/* GNU vectors: compiled to the best instructions of a function's target. */
typedef uint32_t halves __attribute__((vector_size(32)));
typedef uint64_t wholes __attribute__((vector_size(32)));

enum { COLUMN = GR_COLUMN_SUMS };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static inline uint32_t gradient_of(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

void gr_vectors_make(uint64_t *vectors, const uint64_t *words, size_t outputs_apart, size_t outputs,
                     const uint32_t *rows, size_t first, size_t count, bool counted)
{
    for (size_t i = 0; i < count; i++) {
        const size_t row = rows ? rows[first + i] : first + i;
        uint32_t lanes[8] = { 0, 0, 0, 0, 0, 0, 0, 1 };
        uint64_t whole[GR_VECTOR_WORDS] = { 0 };

        for (size_t k = 0; k < outputs; k++)
            if (counted)
                lanes[k] = gradient_of(words[k * outputs_apart + row]);
            else
                whole[k] = words[k * outputs_apart + row];
        memcpy(vectors + i * GR_VECTOR_WORDS, counted ? (const void *)lanes : (const void *)whole,
               sizeof whole);
    }
}

ALWAYS_INLINE void add_vectors(uint64_t *bin_sums, const gr_vector_scan *scan, bool picked,
                               bool some, bool counted)
{
    const uint64_t *words = scan->words;
    const uint32_t *rows = scan->rows;
    const size_t stride = scan->stride;

    for (size_t i = 0; i < scan->count; i++) {
        const size_t p = some ? scan->at[i] : i;
        const uint32_t bins = (uint32_t)(words[(picked ? rows[p] : p) * stride] >> scan->shift);
        const size_t at[4] = { bins & 255, COLUMN + (bins >> 8 & 255),
                               2 * COLUMN + (bins >> 16 & 255), 3 * COLUMN + (bins >> 24) };

        if (counted) {
            const halves vector = ((const halves *)(const void *)scan->vectors)[p];

            for (size_t c = 0; c < 4; c++)
                ((halves *)(void *)bin_sums)[at[c]] += vector;
        } else {
            const wholes vector = ((const wholes *)(const void *)scan->vectors)[p];

            for (size_t c = 0; c < 4; c++)
                ((wholes *)(void *)bin_sums)[at[c]] += vector;
        }
    }
}

ALWAYS_INLINE void add_counted(uint64_t *bin_sums, const gr_vector_scan *scan, bool picked)
{
    if (scan->at && scan->counted)
        add_vectors(bin_sums, scan, picked, true, true);
    else if (scan->at)
        add_vectors(bin_sums, scan, picked, true, false);
    else if (scan->counted)
        add_vectors(bin_sums, scan, picked, false, true);
    else
        add_vectors(bin_sums, scan, picked, false, false);
}

ALWAYS_INLINE void add_all(uint64_t *bin_sums, const gr_vector_scan *scan)
{
    if (scan->rows)
        add_counted(bin_sums, scan, true);
    else
        add_counted(bin_sums, scan, false);
}

static void add_plain(uint64_t *bin_sums, const gr_vector_scan *scan)
{
    add_all(bin_sums, scan);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_avx2(uint64_t *bin_sums, const gr_vector_scan *scan)
{
    add_all(bin_sums, scan);
}
#endif

void gr_vectors_scan(uint64_t *bin_sums, const gr_vector_scan *scan)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        add_avx2(bin_sums, scan);
        return;
    }
#endif
    add_plain(bin_sums, scan);
}

void gr_vectors_scan_lists(uint64_t *bin_sums, const uint64_t *starts, const uint16_t *entries,
                           const gr_vector_scan *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        const size_t row = scan->rows ? scan->rows[i] : i;

        if (scan->counted) {
            const halves vector = ((const halves *)(const void *)scan->vectors)[i];

            for (uint64_t e = starts[row]; e < starts[row + 1]; e++)
                ((halves *)(void *)bin_sums)[entries[e]] += vector;
        } else {
            const wholes vector = ((const wholes *)(const void *)scan->vectors)[i];

            for (uint64_t e = starts[row]; e < starts[row + 1]; e++)
                ((wholes *)(void *)bin_sums)[entries[e]] += vector;
        }
    }
}

void gr_vectors_take(uint64_t *bin_sums, const uint64_t *vectors, size_t count, size_t k,
                     bool counted)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t *vector = vectors + i * GR_VECTOR_WORDS;
        uint32_t lanes[8];

        if (counted) {
            memcpy(lanes, vector, sizeof lanes);
            bin_sums[i] = ((uint64_t)lanes[k] << 32) + lanes[7];
        } else {
            bin_sums[i] = vector[k];
        }
    }
}
