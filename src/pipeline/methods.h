/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring methods that need no training: baselines for trained models. */
#ifndef GR_PIPELINE_METHODS_H
#define GR_PIPELINE_METHODS_H

#include "base/table.h"
#include "data/dataset.h"

/* The input of a method. */
typedef struct gr_scoring {
    const gradus_dataset *data; /* the parts that the method needs are verified */
    const char *argument;       /* after the colon: "12" in "feature:12"; NULL: none */
    uint64_t seed;
    gr_pool *pool;
} gr_scoring;

typedef struct gr_method {
    gr_about about;
    const char *argument; /* name of the word after the colon, for help; NULL: takes none */
    unsigned needs;       /* parts of the data, see gr_dataset_need */
    gradus_status (*score)(const gr_scoring *scoring, double *scores, gradus_error *err);
} gr_method;

#define GR_METHOD(name) extern const gr_method gr_method_##name;
#include "pipeline/methods.def"
#undef GR_METHOD

const gr_about *gr_methods_at(size_t index); /* NULL past the last */

/* The method named by a text such as "feature:12", and the word after the colon (NULL: no colon).
 * NULL: not a method. */
const gr_method *gr_method_find(const char *text, const char **argument);

enum { GR_METHOD_ROWS = 1 << 14 }; /* per task */

/* Scores rows by `what`: a method, a model or a file of scores, in this order. */
gradus_status gr_score(gradus_context *context, const gradus_dataset *data, const char *what,
                       uint64_t seed, double *scores, gradus_error *err);

#endif
