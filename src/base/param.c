/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up parameters in their tables, and parses, checks and stores the values of options. */
#include "base/param.h"

#include "base/renames.h"
#include "base/table.h"
#include "base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void *field_of(const gr_param *param, void *values)
{
    return (char *)values + param->offset;
}

const gr_param gr_params_of_blocks[] = { GR_PARAM_END };

/* The offset of the first block, or of the one after a part of this size: aligned for any type. */
static size_t offset_after(size_t size)
{
    const size_t unit = _Alignof(max_align_t);

    return (size + unit - 1) / unit * unit;
}

/* The offset of a block in the operation's values; of NULL, the size of all values. */
static size_t block_offset(const gr_operation *operation, const gr_option_block *block)
{
    size_t offset = offset_after(operation->size);

    for (size_t b = 0; operation->blocks && operation->blocks[b]; b++) {
        if (operation->blocks[b] == block)
            break;
        offset += offset_after(operation->blocks[b]->size);
    }
    return offset;
}

static bool nth_of_blocks(const gr_operation *operation, size_t *index, gr_param *param);

/* Finds the parameter with the given index in a table, descending into groups and blocks. *index is
 * decremented for each parameter skipped. */
static bool nth_param(const gr_operation *operation, const gr_param *rows, size_t offset,
                      size_t *index, gr_param *param)
{
    for (; rows->about.name || rows->group; rows++) {
        if (rows->group == gr_params_of_blocks) {
            if (nth_of_blocks(operation, index, param))
                return true;
        } else if (rows->group) {
            if (nth_param(operation, rows->group, offset + rows->offset, index, param))
                return true;
        } else if ((*index)-- == 0) {
            *param = *rows;
            param->offset += offset;
            return true;
        }
    }
    return false;
}

static bool nth_of_blocks(const gr_operation *operation, size_t *index, gr_param *param)
{
    for (size_t b = 0; operation->blocks && operation->blocks[b]; b++) {
        const gr_option_block *block = operation->blocks[b];

        if (nth_param(operation, block->params, block_offset(operation, block), index, param))
            return true;
    }
    return false;
}

bool gr_param_number(const gr_operation *operation, size_t index, gr_param *param)
{
    return nth_param(operation, operation->params, 0, &index, param);
}

static size_t count_params(const gr_operation *operation)
{
    size_t count = 0;
    gr_param param;

    while (gr_param_number(operation, count, &param))
        count++;
    return count;
}

/* Whether the typed name equals the first `length` bytes of word; a typed '_' matches '-'. */
static bool is_word(const char *word, size_t length, const char *typed)
{
    for (size_t i = 0; i < length; i++)
        if (typed[i] != word[i] && !(typed[i] == '_' && word[i] == '-'))
            return false;
    return typed[length] == '\0';
}

static bool is_alias(const char *aliases, const char *typed)
{
    for (; aliases && *aliases; aliases += strspn(aliases, " ")) {
        const size_t length = strcspn(aliases, " ");

        if (is_word(aliases, length, typed))
            return true;
        aliases += length;
    }
    return false;
}

/* The index of a parameter in the operation, or SIZE_MAX. Names take precedence over aliases. */
static size_t find_param(const gr_operation *operation, const char *name, gr_param *param)
{
    for (size_t i = 0; gr_param_number(operation, i, param); i++)
        if (is_word(param->about.name, strlen(param->about.name), name))
            return i;
    for (size_t i = 0; gr_param_number(operation, i, param); i++)
        if (is_alias(param->about.aliases, name))
            return i;
    return SIZE_MAX;
}

bool gr_param_named(const gr_operation *operation, const char *name, gr_param *param)
{
    return find_param(operation, name, param) != SIZE_MAX;
}

static gradus_status unknown_param(const gr_operation *operation, const char *name,
                                   gradus_error *err)
{
    const char *now = gr_option_renamed(operation->name, name);
    const size_t count = count_params(operation);

    if (now)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "option '%s' was renamed to '%s'", name, now);
    const char **names = calloc(count + 1, sizeof *names);
    gr_param param;

    if (!names)
        return gr_fail_memory(err, "option names");
    for (size_t i = 0; i < count && gr_param_number(operation, i, &param); i++)
        names[i] = param.about.name;
    const gradus_status status = gr_fail_unknown(err, "option", name, names, count);

    free(names);
    return status;
}

