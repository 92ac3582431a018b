/* SPDX-License-Identifier: Apache-2.0 */
/* What labels are worth in NDCG and in losses that use gains: --gain and --label-gain of training. */
#ifndef GR_OBJECTIVES_LABEL_GAINS_H
#define GR_OBJECTIVES_LABEL_GAINS_H

#include "base/param.h"
#include "metrics/convention.h"

/* The numbers of the choices of --gain, and the gains that a method uses by default. */
enum { GR_GAINS_NONE, GR_GAINS_EXP, GR_GAINS_LINEAR };

typedef struct gr_gain_options {
    int rule;               /* GR_GAINS_NONE: the method's */
    const char *label_gain; /* "0,1,3,7,15"; "": none */
} gr_gain_options;

extern const gr_param gr_gain_params[];

/* The gains that options choose; usual: those of the method. *table: what gains point to, to be
 * freed after them; NULL: nothing. */
gradus_status gr_gains_choose(const gr_gain_options *options, int usual, double **table,
                              gr_gains *gains, gradus_error *err);
/* The gains of labels as floats. Fails if one is not finite. */
gradus_status gr_gains_fill(const gr_gains *gains, const float *labels, size_t count, float *filled,
                            gradus_error *err);

#endif
