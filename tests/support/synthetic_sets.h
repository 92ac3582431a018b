/* SPDX-License-Identifier: Apache-2.0 */
/* Generating synthetic datasets in tests. */
#ifndef GR_TESTS_SYNTHETIC_SETS_H
#define GR_TESTS_SYNTHETIC_SETS_H

#include "random_sets.h"

/* The options of a kind of data, then name, value pairs, NULL-terminated. */
gradus_options *synth_options(const char *kind, const char *const *pairs);

gradus_dataset *make_synth(size_t threads, const char *kind, const char *const *pairs);

#define PAIRS(...) ((const char *const[]){ __VA_ARGS__, NULL })

#endif