static gradus_status set_flag(const gr_param *param, const char *value, void *field,
                              gradus_error *err)
{
    const bool yes = strcmp(value, "true") == 0;

    if (!yes && strcmp(value, "false") != 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' takes true or false, not '%.60s'",
                       param->about.name, value);
    *(bool *)field = yes;
    return GRADUS_OK;
}

static gradus_status out_of_range(const gr_param *param, const char *value, gradus_error *err)
{
    char low[GRADUS_NUMBER_SIZE], high[GRADUS_NUMBER_SIZE];

    gr_format_double(param->about.low, low);
    gr_format_double(param->about.high, high);
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' takes a %s from %s to %s, not '%.60s'",
                   param->about.name, param->about.kind == GRADUS_COUNT ? "whole number" : "number",
                   low, high, value);
}

static gradus_status set_count(const gr_param *param, const char *value, void *field,
                               gradus_error *err)
{
    const char *end = value + strlen(value);
    uint64_t count;

    if (gr_parse_count(value, end, &count) != end || (double)count < param->about.low ||
        (double)count > param->about.high)
        return out_of_range(param, value, err);
    *(uint64_t *)field = count;
    return GRADUS_OK;
}

static gradus_status set_real(const gr_param *param, const char *value, void *field,
                              gradus_error *err)
{
    const char *end = value + strlen(value);
    double number;

    if (gr_parse_double(value, end, &number) != end || !(number >= param->about.low) ||
        !(number <= param->about.high))
        return out_of_range(param, value, err);
    *(double *)field = number;
    return GRADUS_OK;
}

static gradus_status set_choice(const gr_param *param, const char *value, void *field,
                                gradus_error *err)
{
    size_t count = 0;
    char what[64];

    for (; param->about.choices[count]; count++)
        if (strcmp(param->about.choices[count], value) == 0) {
            *(int *)field = (int)count;
            return GRADUS_OK;
        }
    gr_text_copy(what, sizeof what, "value of '", param->about.name);
    gr_text_append(what, sizeof what, "':");
    return gr_fail_unknown(err, what, value, param->about.choices, count);
}

static gradus_status set_text(const gr_param *param, const char *value, void *field,
                              gradus_error *err)
{
    const char **text = field;
    char *copy = strdup(value);

    if (!copy)
        return gr_fail_memory(err, "an option");
    if (*text != param->about.initial)
        free((char *)(uintptr_t)*text);
    *text = copy;
    return GRADUS_OK;
}

static gradus_status set_field(const gr_param *param, const char *value, void *values,
                               gradus_error *err)
{
    void *field = field_of(param, values);

    switch (param->about.kind) {
    case GRADUS_FLAG:
        return set_flag(param, value, field, err);
    case GRADUS_COUNT:
        return set_count(param, value, field, err);
    case GRADUS_REAL:
        return set_real(param, value, field, err);
    case GRADUS_CHOICE:
        return set_choice(param, value, field, err);
    case GRADUS_TEXT:
        return set_text(param, value, field, err);
    }
    return GRADUS_BAD_ARGUMENT;
}

/* Until they are set, texts point to the default in the table. */
static gradus_status set_defaults(const gr_operation *operation, void *values, gradus_error *err)
{
    gr_param param;

    for (size_t i = 0; gr_param_number(operation, i, &param); i++)
        if (param.about.kind == GRADUS_TEXT)
            *(const char **)field_of(&param, values) = param.about.initial;
        else
            GR_TRY(set_field(&param, param.about.initial, values, err));
    return GRADUS_OK;
}

gradus_options *gr_options_new(const gr_operation *operation, gradus_error *err)
{
    gradus_options *options = calloc(1, sizeof *options);

    if (!options) {
        gr_fail_memory(err, "options");
        return NULL;
    }
    options->operation = operation;
    options->values = calloc(1, block_offset(operation, NULL));
    options->given = calloc(count_params(operation) + 1, sizeof *options->given);
    if (!options->values || !options->given) {
        gr_fail_memory(err, "options");
        free(options->values);
        free(options->given);
        free(options);
        return NULL;
    }
    if (set_defaults(operation, options->values, err) != GRADUS_OK) {
        gr_options_free(options);
        return NULL;
    }
    return options;
}

