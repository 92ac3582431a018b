/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation during training. */
#ifndef GR_PIPELINE_VALIDATE_H
#define GR_PIPELINE_VALIDATE_H

#include "data/dataset.h"
#include "metrics/evaluate.h"
#include "scoring/scoring.h"

/* A dataset that is evaluated during training. */
typedef struct gr_monitor {
    const gradus_dataset *data;
    gr_array outputs; /* double, outputs x rows; not used if the learner keeps them */
    gr_array scaled;  /* double, outputs x rows; for learners whose sums must be scaled */
    gr_array scores;  /* double */
    /* Where the rows and the outputs are (pipeline/device_monitor.h); `outputs` are then those of the
     * last time they were needed. NULL: the processor has them. */
    struct gr_device_monitor *there;
} gr_monitor;

/* Sets the outputs to 0. */
gradus_status gr_monitor_reserve(gr_monitor *monitor, size_t outputs, gradus_error *err);
void gr_monitor_free(gr_monitor *monitor);

/* How data are evaluated. */
typedef struct gr_measuring {
    gr_evaluate_options options;
    const gr_scorer *scorer;
    gradus_metric_function custom; /* NULL: none */
    void *user;
    gr_pool *pool;
    char *metric, *convention; /* names; set by the first evaluation */
    bool lower_is_better;
} gr_measuring;

/* Evaluates the metric for scores. */
gradus_status gr_measure_scores(gr_measuring *measuring, const gradus_dataset *data,
                                const double *scores, double *value, gradus_error *err);
/* Evaluates the metric for outputs multiplied by scale. */
gradus_status gr_measure_outputs(gr_measuring *measuring, gr_monitor *monitor,
                                 const double *outputs, double scale, double *value,
                                 gradus_error *err);

#endif
