/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of documents with scores and labels -> the values of metrics, by query and in the mean. */
#ifndef GR_METRICS_EVALUATE_H
#define GR_METRICS_EVALUATE_H

#include "base/param.h"
#include "base/pool.h"
#include "metrics/metric.h"

typedef struct gr_evaluate_options {
    const char *metric;
    int convention;
    const char *label_gain; /* "0,1,3,7,15" in place of the gain; "" or NULL: none */
    int gain, discount, empty, brief, ties, map_divisor; /* 0: the convention's */
    double relevant;                                     /* 0: the convention's */
    uint64_t max_grade;                                  /* 0: the convention's */
    int within;
    const char *cost;
    double push_power;
    double persistence;
    uint64_t bins;
    int unjudged;
    bool complete;
} gr_evaluate_options;

enum { GR_WITHIN_QUERY, GR_WITHIN_ALL };
enum { GR_UNJUDGED_ZERO, GR_UNJUDGED_CONDENSED };

/* The numbers of the choices of gain, here and in training. */
enum { GR_GAIN_CHOICE_PRESET, GR_GAIN_CHOICE_EXP, GR_GAIN_CHOICE_LINEAR };

extern const gr_operation gr_operation_evaluate;

/* What is evaluated. List q has the rows starts[q] to starts[q + 1] - 1. */
typedef struct gr_lists {
    size_t queries;
    const uint64_t *starts;
    const float *labels;
    const double *scores;
    const bool *judged;          /* NULL: all are; labels of others must be 0 */
    const char *name_bytes;      /* row r is document name_bytes + name_starts[r] */
    const uint64_t *name_starts; /* NULL: no names */
    const float *row_weights;    /* NULL: all 1 */
    const float *query_weights;  /* NULL: all 1 */
    /* Labels of all judged documents of list q: judgements[judgement_starts[q]] and on; NULL: the
     * list has them all. */
    const float *judgements;
    const uint64_t *judgement_starts;
    const uint64_t *judgement_lines; /* where they were, for messages; NULL: no judgements */
    const bool *absent;              /* lists to leave out without a word; NULL: none */
    const uint64_t *file_rows;       /* what messages call row r is file_rows[r] + 1; NULL: r + 1 */
} gr_lists;

typedef struct gr_value {
    double mean; /* NAN if no query has a value */
    size_t counted, empty, brief;
    double *by_query; /* NAN where a query is left out */
} gr_value;

enum { GR_SWITCHES_SIZE = 320 };

/* An evaluation: what was asked for, settled, and the values. */
typedef struct gr_evaluation {
    gr_measures measures;
    gr_settings settings;
    double *discounts, *label_gains;
    bool condensed;
    size_t queries;
    gr_value *values;                /* one a measure */
    char name[GR_SWITCHES_SIZE];     /* "letor4", and switches that were changed */
    char switches[GR_SWITCHES_SIZE]; /* every switch in words */
} gr_evaluation;

/* Checks everything that can be checked, then evaluates; evaluation holds nothing before, and
 * nothing if it fails. Results do not depend on the pool. */
gradus_status gr_evaluate(const gr_lists *lists, const gr_evaluate_options *options, gr_pool *pool,
                          gr_evaluation *evaluation, gradus_error *err);
void gr_evaluation_end(gr_evaluation *evaluation);

/* The tie rule that the options come to. */
gr_ties gr_evaluate_ties(const gr_evaluate_options *options);

/* Parts of gr_evaluate, in files of their own. */
gradus_status gr_settle(const gr_lists *lists, const gr_evaluate_options *options,
                        gr_evaluation *evaluation, gradus_error *err);
gradus_status gr_check_lists(const gr_lists *lists, const gr_evaluation *evaluation,
                             gradus_error *err);

#endif
