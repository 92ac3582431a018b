/* SPDX-License-Identifier: Apache-2.0 */
/* Gains of labels in NDCG and in losses that use gains: the training options --gain and
 * --label-gain. */
#ifndef GR_OBJECTIVES_LABEL_GAINS_H
#define GR_OBJECTIVES_LABEL_GAINS_H

#include "base/param.h"
#include "metrics/convention.h"

/* The choices of --gain, and of a method's default gains. */
enum { GR_GAINS_NONE, GR_GAINS_EXP, GR_GAINS_LINEAR };

typedef struct gr_gain_options {
    int rule;               /* GR_GAINS_NONE: the method's default */
    const char *label_gain; /* "0,1,3,7,15"; "": none */
} gr_gain_options;

extern const gr_param gr_gain_params[];

/* The gains selected by the options; usual: the method's default. *table: memory the gains point
 * to, which the caller frees after use; NULL: none. */
gradus_status gr_gains_choose(const gr_gain_options *options, int usual, double **table,
                              gr_gains *gains, gradus_error *err);
/* filled[i]: the gain of labels[i]. Fails if one is not finite. */
gradus_status gr_gains_fill(const gr_gains *gains, const float *labels, size_t count, float *filled,
                            gradus_error *err);

#endif
