/* SPDX-License-Identifier: Apache-2.0 */
/* Stable sorting of ITEMs by KEY(item), an unsigned integer of KEY_BITS bits: insertion sort, and
 * radix sort from the lowest digit. sort.c includes it once for each type. NAME(x) names the
 * functions, COUNT is the type of counts, and keys have at most MAX_DIGITS digits. */

static void NAME(insertion)(ITEM *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const ITEM item = items[i];
        size_t at = i;

        for (; at > 0 && KEY(items[at - 1]) > KEY(item); at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Turns the counts of the keys' digits into the position of each digit, and moves the items there. */
static void NAME(scatter)(const ITEM *from, ITEM *to, size_t count, unsigned shift, size_t mask,
                          COUNT *starts)
{
    COUNT sum = 0;

    for (size_t b = 0; b <= mask; b++) {
        const COUNT here = starts[b];

        starts[b] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[KEY(from[i]) >> shift & mask]++] = from[i];
}

/* Counts all digits in one pass over the keys, and skips digits that are equal in all keys, which
 * is common for scores in a narrow range. Inlined because the loop over digits is slow unless their
 * number is a constant. */
static inline __attribute__((always_inline)) void NAME(radix)(ITEM *items, size_t count,
                                                              ITEM *spare, unsigned bits)
{
    const unsigned digits = (KEY_BITS + bits - 1) / bits;
    const size_t mask = ((size_t)1 << bits) - 1;
    COUNT counts[MAX_DIGITS][MAX_BUCKETS];
    ITEM *from = items, *to = spare;

    for (unsigned d = 0; d < digits; d++)
        memset(counts[d], 0, (mask + 1) * sizeof counts[d][0]);
    for (size_t i = 0; i < count; i++)
        for (unsigned d = 0; d < digits; d++)
            counts[d][KEY(items[i]) >> d * bits & mask]++;
    for (unsigned d = 0; d < digits; d++) {
        if (counts[d][KEY(items[0]) >> d * bits & mask] == count)
            continue;
        NAME(scatter)(from, to, count, d * bits, mask, counts[d]);
        ITEM *kept = from;

        from = to;
        to = kept;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

#undef NAME
#undef ITEM
#undef KEY
#undef KEY_BITS
#undef MAX_DIGITS
#undef COUNT
