/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation: lists of documents with scores and labels -> metric values per query and their means.
 */
#ifndef GR_METRICS_EVALUATE_H
#define GR_METRICS_EVALUATE_H

#include "base/param.h"
#include "base/pool.h"
#include "metrics/metric.h"

typedef struct gr_evaluate_options {
    const char *metric;
    int convention;
    const char *label_gain;     /* "0,1,3,7,15", replacing the gain; "" or NULL: none */
    const char *rank_discounts; /* "1,0.5,0.2", replacing the discount; "" or NULL: none */
    int gain, discount, empty, short_lists, ties, map_divisor; /* 0: the convention's */
    double relevant;                                           /* 0: the convention's */
    uint64_t max_grade;                                        /* 0: the convention's */
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

/* The words for gains, by enum value, in evaluation and in training. */
enum { GR_GAIN_CHOICE_PRESET, GR_GAIN_CHOICE_EXP, GR_GAIN_CHOICE_LINEAR };

extern const gr_operation gr_operation_evaluate;

/* Lists that several processes have together: each ranks those from `first` to `end` and has only
 * their scores. The functions gather what the other processes have. */
typedef struct gr_lists_part {
    size_t first, end;
    void *with;
    gradus_status (*gather_scores)(void *with, gradus_error *err); /* into gr_lists.scores */
    gradus_status (*gather_values)(void *with, double *by_query, gradus_error *err);
} gr_lists_part;

/* The lists to evaluate. List q has the rows starts[q] to starts[q + 1] - 1. */
typedef struct gr_lists {
    size_t queries;
    const uint64_t *starts;
    const float *labels;
    const double *scores;
    const bool *judged;          /* NULL: all are judged; unjudged documents must have label 0 */
    const char *name_bytes;      /* row r is the document named name_bytes + name_starts[r] */
    const uint64_t *name_starts; /* NULL: no names */
    const float *row_weights;    /* NULL: all 1 */
    const float *query_weights;  /* NULL: all 1 */
    /* Labels of all judged documents of list q, from judgements[judgement_starts[q]] to
     * judgements[judgement_starts[q + 1] - 1]; NULL: the list contains all judged documents. */
    const float *judgements;
    const uint64_t *judgement_starts;
    const uint64_t *judgement_lines; /* line numbers for messages; NULL: no judgements */
    const bool *absent;              /* lists to leave out without counting them; NULL: none */
    const uint64_t *file_rows;       /* messages call row r file_rows[r] + 1; NULL: r + 1 */
    const gr_lists_part *part;       /* NULL: one process. Its lists alone are counted as empty or
                                        short_lists */
} gr_lists;

typedef struct gr_value {
    double mean; /* NAN if no query has a value */
    size_t counted, empty, short_lists;
    double *by_query; /* NAN: the query is left out */
} gr_value;

enum { GR_SWITCHES_SIZE = 320 };

/* An evaluation: the settings that the options resolve to, and the values. */
typedef struct gr_evaluation {
    gr_measures measures;
    gr_settings settings;
    double *discounts, *label_gains;
    bool condensed;
    size_t queries;
    gr_value *values;                /* one per measure */
    char name[GR_SWITCHES_SIZE];     /* "letor4", followed by overridden switches */
    char switches[GR_SWITCHES_SIZE]; /* all switches */
} gr_evaluation;

/* Checks all input, then evaluates. *evaluation needs no initialisation; on failure it is empty.
 * Results do not depend on the number of threads of the pool. */
gradus_status gr_evaluate(const gr_lists *lists, const gr_evaluate_options *options, gr_pool *pool,
                          gr_evaluation *evaluation, gradus_error *err);
void gr_evaluation_end(gr_evaluation *evaluation);

/* The outcome of a metric for one list. empty: the metric is undefined for it; short_lists: the list is shorter than the
 * cutoff. Both are counted. */
typedef struct gr_outcome {
    double value; /* NAN: the list is left out */
    bool empty, short_lists;
} gr_outcome;

/* Applies the convention's rules for empty and short lists to the value of a list of `count`
 * documents; NAN: undefined. */
gr_outcome gr_outcome_of(const gr_measure *measure, const gr_convention *convention, size_t count,
                         double value);
/* Sets the mean of the values by query. */
void gr_mean_over_queries(gr_value *value, const gr_lists *lists, bool geometric);

/* metric_options.c */
/* The tie rule that results from the options. */
gr_ties gr_evaluate_ties(const gr_evaluate_options *options);

/* Steps of gr_evaluate, each in its own file (metric_options.c, check_lists.c). */
gradus_status gr_evaluation_configure(const gr_lists *lists, const gr_evaluate_options *options,
                                      gr_evaluation *evaluation, gradus_error *err);

/* check_lists.c */
gradus_status gr_check_lists(const gr_lists *lists, const gr_evaluation *evaluation, gr_pool *pool,
                             gradus_error *err);

#endif
