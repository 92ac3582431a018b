/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from feature names to columns. */
#ifndef SERVER_FEATURE_NAMES_H
#define SERVER_FEATURE_NAMES_H

#include "gradus.h"

typedef struct feature_names feature_names;

/* The names of a model's features. Features without names are called by their ids: "1", "2", ... */
gradus_status feature_names_new(const gradus_model *model, size_t features, feature_names **names,
                                gradus_error *err);
void feature_names_free(feature_names *names);
bool feature_names_find(const feature_names *names, const char *name, size_t length,
                        size_t *feature);

#endif
