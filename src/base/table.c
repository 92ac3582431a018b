/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the table entry that the user probably meant, and reports unknown names. */
#include "base/table.h"

#include "base/math.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 40, FAR = 1000 };

/* Costs in half edits. A missing, extra or swapped letter is one edit; a replaced letter is one and
 * a half, because it often makes a different word: "trees" is not "tries". */
enum { ONE_EDIT = 2, REPLACED = 3 };

/* Edit distance with transpositions (optimal string alignment), in half edits. */
static size_t distance(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];

    if (m > LONGEST || n > LONGEST)
        return FAR;
    for (size_t j = 0; j <= n; j++)
        last[j] = j * ONE_EDIT;
    for (size_t i = 1; i <= m; i++) {
        now[0] = i * ONE_EDIT;
        for (size_t j = 1; j <= n; j++) {
            now[j] = gr_least(last[j - 1] + (a[i - 1] != b[j - 1] ? REPLACED : 0),
                              gr_least(last[j], now[j - 1]) + ONE_EDIT);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = gr_least(now[j], before[j - 2] + ONE_EDIT);
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}

/* Whether two words are anagrams: "ngcd", "ndcg". */
static bool has_same_letters(const char *a, const char *b)
{
    int counts[256] = { 0 };

    if (strlen(a) != strlen(b))
        return false;
    for (size_t i = 0; a[i]; i++) {
        counts[(unsigned char)a[i]]++;
        counts[(unsigned char)b[i]]--;
    }
    for (size_t i = 0; i < 256; i++)
        if (counts[i])
            return false;
    return true;
}

/* Accepts one edit in short words, and one per four letters in longer ones. */
const char *gr_nearest(const char *word, const char *const *names, size_t count)
{
    const size_t length = strlen(word);
    const char *nearest = NULL;
    size_t best = (length < 4 ? ONE_EDIT : length * ONE_EDIT / 4) + 1;

    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, names[i]);

        /* a prefix or an anagram counts as one edit: "wilc" for "wilcoxon" */
        if (length > 2 &&
            (strncmp(word, names[i], length) == 0 || has_same_letters(word, names[i])))
            d = gr_least(d, ONE_EDIT);
        if (d < best) {
            best = d;
            nearest = names[i];
        }
    }
    return nearest;
}

gradus_status gr_fail_unknown(gradus_error *err, const char *what, const char *word,
                              const char *const *names, size_t count)
{
    const char *nearest = gr_nearest(word, names, count);
    char list[300] = "";

    if (nearest)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "unknown %s '%.60s'; did you mean '%s'?", what,
                       word, nearest);
    for (size_t i = 0; i < count; i++) {
        gr_text_append(list, sizeof list, i ? ", " : "");
        gr_text_append(list, sizeof list, names[i]);
    }
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "unknown %s '%.60s'; available: %s", what, word,
                   count ? list : "none");
}
