/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations side by side: one column each. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "confusion.h"
#include "json.h"
#include "shared.h"

/* What was evaluated. */
typedef struct column {
    const char *name;
    gradus_evaluation *evaluation;
    confusion confused; /* of no grades, unless it was asked for */
} column;

/* A row a metric; the columns have the same metrics. */
void add_columns(text *t, const column *columns, size_t count);
/* {"ndcg@10": 0.4, ...} */
void json_metrics(json *j, const char *name, const gradus_evaluation *evaluation);
/* The most queries that a metric found nothing to measure in. */
size_t empty_queries(const gradus_evaluation *evaluation);

#endif
