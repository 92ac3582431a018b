/* SPDX-License-Identifier: Apache-2.0 */
/* Search spaces of tuning: values for options of "train".
 *
 *   leaves=8..256:log, learning-rate=.02..0.2:log:5, cost=absolute|squared|oerr, rounds=500
 *
 * A range low..high is sampled uniformly, with :log uniformly in the logarithm; on a grid a
 * trailing number gives its points. Values separated by | are tried one by one; a single value is
 * fixed for all trials. */
#ifndef GR_EXPERIMENTS_SPACE_H
#define GR_EXPERIMENTS_SPACE_H

#include "gradus.h"

typedef struct gr_dimension {
    char name[32];
    gradus_param_kind kind;
    char *text;           /* the choices, each NUL-terminated; NULL: a range */
    const char **choices; /* pointers into text */
    size_t count;         /* number of choices; 0: a range */
    double low, high;
    bool log;
    size_t points; /* grid points of a range; 0: unspecified */
} gr_dimension;

typedef struct gr_space {
    gr_dimension *dimensions;
    size_t count;
} gr_space;

enum { GR_MAX_DIMENSIONS = 64, GR_MAX_GRID = 1000000 };

/* Parses a space; "" has no dimensions. */
gradus_status gr_space_parse(const char *text, gr_space *space, gradus_error *err);
/* Builds the space of a method: the dimensions of the given space that the method and its learners
 * read; if none of them varies, also the default ranges of the parameter tables. */
gradus_status gr_space_for(const gr_space *given, const char *method, gr_space *space,
                           gradus_error *err);
void gr_space_free(gr_space *space);
bool gr_space_has(const gr_space *space, const char *name);

/* settings.c */
/* The number of grid points if ranges have `points` each, unless they specify their own;
 * GR_MAX_GRID + 1: more than that. */
size_t gr_space_grid(const gr_space *space, size_t points);

/* Settings of a method, "method=cocr leaves=31"; NULL-terminated. Free with gr_setting_list_free.
 */
typedef struct gr_setting_list {
    char **list;
    size_t count;
} gr_setting_list;

/* Adds up to `count` new settings, sampled from (seed, method, *next); the defaults come first (or
 * the middle of ranges that exclude them). *next: the sampling position, initially 0. Adds fewer if
 * the space appears to be exhausted. */
gradus_status gr_setting_list_draw(const gr_space *space, const char *method, uint64_t seed,
                                   size_t count, uint64_t *next, gr_setting_list *settings,
                                   gradus_error *err);
/* Adds up to `count` grid points, starting at *next. */
gradus_status gr_setting_list_grid(const gr_space *space, const char *method, size_t points,
                                   size_t count, uint64_t *next, gr_setting_list *settings,
                                   gradus_error *err);
void gr_setting_list_free(gr_setting_list *settings);
/* Settings without the method: "leaves=31". */
const char *gr_setting_words(const char *settings);

#endif
