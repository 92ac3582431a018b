/* SPDX-License-Identifier: Apache-2.0 */
/* What tuning tries: values of options of "train".
 *
 *   leaves=8..256:log, learning-rate=.02..0.2:log:5, cost=absolute|squared|oerr, rounds=500
 *
 * A range low..high is drawn from evenly, with :log evenly in the logarithm; on a grid it has so
 * many points as a number behind it says. Values between | are tried one by one; a single one is
 * set for all trials. */
#ifndef GR_EXPERIMENTS_SPACE_H
#define GR_EXPERIMENTS_SPACE_H

#include "base/param.h"

typedef struct gr_dimension {
    char name[32];
    gradus_param_kind kind;
    char *text;           /* the choices, each ended by NUL; NULL: a range */
    const char **choices; /* into text */
    size_t count;         /* of choices; 0: a range */
    double low, high;
    bool log;
    size_t points; /* of a range, on a grid; 0: not said */
} gr_dimension;

typedef struct gr_space {
    gr_dimension *dimensions;
    size_t count;
} gr_space;

enum { GR_MOST_DIMENSIONS = 64, GR_MOST_GRID = 1000000 };

/* Reads a space; "" is one without dimensions. */
gradus_status gr_space_parse(const char *text, gr_space *space, gradus_error *err);
/* What is tuned of a method: of the space given, all that the method and its learners read; if that
 * varies nothing, the ranges of the parameters' own tables beside. */
gradus_status gr_space_for(const gr_space *given, const char *method, gr_space *space,
                           gradus_error *err);
void gr_space_free(gr_space *space);
bool gr_space_has(const gr_space *space, const char *name);

/* Points on a grid whose ranges have `points` each unless they say their own; GR_MOST_GRID + 1:
 * more than that. */
size_t gr_space_grid(const gr_space *space, size_t points);

/* Settings of a method, "method=cocr leaves=31"; NULL ends them. End with gr_setting_list_free. */
typedef struct gr_setting_list {
    char **list;
    size_t count;
} gr_setting_list;

/* Adds up to `count` settings that are not in the list, drawn by (seed, method, *next), the usual
 * ones first of all (or the middle of ranges that they are not in). *next: where to draw on, 0 at
 * first. Fewer are added if the space seems to have no more. */
gradus_status gr_setting_list_draw(const gr_space *space, const char *method, uint64_t seed,
                                   size_t count, uint64_t *next, gr_setting_list *settings,
                                   gradus_error *err);
/* Adds points of the grid, from *next on, up to `count`. */
gradus_status gr_setting_list_grid(const gr_space *space, const char *method, size_t points,
                                   size_t count, uint64_t *next, gr_setting_list *settings,
                                   gradus_error *err);
void gr_setting_list_free(gr_setting_list *settings);
/* Settings without their method: "leaves=31". */
const char *gr_setting_words(const char *settings);

#endif
