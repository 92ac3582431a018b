/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of gradus report: each adds a member to the one JSON object that the page draws. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "print_json.h"
#include "common.h"

enum {
    MAX_SYSTEMS_SHOWN = 8, /* distinguishable colours and marks */
    MAX_SETS = 16,
    MAX_RUNS = 16,
    MAX_METRICS = 12,
    MAX_DEPTHS = 20,
    MAX_QUERIES = 2000, /* with their values in the page */
    MAX_OPENED = 96,    /* queries with their documents */
    MAX_DOCUMENTS = 24  /* of such a query */
};

/* A ranker: a model, a file of scores or a method without training. */
typedef struct system_shown {
    const char *name;
    gradus_model *model; /* NULL: none */
} system_shown;

typedef struct report {
    const arguments *given;
    system_shown systems[MAX_SYSTEMS_SHOWN];
    size_t count;
    const char *sets[MAX_SETS];
    size_t set_count;
    const char *runs[MAX_RUNS]; /* JSON files */
    size_t run_count;
    size_t metrics; /* requested; NDCG at cutoffs 1 to MAX_DEPTHS follows */
} report;

/* A data set with all systems evaluated on it. */
typedef struct set_shown {
    const report *of;
    const char *path;
    gradus_dataset *data;
    gradus_arrays arrays;
    double *scores[MAX_SYSTEMS_SHOWN];
    gradus_evaluation *evaluations[MAX_SYSTEMS_SHOWN];
} set_shown;

/* Each writes the member of its name; returns the exit status. */
int report_models(json *j, const report *r);
int report_sets(json *j, const report *r);
int report_runs(json *j, const report *r);
/* Whether a file is JSON, by its first character that is not blank. */
bool is_json_file(const char *path);

/* Value of a metric of a system on a query; NAN: none. */
double value_at(const set_shown *s, size_t metric, size_t system, size_t query);
/* Rounded to five decimals, which is enough for charts. */
void json_short(json *j, const char *name, double number);
/* The values of queries, and the documents of those with the largest differences. */
void report_queries(json *j, const set_shown *s);

#endif
