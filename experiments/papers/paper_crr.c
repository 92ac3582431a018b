/* SPDX-License-Identifier: Apache-2.0 */
/* Losses, selection of lambda and data preparation of the CRR experiments (see paper_crr.h). */
#include "experiments/papers/paper_crr.h"

#include "base/math.h"
#include "base/sort.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const gr_crr_names[GR_CRR_METHODS] = { "regression", "ranking", "CRR" };
const double gr_crr_alphas[GR_CRR_METHODS] = { 1.0, 0.0, 0.5 };

const char *const gr_crr_ways[GR_CRR_WAYS] = { "lambda by AUC loss", "lambda by MSE",
                                               "lambda by both" };

enum { MAX_LAMBDAS = 16, LISTS = 5 };
static const char *const lists[LISTS] = { "valid auc", "valid mse", "auc", "mse", "accuracy" };

/* Visits outputs in descending order, groups of equal ones together. */
static void sweep(const double *outputs, const float *labels, const size_t *order, size_t rows,
                  double weight, gr_crr_values *values)
{
    double positives = 0.0, negatives = 0.0, above = 0.0, wrong = 0.0, right, best;

    for (size_t r = 0; r < rows; r++)
        positives += labels[r] > 0.5f;
    negatives = (double)rows - positives;
    best = right = negatives; /* all rows are classified as negative */
    for (size_t i = 0, next; i < rows; i = next) {
        double ones = 0.0, zeros = 0.0;

        for (next = i; next < rows && outputs[order[next]] == outputs[order[i]]; next++)
            *(labels[order[next]] > 0.5f ? &ones : &zeros) += 1.0;
        wrong += zeros * (positives - above - ones) + 0.5 * zeros * ones;
        above += ones;
        right += weight * ones - zeros;
        best = right > best ? right : best;
    }
    values->auc_loss =
        positives > 0.0 && negatives > 0.0 ? wrong / (positives * negatives) : (double)NAN;
    values->accuracy = best / (weight * positives + negatives);
}

gradus_status gr_crr_measure(const double *outputs, const float *labels, size_t rows, double weight,
                             gr_crr_values *values, gradus_error *err)
{
    size_t *order = gr_new_array(rows, sizeof *order);
    gr_keyed *scratch = gr_new_array(rows, GR_SORT_SCRATCH(1));
    double squares = 0.0, weights = 0.0;

    if (!order || !scratch) {
        free(order);
        free(scratch);
        return gr_fail_memory(err, "measures");
    }
    gr_sort_descending(outputs, rows, order, scratch);
    sweep(outputs, labels, order, rows, weight, values);
    free(order);
    free(scratch);
    for (size_t r = 0; r < rows; r++) {
        const double miss = 1.0 / (1.0 + gr_exp(-outputs[r])) - (double)labels[r];
        const double counts = labels[r] > 0.5f ? weight : 1.0;

        squares += counts * miss * miss;
        weights += counts;
    }
    values->mse = squares / weights;
    return GRADUS_OK;
}

gradus_model *gr_crr_train(gradus_context *context, const gradus_dataset *train, const char *words,
                           gradus_error *err)
{
    return gr_crr_train_seeded(context, train, words, "", 1, err);
}

gradus_model *gr_crr_train_seeded(gradus_context *context, const gradus_dataset *train,
                                  const char *words, const char *rule, uint64_t seed,
                                  gradus_error *err)
{
    char all[384];

    snprintf(all, sizeof all, "%s %s %s seed=%llu", words, gr_paper_words("crr_table1", "common"),
             rule, (unsigned long long)seed);
    gradus_options *options = gr_words_options("train", all, err);
    gradus_model *model = options ? gradus_train(context, train, NULL, options, err) : NULL;

    gradus_options_free(options);
    return model;
}

