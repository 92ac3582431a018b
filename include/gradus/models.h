/* SPDX-License-Identifier: Apache-2.0 */
/* gradus/models.h - training, models, export and import, calibration, ensembles.
 * A part of gradus.h, which has the conventions; include that. */
#ifndef GRADUS_MODELS_H
#define GRADUS_MODELS_H
#include "gradus/datasets.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Training ----
 *
 * Example: train in one call, then round by round with validation data.
 *
 *     gradus_model *model = gradus_train(context, train, NULL, settings, &err);
 *     if (!model)
 *         return 1;
 *
 *     const gradus_training_input input = { .train = train, .valid = test };
 *     gradus_training *training = gradus_training_new(context, &input, settings, &err);
 *     gradus_training_state state;
 *     bool done = false;
 *     while (training && !done && gradus_training_step(training, &done, &err) == GRADUS_OK) {
 *         gradus_training_get_state(training, &state);
 *         printf("round %zu: %s %.4f\n", state.round, state.metric, state.valid);
 *     }
 *     gradus_model *best = done ? gradus_training_finish(training, &err) : NULL;
 *     gradus_training_free(training);
 *     if (!best)
 *         return 1;
 */

typedef struct gradus_model gradus_model;
typedef struct gradus_training gradus_training;

/* A user-defined loss: fills its gradients and hessians (>= 0) with respect to the scores, one each
 * per training row. Called from one thread at a time. Training fails with any status other than
 * GRADUS_OK that it returns. */
typedef gradus_status (*gradus_objective_function)(void *user, const gradus_dataset *data,
                                                   const double *scores, float *gradients,
                                                   float *hessians);
/* A user-defined metric: sets *value from the scores of all rows of data, a dataset of the input or,
 * while a transform is chosen, some of its queries; higher is better. Training fails with any status
 * other than GRADUS_OK that it returns. */
typedef gradus_status (*gradus_metric_function)(void *user, const gradus_dataset *data,
                                                const double *scores, double *value);

typedef struct gradus_training_input {
    const gradus_dataset *train;
    const gradus_dataset *valid; /* to select the best round by; NULL: none */
    const gradus_model *start;   /* warm start: new rounds are added to this model; NULL: no */
    bool resume;                 /* start is a checkpoint of the same training: resume it */
    const double *initial;       /* initial scores, one per row (methods with one output) */
    const double *initial_valid; /* the same for valid */
    const gradus_dataset *const *others; /* evaluated like valid, without influence on training; see
                                            gradus_training_other */
    size_t other_count;
    gradus_objective_function objective; /* for methods with one output; NULL: the method's loss */
    gradus_metric_function metric;       /* NULL: the metric of the options */
    void *user;                          /* passed to objective and metric */
} gradus_training_input;

/* Prepares training: checks data and options, and bins the features. options: operation "train", or
 * NULL. The datasets, models and arrays of input must outlive the training. Returns NULL on
 * failure. */
GRADUS_API gradus_training *gradus_training_new(gradus_context *context,
                                                const gradus_training_input *input,
                                                const gradus_options *options, gradus_error *err);
/* Trains one round. *done: training is finished (all rounds done, stopped early, or nothing left to
 * fit). If the round is cancelled or its device is lost, gradus_training_checkpoint returns the state
 * after the last completed round; the training object cannot be stepped afterwards. */
GRADUS_API gradus_status gradus_training_step(gradus_training *training, bool *done,
                                              gradus_error *err);

typedef struct gradus_training_state {
    size_t round, rounds; /* completed, and requested */
    const char *metric;   /* "ndcg@10"; "" if nothing is evaluated */
    bool lower_is_better;
    double train, valid; /* most recent values of the metric; NAN: not evaluated yet */
    size_t best_round;   /* 0: no validation data */
    double best_valid;
    const char *stopped; /* why training ended, in words; "" if it has not */
    double bin_seconds, train_seconds, evaluate_seconds;
    bool by_rounds; /* false: the model is fitted in a single step, counted as one round */
    size_t steps;   /* stochastic steps so far, on sampled rows or pairs; 0: rounds use all rows */
    size_t kept;    /* rounds of the model that gradus_training_finish returns */
    bool exhausted; /* stopped because nothing is left to fit: a checkpoint cannot be resumed */
} gradus_training_state;

/* Gets the state after the last round. Strings are valid until the next step. */
GRADUS_API void gradus_training_get_state(const gradus_training *training,
                                          gradus_training_state *state);
/* Returns the most recent value of the metric on dataset `index` of `others`; NAN if not available:
 * always with initial scores, and for methods that evaluate valid themselves (calibrated). */
