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
    bool failed;                   /* an allocation failed while it was built */
    size_t room;                   /* capacity of values */
    struct gr_graph_block *blocks; /* arrays and forests that belong to the graph */
} gr_graph;

/* Lowers a model, which must outlive the graph, or fails with GRADUS_BAD_ARGUMENT and the reason why
 * the format cannot hold it ("'x' cannot be exported to onnx: ranks depend on the other documents of
 * the query"). Free the graph in any case. */
gradus_status gr_graph_build(const gradus_model *model, const char *format, gr_graph *graph,
                             gradus_error *err);
void gr_graph_free(gr_graph *graph);
/* Number of inputs of an operation. */
size_t gr_graph_arity(gr_graph_op op);
const char *gr_graph_op_name(gr_graph_op op); /* "ADD" */

/* graph_run.c */
/* Reference implementation, for tests: the values of one document, one double array per value of the
 * graph (floats and 0 / 1 are stored as doubles). Fails only for lack of memory. */
gradus_status gr_graph_run(const gr_graph *graph, const float *features, double **results,
                           gradus_error *err);

#endif