double *gr_crr_scores(gradus_context *context, const gradus_model *model,
                      const gradus_dataset *data, gradus_error *err)
{
    double *scores = gr_new_array(gradus_dataset_rows(data), sizeof *scores);

    if (!scores)
        gr_fail_memory(err, "scores");
    else if (gradus_model_score(context, model, data, scores, err) != GRADUS_OK) {
        free(scores);
        return NULL;
    }
    return scores;
}

static gradus_status measure_on(gradus_context *context, const gradus_model *model,
                                const gradus_dataset *data, double weight, gr_crr_values *values,
                                gradus_error *err)
{
    double *scores = gr_crr_scores(context, model, data, err);
    const gradus_arrays arrays = gr_arrays_of(data);
    gradus_status status =
        scores ? gr_crr_measure(scores, arrays.labels, arrays.rows, weight, values, err)
               : err->status;

    free(scores);
    return status;
}

static const char *lambda_of(const gr_crr_task *task, size_t index)
{
    return gr_paper_setting_at(task->table, "lambda", index);
}

static gradus_model *train_with(gradus_context *context, const gr_crr_task *task,
                                const gradus_dataset *data, double alpha, const char *lambda,
                                gradus_error *err)
{
    char words[192];

    snprintf(words, sizeof words, "%s alpha=%g lambda=%s steps=%zu",
             gr_paper_words("crr_table1", "logistic"), alpha, lambda, task->steps);
    return gr_crr_train_seeded(context, data, words, task->rule ? task->rule : "", task->seed, err);
}

static gradus_status measure_lambda(gradus_context *context, const gr_crr_task *task, double alpha,
                                    const char *lambda, bool test, gr_crr_values *values,
                                    gradus_error *err)
{
    gradus_model *model =
        train_with(context, task, test ? task->all : task->most, alpha, lambda, err);
    const gradus_status status = model ? measure_on(context, model, test ? task->test : task->rest,
                                                    test ? task->weight : 1.0, values, err)
                                       : err->status;

    gradus_model_free(model);
    return status;
}

static double least(const double *values, size_t count)
{
    double least = (double)INFINITY;

    for (size_t i = 0; i < count; i++)
        least = fmin(least, values[i]);
    return least > 0.0 ? least : 1e-300;
}

/* The index of the best lambda; SIZE_MAX: none has a value. */
static size_t best_of(const double *losses, const double *errors, size_t count, int way)
{
    const double loss = least(losses, count), error = least(errors, count);
    size_t best = SIZE_MAX;
    double lowest = (double)INFINITY;

    for (size_t i = 0; i < count; i++) {
        const double value = (way == GR_CRR_BY_MSE ? 0.0 : losses[i] / loss) +
                             (way == GR_CRR_BY_AUC ? 0.0 : errors[i] / error);

        if (value < lowest) {
            lowest = value;
            best = i;
        }
    }
    return best;
}

gradus_status gr_crr_try(gradus_context *context, const gr_crr_task *task, double alpha,
                         const char *name, gr_json_writer *writer, gradus_error *err)
{
    double found[LISTS][MAX_LAMBDAS];
    size_t count = 0;

    for (; count < MAX_LAMBDAS && lambda_of(task, count); count++) {
        gr_crr_values rest = { .mse = 0.0 };

        GR_TRY(measure_lambda(context, task, alpha, lambda_of(task, count), false, &rest, err));
        found[0][count] = rest.auc_loss;
        found[1][count] = rest.mse;
        found[2][count] = found[3][count] = found[4][count] = (double)NAN;
    }
    for (int way = 0; way < GR_CRR_WAYS; way++) {
        const size_t best = best_of(found[0], found[1], count, way);
        gr_crr_values test = { .mse = 0.0 };

        if (best == SIZE_MAX || !isnan(found[2][best]))
            continue;
        GR_TRY(measure_lambda(context, task, alpha, lambda_of(task, best), true, &test, err));
        found[2][best] = test.auc_loss;
        found[3][best] = test.mse;
        found[4][best] = test.accuracy;
    }
    gr_json_open(writer, name, '{');
    for (size_t i = 0; i < LISTS; i++)
        gr_json_put_numbers(writer, lists[i], found[i], count);
    gr_json_close(writer, '}');
    return GRADUS_OK;
}

