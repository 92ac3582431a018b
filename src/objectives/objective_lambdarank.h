/* SPDX-License-Identifier: Apache-2.0 */
/* LambdaRank objective: shared state. objective_lambdarank.c computes the lambdas of a query,
 * lambdarank_changes.c the metric changes of swaps, lambdarank_order.c the ranking by score. */
#ifndef GR_OBJECTIVES_OBJECTIVE_LAMBDARANK_H
#define GR_OBJECTIVES_OBJECTIVE_LAMBDARANK_H

#include "base/memory.h"
#include "kernels/lambda.h"
#include "objectives/objective.h"

/* Indices into the parameters' lists of choices. */
enum { GR_LAMBDA_NDCG, GR_LAMBDA_ERR, GR_LAMBDA_MAP };
enum { GR_LAMBDA_PLAIN, GR_LAMBDA_BY_QUERY };

/* Buffers of one worker, for the largest query; all in rank order. */
typedef struct gr_lambda_workspace {
    double *exact; /* values in double precision */
    float *scores, *values, *places, *gradients, *hessians;
    gr_lambda_sums *sums; /* of each document, over those below it */
    void *sorting;
} gr_lambda_workspace;

typedef struct gr_lambda_state {
    gr_objective_options options;
    size_t largest;    /* documents in the largest query */
    double *discounts; /* [largest]: discount of each rank, from rank 0; 0 beyond the depth */
    /* [row]: v of lambdarank_changes.c; equal for all rows of a query whose order does not
     * matter. */
    double *values;
    bool *matters; /* [query]: whether any swap changes the metric */
    /* [row]: for each query its rows by descending score, relative to its first row. Kept between
     * rounds, because the next order is similar. */
    uint32_t *order;
    size_t tasks;
    size_t *task_starts; /* [tasks + 1]: positions in `queries` */
    uint32_t *queries;   /* query numbers: large ones first */
    size_t workers;
    gr_lambda_workspace *workspaces;
    float *room; /* memory of the workspaces' arrays */
    double *exact;
    gr_lambda_sums *sums;
    char *sorting;
    gr_arena arena; /* owns the arrays, but room */
} gr_lambda_state;

/* lambdarank_changes.c */
/* Fills values, discounts and matters; validates the labels. */
gradus_status gr_lambda_prepare(gr_lambda_state *state, const gr_problem *problem,
                                gradus_error *err);

/* Sorts order (any permutation of 0 .. count - 1) by descending score, ties by ascending row;
 * sorted: the scores in that order. sorting: GR_LAMBDA_SORTING(count) bytes. */
#define GR_LAMBDA_SORTING(count) ((count)*48)

/* lambdarank_order.c */
void gr_lambda_sort(const double *scores, size_t count, uint32_t *order, double *sorted,
                    void *sorting);

/* objective_lambdarank.c */
/* Gradients and Hessians of the rows of query q; scores, gradients and hessians are indexed by row
 * of the data. worker: of the pool passed to begin(). */
void gr_lambda_query(const gr_lambda_state *state, const gr_problem *problem, size_t q,
                     const double *scores, float *gradients, float *hessians, size_t worker);

/* Metric changes of swaps: swapping ranks i and j > i changes the metric by |values[i] - values[j]|
 * * (gr_lambda_place(i) + places[j]). Call gr_lambda_places once per query, then gr_lambda_place
 * for each i in ascending order (for ERR it recomputes places[j] for j > i). */
typedef struct gr_lambda_cascade {
    double reading; /* ERR: probability of reaching i. MAP: relevant documents before i */
    double seen;    /* MAP: sum of discounts over the relevant documents up to i */
} gr_lambda_cascade;

/* lambdarank_changes.c */
void gr_lambda_places(const gr_lambda_state *state, const double *values, size_t count,
                      gr_lambda_cascade *cascade, float *places);
double gr_lambda_place(const gr_lambda_state *state, const double *values, size_t count, size_t i,
                       gr_lambda_cascade *cascade, float *places);

#endif
