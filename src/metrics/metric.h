/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a metric: the ranked list it receives and the properties it declares. */
#ifndef GR_METRICS_METRIC_H
#define GR_METRICS_METRIC_H

#include "base/math.h"
#include "costs/cost.h"
#include "metrics/convention.h"

/* Settings common to all lists of an evaluation. */
typedef struct gr_settings {
    gr_convention convention;
    gr_gains gains;      /* by the convention's rule or a table */
    double max_grade;    /* K of ERR */
    double push_power;   /* of push */
    double persistence;  /* of rbp */
    double tied_pairs;   /* how much a pair with equal scores counts as misordered: 0, 1/2 or 1 */
    size_t bins;         /* of ece */
    gr_cost_choice cost; /* of risk */
    const double *discounts; /* discounts of the first positions */
    size_t discount_count;
} gr_settings;

/* One query's documents in rank order, best first. Tie group g covers the positions ends[g - 1] (0
 * for the first) to ends[g] - 1. Within a group of several documents the order is undefined, and
 * they are sorted by descending label. */
typedef struct gr_ranked {
    const gr_settings *settings;
    size_t count;
    const double *labels; /* 0 if not judged */
    const double *scores;
    const double *weights; /* NULL: all 1 */
    const bool *judged;    /* NULL: all are judged */
    const size_t *ends;
    size_t groups;
    const double
        *ideal; /* labels of all judged documents, including unretrieved ones, descending */
    size_t ideal_count;
    size_t relevant;         /* the number of relevant documents among `ideal` */
    const gr_levels *levels; /* for pair metrics: the distinct labels of the list */
    const size_t *level_of;  /* for pair metrics: the level of each document */
    double *work;            /* scratch memory of GR_WORK(count) numbers */
} gr_ranked;

#define GR_WORK(count) (4 * ((count) + 2))

typedef enum gr_label_kind {
    GR_LABELS_ANY,
    GR_LABELS_GAIN,   /* labels for which the gain is defined */
    GR_LABELS_STOP,   /* labels for which ERR's stopping probability is defined */
    GR_LABELS_GRADES, /* whole numbers that the cost matrix covers */
    GR_LABELS_WHOLE   /* whole numbers from 0 to 1023 */
} gr_label_kind;

/* How the rule for lists shorter than the cutoff affects a metric, besides dropping the list. */
typedef enum gr_short_kind {
    GR_SHORT_NOTHING, /* not at all */
    GR_SHORT_AS_NDCG, /* `short_lists` of the convention may set it to 0 */
    GR_SHORT_AS_P     /* `short_lists_p` of the convention may set it to 0 */
} gr_short_kind;

/* How tie rules apply to a metric. The tests check every metric against its declaration. */
typedef enum gr_tied_kind {
    GR_TIED_MEAN,  /* expected: the mean over all orders of tied documents; pessimistic and
                      optimistic: the worst and the best order */
    GR_TIED_POWER, /* the same, but expected is the power mean with push's power */
    GR_TIED_FIXED  /* ties are part of the definition, or order is irrelevant: all rules give the
                      same value */
} gr_tied_kind;

typedef struct gr_metric {
    gr_about about;
    const char *aliases; /* names in other tools, separated by spaces; NULL: none */
    double low, high;    /* the range of values */
    bool lower_is_better;
    bool takes_depth;
    bool only_top; /* with a cutoff, nothing is read of ranks after the tie group that it is in */
    gr_short_kind short_kind;
    bool empty_as_map;     /* an empty query gets the convention's `empty_map` */
    bool empty_may_be_one; /* a convention may score an empty query 1 (or 1/2); otherwise 0 */
    bool pairs;            /* compares pairs: requires levels; lists without a pair are left out */
    bool geometric;        /* the mean over queries is exp(mean log), with values floored at 1e-5 */
    bool pooled;           /* a mean over rows: the overall value is that of all rows as one list */
    bool probabilities;    /* scores must be probabilities of being relevant */
    bool grades;           /* scores must be predicted grades, whole numbers from 0 to 1023 */
    gr_label_kind labels;
    gr_tied_kind ties;
    /* The value of a list; NAN if it has no relevant document or no pair. depth (the cutoff) is
     * SIZE_MAX if none was given. */
    double (*of_list)(const gr_ranked *ranked, size_t depth);
    /* Instead of of_list: the value is the weighted mean of row_loss(label, score) over the rows.
     * With `probabilities` the label is 1 if relevant, else 0. */
    double (*row_loss)(double label, double score);
} gr_metric;

#define GR_METRIC(name) extern const gr_metric gr_metric_##name;
#include "metrics/metrics.def"
#undef GR_METRIC

/* metrics.c */
const gr_metric *gr_metric_number(size_t index); /* NULL past the end */
const gr_about *gr_metrics_at(size_t index);     /* NULL past the end */

/* A metric and its cutoff, as requested. */
typedef struct gr_measure {
    const gr_metric *metric;
    size_t depth; /* SIZE_MAX: none */
    char *text;   /* canonical: "ndcg@10", whatever the user's spelling */
} gr_measure;

typedef struct gr_measures {
    size_t count;
    gr_measure *at;
} gr_measures;

/* Parses "ndcg@10,err@20,map". Names and aliases are case-insensitive, '_' and '-' are equivalent,
 * and the cutoff may follow '_' as in trec_eval: "NDCG@10", "ndcg_cut_10", "P_5". */
gradus_status gr_measures_parse(const char *list, gr_measures *measures, gradus_error *err);
void gr_measures_free(gr_measures *measures);

static inline size_t gr_group_start(const gr_ranked *ranked, size_t g)
{
    return g == 0 ? 0 : ranked->ends[g - 1];
}

/* The number of relevant documents at positions start to end - 1. */
size_t gr_relevant_between(const gr_ranked *ranked, size_t start, size_t end);

/* The expected number of relevant documents among the first `depth`. */
double gr_relevant_found(const gr_ranked *ranked, size_t depth);

#endif