static double number_at(const gr_json *object, const char *list, size_t at)
{
    size_t count = 0;
    double *numbers = gr_json_numbers(gr_json_find(object, list), &count);
    const double number = numbers && at < count ? numbers[at] : (double)NAN;

    free(numbers);
    return number;
}

size_t gr_crr_pick(const gr_json *tried, int way, gr_crr_values *values)
{
    size_t count = 0, also = 0, best = SIZE_MAX;
    double *losses = gr_json_numbers(gr_json_find(tried, lists[0]), &count);
    double *errors = gr_json_numbers(gr_json_find(tried, lists[1]), &also);

    if (losses && errors && count == also)
        best = best_of(losses, errors, count, way);
    free(losses);
    free(errors);
    if (best != SIZE_MAX)
        *values = (gr_crr_values){ .auc_loss = number_at(tried, lists[2], best),
                                   .mse = number_at(tried, lists[3], best),
                                   .accuracy = number_at(tried, lists[4], best) };
    return best;
}

gradus_dataset *gr_crr_flatten(const gradus_dataset *from, uint64_t starts[2], gradus_error *err)
{
    gradus_arrays arrays;

    if (gradus_dataset_arrays(NULL, from, &arrays, err) != GRADUS_OK)
        return NULL;
    starts[0] = 0;
    starts[1] = arrays.rows;
    arrays.queries = 1;
    arrays.query_starts = starts;
    arrays.query_weights = NULL;
    return gradus_dataset_borrow(&arrays, err);
}

/* Copies rows, as queries of one row each. */
static gradus_dataset *copy_rows(const gradus_dataset *from, const size_t *rows, size_t count,
                                 gradus_error *err)
{
    gradus_arrays arrays;

    if (gradus_dataset_arrays(NULL, from, &arrays, err) != GRADUS_OK)
        return NULL;
    uint64_t *starts = gr_new_array(arrays.rows + 1, sizeof *starts);

    if (!starts) {
        gr_fail_memory(err, "rows");
        return NULL;
    }
    for (size_t r = 0; r <= arrays.rows; r++)
        starts[r] = r;
    arrays.queries = arrays.rows;
    arrays.query_starts = starts;
    arrays.query_weights = NULL;
    gradus_dataset *singles = gradus_dataset_borrow(&arrays, err);
    gradus_dataset *made = singles ? gradus_dataset_subset(NULL, singles, rows, count, err) : NULL;

    gradus_dataset_free(singles);
    free(starts);
    return made;
}

gradus_dataset *gr_crr_rows(const gradus_dataset *from, const size_t *rows, size_t count,
                            size_t low, size_t high, gradus_error *err)
{
    gradus_dataset *copy = copy_rows(from, rows, count, err), *made = NULL;

    if (!copy)
        return NULL;
    gradus_arrays arrays = gr_arrays_of(copy);
    const uint64_t starts[2] = { 0, arrays.rows };
    float *labels = gr_new_array(arrays.rows, sizeof *labels);

    for (size_t r = 0; labels && r < arrays.rows; r++) {
        const double label = (double)arrays.labels[r];

        labels[r] = label >= (double)low && label <= (double)high ? 1.0f : 0.0f;
    }
    arrays.labels = labels;
    arrays.queries = 1;
    arrays.query_starts = starts;
    if (labels)
        made = gr_copy_arrays(&arrays, err);
    else
        gr_fail_memory(err, "labels");
    free(labels);
    gradus_dataset_free(copy);
    return made;
}

gradus_status gr_crr_test(const gr_run *run, double *a, double *b, size_t count, const char *test,
                          gradus_contrast *contrast, gradus_error *err)
{
    const gr_leaderboard_entry first = { .queries = count, .values = a };
    const gr_leaderboard_entry second = { .queries = count, .values = b };

    return gr_leaderboard_compare(run->context, &first, &second, 0, test, false, contrast, err);
}
