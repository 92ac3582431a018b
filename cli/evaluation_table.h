/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations side by side, one column each. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "confusion_table.h"
#include "print_json.h"
#include "common.h"

/* One evaluated ranker or set. */
typedef struct column {
    const char *name;
    gradus_evaluation *evaluation;
    confusion confused; /* without grades unless requested */
} column;

/* One row per metric; all columns have the same metrics. */
void add_columns(text *t, const column *columns, size_t count);
/* {"ndcg@10": 0.4, ...} */
void json_metrics(json *j, const char *name, const gradus_evaluation *evaluation);
/* Queries with nothing to measure: the largest count of any metric. */
size_t empty_queries(const gradus_evaluation *evaluation);

#endif
