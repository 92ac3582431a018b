/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of lambdarank share: its state, and the order and places of one query. */
#ifndef GR_OBJECTIVES_LAMBDARANK_H
#define GR_OBJECTIVES_LAMBDARANK_H

#include "objectives/objective.h"

/* The numbers of the choices are the positions of their words in the parameters. */
enum { GR_LAMBDA_NDCG, GR_LAMBDA_ERR, GR_LAMBDA_MAP };
enum { GR_LAMBDA_PLAIN, GR_LAMBDA_BY_QUERY };

/* Room of one worker for the largest query, in rank order. */
typedef struct gr_lambda_desk {
    double *exact; /* values */
    float *scores, *values, *places, *gradients, *hessians;
    void *sorting;
} gr_lambda_desk;

typedef struct gr_lambda_state {
    gr_objective_options options;
    size_t largest;    /* documents of the largest query */
    double *discounts; /* of places 0 .. largest - 1; 0 beyond the depth */
    double *values;    /* of each row: what a swap multiplies, divided by the query's ideal; all 0
                          in queries whose order does not matter */
    bool *matters;     /* one a query: whether any swap changes the metric */
    uint32_t *order;   /* of each query's rows by score, from its first row; kept from round to
                          round because the next order is near it */
    size_t tasks;
    size_t *task_starts; /* tasks + 1 places in queries */
    uint32_t *queries;   /* largest first */
    size_t workers;
    gr_lambda_desk *desks;
    float *room; /* what the desks' arrays are parts of ... */
    double *exact;
    char *sorting;
} gr_lambda_state;

/* values, discounts and matters; checks the labels. */
gradus_status gr_lambda_prepare(gr_lambda_state *state, const gr_problem *problem,
                                gradus_error *err);

/* Brings order (of `count` rows, any order of 0 .. count - 1) to descending scores, equal ones
 * ascending by row; sorted: the scores in that order. sorting: GR_LAMBDA_SORTING(count) bytes. */
#define GR_LAMBDA_SORTING(count) ((count)*48)
void gr_lambda_sort(const double *scores, size_t count, uint32_t *order, double *sorted,
                    void *sorting);

/* Gradients and hessians of the rows of query q at scores; all three are of all rows. worker: of the
 * pool that the state was begun with. */
void gr_lambda_query(const gr_lambda_state *state, const gr_problem *problem, size_t q,
                     const double *scores, float *gradients, float *hessians, size_t worker);

/* How much swaps change the metric: that of i and j > i by
 * |values[i] - values[j]| * (gr_lambda_place(i) + places[j]). Call gr_lambda_places once a query,
 * then gr_lambda_place for each i in ascending order (for ERR it fills the places after i anew). */
typedef struct gr_lambda_cascade {
    double reading; /* ERR: probability to get as far as i. MAP: relevant documents before i */
    double seen;    /* MAP: sum of discounts over relevant documents down to i */
} gr_lambda_cascade;

void gr_lambda_places(const gr_lambda_state *state, const double *values, size_t count,
                      gr_lambda_cascade *cascade, float *places);
double gr_lambda_place(const gr_lambda_state *state, const double *values, size_t count, size_t i,
                       gr_lambda_cascade *cascade, float *places);

#endif
