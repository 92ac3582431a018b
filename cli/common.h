/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that several commands share. */
#ifndef CLI_SHARED_H
#define CLI_SHARED_H

#include "command.h"
#include "print_json.h"

/* Reads data with the command's "read" options; on failure prints the error and returns NULL. */
gradus_dataset *read_data(const arguments *given, const char *path, int *status);
/* Refuses a model among the files of an option that takes data; exit status. */
int check_no_models(const arguments *given, const char *name);
/* Reads the files of an option that may be given several times, as one dataset. NULL: see *err. */
gradus_dataset *read_files(const arguments *given, const char *name, const gradus_options *options,
                           gradus_error *err);
/* The command's "read" options without the weights, which apply to the rows of the training set
 * only. NULL: no memory. Release with gradus_options_free. */
gradus_options *options_without_weights(const arguments *given);
/* A model with the command's "score" options applied, or NULL; it borrows *read. Free both. */
gradus_model *take_model(const arguments *given, const char *path, gradus_model **read,
                         int *status);
/* Scores of a file, method or model for data, or NULL. Models use the "score" options, if the
 * command has them, and give predicted grades with --grades or --confusion. Release with free(). */
double *read_scores(const arguments *given, const gradus_dataset *data, const char *what,
                    int *status);
/* With --json, reports the file written as one JSON object, unless it went to standard output. data
 * may be NULL. Exit status. */
int report_file(const arguments *given, const char *path, const gradus_dataset *data);
/* A count with thousands separators, in one of four static buffers used in turn. */
const char *with_commas(size_t count);
/* The convention of the numbers that follow, with all its settings. */
void add_convention(text *t, const gradus_evaluation *evaluation);
/* The numbers that the learner reported about the fit, if any. */
void add_results(text *t, const gradus_model *model);
void json_results(json *j, const gradus_model *model);
/* The width of output: that of the terminal, at most `most`; `most` if there is no terminal. */
size_t page_width(size_t most);

/* recipe.c */
/* Adds the command that trains the model again, quoted for a shell; files whose names the model
 * does not store are in capitals. For a calibrated model it trains the model BASE before
 * calibration. Lines after the first are indented; width 0: one line. False, and nothing is added,
 * if the model was not trained (an ensemble), or on scores of another model. */
bool add_train_command(text *t, const gradus_model *model, const char *path, size_t indent,
                       size_t width);
/* Whether a setting of training has its default value. */
bool is_default_setting(const char *name, const char *value);

/* data_features.c */
/* The name of a feature in the model or else in the data; "": none. */
const char *data_feature_name(const gradus_model *model, const gradus_dataset *data,
                              size_t feature);
/* That name, or the id in the data. */
void add_data_feature(text *t, const gradus_model *model, const gradus_dataset *data,
                      size_t feature);
/* Prints a note if ids are shown and the model has others than the data. */
void note_feature_ids(const arguments *given, const gradus_model *model,
                      const gradus_dataset *data);
/* Finds a feature by its name, or by its id in the data; exit status. */
int find_data_feature(const gradus_model *model, const gradus_dataset *data, const char *word,
                      size_t *feature);

/* letor_note.c: prints a note if the data look like LETOR's, whose papers use another convention
 * than the default; nothing with --quiet, --json or --convention. */
void note_letor(const arguments *given, const gradus_dataset *data, const char *path);

/* The singular for a count of 1, else the plural. */
const char *plural(size_t count, const char *one, const char *many);
/* "1 query", "2,000 queries", in one of four static buffers used in turn. */
const char *counted(size_t count, const char *one, const char *many);

#endif
