/* SPDX-License-Identifier: Apache-2.0 */
/* Where a generated program keeps the values of a graph: one array of numbers per type, whose parts
 * are used again once a value is no longer read. */
#ifndef GR_EXCHANGE_SOURCE_PLAN_H
#define GR_EXCHANGE_SOURCE_PLAN_H

#include "exchange/graph.h"

enum { GR_GRAPH_TYPES = GR_GRAPH_BOOL + 1 };

/* What needs a value; a set. */
enum { GR_FOR_SCORE = 1, GR_FOR_PROBABILITIES = 2, GR_FOR_BOTH = 3 };

typedef struct gr_planned {
    unsigned needed_for; /* 0: not computed */
    size_t owner;        /* the value that holds the numbers: itself, or the input of a RESHAPE */
    size_t last_use;     /* the last value computed from it; SIZE_MAX: a result */
    size_t offset;       /* in the array of its type; not of an INPUT or CONSTANT */
    size_t part;         /* the last function that uses it, from 1; see source_body.c */
    bool is_array;       /* a CONSTANT of one number: used as an array, not only as a number */
} gr_planned;

typedef struct gr_source_plan {
    gr_planned *values;
    size_t sizes[GR_GRAPH_TYPES]; /* numbers in the array of each type */
    size_t bytes;                 /* of the arrays of float, double and bool in C */
} gr_source_plan;

/* Fails only for lack of memory, or if the sizes overflow. Free it in any case. */
gradus_status gr_source_plan_make(const gr_graph *graph, gr_source_plan *plan, gradus_error *err);
void gr_source_plan_free(gr_source_plan *plan);

/* Whether a value has a part of the arrays: it is computed, and not another name of its input. */
bool gr_source_stores(const gr_graph *graph, const gr_source_plan *plan, size_t value);

#endif
