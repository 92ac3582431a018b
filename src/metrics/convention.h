/* SPDX-License-Identifier: Apache-2.0 */
/* Conventions: the details on which tools disagree when they report "NDCG@10". Five switches and a
 * few numbers, and presets that reproduce a known tool. */
#ifndef GR_METRICS_CONVENTION_H
#define GR_METRICS_CONVENTION_H

#include "base/table.h"
#include "ranking/rank.h"

#include <stdbool.h>

/* Enum values are the positions of the words in the option's choices, minus one. */
typedef enum gr_gain_rule {
    GR_GAIN_EXP,    /* 2^y - 1 */
    GR_GAIN_LINEAR, /* y */
    GR_GAIN_LETOR,  /* 0, 1, 3; other labels 0 */
    GR_GAIN_MSLR,   /* 0, 1, 3, 7, 15; other labels 0 */
    GR_GAIN_TABLE   /* the user's table (--label-gain); no convention uses it */
} gr_gain_rule;

/* The gain of a label. */
typedef struct gr_gains {
    gr_gain_rule rule;
    const double *table; /* of GR_GAIN_TABLE: gains of the labels 0, 1, ..., non-decreasing */
    size_t count;
} gr_gains;

typedef enum gr_discount_rule {
    GR_DISCOUNT_LOG2,  /* 1 / log2(1 + i) at rank i = 1, 2, ... */
    GR_DISCOUNT_LETOR, /* 1 at ranks 1 and 2, then 1 / log2(i) */
    GR_DISCOUNT_RANK,  /* 1 / i */
    GR_DISCOUNT_NONE,  /* 1 */
    GR_DISCOUNT_TABLE  /* the user's list (--rank-discounts); no convention uses it */
} gr_discount_rule;

/* The value of a query without relevant documents. */
typedef enum gr_empty_rule {
    GR_EMPTY_ZERO,
    GR_EMPTY_HALF,
    GR_EMPTY_ONE,
    GR_EMPTY_SKIP
} gr_empty_rule;

/* How a metric with cutoff k treats a list of n < k documents. */
typedef enum gr_short_rule {
    GR_SHORT_PAD,  /* pad with irrelevant documents: p@k divides by k */
    GR_SHORT_CUT,  /* cut the cutoff to n: p@k divides by n */
    GR_SHORT_ZERO, /* ndcg, dcg and p are 0 */
    GR_SHORT_DROP  /* the query is left out */
} gr_short_rule;

/* The divisor of average precision. */
typedef enum gr_divisor {
    GR_DIVISOR_RELEVANT, /* all relevant documents */
    GR_DIVISOR_DEPTH,    /* min(relevant documents, cutoff) */
    GR_DIVISOR_FOUND     /* the relevant documents found up to the cutoff */
} gr_divisor;

/* The probability that a user of the ERR model stops at a document. */
typedef enum gr_stop_rule {
    GR_STOP_GRADE, /* (2^y - 1) / 2^K */
    GR_STOP_LABEL  /* y */
} gr_stop_rule;

typedef struct gr_convention {
    gr_about about;
    gr_gain_rule gain;
    gr_discount_rule discount;
    gr_empty_rule empty;
    gr_short_rule short_lists;
    gr_ties ties;
    gr_divisor divisor;
    gr_empty_rule empty_map;     /* for average precision, if different from `empty` */
    gr_short_rule short_lists_p; /* for precision, if different from `short_lists` */
    gr_stop_rule stop;
    bool whole_map;       /* average precision ignores the cutoff */
    double relevant;      /* the minimum label of a relevant document */
    bool relevant_above;  /* relevant labels are strictly above `relevant` */
    double relevant_most; /* the maximum; some tools treat labels above it as irrelevant */
    unsigned max_grade;   /* K of ERR; 0: the largest label of the data */
} gr_convention;

#define GR_CONVENTION(name) extern const gr_convention gr_convention_##name;
#include "metrics/conventions.def"
#undef GR_CONVENTION

extern const char *const gr_convention_names[]; /* NULL-terminated */

/* conventions.c */
const gr_convention *gr_convention_number(size_t index); /* NULL past the end */
const gr_about *gr_conventions_at(size_t index);         /* NULL past the end */

static inline bool gr_is_relevant(const gr_convention *convention, double label)
{
    const bool enough =
        convention->relevant_above ? label > convention->relevant : label >= convention->relevant;

    return enough && label <= convention->relevant_most;
}

#endif
