/* SPDX-License-Identifier: Apache-2.0 */
/* Small folds and cross-validations for the tests of experiments/. */
#ifndef GR_TESTS_SMALL_TRIALS_H
#define GR_TESTS_SMALL_TRIALS_H

#include "synthetic_sets.h"

#include "experiments/crossval.h"

/* Queries of McRank's artificial data with five features, from a given first one on. */
gradus_dataset *queries_from(const char *first, const char *count);

/* Stores {"x": number} under a key. */
gradus_status add_number(gr_journal *journal, const char *key, double number, gradus_error *err);

#endif
