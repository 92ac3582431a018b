/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns queries to parts: by fractions, folds, or LETOR's five parts. */
#ifndef GR_DATA_SPLIT_H
#define GR_DATA_SPLIT_H

#include "base/param.h"

typedef struct gr_split_options {
    const char *shares; /* "60,20,20" */
    uint64_t folds;     /* 0: none */
    bool letor;         /* five parts, S1 to S5 */
    bool in_order;      /* do not shuffle */
    uint64_t seed;
} gr_split_options;

extern const gr_operation gr_operation_split;

enum { GR_SPLIT_MAX = 1000 }; /* maximum parts */

/* part_of_query: one per query. Part sizes differ from their exact fractions by less than one
 * query: remaining queries go to the parts with the largest remainders, the earlier part first if
 * they are equal. */
gradus_status gr_split_queries(size_t queries, const gr_split_options *options,
                               size_t *part_of_query, size_t *parts, gradus_error *err);

#endif
