/* SPDX-License-Identifier: Apache-2.0 */
/* How many folds a time budget is enough for. With five folds a setting costs more than five
 * trainings; with two, or one part held out once, the same time is enough for twice as many methods,
 * or for more rounds of each. */
#include "base/clock.h"
#include "experiments/auto_run.h"
#include "experiments/jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With at least MANY_QUERIES a fifth is enough to select by. The speed of a training is measured
 * over at most PROBED rounds; a default one has about USUAL_ROUNDS. */
enum { MANY_QUERIES = 500, PROBED = 10, USUAL_ROUNDS = 300 };

/* The largest parts of the time that a trial with five folds, and that measuring may take. */
static const double trial_part = 0.08, probe_part = 0.01;
/* Seconds per round and row on a fast idle machine; a slow one takes up to `slow` times as long. */
static const double row_seconds = 5e-8, slow = 20.0;

/* Five trainings with four fifths of the data. */
static double trial_seconds(double round_seconds)
{
    return 5.0 * 0.8 * USUAL_ROUNDS * round_seconds;
}

typedef struct probe {
    const gr_auto_run *run;
    double round_seconds; /* NAN: unknown */
} probe;

static gradus_status run_rounds(const gr_auto_run *run, gradus_training *training, double *seconds,
                                gradus_error *err)
{
    const double began = gr_seconds(), most = probe_part * run->budget.seconds;
    size_t rounds = 0;
    bool done = false;

    while (!done && rounds < PROBED && (rounds == 0 || gr_seconds() - began < most)) {
        GR_TRY(gradus_training_step(training, &done, err));
        rounds++;
    }
    *seconds = (gr_seconds() - began) / (double)rounds;
    return GRADUS_OK;
}

/* Trains a few rounds of the first method. */
static gradus_status measure_speed(void *argument, size_t index, gradus_context *context,
                                   gradus_error *err)
{
    probe *p = argument;
    const gr_auto_run *run = p->run;
    const gradus_training_input input = { .train = run->data.all };
    gradus_error fault = { GRADUS_OK, "" };
    char settings[96];
    bool by_rounds = false;

    (void)index;
    snprintf(settings, sizeof settings, "method=%s", run->entries[0].name);
    gradus_options *options = gr_auto_train_options(run, settings, "", &fault);
    gradus_status status = options ? gr_trial_by_rounds(options, &by_rounds, &fault) : fault.status;
    gradus_training *training = status == GRADUS_OK && by_rounds
                                    ? gradus_training_new(context, &input, options, &fault)
                                    : NULL;

    if (training)
        status = run_rounds(run, training, &p->round_seconds, &fault);
    gradus_training_free(training);
    gradus_options_free(options);
    return status == GRADUS_CANCELLED || status == GRADUS_NO_MEMORY
               ? gr_fail(err, status, "%s", fault.message)
               : GRADUS_OK;
}

/* The folds that the journal of an earlier run has; 0: unknown. */
static size_t journal_folds(const gr_auto_run *run)
{
    FILE *file = *run->options.journal ? fopen(run->options.journal, "r") : NULL;
    char line[1024] = "";
    const char *at = file && fgets(line, sizeof line, file) ? strstr(line, ", seed ") : NULL;

    if (file)
        fclose(file);
    at = at ? strchr(at + 2, ',') : NULL;
    return at ? strtoul(at + 1, NULL, 10) : 0;
}

/* Whether a trial with five folds would take too long. */
static gradus_status is_short(const gr_auto_run *run, bool *too_short, gradus_error *err)
{
    const double rows = (double)gradus_dataset_rows(run->data.all);
    const double threads = (double)gradus_context_threads(run->context);
    const double least = trial_seconds(row_seconds * rows / threads);
    const double most = trial_part * run->budget.seconds;
    probe p = { .run = run, .round_seconds = (double)NAN };

    *too_short = least > most;
    if (*too_short || slow * least < most)
        return GRADUS_OK;
    GR_TRY(gr_jobs_run(run->context, "trials", 1, measure_speed, &p, err));
    *too_short = trial_seconds(p.round_seconds) > most;
    return GRADUS_OK;
}

gradus_status gr_auto_few_folds(gr_auto_run *run, gradus_error *err)
{
    const size_t few = gradus_dataset_queries(run->data.all) < MANY_QUERIES ? 2 : 1;
    const size_t known = journal_folds(run);
    bool too_short = known > 0 && known <= 2;

    if (run->budget.settings || run->options.folds)
        return GRADUS_OK;
    if (!known)
        GR_TRY(is_short(run, &too_short, err));
    if (too_short)
        run->options.folds = run->result->facts.repeat_folds = known ? known : few;
    return GRADUS_OK;
}
