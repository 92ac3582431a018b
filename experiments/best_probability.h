/* SPDX-License-Identifier: Apache-2.0 */
/* How certain it is that a method is the best of several: a bootstrap over queries. */
#ifndef GR_EXPERIMENTS_BEST_PROBABILITY_H
#define GR_EXPERIMENTS_BEST_PROBABILITY_H

#include "gradus.h"

enum { GR_BEST_RESAMPLES = 10000 };
#define GR_BEST_LEVEL 0.95 /* probability from which a winner is clear */

typedef struct gr_best_task {
    size_t methods, queries;
    const double *const *values; /* per method: the metric of each query. A query with a value that
                                    is not finite, for any method, is left out */
    bool lower_is_better;
    uint64_t seed;
} gr_best_task;

/* Resamples the queries with replacement; all methods are evaluated on the same resample.
 * probability: per method, the fraction of resamples in which its mean is the best; tied methods
 * share a resample. NAN: no query is left. *counted: the number of queries left; NULL: not needed.
 * Does not depend on the number of threads. */
gradus_status gr_best_probability(gradus_context *context, const gr_best_task *task,
                                  double *probability, size_t *counted, gradus_error *err);

/* Marks the fewest methods, the most probable first, whose probabilities add up to GR_BEST_LEVEL;
 * of equal ones the first. NAN is not marked. */
void gr_best_contenders(const double *probability, size_t methods, bool *contender);

#endif
