/* SPDX-License-Identifier: Apache-2.0 */
/* Conventions: what tools disagree on when they say "NDCG@10". Five switches and a few numbers,
 * and presets that do what a known tool does. */
#ifndef GR_METRICS_CONVENTION_H
#define GR_METRICS_CONVENTION_H

#include "base/table.h"
#include "ranking/rank.h"

#include <stdbool.h>

/* The numbers of the choices are the positions of their words in the options, less one. */
typedef enum gr_gain_rule {
    GR_GAIN_EXP,    /* 2^y - 1 */
    GR_GAIN_LINEAR, /* y */
    GR_GAIN_LETOR,  /* 0, 1, 3; other labels 0 */
    GR_GAIN_MSLR,   /* 0, 1, 3, 7, 15; other labels 0 */
    GR_GAIN_TABLE   /* a table of the user's (--label-gain), which no convention has */
} gr_gain_rule;

/* The gain of labels. */
typedef struct gr_gains {
    gr_gain_rule rule;
    const double *table; /* of GR_GAIN_TABLE: gains of the labels 0, 1, ...; none decreases */
    size_t count;
} gr_gains;

typedef enum gr_discount_rule {
    GR_DISCOUNT_LOG2, /* 1 / log2(1 + i) at place i = 1, 2, ... */
    GR_DISCOUNT_LETOR /* 1 at places 1 and 2, then 1 / log2(i) */
} gr_discount_rule;

/* The value of a query in which there is nothing to find. */
typedef enum gr_empty_rule {
    GR_EMPTY_ZERO,
    GR_EMPTY_HALF,
    GR_EMPTY_ONE,
    GR_EMPTY_SKIP
} gr_empty_rule;

/* What happens to a metric at depth k on a list of n < k documents. */
typedef enum gr_short_rule {
    GR_SHORT_PAD,  /* missing documents are irrelevant: p@k divides by k */
    GR_SHORT_CUT,  /* the depth becomes n: p@k divides by n */
    GR_SHORT_ZERO, /* ndcg, dcg and p are 0 */
    GR_SHORT_DROP  /* the query is left out */
} gr_short_rule;

/* What average precision divides by. */
typedef enum gr_divisor {
    GR_DIVISOR_RELEVANT, /* all relevant documents */
    GR_DIVISOR_DEPTH,    /* the lesser of those and the depth */
    GR_DIVISOR_FOUND     /* the relevant documents down to the depth */
} gr_divisor;

/* How likely a reader of ERR stops at a document. */
typedef enum gr_stop_rule {
    GR_STOP_GRADE, /* (2^y - 1) / 2^K */
    GR_STOP_LABEL  /* y */
} gr_stop_rule;

typedef struct gr_convention {
    gr_about about;
    gr_gain_rule gain;
    gr_discount_rule discount;
    gr_empty_rule empty;
    gr_short_rule brief;
    gr_ties ties;
    gr_divisor divisor;
    gr_empty_rule empty_map; /* of average precision, where it differs from `empty` */
    gr_short_rule brief_p;   /* of precision, where it differs from `brief` */
    gr_stop_rule stop;
    bool whole_map;       /* average precision looks at the whole list, whatever its depth */
    double relevant;      /* the least label of a relevant document */
    bool relevant_above;  /* or rather: relevant labels are above that */
    double relevant_most; /* the largest; a tool may not know labels above */
    unsigned max_grade;   /* K of ERR; 0: the largest label of the data */
} gr_convention;

#define GR_CONVENTION(name) extern const gr_convention gr_convention_##name;
#include "metrics/conventions.def"
#undef GR_CONVENTION

extern const char *const gr_convention_names[];          /* NULL ends it */
const gr_convention *gr_convention_number(size_t index); /* NULL past the end */
const gr_about *gr_conventions_at(size_t index);         /* NULL past the end */

static inline bool gr_is_relevant(const gr_convention *convention, double label)
{
    const bool enough =
        convention->relevant_above ? label > convention->relevant : label >= convention->relevant;

    return enough && label <= convention->relevant_most;
}

#endif
