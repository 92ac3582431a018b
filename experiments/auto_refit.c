/* SPDX-License-Identifier: Apache-2.0 */
/* The final models of automatic training: members trained on all data, combined with the weights
 * that were selected, and evaluated on the test data. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiments/auto_run.h"
#include "experiments/jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MODELS = 257, WEIGHT_SIZE = 32 };

/* The trials to train again: the members, then the best single one if it is tested and not among
 * them. */
typedef struct refit {
    gr_auto_run *run;
    size_t count, members;
    size_t trials[MAX_MODELS];
} refit;

static void list_trials(gr_auto_run *run, refit *r)
{
    *r = (refit){ .run = run };
    for (size_t t = 0; t < run->trial_count; t++)
        if (run->trials[t].weight > 0.0)
            r->trials[r->count++] = t;
    r->members = r->count;
    if (run->input->test && run->trials[run->best].weight == 0.0)
        r->trials[r->count++] = run->best;
}

/* Methods that require validation data are trained as on the first fold. */
static gradus_status train_member(void *argument, size_t index, gradus_context *context,
                                  gradus_error *err)
{
    const refit *r = argument;
    const gr_auto_run *run = r->run;
    const gr_auto_trial *trial = &run->trials[r->trials[index]];
    const gradus_training_input all = { .train = run->data.all };
    const gradus_training_input fold = { .train = run->data.train[0], .valid = run->data.valid[0] };
    gradus_model **model = &run->result->models[index];
    char words[GR_AUTO_FIXED + 64];

    gr_auto_final_words(trial, words);
    const gradus_status status = gr_auto_train(run, context, &all, trial, words, model, err);

    return status == GRADUS_BAD_ARGUMENT ? gr_auto_train(run, context, &fold, trial, "", model, err)
                                         : status;
}

static gradus_status combine(const refit *r, gradus_error *err)
{
    gr_auto_run *run = r->run;
    char *list = gr_new_array(r->members + 1, WEIGHT_SIZE), number[GRADUS_NUMBER_SIZE];
    gradus_options *options = gr_words_options(
        "ensemble",
        run->options.probabilities ? "way=weights probabilities=true" : "way=weights raw=true",
        err);
    gradus_status status = !options ? err->status
                           : list   ? GRADUS_OK
                                    : gr_fail_memory(err, "weights");

    for (size_t m = 0; status == GRADUS_OK && m < r->members; m++) {
        gr_format_double(run->trials[r->trials[m]].weight * run->trials[r->trials[m]].scale,
                         number);
        gr_text_append(list, (r->members + 1) * WEIGHT_SIZE, m ? "," : "");
        gr_text_append(list, (r->members + 1) * WEIGHT_SIZE, number);
    }
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "weights", list, err);
    if (status == GRADUS_OK) {
        run->result->combined =
            gradus_ensemble(run->context, (const gradus_model *const *)run->result->models,
                            r->members, NULL, options, err);
        status = run->result->combined ? GRADUS_OK : err->status;
    }
    gradus_options_free(options);
    free(list);
    return status;
}

/* Scores data and evaluates the scores. *seconds: per row. */
static gradus_status evaluate(const gr_auto_run *run, const gradus_model *model,
                              const gradus_dataset *data, gradus_evaluation **evaluation,
                              double *seconds, gradus_error *err)
{
    const size_t rows = gradus_dataset_rows(data);
    double *scores = gr_new_array(rows, sizeof *scores);
    const double began = gr_seconds();

    *evaluation = NULL;
    if (!scores)
        return gr_fail_memory(err, "scores");
    gradus_status status = gradus_model_score(run->context, model, data, scores, err);

    *seconds = (gr_seconds() - began) / (double)rows;
    if (status == GRADUS_OK)
        status = gr_auto_evaluate(run, data, scores, evaluation, err);
    free(scores);
    return status;
}

static gradus_status test(gr_auto_run *run, gradus_error *err)
{
    gradus_auto_facts *facts = &run->result->facts;
    const gradus_dataset *data = run->input->test;
    gradus_evaluation *single = NULL, *ensemble = NULL;
    gradus_result of_single, of_ensemble;
    gr_auto_contrast contrast = { .queries = 0 };
    gradus_status status =
        evaluate(run, gradus_auto_model(run->result), data, &ensemble, &facts->row_seconds, err);

    if (status == GRADUS_OK)
        status = evaluate(run, run->result->single, data, &single, &facts->single_row_seconds, err);
    if (status == GRADUS_OK) {
        gradus_evaluation_at(single, 0, &of_single);
        gradus_evaluation_at(ensemble, 0, &of_ensemble);
        status = gr_auto_compare(run, of_single.by_query, of_ensemble.by_query,
                                 gradus_evaluation_queries(single), &contrast, err);
    }
    if (status == GRADUS_OK) {
        facts->test = contrast.ensemble;
        facts->single_test = contrast.single;
        facts->test_difference = contrast.difference;
        facts->test_p = contrast.p;
    }
    gradus_evaluation_free(single);
    gradus_evaluation_free(ensemble);
    return status;
}

gradus_status gr_auto_refit(gr_auto_run *run, gradus_error *err)
{
    gradus_auto_result *result = run->result;
    gradus_model_info info;
    refit r;

    list_trials(run, &r);
    result->models = gr_new_array(r.count, sizeof(gradus_model *));
    if (!result->models)
        return gr_fail_memory(err, "models");
    result->model_count = r.count;
    GR_TRY(gr_jobs_run(run->context, "training", r.count, train_member, &r, err));
    for (size_t m = 0; m < r.count; m++)
        if (r.trials[m] == run->best)
            result->single = result->models[m];
    if (r.members > 1)
        GR_TRY(combine(&r, err));
    gradus_model_describe(gradus_auto_model(result), &info);
    result->facts.probabilities = info.probabilities;
    return run->input->test ? test(run, err) : GRADUS_OK;
}
