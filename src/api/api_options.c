/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: options of operations, and helpers for numbers, names and output files. */
#include "api/api_arguments.h"
#include "base/renames.h"
#include "base/sink.h"
#include "base/source.h"
#include "base/table.h"
#include "base/text.h"
#include "pipeline/operations.h"
#include "pipeline/train_recipe.h"

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

gradus_status gradus_options_set_count(gradus_options *options, const char *name, uint64_t value,
                                       gradus_error *err)
{
    if (!GR_GIVEN(err, options, name))
        return GRADUS_BAD_ARGUMENT;
    return gr_options_set_count(options, name, value, err);
}

gradus_status gradus_options_set_flag(gradus_options *options, const char *name, bool value,
                                      gradus_error *err)
{
    if (!GR_GIVEN(err, options, name))
        return GRADUS_BAD_ARGUMENT;
    return gr_options_set_flag(options, name, value, err);
}

gradus_status gradus_options_get_number(const gradus_options *options, const char *name,
                                        double *value, gradus_error *err)
{
    const unsigned kinds = 1u << GRADUS_REAL | 1u << GRADUS_COUNT;
    gr_param param;

    if (!GR_GIVEN(err, options, name, value))
        return GRADUS_BAD_ARGUMENT;
    const void *field = gr_options_field(options, name, kinds, &param, err);

    if (!field)
        return GRADUS_BAD_ARGUMENT;
    *value =
        param.about.kind == GRADUS_REAL ? *(const double *)field : (double)*(const uint64_t *)field;
    return GRADUS_OK;
}

gradus_status gradus_options_get_count(const gradus_options *options, const char *name,
                                       uint64_t *value, gradus_error *err)
{
    gr_param param;

    if (!GR_GIVEN(err, options, name, value))
        return GRADUS_BAD_ARGUMENT;
    const uint64_t *field = gr_options_field(options, name, 1u << GRADUS_COUNT, &param, err);

    if (!field)
        return GRADUS_BAD_ARGUMENT;
    *value = *field;
    return GRADUS_OK;
}

gradus_status gradus_options_get_flag(const gradus_options *options, const char *name, bool *value,
                                      gradus_error *err)
{
    gr_param param;

    if (!GR_GIVEN(err, options, name, value))
        return GRADUS_BAD_ARGUMENT;
    const bool *field = gr_options_field(options, name, 1u << GRADUS_FLAG, &param, err);

    if (!field)
        return GRADUS_BAD_ARGUMENT;
    *value = *field;
    return GRADUS_OK;
}

gradus_status gradus_options_get_text(const gradus_options *options, const char *name,
                                      const char **value, gradus_error *err)
{
    const unsigned kinds = 1u << GRADUS_TEXT | 1u << GRADUS_CHOICE;
    gr_param param;

    if (!GR_GIVEN(err, options, name, value))
        return GRADUS_BAD_ARGUMENT;
    const void *field = gr_options_field(options, name, kinds, &param, err);

    if (!field)
        return GRADUS_BAD_ARGUMENT;
    *value = param.about.kind == GRADUS_TEXT ? *(const char *const *)field
                                             : param.about.choices[*(const int *)field];
    return GRADUS_OK;
}

const char *gradus_options_value(gradus_options *options, const char *name)
{
    if (!GR_GIVEN(NULL, options, name))
        return "";
    return gr_options_value(options, name);
}

bool gradus_options_given(const gradus_options *options, const char *name)
{
    return GR_GIVEN(NULL, options, name) && gr_options_given(options, name);
}

const char *gradus_options_operation(const gradus_options *options)
{
    return GR_GIVEN(NULL, options) ? options->operation->name : "";
}

gradus_options *gradus_options_copy(const gradus_options *options, gradus_error *err)
{
    return GR_GIVEN(err, options) ? gr_options_copy(options, err) : NULL;
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

gradus_status gradus_method_describe(const gradus_options *options, gradus_method_facts *facts,
                                     gradus_error *err)
{
    if (!GR_GIVEN(err, options, facts))
        return GRADUS_BAD_ARGUMENT;
    gr_recipe recipe;

    GR_TRY(gr_recipe_of(options, &recipe, err));
    *facts =
        (gradus_method_facts){ .by_rounds = recipe.learner->rounds != NULL,
                               .needs_queries = gr_needs_queries(recipe.ranker, recipe.options),
                               .needs_grades = recipe.ranker->needs_grades };
    return GRADUS_OK;
}

/* The method and learner of options, and a parameter of "train"; *found: it exists. */
static gradus_status find_use(const gradus_options *options, const char *name, gr_recipe *recipe,
                              gr_param *param, bool *found, gradus_error *err)
{
    *found = gr_param_named(&gr_operation_train, name, param);
    return gr_recipe_of(options, recipe, err);
}

gradus_status gradus_method_accepts(const gradus_options *options, const char *name, bool *accepts,
                                    gradus_error *err)
{
    if (!GR_GIVEN(err, options, name, accepts))
        return GRADUS_BAD_ARGUMENT;
    gr_recipe recipe;
    gr_param param;
    bool found;

    GR_TRY(find_use(options, name, &recipe, &param, &found, err));
    *accepts = found && gr_recipe_reads(&recipe, param.about.name);
    return GRADUS_OK;
}

gradus_status gradus_method_range(const gradus_options *options, const char *name,
                                  const char **range, gradus_error *err)
{
    if (!GR_GIVEN(err, options, name, range))
        return GRADUS_BAD_ARGUMENT;
    gr_recipe recipe;
    gr_param param;
    bool found;

    GR_TRY(find_use(options, name, &recipe, &param, &found, err));
    *range = found && gr_recipe_tunes(&recipe, &param) ? param.tuned : NULL;
    return GRADUS_OK;
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

gradus_status gradus_file_read(const char *path, size_t max, char **bytes, size_t *size,
                               gradus_error *err)
{
    if (!GR_GIVEN(err, path, bytes, size))
        return GRADUS_BAD_ARGUMENT;
    return gr_source_read_all(path, max, bytes, size, err);
}
