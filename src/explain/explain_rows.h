/* SPDX-License-Identifier: Apache-2.0 */
/* Dense rows as each node of a model takes them (transformed, with the node's columns), and the
 * outputs of the nodes for such rows. A row can then be combined from two others feature by
 * feature, also if a transform depends on the other rows of the query. */
#ifndef GR_EXPLAIN_EXPLAIN_ROWS_H
#define GR_EXPLAIN_EXPLAIN_ROWS_H

#include "model/model.h"

/* Consecutive rows of a dataset, of one query. */
typedef struct gr_segment {
    size_t first, count;
} gr_segment;

typedef struct gr_explain_rows {
    const gradus_model *model;
    size_t rows;
    float *raw;    /* rows x features of the model */
    float *scaled; /* with the model's transform; NULL: raw */
    float **own;   /* per node with columns or a transform, else NULL */
    gr_arena arena;
} gr_explain_rows;

/* Fills in the rows of the segments. Whole queries if a transform is per query. Free it in any
 * case. */
gradus_status gr_explain_rows_fill(gr_explain_rows *rows, const gradus_model *model,
                                   const gradus_arrays *arrays, const gr_segment *segments,
                                   size_t count, gradus_error *err);
/* Fills in `count` of the rows of another. */
gradus_status gr_explain_rows_pick(gr_explain_rows *rows, const gr_explain_rows *from,
                                   const size_t *which, size_t count, gradus_error *err);
void gr_explain_rows_free(gr_explain_rows *rows);

/* A row as a node takes it; for nodes that take rows. */
static inline const float *gr_explain_row(const gr_explain_rows *rows, size_t node, size_t row)
{
    const gradus_model *model = rows->model;
    const float *all = rows->own[node] ? rows->own[node] : rows->scaled ? rows->scaled : rows->raw;

    return all +
           row * (rows->own[node] ? gr_node_features(model, &model->nodes[node]) : model->features);
}

/* Whether a transform, or a node, of the model works on whole queries. */
bool gr_explain_needs_queries(const gradus_model *model);
/* The outputs of all nodes together. */
size_t gr_explain_columns(const gradus_model *model);
/* Bytes of scratch memory, aligned to 64, to run up to `rows` rows. */
size_t gr_explain_scratch(const gradus_model *model, size_t rows);
/* Runs `count` rows; values[n]: the rows of node n, one after the other. outputs: columns x count.
 */
void gr_explain_run(const gradus_model *model, const float *const *values, size_t count,
                    double *outputs, void *scratch);

#endif
