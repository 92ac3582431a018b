/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the graph of a model with the model, on rows with values that are hard to get right. */
#ifndef GR_TESTS_GRAPH_CHECK_H
#define GR_TESTS_GRAPH_CHECK_H

#include "checks.h"

#include "base/rng.h"
#include "exchange/graph.h"

/* Fills a row with values like those of `like` (count rows), thresholds of the model's trees, their
 * neighbours, missing and infinite values, zeros of both signs and huge numbers. hard: how many of 16
 * values are not from `like`. */
void probe_row(gr_rng *rng, const gradus_model *model, const float *like, size_t count,
               unsigned hard, float *row);

/* What was compared. */
typedef struct graph_check {
    size_t rows;          /* with a finite score */
    size_t probabilities; /* rows whose probabilities were compared too */
    double worst;         /* the largest relative difference; 0: all bits are equal */
} graph_check;

/* Builds the graph and compares it on `rows` probe rows; a relative difference above `within` fails
 * the test. what: for messages. */
graph_check check_graph(const char *what, const gradus_model *model, const float *like,
                        size_t count, size_t rows, double within);

/* Checks that the graph is refused with a message that contains `why`. */
void check_graph_refused(const char *what, const gradus_model *model, const char *why);

#endif
