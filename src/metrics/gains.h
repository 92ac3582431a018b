/* SPDX-License-Identifier: Apache-2.0 */
/* Gains, discounts and their sums, shared by ndcg, dcg and mean-ndcg. */
#ifndef GR_METRICS_GAINS_H
#define GR_METRICS_GAINS_H

#include "metrics/metric.h"

/* The gain of a label; exponential gains are divided by 2^shift. */
double gr_gain_of(const gr_gains *gains, double label, int shift);

/* The default gain for a set of labels. */
typedef enum gr_label_use {
    GR_LABELS_ARE_GRADES,  /* whole numbers from 0 to 1023: exponential */
    GR_LABELS_ARE_NUMBERS, /* non-negative, not all whole: linear */
    GR_LABELS_ARE_OTHER    /* negative, or whole numbers above 1023: none */
} gr_label_use;

gr_label_use gr_labels_use(const float *labels, uint64_t count);

/* Whether a metric of a list such as "ndcg@10,map" uses label gains. */
gradus_status gr_metric_uses_gains(const char *list, bool *uses, gradus_error *err);

enum { GR_MAX_LABEL_GAINS = 1024 };

/* Parses "0,1,3,7,15", the gains of the labels 0, 1, ...: non-negative, non-decreasing numbers. The
 * caller frees *table. */
gradus_status gr_label_gains_parse(const char *text, double **table, size_t *count,
                                   gradus_error *err);

/* Likewise "1,0.5,0.2", the discounts of the ranks 1, 2, ...: non-negative, non-increasing. */
gradus_status gr_discounts_parse(const char *text, double **table, size_t *count,
                                 gradus_error *err);

/* The discount at position i, from 0. */
double gr_discount_at(gr_discount_rule rule, size_t i);
double gr_discount_of(const gr_settings *settings, size_t i);

/* A shift that keeps the sums of the list's gains finite; 0 unless grades are near 1023. */
int gr_gain_shift(const gr_ranked *ranked);

/* Expected DCG over the first `depth` positions. */
double gr_dcg(const gr_ranked *ranked, size_t depth, int shift);

/* The DCG of the ideal ranking. */
double gr_ideal_dcg(const gr_ranked *ranked, size_t depth, int shift);

/* The first ideal label with a gain: tables give no gain to labels that they do not contain. */
size_t gr_ideal_start(const gr_ranked *ranked);

/* The mean gain of the documents at positions start to end - 1. */
double gr_mean_gain(const gr_ranked *ranked, size_t start, size_t end, int shift);

#endif
