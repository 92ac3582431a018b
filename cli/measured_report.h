/* SPDX-License-Identifier: Apache-2.0 */
/* The report of 'gradus calibrate' and 'gradus ensemble': the given models and the new one,
 * evaluated on the data it was fitted on, if it was, and on held-out data. */
#ifndef CLI_MEASURED_H
#define CLI_MEASURED_H

#include "common.h"

typedef struct measured {
    gradus_evaluation *evaluation; /* NULL: the metrics cannot be computed for the data */
    bool has_probabilities;        /* whether the next two are set */
    double log_loss, calibration_error;
} measured;

/* A data set, and the models on it: the given ones in order, then the new one. */
typedef struct measured_set {
    const char *role; /* "fit" or "test" */
    const char *path;
    gradus_dataset *data; /* NULL: no such set */
    measured *of;
} measured_set;

enum { MEASURED_FIT, MEASURED_TEST, MEASURED_SETS };

/* A model that was distilled from an ensemble. */
typedef struct distillation {
    const gradus_model
        *teacher; /* the ensemble, the last of the given models; NULL: not distilled */
    size_t trees, rows;
    const char *path;     /* of the data that it was trained on */
    double before, after; /* microseconds per row of the ensemble and of the distilled model */
} distillation;

typedef struct measuring {
    const arguments *given;
    const char *const *paths; /* of the models given */
    gradus_model *const *models;
    size_t count;
    const gradus_model *made; /* NULL until it is made */
    const double *weights;    /* of the members of an ensemble; NULL: not an ensemble */
    bool nothing_fitted;      /* the first set was not used to make the model */
    distillation distilled;
    const char *metrics, *convention;
    measured_set sets[MEASURED_SETS];
    double read_seconds, fit_seconds, evaluate_seconds;
} measuring;

/* Reads fit_path (NULL: none) and the files of --test. Exit status. */
int measuring_read(measuring *m, const char *fit_path);
/* Fails if a metric or the convention is unknown; exit status. */
int check_metrics(const measuring *m);
/* Evaluates the models, and prints the report as text or JSON; exit status. */
int report_measured(measuring *m);
void measuring_free(measuring *m);

#endif
