/* SPDX-License-Identifier: Apache-2.0 */
/* What a wrong grade costs: named rules, and matrices from files. */
#ifndef GR_COSTS_COST_H
#define GR_COSTS_COST_H

#include "base/table.h"

#include <stddef.h>

enum { GR_COST_GRADES = 1024 }; /* the most grades of a matrix: 0 to 1023 */

/* How many documents of a list have each of its labels; level 0 is the lowest. */
typedef struct gr_levels {
    size_t count;         /* distinct labels */
    const double *labels; /* ascending */
    const double *sizes;  /* documents of each */
    const double *below;  /* count + 1: documents at levels under this one */
    const double *cuts;   /* the sum of 1 / (documents below * documents above) over the cuts
                             from level 0 up to this level; cuts[0] is 0 */
    double pairs;         /* pairs of documents with different labels */
} gr_levels;

/* A named cost has one of the two functions. A family of costs is a name with a number: "power:3".
 */
typedef struct gr_cost {
    gr_about about;
    double parameter;   /* if none is given */
    double least, most; /* that it may be; both 0: the cost takes none */
    /* What it costs to take a document of grade `truth` for one of grade `guess`. */
    double (*of)(double truth, double guess, double parameter);
    /* What it costs to rank a document of level `high` under one of level `low`, in a list with
     * these levels; costs that are a measure of the list in disguise. */
    double (*of_pair)(const gr_levels *levels, size_t low, size_t high);
} gr_cost;

#define GR_COST(name) extern const gr_cost gr_cost_##name;
#include "costs/costs.def"
#undef GR_COST

const gr_about *gr_costs_at(size_t index); /* NULL past the end */

/* A cost as a user chose it. */
typedef struct gr_cost_choice {
    const gr_cost *cost; /* NULL: the matrix */
    double parameter;    /* of the cost */
    size_t grades;       /* of the matrix: 0 to grades - 1 */
    double *matrix;      /* row: truth, column: guess */
} gr_cost_choice;

/* word: the name of a cost, maybe with ":NUMBER", or of a file that holds a square matrix of
 * numbers apart by blanks or commas, a line a row, blank lines and lines that begin with '#' passed
 * over. */
gradus_status gr_cost_choose(const char *word, gr_cost_choice *choice, gradus_error *err);
void gr_cost_choice_free(gr_cost_choice *choice);

/* Whether the choice has a cost for each grade from 0 to `most`. */
gradus_status gr_cost_covers(const gr_cost_choice *choice, double most, gradus_error *err);

/* Grades must be covered. */
double gr_cost_of(const gr_cost_choice *choice, double truth, double guess);
double gr_cost_of_pair(const gr_cost_choice *choice, const gr_levels *levels, size_t low,
                       size_t high);

/* What the reduction to regressions rests on, for these grades (ascending): the right grade costs
 * nothing, costs do not fall away from it, and differ between neighbours. What does not hold is
 * noted, cell by cell; the first few. */
void gr_cost_note_shape(const gr_cost_choice *choice, const double *grades, size_t count,
                        const gradus_context *context);

/* base to a whole power, the same bits everywhere. */
double gr_cost_raise(double base, double exponent);

/* Reads a matrix from text; name is what messages call it. */
gradus_status gr_cost_parse(const char *text, size_t size, const char *name, gr_cost_choice *choice,
                            gradus_error *err);

#endif
