/* SPDX-License-Identifier: Apache-2.0 */
/* Finding names in tables, and the nearest name to one that is not there. */
#ifndef GR_BASE_TABLE_H
#define GR_BASE_TABLE_H

#include "base/error.h"

/* What every row of a method table says of itself. */
typedef struct gr_about {
    const char *name;    /* as typed */
    const char *summary; /* one line, for lists */
    const char *details; /* a paragraph for its help page: formula, source, cost; "" if none */
} gr_about;

/* The name nearest to word by edit distance (a swap of neighbours counts one), or NULL if none is
 * near enough to be what was meant. */
const char *gr_nearest(const char *word, const char *const *names, size_t count);

/* "unknown metric 'ngcd'; did you mean 'ndcg'?", or the list of names if none is near. */
gradus_status gr_fail_unknown(gradus_error *err, const char *what, const char *word,
                              const char *const *names, size_t count);

#endif