GRADUS_API double gradus_training_other(const gradus_training *training, size_t index);
/* Returns a checkpoint: a model from which training can be resumed (gradus_training_input.resume).
 * Resuming gives a model byte-identical to that of an uninterrupted training. */
GRADUS_API gradus_model *gradus_training_checkpoint(const gradus_training *training,
                                                    gradus_error *err);
/* Returns the trained model: up to the best round if there is validation data (see the option
 * keep), else all rounds. The training object cannot be stepped afterwards, but must still be
 * freed. */
GRADUS_API gradus_model *gradus_training_finish(gradus_training *training, gradus_error *err);
/* Frees a training, finished or not. Models obtained from it stay valid. */
GRADUS_API void gradus_training_free(gradus_training *training);
/* Keeps the bins of these datasets for all later trainings of the context, and of contexts split
 * from it, on the same datasets and with the same bin options. Ends with the next call; count 0:
 * keeps none. The datasets must not be freed before. */
GRADUS_API gradus_status gradus_context_share_bins(gradus_context *context,
                                                   const gradus_dataset *const *sets, size_t count,
                                                   gradus_error *err);
/* Fills bins (one per feature) with the number of bins into which training with these options
 * divides the values of each feature. options: operation "train", or NULL. */
GRADUS_API gradus_status gradus_dataset_bins(gradus_context *context, const gradus_dataset *data,
                                             const gradus_options *options, size_t *bins,
                                             gradus_error *err);

/* Trains all rounds and returns the model; NULL on failure. valid: to select the best round by;
 * NULL: none. options: operation "train", or NULL. The datasets may be freed afterwards. */
GRADUS_API gradus_model *gradus_train(gradus_context *context, const gradus_dataset *train,
                                      const gradus_dataset *valid, const gradus_options *options,
                                      gradus_error *err);

/* ---- Models: immutable, usable from any number of threads ----
 *
 * Example: write and read a model file, then score rows in memory.
 *
 *     gradus_model_free(best);
 *     if (gradus_model_write(model, "web.model", &err) != GRADUS_OK ||
 *         !(best = gradus_model_read("web.model", &err)))
 *         return 1;
 *
 *     gradus_model_info info;
 *     gradus_model_describe(best, &info);
 *     printf("%s: %zu rounds, %zu features\n", info.method, info.rounds, info.features);
 *
 *     float *rows = calloc(2 * info.features, sizeof *rows); // two documents, all zeros
 *     double two[2];
 *     if (!rows || gradus_model_score_rows(best, rows, 2, info.features, info.features, two,
 *                                          NULL, &err) != GRADUS_OK)
 *         return 1;
 *     free(rows);
 */

/* Writes a model file; on failure no partial file remains. "-" is standard output. */
GRADUS_API gradus_status gradus_model_write(const gradus_model *model, const char *path,
                                            gradus_error *err);
/* Sets *size to the number of bytes that gradus_model_write writes. */
GRADUS_API gradus_status gradus_model_size(const gradus_model *model, uint64_t *size,
                                           gradus_error *err);
/* Reads a model file, plain or compressed with gzip or zstd; "-" is standard input. Models of XGBoost,
 * LightGBM and RankLib are read too (docs/formats/imported-models.md). The contents are verified: a
 * damaged file is GRADUS_BAD_FORMAT. */
GRADUS_API gradus_model *gradus_model_read(const char *path, gradus_error *err);
/* Sets *bytes to the content of the file that gradus_model_write writes, and *size to its size. Free
 * it with free(). */
GRADUS_API gradus_status gradus_model_to_bytes(const gradus_model *model, void **bytes,
                                               size_t *size, gradus_error *err);
/* Reads a model from the content of a model file in memory, which is copied and may have any
 * alignment. As gradus_model_read, except that compressed content is GRADUS_BAD_FORMAT. */
GRADUS_API gradus_model *gradus_model_from_bytes(const void *bytes, size_t size, gradus_error *err);
/* Frees a model. Free the models derived from it (gradus_model_rescored, gradus_calibrate,
 * gradus_ensemble, gradus_model_member) first. */
GRADUS_API void gradus_model_free(gradus_model *model);
/* Returns whether a file starts like one that gradus_model_read reads; false if it cannot be read. */
GRADUS_API bool gradus_model_is_file(const char *path);
/* Returns the model with another scoring rule (docs/methods/scoring-rules.md), or truncated to its
 * first N rounds. options: operation "score", or NULL. The model must outlive the result. A note
 * reports a cost that is not optimal for the rule. */
