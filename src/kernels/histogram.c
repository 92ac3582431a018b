#include "kernels/histogram.h"

/* How many rows ahead of the one being added the next are asked for from memory. */
enum { AHEAD = 32 };

static inline void add_8(uint64_t *slots, uint64_t word, uint64_t sum)
{
    slots[word & 255] += sum;
    slots[256 + (word >> 8 & 255)] += sum;
    slots[512 + (word >> 16 & 255)] += sum;
    slots[768 + (word >> 24 & 255)] += sum;
    slots[1024 + (word >> 32 & 255)] += sum;
    slots[1280 + (word >> 40 & 255)] += sum;
    slots[1536 + (word >> 48 & 255)] += sum;
    slots[1792 + (word >> 56)] += sum;
}

void gr_histogram_8(uint64_t *slots, const gr_scan *scan)
{
    const uint64_t *words = scan->words, *sums = scan->sums;
    const uint32_t *rows = scan->rows;
    const size_t count = scan->count, sure = count > AHEAD ? count - AHEAD : 0;
    size_t i = 0;

    if (!rows) {
        for (; i < count; i++)
            add_8(slots, words[i], sums[i]);
        return;
    }
    for (; i < sure; i++) {
        __builtin_prefetch(&words[rows[i + AHEAD]]);
        add_8(slots, words[rows[i]], sums[i]);
    }
    for (; i < count; i++)
        add_8(slots, words[rows[i]], sums[i]);
}

static inline uint64_t upper(uint64_t sum)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)(sum >> 32);
}

static inline void add_wide(uint64_t *slots, size_t slot, uint64_t sum)
{
    slots[2 * slot] += upper(sum);
    slots[2 * slot + 1] += (uint32_t)sum;
}

static inline uint64_t word_of(const gr_scan *scan, size_t i)
{
    return scan->words[scan->rows ? scan->rows[i] : i];
}

void gr_histogram_8_wide(uint64_t *slots, const gr_scan *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        const uint64_t word = word_of(scan, i);

        for (size_t column = 0; column < 8; column++)
            add_wide(slots, 256 * column + (word >> 8 * column & 255), scan->sums[i]);
    }
}

void gr_histogram_16(uint64_t *slots, const size_t offsets[4], const gr_scan *scan)
{
    uint64_t *first = slots + offsets[0], *second = slots + offsets[1];
    uint64_t *third = slots + offsets[2], *fourth = slots + offsets[3];

    for (size_t i = 0; i < scan->count; i++) {
        const uint64_t word = word_of(scan, i), sum = scan->sums[i];

        first[word & 65535] += sum;
        second[word >> 16 & 65535] += sum;
        third[word >> 32 & 65535] += sum;
        fourth[word >> 48] += sum;
    }
}

void gr_histogram_16_wide(uint64_t *slots, const size_t offsets[4], const gr_scan *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        const uint64_t word = word_of(scan, i);

        for (size_t column = 0; column < 4; column++)
            add_wide(slots, offsets[column] + (word >> 16 * column & 65535), scan->sums[i]);
    }
}

void gr_histogram_lists(uint64_t *slots, const uint64_t *starts, const uint16_t *entries,
                        const gr_scan *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        const size_t row = scan->rows ? scan->rows[i] : i;

        for (uint64_t e = starts[row]; e < starts[row + 1]; e++)
            slots[entries[e]] += scan->sums[i];
    }
}

void gr_histogram_lists_wide(uint64_t *slots, const uint64_t *starts, const uint16_t *entries,
                             const gr_scan *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        const size_t row = scan->rows ? scan->rows[i] : i;

        for (uint64_t e = starts[row]; e < starts[row + 1]; e++)
            add_wide(slots, entries[e], scan->sums[i]);
    }
}

void gr_histogram_subtract(uint64_t *from, const uint64_t *less, size_t words)
{
    for (size_t i = 0; i < words; i++)
        from[i] -= less[i];
}

void gr_histogram_add(uint64_t *into, const uint64_t *more, size_t words)
{
    for (size_t i = 0; i < words; i++)
        into[i] += more[i];
}
