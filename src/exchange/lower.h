/* SPDX-License-Identifier: Apache-2.0 */
/* Lowers the parts of a model to operations of a graph. Operations are those of the code that scores
 * rows, in the same order, so that the graph gives the same bits. */
#ifndef GR_EXCHANGE_LOWER_H
#define GR_EXCHANGE_LOWER_H

#include "calibration/calibration.h"
#include "exchange/graph.h"

typedef struct gr_lowering {
    gr_graph *graph;
    const gradus_model *model;
    const char *format; /* for messages */
    gradus_error *err;
} gr_lowering;

/* Lowers a node. inputs: the outputs of the nodes it lists (1 x columns, F64), or, if it takes rows,
 * inputs[0] are its features, transformed (1 x features, F32). output: 1 x columns, F64. */
typedef gradus_status gr_lower(const gr_lowering *lowering, const gr_node *node,
                               const size_t *inputs, size_t *output);

/* lower_model.c */
/* "'WHAT' cannot be exported to FORMAT: WHY" */
gradus_status gr_lower_refuse(const gr_lowering *lowering, const char *what, const char *why);
/* Whether nodes of a kind can be lowered. */
bool gr_lower_takes(const gr_node_kind *kind);

/* lower_trees.c */
gr_lower gr_lower_forest, gr_lower_m5, gr_lower_votes;

/* lower_kernel.c */
gr_lower gr_lower_gaussians, gr_lower_kernel;

/* lower_net.c */
gr_lower gr_lower_net;

/* lower_calibration.c */
gr_lower gr_lower_calibration;

/* lower_linear.c */
gr_lower gr_lower_linear, gr_lower_hash;
/* b where a is finite, else 0. */
size_t gr_lower_finite(gr_graph *graph, size_t a, size_t b);
/* A sum of products in lanes, as kernels/gram.h and axpy.h define it. */
typedef struct gr_lane_sums {
    size_t count; /* of the products */
    size_t sets;  /* of coefficients; set k has them at [k * count] */
    size_t
        lanes; /* product i of a chunk belongs to lane i % lanes, and lanes are added by halving */
    size_t chunk;    /* products per sum; SIZE_MAX: all */
    const void *all; /* coefficients, of the type of the numbers */
} gr_lane_sums;
/* numbers: 1 x count. Returns 1 x (chunks * sets): the sums of the first chunk, one per set, then
 * those of the next. */
size_t gr_lower_lanes(gr_graph *graph, size_t numbers, const gr_lane_sums *sums);

/* lower_scorer.c */
/* The score of a node's outputs (1 x 1) and, unless NULL, the probabilities (1 x levels), SIZE_MAX if
 * they are not known or cannot be lowered. */
gradus_status gr_lower_scorer(const gr_lowering *lowering, const gr_scorer *scorer, size_t outputs,
                              size_t *score, size_t *probabilities);
/* The probabilities alone, or an error. */
gradus_status gr_lower_probabilities(const gr_lowering *lowering, const gr_scorer *scorer,
                                     size_t outputs, size_t *probabilities);

/* lower_simplex.c */
/* See scoring/simplex.h. p: 1 x levels. */
size_t gr_lower_projection(gr_graph *graph, size_t p);
size_t gr_lower_pooling(gr_graph *graph, size_t p);

/* lower_solve.c */
/* The solution of gr_solve_shares for a scorer with weights, or `otherwise` if it has none. */
size_t gr_lower_solution(gr_graph *graph, const gr_scorer *scorer, size_t outputs,
                         size_t otherwise);

/* lower_functions.c */
/* 1 / (1 + e^-x) */
size_t gr_lower_logistic(gr_graph *graph, size_t x);
/* The softmax of 1 x n numbers. */
size_t gr_lower_softmax(gr_graph *graph, size_t x);
/* The sum of products with constants (F64), in order, added to a number: 1 x 1. */
size_t gr_lower_inner(gr_graph *graph, size_t x, const double *constants, double first);
/* Whether all elements of a are finite, 1 x 1. */
size_t gr_lower_all_finite(gr_graph *graph, size_t a);
/* Whether a == b. */
size_t gr_lower_equal(gr_graph *graph, size_t a, size_t b);

#endif