GRADUS_API gradus_model *gradus_model_rescored(gradus_context *context, const gradus_model *model,
                                               const gradus_options *options, gradus_error *err);

/* Fills one score per row of data; higher is better. Features that the model does not have are
 * ignored, with a note; fewer features than the model's are GRADUS_BAD_ARGUMENT. */
GRADUS_API gradus_status gradus_model_score(gradus_context *context, const gradus_model *model,
                                            const gradus_dataset *data, double *scores,
                                            gradus_error *err);
/* Fills the grade probabilities of each row: rows x grades (gradus_model_info.grades), each row
 * non-negative and summing to one. GRADUS_BAD_ARGUMENT if the model has no probabilities. */
GRADUS_API gradus_status gradus_model_probabilities(gradus_context *context,
                                                    const gradus_model *model,
                                                    const gradus_dataset *data,
                                                    double *probabilities, gradus_error *err);
/* Fills the predicted grade of each row, one of gradus_model_info.grade_values. Its index is, for
 * models with thresholds, how many of them the output reaches; for cocr, how many outputs reach one
 * half; for others, that of the most probable grade. GRADUS_BAD_ARGUMENT if the model has no
 * grades. */
GRADUS_API gradus_status gradus_model_grades(gradus_context *context, const gradus_model *model,
                                             const gradus_dataset *data, double *grades,
                                             gradus_error *err);
/* Fills scores (one per row) and probabilities (rows x grades) for rows in memory, on the calling
 * thread and without a dataset: feature f of row r is values[r * stride + f]. All rows belong to
 * one query. features must be at least the model's; extra ones are ignored. Either output may be
 * NULL. */
GRADUS_API gradus_status gradus_model_score_rows(const gradus_model *model, const float *values,
                                                 size_t rows, size_t features, size_t stride,
                                                 double *scores, double *probabilities,
                                                 gradus_error *err);

/* ---- Export and import: models in the formats of other tools ----
 *
 * Example: the whole model as readable JSON, with a file of rows and scores to check a reader by.
 *
 *     gradus_options *to = gradus_options_new("export", &err);
 *
 *     if (gradus_options_set(to, "format", "json", &err) != GRADUS_OK ||
 *         gradus_export_write(model, to, "web.json", "web.json.parity.csv", &err) != GRADUS_OK) {
 *         fprintf(stderr, "%s\n", err.message); // why the format cannot hold the model
 *         return 1;
 *     }
 *     gradus_options_free(to);
 */

/* A format of gradus_export; the strings are constants. Its description is in the catalogue
 * "formats". */
typedef struct gradus_format {
    const char *name;      /* "xgboost-json" */
    const char *used_by;   /* the tools that read it: "XGBoost, Triton FIL" */
    const char *extension; /* of file names, without the dot */
    const char *methods;   /* whose models it holds if they were trained with default options: names
                              separated by spaces; NULL: all methods */
    double tolerance; /* largest |difference| / max(1, |score|) between the scores of a tool that
                         reads the file and those of gradus; 0: bit-equal */
} gradus_format;

/* Gets format `index`, in the order of the catalogue "formats". Returns false past the last. */
GRADUS_API bool gradus_format_at(size_t index, gradus_format *format);

enum { GRADUS_PARITY_ROWS = 200 };

/* Sets *bytes to a model in the format of another tool, and *size to its size. *bytes is followed by
 * a NUL that *size does not count; free it with free(). options: operation "export"; its option
 * format is required. A model that the format cannot hold exactly is GRADUS_BAD_ARGUMENT, and the
 * message gives the reason. The same model gives the same bytes. To export a prefix of the rounds, or
 * another scoring rule, export the result of gradus_model_rescored. */
GRADUS_API gradus_status gradus_export(const gradus_model *model, const gradus_options *options,
                                       void **bytes, size_t *size, gradus_error *err);
/* Writes the same to a file. The option format may be omitted if only one format has the extension
 * of the file name. parity: file for GRADUS_PARITY_ROWS rows of feature values with the model's
 * scores, and a program that compares them with those of the exported model
 * (docs/formats/exported-models.md); NULL: none. On failure no partial file remains. "-" is standard
 * output. */
GRADUS_API gradus_status gradus_export_write(const gradus_model *model,
                                             const gradus_options *options, const char *path,
                                             const char *parity, gradus_error *err);
/* Reads a model of another tool, plain or compressed with gzip or zstd; "-" is standard input. The
 * format (see the catalogue "importers") is detected from the content. A model that cannot be
 * represented exactly is GRADUS_BAD_FORMAT, and the message gives the reason and the position. */
