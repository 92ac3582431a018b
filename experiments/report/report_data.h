/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a report: each adds a member to the one JSON object that the page draws. Running out
 * of memory is recorded in the writer and reported once, at the end. */
#ifndef GR_EXPERIMENTS_REPORT_REPORT_DATA_H
#define GR_EXPERIMENTS_REPORT_REPORT_DATA_H

#include "gradus_experiments.h"

#include "base/json.h"

enum {
    GR_REPORT_DEPTHS = 20,    /* NDCG at cutoffs 1 to this */
    GR_REPORT_QUERIES = 2000, /* with their values in the page */
    GR_REPORT_OPENED = 96,    /* queries with their documents */
    GR_REPORT_DOCUMENTS = 24  /* of such a query */
};

/* A model as JavaScript. */
typedef struct gr_report_program {
    char name[32]; /* of the variable; "": not exported yet */
    void *text;    /* NULL: not in the page */
    size_t size;
    char missing[sizeof((gradus_error *)NULL)->message]; /* why not */
} gr_report_program;

typedef struct gr_report {
    gradus_context *context;
    const gradus_report_input *input;
    gradus_options *evaluate; /* metrics, then NDCG at each cutoff */
    gradus_options *compare;
    size_t metrics;              /* requested */
    gr_report_program *programs; /* by system */
    size_t max_program;          /* bytes of a model as JavaScript; larger ones are left out */
} gr_report;

/* A data set with all systems evaluated on it. */
typedef struct gr_report_set {
    const gr_report *of;
    const char *name;
    const gradus_dataset *data;
    gradus_arrays arrays;
    double *scores[GRADUS_REPORT_SYSTEMS];
    gradus_evaluation *evaluations[GRADUS_REPORT_SYSTEMS];
} gr_report_set;

/* report_models.c */
/* Each writes the member of its name. report_models.c, report_sets.c, report_runs.c */
gradus_status gr_report_models(gr_json_writer *j, const gr_report *r, gradus_error *err);
/* report_sets.c */
gradus_status gr_report_sets(gr_json_writer *j, const gr_report *r, gradus_error *err);
/* report_runs.c */
gradus_status gr_report_runs(gr_json_writer *j, const gr_report *r, gradus_error *err);

/* report_queries.c: the values of queries, and the documents of those with the largest
 * differences. */
void gr_report_queries(gr_json_writer *j, const gr_report_set *s);
/* report_reasons.c: why documents are ranked above better ones in the worst queries. */
void gr_report_reasons(gr_json_writer *j, const gr_report_set *s);
/* report_programs.c: the model of a system as JavaScript, exported on first use. Lack of memory sets
 * *failed. */
const gr_report_program *gr_report_program_of(const gr_report *r, size_t system, bool *failed);
gradus_status gr_report_write_programs(gradus_output *page, const gr_report *r, gradus_error *err);
void gr_report_free_programs(const gr_report *r);
/* report_sets.c: the value of a metric of a system on a query; NAN: none. */
double gr_report_value(const gr_report_set *s, size_t metric, size_t system, size_t query);
/* Rounded to five decimals, which is enough for charts. */
void gr_report_put_short(gr_json_writer *j, const char *name, double number);

#endif
