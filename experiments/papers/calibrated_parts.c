/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting the training data for calibration, training without validation data, calibrated members
 * and the paper's measure. */
#include "experiments/papers/calibrated_parts.h"

#include <stdio.h>
#include <stdlib.h>

gradus_status gr_calibration_cut(uint64_t seed, const gradus_dataset *train,
                                 gradus_dataset *parts[2], gradus_context *context,
                                 gradus_error *err)
{
    char words[64];
    const size_t queries = gradus_dataset_queries(train);
    size_t *part_of = gr_new_array(queries, sizeof *part_of);
    size_t *chosen = gr_new_array(queries, sizeof *chosen), count;
    gradus_options *options = NULL;
    gradus_status status = part_of && chosen ? GRADUS_OK : gr_fail_memory(err, "queries");

    snprintf(words, sizeof words, "fractions=80,20 seed=%llu", (unsigned long long)seed);
    if (status == GRADUS_OK && !(options = gr_words_options("split", words, err)))
        status = err->status;
    if (status == GRADUS_OK)
        status = gradus_dataset_split(train, options, part_of, &count, err);
    gradus_options_free(options);
    for (size_t p = 0; p < 2 && status == GRADUS_OK; p++) {
        size_t at = 0;

        for (size_t q = 0; q < queries; q++)
            if (part_of[q] == p)
                chosen[at++] = q;
        parts[p] = gradus_dataset_subset(context, train, chosen, at, err);
        status = parts[p] ? GRADUS_OK : err->status;
    }
    free(chosen);
    free(part_of);
    return status;
}

gradus_model *gr_train_words(const gradus_dataset *data, const char *words, gradus_context *context,
                             gradus_error *err)
{
    const gradus_training_input input = { .train = data };
    gradus_options *options = gr_words_options("train", words, err);
    gradus_training *training = options ? gradus_training_new(context, &input, options, err) : NULL;
    gradus_model *model = NULL;
    gradus_status status = training ? GRADUS_OK : GRADUS_BAD_ARGUMENT;
    bool done = false;

    while (status == GRADUS_OK && !done) {
        status = gradus_training_step(training, &done, err);
        if (status == GRADUS_OK)
            status = gr_send_progress(context, "training", 0.0, err);
    }
    if (status == GRADUS_OK)
        model = gradus_training_finish(training, err);
    gradus_training_free(training);
    gradus_options_free(options);
    return model;
}

gradus_status gr_calibrated_member(const gradus_model *model, const gradus_dataset *calibrate,
                                   const char *words, const gr_fold *fold, double *scores[2],
                                   double values[2], gradus_context *context, gradus_error *err)
{
    const gradus_dataset *const parts[2] = { fold->valid, fold->test };
    gradus_options *options = gr_words_options("calibrate", words, err);
    gradus_model *made = options ? gradus_calibrate(context, model, calibrate, options, err) : NULL;
    gradus_status status = made ? GRADUS_OK : err->status;

    for (size_t p = 0; p < 2 && status == GRADUS_OK; p++) {
        status = gradus_model_score(context, made, parts[p], scores[p], err);
        if (status == GRADUS_OK)
            status = gradus_evaluate_metric(parts[p], scores[p], "ndcg@10", &values[p], err);
    }
    gradus_model_free(made);
    gradus_options_free(options);
    return status;
}

gradus_status gr_measure_by(const gradus_dataset *data, const double *scores, const char *metric,
                            const char *convention, double *value, gradus_context *context,
                            gradus_error *err)
{
    char words[80];

    snprintf(words, sizeof words, "metric=%s convention=%s", metric, convention);
    gradus_options *options = gr_words_options("evaluate", words, err);
    gradus_evaluation *evaluation =
        options ? gradus_evaluate(context, data, scores, options, err) : NULL;
    const gradus_status status = evaluation ? GRADUS_OK : err->status;
    gradus_result result;

    if (evaluation && gradus_evaluation_at(evaluation, 0, &result))
        *value = result.mean;
    gradus_options_free(options);
    gradus_evaluation_free(evaluation);
    return status;
}
