/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to score rows that need no training: what a trained model has to beat. */
#ifndef GR_PIPELINE_METHODS_H
#define GR_PIPELINE_METHODS_H

#include "base/table.h"
#include "data/dataset.h"

/* What a method is given. */
typedef struct gr_scoring {
    const gradus_dataset *data; /* with what the method needs of it verified */
    const char *argument;       /* after the colon: "12" of "feature:12"; NULL if there is none */
    uint64_t seed;
    gr_pool *pool;
} gr_scoring;

typedef struct gr_method {
    gr_about about;
    const char *argument; /* what help calls the word after the colon; NULL if it takes none */
    unsigned needs;       /* parts of the data, see gr_dataset_need */
    gradus_status (*score)(const gr_scoring *scoring, double *scores, gradus_error *err);
} gr_method;

#define GR_METHOD(name) extern const gr_method gr_method_##name;
#include "pipeline/methods.def"
#undef GR_METHOD

const gr_about *gr_methods_at(size_t index); /* NULL past the last */

/* The method that a text such as "feature:12" begins with, and the word after its colon (NULL if
 * there is no colon); NULL if it names none. */
const gr_method *gr_method_find(const char *text, const char **argument);

/* Runs share(argument, first, end) over blocks of the rows on all threads. */
typedef void (*gr_rows_function)(void *argument, size_t first, size_t end);
void gr_for_rows(gr_pool *pool, size_t rows, gr_rows_function share, void *argument);

/* Scores by a method, a model or a file of scores, whichever `what` is; a method comes first. */
gradus_status gr_score(gradus_context *context, const gradus_dataset *data, const char *what,
                       uint64_t seed, double *scores, gradus_error *err);

#endif
