/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of gradus explain. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "common.h"

/* What the command was asked, and the answer. */
typedef struct explained {
    const arguments *given;
    const gradus_model *model;
    const gradus_dataset *data;
    gradus_arrays arrays;
    size_t *rows; /* explained; NULL: all rows of the data */
    size_t count;
    bool by_query;  /* --query, or the data are one query */
    size_t query;   /* if by_query */
    bool document;  /* --document */
    size_t top;     /* features shown */
    size_t reasons; /* features shown of each document of a query */
    double *scores; /* of all rows of the data */
    double *sorted; /* scores of the query, ascending, if by_query */
    gradus_explanation *explanation;
    gradus_explanation_info info;
} explained;

/* explain_text.c */
/* A document by id or position. */
void explain_document(text *t, const explained *e, size_t row);
/* Positions in `contributions`, the largest absolute value first; how many are not 0. */
size_t rank_contributions(const gradus_contributions *c, size_t *order);
/* The rank of a row within its query, from 1, by score. */
size_t explain_rank(const explained *e, size_t row);
/* One document, or two; the documents of a query; or all rows together. */
void explain_text(text *t, const explained *e);

/* explain_json.c */
void explain_json(text *t, const explained *e);

/* explain_feature.c: the effect of one feature on all scores (--feature). */
int explain_dependence(const arguments *given, const gradus_model *model,
                       const gradus_dataset *data);

#endif
