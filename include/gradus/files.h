/* SPDX-License-Identifier: Apache-2.0 */
/* gradus/files.h - numbers as text, files that appear complete or not at all.
 * A part of gradus.h, which has the conventions; include that. */
#ifndef GRADUS_FILES_H
#define GRADUS_FILES_H
#include "gradus/basics.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers and files ----
 *
 * Example: write a file atomically; then free everything.
 *
 *     char number[GRADUS_NUMBER_SIZE];
 *     const size_t length = gradus_number_format(scores[0], number);
 *     gradus_output *output = gradus_output_new("first.txt", &err);
 *
 *     if (!output || gradus_output_write(output, number, length, &err) != GRADUS_OK) {
 *         gradus_output_abandon(output);
 *         return 1;
 *     }
 *     if (gradus_output_close(output, &err) != GRADUS_OK)
 *         return 1;
 *
 *     free(scores);
 *     free(baseline);
 *     gradus_options_free(measures);
 *     gradus_options_free(settings);
 *     gradus_model_free(best);
 *     gradus_model_free(model);
 *     gradus_dataset_free(train);
 *     gradus_dataset_free(test);
 *     gradus_dataset_free(data);
 *     gradus_context_free(context);
 */

enum { GRADUS_NUMBER_SIZE = 32 };

/* Writes the shortest text that parses back to the same number, NUL-terminated and independent of
 * the locale. Returns its length without the NUL. */
GRADUS_API size_t gradus_number_format(double number, char text[GRADUS_NUMBER_SIZE]);
/* The same for labels and grades, which are stored as float: "0.1", not 0.10000000149011612. */
GRADUS_API size_t gradus_label_format(double label, char text[GRADUS_NUMBER_SIZE]);
/* Parses a number, independent of the locale. GRADUS_BAD_ARGUMENT unless the whole text is one. */
GRADUS_API gradus_status gradus_number_parse(const char *text, double *number, gradus_error *err);

/* A file that is written atomically: it appears when closed without an error. */
typedef struct gradus_output gradus_output;
/* Opens a file for writing; "-" is standard output. Names ending in .gz and .zst are compressed. */
GRADUS_API gradus_output *gradus_output_new(const char *path, gradus_error *err);
/* Appends bytes. After an error, abandon the output. */
GRADUS_API gradus_status gradus_output_write(gradus_output *output, const void *bytes, size_t size,
                                             gradus_error *err);
/* Moves the finished file into place. Frees the output even on failure. */
GRADUS_API gradus_status gradus_output_close(gradus_output *output, gradus_error *err);
/* Discards what was written and frees the output; NULL: does nothing. */
GRADUS_API void gradus_output_abandon(gradus_output *output);
/* Reads a whole file, plain or compressed with gzip or zstd; "-" is standard input. *bytes is
 * followed by a NUL that *size does not count; free it with free(). Fails if the content is larger
 * than `max` bytes. */
GRADUS_API gradus_status gradus_file_read(const char *path, size_t max, char **bytes, size_t *size,
                                          gradus_error *err);

/* Returns the most similar of `count` names, for "did you mean"; NULL if none is similar. */
GRADUS_API const char *gradus_suggest(const char *word, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_FILES_H */