GRADUS_API gradus_model *gradus_import(const char *path, gradus_error *err);
/* Reads the same from memory, which may be freed afterwards. */
GRADUS_API gradus_model *gradus_import_bytes(const void *bytes, size_t size, gradus_error *err);

/* ---- Calibration and ensembles ----
 *
 * Example: turn a model's scores into grade probabilities, and measure their calibration.
 *
 *     gradus_reliability reliability;
 *     gradus_model *calibrated = NULL;
 *     gradus_options *platt = gradus_options_new("calibrate", &err);
 *
 *     if (gradus_options_set(platt, "how", "platt", &err) != GRADUS_OK ||
 *         !(calibrated = gradus_calibrate(context, model, test, platt, &err)) ||
 *         gradus_model_reliability(context, calibrated, test, 10, &reliability, &err)) {
 *         fprintf(stderr, "%s\n", err.message);
 *         return 1;
 *     }
 *     printf("calibration error %.4f\n", reliability.error); // on the same data: optimistic
 *     gradus_model_free(calibrated); // before the model that it was made from
 *     gradus_options_free(platt);
 */

/* Returns the model with its outputs calibrated on held-out data. options: operation "calibrate",
 * or NULL. The model must outlive the result; it may already be calibrated. */
GRADUS_API gradus_model *gradus_calibrate(gradus_context *context, const gradus_model *model,
                                          const gradus_dataset *data, const gradus_options *options,
                                          gradus_error *err);

enum { GRADUS_MAX_BINS = 100 };

/* How well calibrated the grade probabilities are. The events are "grade k or higher", for each row
 * and each grade k but the lowest. */
typedef struct gradus_reliability {
    size_t bins;
    double weight[GRADUS_MAX_BINS];    /* total weight of the events predicted in the bin */
    double predicted[GRADUS_MAX_BINS]; /* their mean probability; NAN: the bin is empty */
    double observed[GRADUS_MAX_BINS];  /* their observed frequency; NAN: the bin is empty */
    double error;         /* expected calibration error: weighted mean |predicted - observed| */
    double largest_error; /* maximum |predicted - observed| over bins */
    double log_loss;      /* mean -log P(the row's grade) */
    double brier;         /* mean squared error of the events' probabilities, approximately equal to
                             reliability - resolution + uncertainty */
    double reliability, resolution, uncertainty;
} gradus_reliability;

/* Measures the calibration of a model on data. bins: 1 to GRADUS_MAX_BINS, of equal width.
 * GRADUS_BAD_ARGUMENT if the model has no probabilities; also fails if a row has a grade that the
 * model was not trained on. */
GRADUS_API gradus_status gradus_model_reliability(gradus_context *context,
                                                  const gradus_model *model,
                                                  const gradus_dataset *data, size_t bins,
                                                  gradus_reliability *out, gradus_error *err);

/* Combines `count` models into one. options: operation "ensemble", or NULL. valid: data to fit the
 * weights on; may be NULL for combinations that do not need it. The models must outlive the result.
 */
GRADUS_API gradus_model *gradus_ensemble(gradus_context *context, const gradus_model *const *models,
                                         size_t count, const gradus_dataset *valid,
                                         const gradus_options *options, gradus_error *err);

/* Selects members of an ensemble by greedy forward selection with replacement on bootstrap samples
 * of the queries (Caruana and others 2004), as gradus_ensemble does with way "selection".
 * scores[i]: one score per row of the labelled data from member i; they are standardised within
 * each query, or with the option "raw" or "probabilities" used as they are. weights: one per
 * member, nonnegative, with sum 1, for the option "weights". options: operation "ensemble", of which
 * metric, convention, gain, label-gain, raw, probabilities, bags, steps and seed are used, or NULL.
 * The weights do not depend on the number of threads. */
GRADUS_API gradus_status gradus_ensemble_select(gradus_context *context, const gradus_dataset *data,
                                                const double *const *scores, size_t count,
                                                const gradus_options *options, double *weights,
                                                gradus_error *err);

/* Distils a model: trains one model, by default a forest (method "regression"), on the scores that
 * `model` gives the rows of data, whose labels are not used. The result ranks nearly like the model
 * and takes less time to score if the model is a large ensemble. options: operation "train" with a
 * method that accepts labels of any size and sign, or NULL. The model may be freed afterwards. */
GRADUS_API gradus_model *gradus_distil(gradus_context *context, const gradus_model *model,
                                       const gradus_dataset *data, const gradus_options *options,
                                       gradus_error *err);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_MODELS_H */
