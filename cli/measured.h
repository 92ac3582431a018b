/* SPDX-License-Identifier: Apache-2.0 */
/* What 'gradus calibrate' and 'gradus ensemble' report: the models they were given and the one they
 * made, measured on the data it was fitted on and on other data. */
#ifndef CLI_MEASURED_H
#define CLI_MEASURED_H

#include "shared.h"

typedef struct measured {
    gradus_evaluation *evaluation; /* NULL: the metrics do not suit the data */
    bool has_probabilities;        /* the next two are measured */
    double log_loss, calibration_error;
} measured;

/* A set of rows, and the models on it: those given, in order, then the one made. */
typedef struct measured_set {
    const char *role; /* "fit" or "test" */
    const char *path;
    gradus_dataset *data; /* NULL: there is no such set */
    measured *of;
} measured_set;

enum { MEASURED_FIT, MEASURED_TEST, MEASURED_SETS };

typedef struct measuring {
    const arguments *given;
    const char *const *paths; /* of the models given */
    gradus_model *const *models;
    size_t count;
    const gradus_model *made; /* NULL until it is made */
    const double *weights;    /* of the models in an ensemble; NULL: it is not an ensemble */
    const char *metrics, *convention;
    measured_set sets[MEASURED_SETS];
    double read_seconds, fit_seconds, evaluate_seconds;
} measuring;

/* Reads the sets: fit_path may be NULL, and those of --test. Exit status. */
int measuring_read(measuring *m, const char *fit_path);
/* Fails if a metric or the convention is unknown; exit status. */
int check_metrics(const measuring *m);
/* Measures the models, and prints the report, as text or JSON; exit status. */
int report_measured(measuring *m);
void measuring_free(measuring *m);

#endif
