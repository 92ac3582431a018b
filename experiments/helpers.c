/* SPDX-License-Identifier: Apache-2.0 */
/* Shorthands for the public API (see helpers.h). */
#include "experiments/helpers.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORD_SIZE = 256 };

gradus_status gr_words_set(gradus_options *options, const char *words, gradus_error *err)
{
    char word[WORD_SIZE];

    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");

        if (length >= WORD_SIZE)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%.60s...' is too long", words);
        memcpy(word, words, length);
        word[length] = '\0';
        char *value = strchr(word, '=');

        if (!value)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "expected name=value, found '%s'", word);
        *value++ = '\0';
        GR_TRY(gradus_options_set(options, word, value, err));
        words += length;
    }
    return GRADUS_OK;
}

gradus_options *gr_words_options(const char *operation, const char *words, gradus_error *err)
{
    gradus_options *options = gradus_options_new(operation, err);

    if (options && words && gr_words_set(options, words, err) != GRADUS_OK) {
        gradus_options_free(options);
        return NULL;
    }
    return options;
}

gradus_options *gr_copy_options(const char *operation, const gradus_options *options,
                                gradus_error *err)
{
    if (!options)
        return gradus_options_new(operation, err);
    if (strcmp(gradus_options_operation(options), operation) == 0)
        return gradus_options_copy(options, err);
    gr_fail(err, GRADUS_BAD_ARGUMENT, "options for '%s' passed to '%s'",
            gradus_options_operation(options), operation);
    return NULL;
}

uint64_t gr_count_option(gradus_options *options, const char *name)
{
    const char *text = gradus_options_value(options, name);
    uint64_t count = 0;

    gr_parse_count(text, text + strlen(text), &count);
    return count;
}

void gr_send_note(const gradus_context *context, const char *format, ...)
{
    void *user = NULL;
    const gradus_note_function note = context ? gradus_context_note(context, &user) : NULL;
    char text[512];
    va_list arguments;

    if (!note)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    note(user, text);
}

gradus_status gr_send_progress(const gradus_context *context, const char *what, double done,
                               gradus_error *err)
{
    void *user = NULL;
    const gradus_progress_function progress =
        context ? gradus_context_progress(context, &user) : NULL;

    if (!progress || progress(user, what, done))
        return GRADUS_OK;
    return gr_fail(err, GRADUS_CANCELLED, "%s was cancelled", what);
}

gradus_arrays gr_arrays_of(const gradus_dataset *data)
{
    gradus_arrays arrays;

    if (gradus_dataset_arrays(NULL, data, &arrays, NULL) != GRADUS_OK)
        return (gradus_arrays){ .rows = 0 };
    return arrays;
}

gradus_dataset *gr_copy_arrays(const gradus_arrays *arrays, gradus_error *err)
{
    gradus_dataset *borrowed = gradus_dataset_borrow(arrays, err), *copy = NULL;
    const size_t queries = gradus_dataset_queries(borrowed);
    size_t *all = borrowed ? gr_new_array(queries, sizeof *all) : NULL;

    for (size_t q = 0; all && q < queries; q++)
        all[q] = q;
    if (all)
        copy = gradus_dataset_subset(NULL, borrowed, all, queries, err);
    else if (borrowed)
        gr_fail_memory(err, "rows");
    free(all);
    gradus_dataset_free(borrowed);
    return copy;
}

enum { MAX_BYTES = 1 << 26 };

static gradus_status fail_file(const char *path, const char *why, gradus_error *err)
{
    return gr_fail(err, GRADUS_NO_FILE, "cannot read '%s': %s", path, why);
}

gradus_status gr_read_whole(const char *path, gr_json_writer *to, gradus_error *err)
{
    FILE *file = fopen(path, "rb");
    char buffer[1 << 16];
    size_t size;

    if (!file)
        return fail_file(path, strerror(errno), err);
    while ((size = fread(buffer, 1, sizeof buffer, file)) > 0 && to->used <= MAX_BYTES)
        gr_json_append(to, buffer, size);
    const bool broken = ferror(file) != 0;

    fclose(file);
    if (broken)
        return fail_file(path, "read error", err);
    return to->used <= MAX_BYTES ? gr_json_done(to, err)
                                 : fail_file(path, "larger than 64 MiB", err);
}

bool gr_file_exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0;
}

const char *gr_recipe_value(const gradus_model *model, const char *option)
{
    const char *name, *value;

    for (size_t i = 0; gradus_model_option_at(model, i, &name, &value); i++)
        if (strcmp(name, option) == 0)
            return value;
    return NULL;
}
