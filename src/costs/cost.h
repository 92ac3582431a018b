/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of predicting a wrong grade: named rules and matrices from files. To add a rule: write a
 * file costs/cost_<name>.c that ends in a `const gr_cost`, and add a row to costs.def. costs.c selects a
 * cost by name, cost_matrix.c parses matrix files, cost_shape.c checks the assumptions of the
 * reduction. */
#ifndef GR_COSTS_COST_H
#define GR_COSTS_COST_H

#include "base/table.h"

#include <stddef.h>

enum { GR_COST_GRADES = 1024 }; /* maximum grades of a matrix: 0 to 1023 */

/* The numbers of documents per label in a list; level 0 is the lowest label. */
typedef struct gr_levels {
    size_t count;         /* distinct labels */
    const double *labels; /* ascending */
    const double *sizes;  /* [count]: documents of each level */
    const double *below;  /* [count + 1]: documents at lower levels */
    /* [count]: the sum of 1 / (documents below * documents above) over the boundaries from level 0
     * up to this level; cuts[0] is 0. */
    const double *cuts;
    double pairs; /* number of document pairs with different labels */
} gr_levels;

/* A named cost has one of the two functions. A family of costs has a parameter in its name:
 * "power:3". */
typedef struct gr_cost {
    gr_about about;
    double parameter;   /* default parameter */
    double least, most; /* allowed range; both 0: no parameter */
    /* The cost of predicting grade `guess` for a document of grade `truth`. */
    double (*of)(double truth, double guess, double parameter);
    /* The cost of ranking a document of level `high` below one of level `low` in a list with these
     * levels, for costs whose pairwise risk equals a ranking measure. */
    double (*of_pair)(const gr_levels *levels, size_t low, size_t high);
} gr_cost;

#define GR_COST(name) extern const gr_cost gr_cost_##name;
#include "costs/costs.def"
#undef GR_COST

/* costs.c */
const gr_about *gr_costs_at(size_t index); /* NULL: past the end */

/* The cost selected by the user. */
typedef struct gr_cost_choice {
    const gr_cost *cost; /* NULL: the matrix */
    double parameter;    /* parameter of the cost */
    size_t grades;       /* the matrix covers grades 0 to grades - 1 */
    double *matrix;      /* [grades x grades]; row: truth, column: guess */
} gr_cost_choice;

/* word: the name of a cost, optionally with ":NUMBER", or of a file with a square matrix: one row
 * per line, numbers separated by blanks or commas; blank lines and lines that start with '#' are
 * ignored. */
gradus_status gr_cost_choose(const char *word, gr_cost_choice *choice, gradus_error *err);
void gr_cost_choice_free(gr_cost_choice *choice);

/* Fails unless the choice has a finite cost for each grade from 0 to `most`. */
gradus_status gr_cost_covers(const gr_cost_choice *choice, double most, gradus_error *err);

/* The cost of a prediction or of a misordered pair; grades must be covered. */
double gr_cost_of(const gr_cost_choice *choice, double truth, double guess);
double gr_cost_of_pair(const gr_cost_choice *choice, const gr_levels *levels, size_t low,
                       size_t high);

/* cost_shape.c */
/* Checks the assumptions of the reduction to regression for these grades (ascending): the correct
 * grade costs 0, costs do not decrease away from it, and costs differ between adjacent grades.
 * Violations are noted, the first few by cell. */
void gr_cost_note_shape(const gr_cost_choice *choice, const double *grades, size_t count,
                        const gradus_context *context);

/* costs.c */
/* base to an integer power, bit-identical on all machines. */
double gr_cost_raise(double base, double exponent);

/* cost_matrix.c */
/* Parses a matrix from text; name is used in messages. */
gradus_status gr_cost_parse(const char *text, size_t size, const char *name, gr_cost_choice *choice,
                            gradus_error *err);

#endif