enum { WORD_SIZE = 256 };

/* Removes the first "name=value" from words. word: the name; *value: points into the same
 * buffer. */
static gradus_status next_word(const char **words, char word[WORD_SIZE], char **value,
                               gradus_error *err)
{
    const size_t length = strcspn(*words, " ");

    if (length >= WORD_SIZE)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%.60s...' is too long", *words);
    gr_text_copy(word, length + 1, *words, "");
    *value = strchr(word, '=');
    if (!*value)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "expected name=value, found '%s'", word);
    *(*value)++ = '\0';
    *words += length + strspn(*words + length, " ");
    return GRADUS_OK;
}

/* Sets a parameter that another one implies, unless the user has set it. */
static gradus_status imply(gradus_options *options, const char *name, const char *value,
                           gradus_error *err)
{
    gr_param param;
    const size_t place = find_param(options->operation, name, &param);

    if (place == SIZE_MAX)
        return unknown_param(options->operation, name, err);
    return options->given[place] ? GRADUS_OK : set_field(&param, value, options->values, err);
}

gradus_status gr_options_set(gradus_options *options, const char *name, const char *value,
                             gradus_error *err)
{
    gr_param param;
    const size_t place = find_param(options->operation, name, &param);
    const char *words;
    char word[WORD_SIZE], *implied = NULL;

    if (place == SIZE_MAX)
        return unknown_param(options->operation, name, err);
    GR_TRY(set_field(&param, value, options->values, err));
    options->given[place] = true;
    words =
        options->operation->implies ? options->operation->implies(param.about.name, value) : NULL;
    while (words && *words) {
        GR_TRY(next_word(&words, word, &implied, err));
        GR_TRY(imply(options, word, implied, err));
    }
    return GRADUS_OK;
}

/* 2^53: doubles represent every whole number up to here. */
#define EXACT_COUNT 9007199254740992.0

gradus_status gr_options_set_number(gradus_options *options, const char *name, double value,
                                    gradus_error *err)
{
    gr_param param;
    char text[GRADUS_NUMBER_SIZE];

    if (!gr_param_named(options->operation, name, &param))
        return unknown_param(options->operation, name, err);
    gr_format_double(value, text);
    switch (param.about.kind) {
    case GRADUS_FLAG:
        if (value == 0.0 || value == 1.0)
            return gr_options_set(options, name, value == 1.0 ? "true" : "false", err);
        break;
    case GRADUS_COUNT:
        if (value > EXACT_COUNT && value <= param.about.high)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "--%s takes numbers up to 2^53; set '%s' as text", name, text);
        if (value >= 0.0 && value <= EXACT_COUNT && value == floor(value))
            gr_format_count((uint64_t)value, text);
        break;
    case GRADUS_REAL:
        break;
    case GRADUS_CHOICE:
    case GRADUS_TEXT:
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "--%s takes text, not the number '%s'", name,
                       text);
    }
    return gr_options_set(options, name, text, err);
}

static const char *kind_name(gradus_param_kind kind)
{
    static const char *const names[] = {
        [GRADUS_FLAG] = "a flag",   [GRADUS_COUNT] = "a whole number",
        [GRADUS_REAL] = "a number", [GRADUS_CHOICE] = "a choice",
        [GRADUS_TEXT] = "text",
    };

    return names[kind];
}

const void *gr_options_field(const gradus_options *options, const char *name, unsigned kinds,
                             gr_param *param, gradus_error *err)
{
    gradus_param_kind wanted = GRADUS_FLAG;

    if (!gr_param_named(options->operation, name, param)) {
        unknown_param(options->operation, name, err);
        return NULL;
    }
    if (kinds & 1u << param->about.kind)
        return (const char *)options->values + param->offset;
    while (!(kinds & 1u << wanted))
        wanted++;
    gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' is %s, not %s", param->about.name,
            kind_name(param->about.kind), kind_name(wanted));
    return NULL;
}

gradus_status gr_options_set_count(gradus_options *options, const char *name, uint64_t value,
                                   gradus_error *err)
{
    char text[GRADUS_NUMBER_SIZE];
    gr_param param;

    if (!gr_options_field(options, name, 1u << GRADUS_COUNT, &param, err))
        return GRADUS_BAD_ARGUMENT;
    gr_format_count(value, text);
    return gr_options_set(options, name, text, err);
}

