/* SPDX-License-Identifier: Apache-2.0 */
/* The metric that selects models, with its convention and gains. */
#ifndef GR_EXPERIMENTS_METRIC_CHOICE_H
#define GR_EXPERIMENTS_METRIC_CHOICE_H

#include "gradus.h"

/* What the user chose. */
typedef struct gr_metric_choice {
    const char *metric, *convention;
    bool convention_given;  /* by the user, not by default */
    const char *rule;       /* gain: "method" (not chosen), "linear", "exp" */
    const char *label_gain; /* a list of gains; "": not chosen */
    gradus_label_kind labels;
} gr_metric_choice;

typedef struct gr_chosen_gains {
    char words[256];      /* options of training and of the metric, "gain=linear"; "": defaults */
    char convention[300]; /* the convention with its gains, in words */
} gr_chosen_gains;

/* Fails unless the choice is a single metric whose values can be averaged over queries. */
gradus_status gr_metric_choice_check(const char *metric, gradus_error *err);
/* The gains used by the metric and by training: those chosen, or linear ones (with a note) if
 * labels are not whole numbers. */
gradus_status gr_metric_choice_gains(const gradus_context *context, const gr_metric_choice *choice,
                                     gr_chosen_gains *gains, gradus_error *err);

#endif
