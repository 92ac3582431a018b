/* SPDX-License-Identifier: Apache-2.0 */
/* Gains, discounts and their sums: what ndcg, dcg and mean-ndcg share. */
#ifndef GR_METRICS_GAINS_H
#define GR_METRICS_GAINS_H

#include "metrics/metric.h"

/* The gain of a label; an exponential one divided by 2^shift. */
double gr_gain_of(const gr_gains *gains, double label, int shift);

/* What gains labels can have by default. */
typedef enum gr_label_use {
    GR_LABELS_ARE_GRADES,  /* whole numbers from 0 to 1023: exponential ones */
    GR_LABELS_ARE_NUMBERS, /* from 0 up, and not all whole: linear ones */
    GR_LABELS_ARE_OTHER    /* negative ones, or whole numbers above 1023: none */
} gr_label_use;

gr_label_use gr_labels_use(const float *labels, uint64_t count);

/* Whether a metric of a list such as "ndcg@10,map" uses gains of labels. */
gradus_status gr_metric_uses_gains(const char *list, bool *uses, gradus_error *err);

enum { GR_MAX_LABEL_GAINS = 1024 };

/* Reads "0,1,3,7,15", the gains of the labels 0, 1, ...: numbers from 0 up, of which none is less
 * than the one before. *table: free it. */
gradus_status gr_label_gains_parse(const char *text, double **table, size_t *count,
                                   gradus_error *err);

/* The weight of place i, from 0. */
double gr_discount_at(gr_discount_rule rule, size_t i);
double gr_discount_of(const gr_settings *settings, size_t i);

/* A shift that keeps sums of the list's gains finite; 0 unless grades are near 1023. */
int gr_gain_shift(const gr_ranked *ranked);

/* Expected discounted gain of the first `depth` places. */
double gr_dcg(const gr_ranked *ranked, size_t depth, int shift);

/* The same for the best order there is. */
double gr_ideal_dcg(const gr_ranked *ranked, size_t depth, int shift);

/* The first of the ideal labels that has a gain: tables give none to labels they do not know. */
size_t gr_ideal_start(const gr_ranked *ranked);

/* The mean gain of the documents at the places from start to end - 1. */
double gr_mean_gain(const gr_ranked *ranked, size_t start, size_t end, int shift);

#endif
