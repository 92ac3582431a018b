/* SPDX-License-Identifier: Apache-2.0 */
/* Queries that share most of their documents: within a set they must be held out together, and those
 * of a training and a test set make results on the test set optimistic. */
#ifndef GR_EXPERIMENTS_NEAR_DUPLICATES_H
#define GR_EXPERIMENTS_NEAR_DUPLICATES_H

#include "gradus.h"

/* same_as[q]: the first query that query q shares most of its documents with, directly or by way of
 * others; q if it is the first or has none. *count: the queries that are like another one. */
gradus_status gr_near_duplicates(const gradus_dataset *data, size_t *same_as, size_t *count,
                                 gradus_error *err);

/* What queries of one set have in common with those of another. */
typedef struct gr_common_queries {
    size_t queries, documents; /* of the second set: queries with most documents in one query of
                                  the first, and documents in such queries that are in it */
    size_t whole;              /* queries of which all documents are */
} gr_common_queries;
gradus_status gr_common_queries_find(const gradus_dataset *first, const gradus_dataset *second,
                                     gr_common_queries *common, gradus_error *err);

#endif
