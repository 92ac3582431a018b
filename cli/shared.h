/* SPDX-License-Identifier: Apache-2.0 */
/* What several commands do alike. */
#ifndef CLI_SHARED_H
#define CLI_SHARED_H

#include "command.h"
#include "json.h"

/* Reads data with the command's "read" options; on failure says why, and NULL. */
gradus_dataset *read_data(const arguments *given, const char *path, int *status);
/* Refuses a model among the files of an option that takes data; exit status. */
int check_no_models(const arguments *given, const char *name);
/* The files of an option that may be given several times as one dataset; err: why NULL. */
gradus_dataset *read_files(const arguments *given, const char *name, const gradus_options *options,
                           gradus_error *err);
/* The command's "read" options without the weights, which are those of the training set: other sets
 * have other rows. NULL: no memory. End with gradus_options_free. */
gradus_options *options_without_weights(const arguments *given);
/* A model as the command's "score" options ask for it, or NULL: a view of *read. End both. */
gradus_model *take_model(const arguments *given, const char *path, gradus_model **read,
                         int *status);
/* Scores of a file, method or model for data, or NULL; by the "score" options, if the command has
 * them, and the predicted grades of models with --grades or --confusion. End with free(). */
double *read_scores(const arguments *given, const gradus_dataset *data, const char *what,
                    int *status);
/* With --json, a file that was written as one JSON object; exit status. data may be NULL. Nothing
 * if the file itself went to standard output. */
int report_file(const arguments *given, const char *path, const gradus_dataset *data);
/* A count with a comma at each thousand; of four texts kept in turn. */
const char *with_commas(size_t count);
/* The convention of the numbers that follow, and its switches. */
void add_convention(text *t, const gradus_evaluation *evaluation);
/* The numbers that tell of a model's fit, and which of several models it is; nothing if there are
 * none. */
void add_results(text *t, const gradus_model *model);
void json_results(json *j, const gradus_model *model);
/* The columns to fill: those of the terminal, at most so many, which is also the width elsewhere.
 */
size_t page_width(size_t most);

/* recipe.c */
/* Adds the command that trains the model again, as a shell takes it; names of files that models do
 * not store are in capitals. Of a calibrated model it trains the model BASE that was calibrated.
 * Lines after the first have an indent; width 0: one line. False, and nothing is added, if the
 * model was not made by training. */
bool add_train_command(text *t, const gradus_model *model, const char *path, size_t indent,
                       size_t width);
/* Whether a setting of training has its default value. */
bool is_default_setting(const char *name, const char *value);

/* letor_note.c: one line on standard error if the data look like LETOR's, whose papers use another
 * convention than the default; nothing with --quiet, --json or --convention. */
void note_letor(const arguments *given, const gradus_dataset *data, const char *path);

/* The singular for a count of 1, else the plural. */
const char *plural(size_t count, const char *one, const char *many);
/* "1 query", "2,000 queries"; of four texts kept in turn. */
const char *counted(size_t count, const char *one, const char *many);

#endif
