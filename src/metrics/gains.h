/* Gains, discounts and their sums: what ndcg, dcg and mean-ndcg share. */
#ifndef GR_METRICS_GAINS_H
#define GR_METRICS_GAINS_H

#include "metrics/metric.h"

/* The gain of a label; an exponential one divided by 2^shift. */
double gr_gain_of(gr_gain_rule rule, double label, int shift);

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