gradus_status gr_options_set_flag(gradus_options *options, const char *name, bool value,
                                  gradus_error *err)
{
    gr_param param;

    if (!gr_options_field(options, name, 1u << GRADUS_FLAG, &param, err))
        return GRADUS_BAD_ARGUMENT;
    return gr_options_set(options, name, value ? "true" : "false", err);
}

gradus_status gr_options_take(gradus_options *options, const char *words, gradus_error *err)
{
    char word[WORD_SIZE], *value = NULL;

    words += strspn(words, " ");
    while (*words) {
        GR_TRY(next_word(&words, word, &value, err));
        GR_TRY(gr_options_set(options, word, value, err));
    }
    return GRADUS_OK;
}

const char *gr_options_value(gradus_options *options, const char *name)
{
    gr_param param;
    const void *field;

    if (find_param(options->operation, name, &param) == SIZE_MAX)
        return "";
    field = field_of(&param, options->values);
    switch (param.about.kind) {
    case GRADUS_FLAG:
        return *(const bool *)field ? "true" : "false";
    case GRADUS_CHOICE:
        return param.about.choices[*(const int *)field];
    case GRADUS_TEXT:
        return *(const char *const *)field;
    case GRADUS_COUNT:
        gr_format_count(*(const uint64_t *)field, options->shown);
        break;
    case GRADUS_REAL:
        gr_format_double(*(const double *)field, options->shown);
        break;
    }
    return options->shown;
}

bool gr_options_given(const gradus_options *options, const char *name)
{
    gr_param param;
    const size_t place = find_param(options->operation, name, &param);

    return place != SIZE_MAX && options->given[place];
}

void gr_options_free(gradus_options *options)
{
    gr_param param;

    if (!options)
        return;
    for (size_t i = 0; gr_param_number(options->operation, i, &param); i++)
        if (param.about.kind == GRADUS_TEXT) {
            const char *text = *(const char **)field_of(&param, options->values);

            if (text != param.about.initial)
                free((char *)(uintptr_t)text);
        }
    free(options->values);
    free(options->given);
    free(options);
}

gradus_options *gr_options_copy(const gradus_options *options, gradus_error *err)
{
    gradus_options *copy = gr_options_new(options->operation, err);
    gr_param param;

    if (!copy)
        return NULL;
    for (size_t i = 0; gr_param_number(copy->operation, i, &param); i++) {
        const void *from = (const char *)options->values + param.offset;

        copy->given[i] = options->given[i];
        if (param.about.kind == GRADUS_TEXT) {
            if (set_text(&param, *(const char *const *)from, field_of(&param, copy->values), err) !=
                GRADUS_OK) {
                gr_options_free(copy);
                return NULL;
            }
        } else if (param.about.kind == GRADUS_FLAG) {
            *(bool *)field_of(&param, copy->values) = *(const bool *)from;
        } else if (param.about.kind == GRADUS_CHOICE) {
            *(int *)field_of(&param, copy->values) = *(const int *)from;
        } else {
            memcpy(field_of(&param, copy->values), from, 8); /* a count or a real */
        }
    }
    return copy;
}

gradus_status gr_options_get(const gradus_options *options, const gr_operation *operation,
                             void *values, gradus_error *err)
{
    const void *from;

    if (operation->blocks)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "options for '%s' cannot be copied to a struct",
                       operation->name);
    if (!options)
        return set_defaults(operation, values, err);
    from = gr_options_view(options, operation, err);
    if (!from)
        return GRADUS_BAD_ARGUMENT;
    memcpy(values, from, operation->size);
    return GRADUS_OK;
}

const void *gr_options_view(const gradus_options *options, const gr_operation *operation,
                            gradus_error *err)
{
    if (options->operation == operation)
        return options->values;
    gr_fail(err, GRADUS_BAD_ARGUMENT, "options for '%s' passed to '%s'", options->operation->name,
            operation->name);
    return NULL;
}

const void *gr_options_block(const void *values, const gr_operation *operation,
                             const gr_option_block *block)
{
    for (size_t b = 0; operation->blocks && operation->blocks[b]; b++)
        if (operation->blocks[b] == block)
            return (const char *)values + block_offset(operation, block);
    return NULL;
}
