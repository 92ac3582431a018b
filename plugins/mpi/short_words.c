/* SPDX-License-Identifier: Apache-2.0 */
/* Writes words in blocks, each in the narrowest form that holds all its words. A word of a histogram
 * is a signed sum in the upper half and an unsigned one in the lower (BINS: 20 and 12 bits), or one
 * number (NUMBERS: 32 bits). */
#include "short_words.h"

#include <string.h>

enum { BLOCK = 512, LOWER_BITS = 12, UPPER_BITS = 20 };
typedef enum form { ZEROS, BINS, NUMBERS, WORDS, FORMS } form;

static size_t bytes_of(form how, size_t count)
{
    const size_t each = how == ZEROS ? 0 : how == WORDS ? 8 : 4;

    return (count * each + 7) / 8 * 8;
}

size_t short_words_most(size_t count)
{
    return (count + BLOCK - 1) / BLOCK * sizeof(uint64_t) + count * sizeof(uint64_t);
}

static form choose(const uint64_t *words, size_t count)
{
    uint64_t any = 0, bins = 0, numbers = 0;

    for (size_t i = 0; i < count; i++) {
        const uint64_t upper = (words[i] >> 32) + (UINT64_C(1) << (UPPER_BITS - 1));

        any |= words[i];
        bins |= ((upper & UINT32_MAX) >> UPPER_BITS) | ((words[i] & UINT32_MAX) >> LOWER_BITS);
        numbers |= (words[i] + (UINT64_C(1) << 31)) >> 32;
    }
    return !any ? ZEROS : !bins ? BINS : !numbers ? NUMBERS : WORDS;
}

static uint32_t bin_of(uint64_t word)
{
    return (uint32_t)(word >> 32) << LOWER_BITS | (uint32_t)word;
}

static uint64_t word_of(uint32_t bin)
{
    const int64_t upper = (int32_t)bin >> LOWER_BITS;

    return (uint64_t)upper << 32 | (bin & ((1U << LOWER_BITS) - 1));
}

size_t short_words_write(const uint64_t *words, size_t count, void *bytes)
{
    char *to = bytes;

    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t some = count - first < BLOCK ? count - first : BLOCK;
        const form how = choose(words + first, some);
        uint64_t head = how;
        uint32_t *halves = (uint32_t *)(void *)(to + sizeof head);

        memcpy(to, &head, sizeof head);
        if (how == WORDS)
            memcpy(halves, words + first, some * sizeof *words);
        for (size_t i = 0; how == BINS && i < some; i++)
            halves[i] = bin_of(words[first + i]);
        for (size_t i = 0; how == NUMBERS && i < some; i++)
            halves[i] = (uint32_t)words[first + i];
        if (some % 2 && (how == BINS || how == NUMBERS))
            halves[some] = 0;
        to += sizeof head + bytes_of(how, some);
    }
    return (size_t)(to - (char *)bytes);
}

size_t short_words_add(uint64_t *sums, size_t count, const void *bytes, size_t size)
{
    const char *from = bytes, *end = from + size;

    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t some = count - first < BLOCK ? count - first : BLOCK;
        uint64_t head;

        if ((size_t)(end - from) < sizeof head)
            return SIZE_MAX;
        memcpy(&head, from, sizeof head);
        from += sizeof head;
        if (head >= FORMS || (size_t)(end - from) < bytes_of((form)head, some))
            return SIZE_MAX;
        const uint64_t *whole = (const uint64_t *)(const void *)from;
        const uint32_t *halves = (const uint32_t *)(const void *)from;

        for (size_t i = 0; head == WORDS && i < some; i++)
            sums[first + i] += whole[i];
        for (size_t i = 0; head == BINS && i < some; i++)
            sums[first + i] += word_of(halves[i]);
        for (size_t i = 0; head == NUMBERS && i < some; i++)
            sums[first + i] += (uint64_t)(int64_t)(int32_t)halves[i];
        from += bytes_of((form)head, some);
    }
    return (size_t)(from - (const char *)bytes);
}
