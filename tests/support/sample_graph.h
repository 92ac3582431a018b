/* SPDX-License-Identifier: Apache-2.0 */
/* A graph with every operation of graph_ops.def, in all types and shapes, whose probabilities are the
 * results of all of them. */
#ifndef GR_TESTS_SAMPLE_GRAPH_H
#define GR_TESTS_SAMPLE_GRAPH_H

#include "random_forest.h"

#include "exchange/graph.h"

enum { SAMPLE_FEATURES = 12, SAMPLE_FORESTS = 3 };

/* A graph under construction. */
typedef struct sample_graph {
    gr_graph graph;
    gr_rng rng;
    gr_forest forests[SAMPLE_FORESTS];
    size_t pool[2][4][2]; /* operands by type and shape; 0: none yet */
    size_t joined;        /* the value that joins all results so far; 0: none */
    double *labels;
} sample_graph;

void start_sample(sample_graph *s, size_t features);
/* Appends a value to the results. */
void gather(sample_graph *s, size_t value);
/* Makes the results the probabilities, and a score of the last of them. */
void finish_sample(sample_graph *s);
void free_sample(sample_graph *s);

/* All of the above. Fails for an operation that it does not know. */
void make_every_operation(sample_graph *s);

#endif
