/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of experiments, the options of "reproduce", and one run with its journal. */
#include "experiments/experiment.h"

#include "base/text.h"
#include "experiments/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gr_param params[] = {
    GR_PARAM_PATH(gr_reproduce_options, data, "data", "DIR", "", GRADUS_PATH_READ_FOLDERS,
                  "folder of the data sets, one subfolder each"),
    GR_PARAM_PATH(gr_reproduce_options, journal, "journal", "FILE", "", GRADUS_PATH_WRITTEN,
                  "record finished work in FILE and resume from it (default: named after the "
                  "experiment)"),
    GR_PARAM_REAL(gr_reproduce_options, scale, "scale", "S", 1, 0.001, 1,
                  "size of a trial run, as a fraction of the full experiment"),
    GR_PARAM_COUNT(gr_reproduce_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "random seed"),
    GR_PARAM_END,
};

const gr_operation gr_operation_reproduce = {
    .name = "reproduce",
    .summary = "reproduce an experiment of the papers",
    .params = params,
    .size = sizeof(gr_reproduce_options),
};

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

const gr_about *gr_experiments_at(size_t index)
{
    return index < EXPERIMENTS ? &experiments[index]->about : NULL;
}

size_t gr_scaled(const gr_run *run, size_t count, size_t least)
{
    const size_t scaled = (size_t)((double)count * run->scale + 0.5);

    return scaled > least ? scaled : least;
}

gradus_options *gr_options_from(const gr_operation *operation, const char *words, gradus_error *err)
{
    gradus_options *options = gr_options_new(operation, err);

    if (options && words && gr_options_take(options, words, err) != GRADUS_OK) {
        gr_options_free(options);
        return NULL;
    }
    return options;
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

static gradus_status run_with(gr_run *run, const gr_reproduce_options *options, gradus_error *err)
{
    char about[256], scale[GRADUS_NUMBER_SIZE];

    gr_format_double(options->scale, scale);
    snprintf(about, sizeof about, "%s, scale %s, seed %llu", run->experiment->family, scale,
             (unsigned long long)options->seed);
    run->journal =
        gr_journal_open(*options->journal ? options->journal : NULL, "reproduce", about, NULL, err);
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

gradus_reproduction *gr_reproduce(gradus_context *context, const char *name,
                                  const gradus_options *options, gradus_error *err)
{
    gr_reproduce_options chosen;
    gradus_error fault = { GRADUS_OK, "" };
    gr_run run = { .context = context };
    gradus_reproduction *made = calloc(1, sizeof *made);
    gradus_status status = made ? GRADUS_OK : gr_fail_memory(&fault, "results");

    if (status == GRADUS_OK)
        status = gr_options_get(options, &gr_operation_reproduce, &chosen, &fault);
    if (status == GRADUS_OK)
        status = find(name, &run.experiment, &fault);
    if (status == GRADUS_OK) {
        run.data = chosen.data;
        run.scale = chosen.scale;
        run.seed = chosen.seed;
        run.results = made->results = gr_results_new(&fault);
        status = made->results ? run_with(&run, &chosen, &fault) : GRADUS_NO_MEMORY;
    }
    if (status == GRADUS_OK)
        return made;
    gr_fail(err, fault.status, "%s", fault.message);
    if (made)
        gr_results_free(made->results);
    free(made);
    return NULL;
}
