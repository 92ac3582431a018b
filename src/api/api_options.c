/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: options of operations, and helpers for numbers, names and output files. */
#include "api/api_arguments.h"
#include "base/renames.h"
#include "base/sink.h"
#include "base/table.h"
#include "base/text.h"
#include "pipeline/operations.h"
#include "pipeline/train.h"

#include <string.h>

gradus_options *gradus_options_new(const char *operation, gradus_error *err)
{
    if (!GR_GIVEN(err, operation))
        return NULL;
    const gr_operation *found = gr_operation_find(operation, err);

    return found ? gr_options_new(found, err) : NULL;
}

gradus_status gradus_options_set(gradus_options *options, const char *name, const char *value,
                                 gradus_error *err)
{
    if (!GR_GIVEN(err, options, name, value))
        return GRADUS_BAD_ARGUMENT;
    return gr_options_set(options, name, value, err);
}

gradus_status gradus_options_set_number(gradus_options *options, const char *name, double value,
                                        gradus_error *err)
{
    if (!GR_GIVEN(err, options, name))
        return GRADUS_BAD_ARGUMENT;
    return gr_options_set_number(options, name, value, err);
}

const char *gradus_options_value(gradus_options *options, const char *name)
{
    if (!GR_GIVEN(NULL, options, name))
        return "";
    return gr_options_value(options, name);
}

void gradus_options_free(gradus_options *options)
{
    gr_options_free(options);
}

bool gradus_param_at(const char *operation, size_t index, gradus_param *param)
{
    if (!GR_GIVEN(NULL, operation, param))
        return false;
    const gr_operation *found = gr_operation_find(operation, NULL);
    gr_param row;

    if (!found || !gr_param_number(found, index, &row))
        return false;
    *param = row.about;
    return true;
}

bool gradus_param_find(const char *operation, const char *name, gradus_param *param)
{
    if (!GR_GIVEN(NULL, operation, name, param))
        return false;
    const gr_operation *found = gr_operation_find(operation, NULL);
    gr_param row;

    if (!found || !gr_param_named(found, name, &row))
        return false;
    *param = row.about;
    return true;
}

const char *gradus_param_renamed(const char *operation, const char *name)
{
    return GR_GIVEN(NULL, operation, name) ? gr_option_renamed(operation, name) : NULL;
}

gradus_option_use gradus_method_uses(const char *method, const char *learner, const char *option)
{
    if (!GR_GIVEN(NULL, method, option))
        return GRADUS_OPTION_UNUSED;
    return gr_method_uses(method, learner, option);
}

size_t gradus_number_format(double number, char text[GRADUS_NUMBER_SIZE])
{
    if (!GR_GIVEN(NULL, text))
        return 0;
    return gr_format_double(number, text);
}

size_t gradus_label_format(double label, char text[GRADUS_NUMBER_SIZE])
{
    if (!GR_GIVEN(NULL, text))
        return 0;
    const float narrow = (float)label;

    return (double)narrow == label ? gr_format_float(narrow, text) : gr_format_double(label, text);
}

gradus_status gradus_number_parse(const char *text, double *number, gradus_error *err)
{
    if (!GR_GIVEN(err, text, number))
        return GRADUS_BAD_ARGUMENT;
    const char *end = text + strlen(text);

    if (end == text || gr_parse_double(text, end, number) != end)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "expected a number, found '%.60s'", text);
    return GRADUS_OK;
}

const char *gradus_suggest(const char *word, const char *const *names, size_t count)
{
    if (!GR_GIVEN(NULL, word))
        return NULL;
    return gr_nearest(word, names, count);
}

/* A gradus_output is a gr_sink. */
gradus_output *gradus_output_new(const char *path, gradus_error *err)
{
    if (!GR_GIVEN(err, path))
        return NULL;
    return (gradus_output *)gr_sink_open(path, gr_packing_of_name(path), err);
}

gradus_status gradus_output_write(gradus_output *output, const void *bytes, size_t size,
                                  gradus_error *err)
{
    if (!GR_GIVEN(err, output))
        return GRADUS_BAD_ARGUMENT;
    return gr_sink_write((gr_sink *)output, bytes, size, err);
}

gradus_status gradus_output_close(gradus_output *output, gradus_error *err)
{
    if (!GR_GIVEN(err, output))
        return GRADUS_BAD_ARGUMENT;
    return gr_sink_close((gr_sink *)output, err);
}

void gradus_output_abandon(gradus_output *output)
{
    gr_sink_abandon((gr_sink *)output);
}
