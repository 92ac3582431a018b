/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of experiments, the options of "reproduce", and one run with its journal. */
#include "experiments/experiment.h"

#include "base/text.h"
#include "experiments/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gr_experiment *const experiments[] = {
#define GR_EXPERIMENT(name) &gr_experiment_##name,
#include "experiments/experiments.def"
#undef GR_EXPERIMENT
};

enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

const gr_experiment *gr_experiment_number(size_t index)
{
    return index < EXPERIMENTS ? experiments[index] : NULL;
}

size_t gr_scaled(const gr_run *run, size_t count, size_t least)
{
    const size_t scaled = (size_t)((double)count * run->scale + 0.5);

    return scaled > least ? scaled : least;
}

size_t gr_run_seeds(const gr_run *run, size_t count)
{
    if (run->seeds == 0 || run->seeds >= count)
        return count;
    if (!run->results->trial)
        gr_results_note(run->results,
                        "Run with %zu of %zu seeds or samples: every verdict that follows is "
                        "inconclusive.",
                        (size_t)run->seeds, count);
    run->results->trial = true;
    return (size_t)run->seeds;
}

double gr_experiment_seconds(const gr_experiment *experiment)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = { { " s", 1.0 }, { " min", 60.0 }, { " h", 3600.0 } };
    const char *takes = experiment->takes, *end = takes + strlen(takes);
    double number = 0.0;
    const char *rest = gr_parse_double(takes, end, &number);

    for (size_t u = 0; rest && u < sizeof units / sizeof units[0]; u++)
        if (strcmp(rest, units[u].unit) == 0)
            return number * units[u].seconds;
    return 0.0;
}

static gradus_status find(const char *name, const gr_experiment **found, gradus_error *err)
{
    const char *names[EXPERIMENTS];

    for (size_t i = 0; i < EXPERIMENTS; i++) {
        names[i] = experiments[i]->about.name;
        if (strcmp(names[i], name) == 0) {
            *found = experiments[i];
            return GRADUS_OK;
        }
    }
    return gr_fail_unknown(err, "experiment", name, names, EXPERIMENTS);
}

/* Serialises the whole reproduction to JSON, stored with the results. */
static gradus_status write_json(const gr_run *run, gradus_error *err)
{
    gr_json_writer writer = { 0 };
    gr_results *results = run->results;

    gr_json_open(&writer, NULL, '{');
    gr_json_put_text(&writer, "experiment", run->experiment->about.name);
    gr_json_put_text(&writer, "summary", run->experiment->about.summary);
    gr_json_put_text(&writer, "details", run->experiment->about.details);
    gr_json_put_text(&writer, "version", GRADUS_VERSION);
    gr_json_put_number(&writer, "scale", run->scale);
    gr_json_put_count(&writer, "seed", run->seed);
    gr_json_put_count(&writer, "seeds", run->seeds);
    gr_results_write(results, &writer);
    gr_json_close(&writer, '}');
    gradus_status status = gr_json_done(&writer, err);

    if (status == GRADUS_OK) {
        results->json = strndup(writer.bytes.at, writer.used);
        status = results->json ? GRADUS_OK : gr_fail_memory(err, "results");
    }
    gr_json_writer_free(&writer);
    return status;
}

/* path: the journal's file; "": results are kept in memory only. */
static gradus_status run_with(gr_run *run, const char *path, gradus_error *err)
{
    char about[256], scale[GRADUS_NUMBER_SIZE];

    gr_format_double(run->scale, scale);
    snprintf(about, sizeof about, "%s, scale %s, seed %llu", run->experiment->family, scale,
             (unsigned long long)run->seed);
    run->journal = gr_journal_open(*path ? path : NULL, "reproduce", about, NULL, err);
    if (!run->journal)
        return err->status;
    gradus_status status = run->experiment->run(run, err);

    if (status == GRADUS_OK)
        status = gr_results_done(run->results, err);
    if (status == GRADUS_OK)
        status = write_json(run, err);
    gr_journal_close(run->journal);
    return status;
}

static gradus_status take_options(gr_run *run, gradus_options *options, gradus_error *err)
{
    run->data = gradus_options_value(options, "data");
    run->seed = gr_count_option(options, "seed");
    run->seeds = gr_count_option(options, "seeds");
    return gradus_number_parse(gradus_options_value(options, "scale"), &run->scale, err);
}

/* Of a scaled-down run nothing can be concluded. */
static void note_trial(const gr_run *run)
{
    run->results->trial = run->scale < 1.0;
    if (run->results->trial)
        gr_results_note(run->results,
                        "A trial run at scale %g, smaller than the paper's experiment: every "
                        "verdict is inconclusive.",
                        run->scale);
}

gradus_reproduction *gr_reproduce(gradus_context *context, const char *name,
                                  const gradus_options *options, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    gr_run run = { .context = context };
    gradus_reproduction *made = calloc(1, sizeof *made);
    gradus_options *chosen = made ? gr_copy_options("reproduce", options, &fault) : NULL;
    gradus_status status = !made    ? gr_fail_memory(&fault, "results")
                           : chosen ? take_options(&run, chosen, &fault)
                                    : fault.status;

    if (status == GRADUS_OK)
        status = find(name, &run.experiment, &fault);
    if (status == GRADUS_OK) {
        run.results = made->results = gr_results_new(&fault);
        if (made->results)
            note_trial(&run);
        status = made->results ? run_with(&run, gradus_options_value(chosen, "journal"), &fault)
                               : GRADUS_NO_MEMORY;
    }
    gradus_options_free(chosen);
    if (status == GRADUS_OK)
        return made;
    gr_fail(err, fault.status, "%s", fault.message);
    if (made)
        gr_results_free(made->results);
    free(made);
    return NULL;
}
