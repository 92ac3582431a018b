/* SPDX-License-Identifier: Apache-2.0 */
/* A model as a graph of array operations, for formats that hold any function of the features (c,
 * javascript, onnx). lower_*.c turn the nodes and the scorer of a model into a graph once; each
 * format then writes the operations of graph_ops.def in its own language.
 *
 * Every value belongs to one document: a matrix of `rows` x `columns` numbers, stored by row. Values
 * are numbered in the order of computation: the inputs of a value come before it. Operations are
 * exact in their type: GR_GRAPH_F32 rounds every result to float, GR_GRAPH_F64 to double, and no two
 * are fused. Sums are in index order, except those of MATMUL. A format that keeps to this gives the
 * bits of gradus, apart from EXP, LOG and MATMUL, which may be off by rounding. */
#ifndef GR_EXCHANGE_GRAPH_H
#define GR_EXCHANGE_GRAPH_H

#include "base/memory.h"
#include "learners/forest/forest.h"
#include "model/model.h"

/* Methods whose models are functions of the features of one document with default options, for
 * gr_format.methods: all but those that normalise features by query. */
#define GR_GRAPH_METHODS                                                                           \
    "lambdamart regression cocr mcrank mcrank-ordinal propodds orboost svor-exc svor-sl ranksvm "  \
    "ranknet lambdarank listmle netreg adaboost-mh calibrated pairrank rankboost adarank-map "     \
    "adarank-ndcg coordinate-ascent"

typedef enum gr_graph_type { GR_GRAPH_F32, GR_GRAPH_F64, GR_GRAPH_BOOL } gr_graph_type;

typedef enum gr_graph_op {
#define GR_GRAPH_OP(name, inputs) GR_OP_##name,
#include "exchange/graph_ops.def"
#undef GR_GRAPH_OP
    GR_GRAPH_OPS
} gr_graph_op;

enum { GR_GRAPH_INPUTS = 3 };

typedef struct gr_graph_value {
    gr_graph_op op;
    gr_graph_type type;
    size_t rows, columns;
    size_t inputs[GR_GRAPH_INPUTS];
    const void *data; /* CONSTANT: float or double numbers; PICK: uint32_t columns; else NULL */
    const gr_forest *forest; /* FOREST, LEAVES; else NULL. Borrowed from the model or the graph */
} gr_graph_value;

typedef struct gr_graph {
    gr_graph_value *values;
    size_t count;
    size_t features;      /* of the model: columns of the INPUT, which is value 0 */
    size_t score;         /* F64, 1 x 1 */
    size_t probabilities; /* F64, 1 x levels; SIZE_MAX: the model has none, or not in this form */
    const double *level_labels; /* of the probabilities; of the model */
    size_t levels;
    bool failed;    /* an allocation failed while it was built */
    size_t room;    /* capacity of values */
    gr_arena owned; /* arrays and forests that belong to the graph */
} gr_graph;

/* lower_model.c */
/* Lowers a model, which must outlive the graph, or fails with GRADUS_BAD_ARGUMENT and the reason why
 * the format cannot hold it ("'borda' cannot be exported to onnx: ranks depend on the other documents
 * of the query"). Free the graph in any case. */
gradus_status gr_graph_build(const gradus_model *model, const char *format, gr_graph *graph,
                             gradus_error *err);

/* graph.c */
void gr_graph_free(gr_graph *graph);
/* Number of inputs of an operation. */
size_t gr_graph_arity(gr_graph_op op);
const char *gr_graph_op_name(gr_graph_op op); /* "ADD" */

/* Building. Starts with the input as value 0. */
void gr_graph_start(gr_graph *graph, size_t features);
/* Each function appends a value and returns its number; types and shapes follow from the inputs, which
 * must fit. If memory is exhausted, `failed` is set and all further values are 0.
 * C does not define the order in which arguments are evaluated: calls that append values have at most
 * one argument that does so too, so that values have the same numbers with every compiler. */
size_t gr_op1(gr_graph *graph, gr_graph_op op, size_t a);
size_t gr_op2(gr_graph *graph, gr_graph_op op, size_t a, size_t b);
size_t gr_op3(gr_graph *graph, gr_graph_op op, size_t a, size_t b, size_t c);
/* The second input, or the first, is a number, of the type of the other. */
size_t gr_op_number(gr_graph *graph, gr_graph_op op, size_t a, double b);
size_t gr_number_op(gr_graph *graph, gr_graph_op op, double a, size_t b);
/* The forest is borrowed. */
size_t gr_graph_trees(gr_graph *graph, gr_graph_op op, size_t a, const gr_forest *forest);
/* data: numbers of the type, borrowed from the model or from gr_graph_array. */
size_t gr_graph_constant(gr_graph *graph, gr_graph_type type, size_t rows, size_t columns,
                         const void *data);
size_t gr_graph_number(gr_graph *graph, gr_graph_type type, double number);
/* 1 x count numbers of type F64, copied. */
size_t gr_graph_copy(gr_graph *graph, const double *numbers, size_t count);
/* picked: `count` columns, borrowed as data is. */
size_t gr_graph_pick(gr_graph *graph, size_t a, const uint32_t *picked, size_t count);
/* Columns first, first + 1, ... */
size_t gr_graph_part(gr_graph *graph, size_t a, size_t first, size_t count);
size_t gr_graph_reshape(gr_graph *graph, size_t a, size_t rows, size_t columns);
/* The columns of a value as rows: m x n to mn x 1. */
size_t gr_graph_upright(gr_graph *graph, size_t a);
/* The sum of all elements of a, 1 x 1. */
size_t gr_graph_total(gr_graph *graph, size_t a);
/* Zeros that belong to the graph; NULL: `failed` is set. */
void *gr_graph_array(gr_graph *graph, size_t count, size_t size);
/* Columns of a value; 1 if `failed`. */
size_t gr_graph_columns(const gr_graph *graph, size_t a);

/* graph_run.c */
/* Reference implementation, for tests: the values of one document. results: `count` pointers, set to
 * one array of doubles per value of the graph (floats and 0 / 1 are stored as doubles); free
 * results[0], which owns all of them. Fails only for lack of memory, then with results[0] NULL. */
gradus_status gr_graph_run(const gr_graph *graph, const float *features, double **results,
                           gradus_error *err);

#endif
