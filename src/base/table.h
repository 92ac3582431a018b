/* SPDX-License-Identifier: Apache-2.0 */
/* Names of table entries: description, nearest match, error for unknown names. */
#ifndef GR_BASE_TABLE_H
#define GR_BASE_TABLE_H

#include "base/error.h"

/* The description in every row of a method table. */
typedef struct gr_about {
    const char *name;    /* as the user types it */
    const char *summary; /* one line, for lists */
    const char *details; /* a paragraph for the help page: formula, source, cost; "" if none */
} gr_about;

/* The name nearest to word by edit distance (swapping two neighbouring letters counts as one edit),
 * or NULL if none is close enough to be a likely typo. */
const char *gr_nearest(const char *word, const char *const *names, size_t count);

/* "unknown metric 'ngcd'; did you mean 'ndcg'?", or the list of names if none is close. */
gradus_status gr_fail_unknown(gradus_error *err, const char *what, const char *word,
                              const char *const *names, size_t count);

#endif
