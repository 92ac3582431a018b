/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of `gradus tune`. */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "gradus_experiments.h"

#include "common.h"
#include "print_text.h"

/* Shows progress: a bar on a terminal, lines elsewhere. */
typedef struct tune_watch {
    gradus_context *context;
    enum { TUNE_UNSEEN, TUNE_BAR, TUNE_LINES } form;
    double began, shown,
        ended; /* times of: the start, the last line or bar, the last training run */
    double fraction, first_fraction; /* of the work, 0 to 1; at the start, below 0: unknown */
    size_t done, planned, lines;
    double used, most; /* seconds; most is infinite unless the budget is a time */
    const char *noun;  /* what is counted: "training run" */
    char best[200];
} tune_watch;

/* tune_sets.c */
enum { TUNE_TRAIN, TUNE_VALID, TUNE_TEST, TUNE_SETS };
enum { TUNE_STOPPED = -1 };
/* Reads the files of --train, --valid and --test; NULL for those not given. Exit status, or
 * TUNE_STOPPED if a signal ended the reading. Call tune_sets_free whatever the status. */
int tune_sets_read(const arguments *given, gradus_dataset *sets[TUNE_SETS]);
void tune_sets_free(gradus_dataset *sets[TUNE_SETS]);

/* tune_watch.c */
void tune_watch_begin(tune_watch *watch, const arguments *given);
void tune_watch_ended(void *watch, const gradus_tuning_state *state);
void tune_watch_end(tune_watch *watch);

/* tune_report.c */
/* The number of trials to show; *good: whether the option is a count. */
size_t tune_trials(const arguments *given, bool methods, bool *good);
/* Tables, or lines of JSON, on standard output; exit status. */
int tune_report(const arguments *given, const gradus_tuning *tuning);

/* tune_verdict.c */
/* Whether the tournament has a clear winner, and what to do if not; nothing if that is unknown. */
void tune_verdict(text *t, const gradus_tuning *tuning, size_t width);

#endif
