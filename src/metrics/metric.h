/* SPDX-License-Identifier: Apache-2.0 */
/* What a metric is given, and what it says of itself. */
#ifndef GR_METRICS_METRIC_H
#define GR_METRICS_METRIC_H

#include "costs/cost.h"
#include "metrics/convention.h"

/* What holds for all lists of an evaluation. */
typedef struct gr_settings {
    gr_convention convention;
    gr_gains gains;          /* by the convention's rule, or a table */
    double max_grade;        /* K of ERR */
    double push_power;       /* of push */
    double persistence;      /* of rbp */
    double tied_pairs;       /* what a pair with equal scores counts as misordered: 0, 1/2 or 1 */
    size_t bins;             /* of ece */
    gr_cost_choice cost;     /* of risk */
    const double *discounts; /* of the first places */
    size_t discount_count;
} gr_settings;

/* One query's documents, best ranked first. Tie group g has the places ends[g - 1] (0 for the
 * first) to ends[g] - 1; where a group has several documents their order is open, and they stand
 * in descending order of labels. */
typedef struct gr_ranked {
    const gr_settings *settings;
    size_t count;
    const double *labels; /* 0 where not judged */
    const double *scores;
    const double *weights; /* NULL: all 1 */
    const bool *judged;    /* NULL: all are */
    const size_t *ends;
    size_t groups;
    const double
        *ideal; /* labels of all judged documents, also those not in the list; descending */
    size_t ideal_count;
    size_t relevant;         /* of those, how many are relevant */
    const gr_levels *levels; /* of pair metrics: the labels of the list */
    const size_t *level_of;  /* and the level of each document */
    double *work;            /* GR_WORK(count) numbers to use freely */
} gr_ranked;

#define GR_WORK(count) (4 * ((count) + 2))

typedef enum gr_label_kind {
    GR_LABELS_ANY,
    GR_LABELS_GAIN,   /* what the gain takes */
    GR_LABELS_STOP,   /* what the stop probability of ERR takes */
    GR_LABELS_GRADES, /* whole numbers that the cost covers */
    GR_LABELS_WHOLE   /* whole numbers from 0 to 1023 */
} gr_label_kind;

/* What the rule for lists shorter than the depth does to a metric, besides dropping them. */
typedef enum gr_short_kind {
    GR_SHORT_NOTHING, /* its value stands */
    GR_SHORT_AS_NDCG, /* `brief` of the convention may make it 0 */
    GR_SHORT_AS_P     /* `brief_p` of the convention may */
} gr_short_kind;

/* What the tie rules mean for a metric. The tests hold every metric to its word. */
typedef enum gr_tied_kind {
    GR_TIED_MEAN,  /* expected: the mean over all orders of tied documents; pessimistic,
                      optimistic: the worst and the best of them */
    GR_TIED_POWER, /* the same, but expected is the power mean, with the power of push */
    GR_TIED_FIXED  /* ties are part of the definition, or order does not matter: all rules alike */
} gr_tied_kind;

typedef struct gr_metric {
    gr_about about;
    const char *aliases; /* names in other tools, blanks between; NULL: none */
    double low, high;    /* the range of values */
    bool lower_is_better;
    bool takes_depth;
    gr_short_kind short_kind;
    bool empty_as_map;     /* an empty query counts as `empty_map` of the convention says */
    bool empty_may_be_one; /* a convention may count 1 (or 1/2) for an empty query; else 0 */
    bool pairs;            /* compares pairs: needs levels; lists without a pair are left out */
    bool geometric;        /* the mean over queries is exp of the mean log, with a floor of 1e-5 */
    bool pooled;           /* a mean over rows: the mean is its value for all rows as one list */
    bool probabilities;    /* scores must be probabilities of being relevant */
    bool grades;           /* scores must be predicted grades, whole numbers from 0 to 1023 */
    gr_label_kind labels;
    gr_tied_kind ties;
    /* The value of a list, NAN if there is nothing to find or to compare in it. depth is SIZE_MAX
     * if the user gave none. */
    double (*of_list)(const gr_ranked *ranked, size_t depth);
} gr_metric;

#define GR_METRIC(name) extern const gr_metric gr_metric_##name;
#include "metrics/metrics.def"
#undef GR_METRIC

const gr_metric *gr_metric_number(size_t index); /* NULL past the end */
const gr_about *gr_metrics_at(size_t index);     /* NULL past the end */

/* A metric and its depth, as asked for. */
typedef struct gr_measure {
    const gr_metric *metric;
    size_t depth; /* SIZE_MAX: none */
    char *text;   /* "ndcg@10", whatever the user's spelling */
} gr_measure;

typedef struct gr_measures {
    size_t count;
    gr_measure *at;
} gr_measures;

/* Reads "ndcg@10,err@20,map". Names are those of the table or their aliases in any case, '_' is as
 * good as '-', and a depth may follow '_' as trec_eval writes it: "NDCG@10", "ndcg_cut_10", "P_5".
 */
gradus_status gr_measures_parse(const char *list, gr_measures *measures, gradus_error *err);
void gr_measures_free(gr_measures *measures);

static inline size_t gr_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t gr_group_start(const gr_ranked *ranked, size_t g)
{
    return g == 0 ? 0 : ranked->ends[g - 1];
}

/* How many of the documents at the places from start to end - 1 are relevant. */
size_t gr_relevant_between(const gr_ranked *ranked, size_t start, size_t end);

/* The expected number of relevant documents among the first `depth`. */
double gr_relevant_found(const gr_ranked *ranked, size_t depth);

#endif
