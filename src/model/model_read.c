/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a model from a verified file: reads the header and checks it against itself and the
 * sections. */
#include "model/model_read.h"

#include "base/renames.h"
#include "model/model_check.h"
#include "model/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gr_node_kind *const kinds[] = {
#define GR_NODE_KIND(name) &gr_node_##name,
#include "model/kinds.def"
#undef GR_NODE_KIND
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const gr_transform *const transforms[] = {
#define GR_TRANSFORM(name) &gr_transform_##name,
#include "data/transforms.def"
#undef GR_TRANSFORM
};
enum { TRANSFORMS = sizeof transforms / sizeof transforms[0] };

static gradus_status no_such(const gr_model_reader *reader, const char *what, gradus_error *err)
{
    return gr_model_damaged(reader, err, "'%s' is missing from its header or has the wrong type",
                            what);
}

static gradus_status read_text(const gr_model_reader *reader, const gr_json *object,
                               const char *key, char **to, gradus_error *err)
{
    const char *text;

    if (!gr_json_text(gr_json_find(object, key), &text))
        return no_such(reader, key, err);
    return gr_model_set_text(to, text, err);
}

static gradus_status read_count(const gr_model_reader *reader, const gr_json *object,
                                const char *key, uint64_t *to, gradus_error *err)
{
    return gr_json_count(gr_json_find(object, key), to) ? GRADUS_OK : no_such(reader, key, err);
}

static gradus_status read_size(const gr_model_reader *reader, const gr_json *object,
                               const char *key, size_t *to, gradus_error *err)
{
    uint64_t count;

    GR_TRY(read_count(reader, object, key, &count, err));
    if (count > SIZE_MAX / 16)
        return gr_model_damaged(reader, err, "'%s' is too large", key);
    *to = (size_t)count;
    return GRADUS_OK;
}

static gradus_status read_flag(const gr_model_reader *reader, const gr_json *object,
                               const char *key, bool *to, gradus_error *err)
{
    return gr_json_flag(gr_json_find(object, key), to) ? GRADUS_OK : no_such(reader, key, err);
}

/* The index of a text in a list of names. */
static gradus_status read_choice(const gr_model_reader *reader, const gr_json *object,
                                 const char *key, const char *const *names, size_t *choice,
                                 gradus_error *err)
{
    const char *text;

    if (!gr_json_text(gr_json_find(object, key), &text))
        return no_such(reader, key, err);
    for (*choice = 0; names[*choice]; ++*choice)
        if (strcmp(names[*choice], text) == 0)
            return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_FORMAT,
                   "'%.240s' has %s '%.40s', which this gradus does not know", reader->name, key,
                   text);
}

static gradus_status read_recipe(const gr_model_reader *reader, gradus_model *model,
                                 gradus_error *err)
{
    const gr_json *recipe = gr_json_find(reader->header, "recipe");

    GR_TRY(read_text(reader, reader->header, "method", &model->method, err));
    if (!recipe || recipe->kind != GR_JSON_OBJECT)
        return no_such(reader, "recipe", err);
    const gr_json *setting = gr_json_first(recipe);

    for (size_t i = 0; i < recipe->count; i++, setting = gr_json_next(setting)) {
        const char *now = gr_option_renamed("train", setting->key), *value;

        if (!gr_json_text(setting, &value))
            return gr_model_damaged(reader, err, "setting '%.40s' is not a text", setting->key);
        GR_TRY(gr_model_add_setting(model, now ? now : setting->key, value, err));
    }
    return GRADUS_OK;
}

/* Results are optional. */
static gradus_status read_results(const gr_model_reader *reader, gradus_model *model,
                                  gradus_error *err)
{
    const gr_json *results = gr_json_find(reader->header, "results");

    if (!results)
        return GRADUS_OK;
    if (results->kind != GR_JSON_OBJECT || results->count == 0)
        return gr_model_damaged(reader, err, "its results are not an object of numbers");
    const gr_json *result = gr_json_first(results);

    for (size_t i = 0; i < results->count; i++, result = gr_json_next(result)) {
        double value;

        if (!gr_json_number(result, &value))
            return gr_model_damaged(reader, err, "result '%.40s' is not a number", result->key);
        GR_TRY(gr_model_add_result(model, result->key, value, err));
    }
    return GRADUS_OK;
}

static gradus_status read_features(const gr_model_reader *reader, gradus_model *model,
                                   gradus_error *err)
{
    const gr_json *features = gr_json_find(reader->header, "features");
    const void *bytes, *starts;
    bool named;

    GR_TRY(read_size(reader, features, "count", &model->features, err));
    GR_TRY(read_size(reader, features, "first_id", &model->first_id, err));
    GR_TRY(read_flag(reader, features, "named", &named, err));
    if (!named)
        return GRADUS_OK;
    GR_TRY(gr_model_read_section(reader, "name_starts", (uint64_t)model->features + 1,
                                 sizeof(uint64_t), &starts, err));
    GR_TRY(gr_model_read_section(reader, "names", ((const uint64_t *)starts)[model->features], 1,
                                 &bytes, err));
    model->feature_names = (gr_names){ bytes, starts, model->features };
    return GRADUS_OK;
}

static gradus_status read_fitted(const gr_model_reader *reader, const gr_json *object,
                                 size_t features, const char *shift, const char *unit,
                                 gr_fitted_transform *fitted, gradus_error *err)
{
    const char *names[TRANSFORMS + 1];
    size_t choice;

    for (size_t i = 0; i < TRANSFORMS; i++)
        names[i] = transforms[i]->about.name;
    names[TRANSFORMS] = NULL;
    if (!object || object->kind != GR_JSON_OBJECT)
        return no_such(reader, "transform", err);
    GR_TRY(read_choice(reader, object, "name", names, &choice, err));
    fitted->transform = transforms[choice];
    fitted->features = features;
    GR_TRY(read_flag(reader, object, "keep_zeros", &fitted->keep_zeros, err));
    if (fitted->transform->by_query)
        return GRADUS_OK;
    GR_TRY(gr_model_copy_array(reader, shift, features, sizeof(double), &fitted->shift, err));
    return gr_model_copy_array(reader, unit, features, sizeof(double), &fitted->unit, err);
}

static gradus_status read_transform(const gr_model_reader *reader, gradus_model *model,
                                    gradus_error *err)
{
    const gr_json *object = gr_json_find(reader->header, "transform");

    if (object && object->kind == GR_JSON_NULL)
        return GRADUS_OK;
    return read_fitted(reader, object, model->features, "shift", "unit", &model->transform, err);
}

/* The columns of a node; most nodes have none. */
static gradus_status read_node_columns(const gr_model_reader *reader, const gr_json *object,
                                       gr_node *node, gradus_error *err)
{
    const gr_json *found = gr_json_find(object, "columns");
    const void *bytes;
    uint64_t count;
    uint32_t *columns;

    if (!found)
        return GRADUS_OK;
    if (!gr_json_count(found, &count) || count > UINT32_MAX)
        return gr_model_damaged(reader, err, "node %zu: 'columns' is not a count", reader->node);
    GR_TRY(gr_model_read_section(reader, "node_columns", count, sizeof *columns, &bytes, err));
    columns = gr_new_array((size_t)count, sizeof *columns);
    if (!columns)
        return gr_fail_memory(err, "a model");
    memcpy(columns, bytes, (size_t)count * sizeof *columns);
    node->columns = columns;
    node->column_count = (size_t)count;
    node->owns_columns = true;
    return GRADUS_OK;
}

/* The transform of a node; most nodes have none. */
static gradus_status read_node_transform(const gr_model_reader *reader, const gr_json *object,
                                         size_t features, gr_node *node, gradus_error *err)
{
    const gr_json *found = gr_json_find(object, "transform");
    gr_fitted_transform *fitted;

    if (!found)
        return GRADUS_OK;
    fitted = calloc(1, sizeof *fitted);
    if (!fitted)
        return gr_fail_memory(err, "a model");
    node->transform = fitted;
    node->owns_transform = true;
    return read_fitted(reader, found, features, "transform_shift", "transform_unit", fitted, err);
}

/* A list of numbers; NULL if it is empty. */
static gradus_status read_numbers(const gr_model_reader *reader, const gr_json *object,
                                  const char *key, double **numbers, size_t *count,
                                  gradus_error *err)
{
    const gr_json *list = gr_json_find(object, key);

    if (!list || list->kind != GR_JSON_LIST)
        return no_such(reader, key, err);
    *count = list->count;
    if (list->count == 0)
        return GRADUS_OK;
    *numbers = gr_new_array(list->count, sizeof **numbers);
    if (!*numbers)
        return gr_fail_memory(err, "a model");
    const gr_json *number = gr_json_first(list);

    for (size_t i = 0; i < list->count; i++, number = gr_json_next(number))
        if (!gr_json_number(number, &(*numbers)[i]))
            return gr_model_damaged(reader, err, "element %zu of '%s' is not a number", i, key);
    return GRADUS_OK;
}

/* Lists with one number per grade; an empty list: none. */
static gradus_status read_by_grade(const gr_model_reader *reader, const gr_json *object,
                                   gr_scorer *scorer, gradus_error *err)
{
    static const char *const keys[] = { "shares", "values", "divisors", "factors" };
    double **const lists[] = { &scorer->shares, &scorer->values, &scorer->divisors,
                               &scorer->factors };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t count = 0;

        GR_TRY(read_numbers(reader, object, keys[i], lists[i], &count, err));
        if (count != 0 && count != scorer->levels)
            return gr_model_damaged(reader, err, "%zu %s for %zu grades", count, keys[i],
                                    scorer->levels);
    }
    return GRADUS_OK;
}

static gradus_status read_thresholds(const gr_model_reader *reader, const gr_json *object,
                                     gr_scorer *scorer, gradus_error *err)
{
    size_t sets = 0, count = 0;

    if (!gr_meaning_has_thresholds(scorer->meaning))
        return GRADUS_OK;
    GR_TRY(read_size(reader, object, "threshold_sets", &sets, err));
    if (scorer->levels < 2 || sets == 0 || !gr_size_times(sets, scorer->levels - 1, &count))
        return gr_model_damaged(reader, err, "%zu sets of thresholds for %zu grades", sets,
                                scorer->levels);
    GR_TRY(
        gr_model_copy_array(reader, "thresholds", count, sizeof(double), &scorer->thresholds, err));
    scorer->threshold_sets = sets;
    return GRADUS_OK;
}

gradus_status gr_scorer_take(const gr_model_reader *reader, gr_scorer *scorer, gradus_error *err)
{
    const bool of_node = reader->node != GR_MODEL_ITSELF;
    const gr_json *object = gr_json_find(of_node ? reader->facts : reader->header, "scoring");
    size_t meaning, rule, repair, weights;
    bool weighted;

    GR_TRY(read_choice(reader, object, "meaning", gr_meaning_names, &meaning, err));
    GR_TRY(read_choice(reader, object, "rule", gr_score_rules, &rule, err));
    scorer->meaning = (gr_meaning)meaning;
    scorer->rule = (gr_score_rule)rule;
    GR_TRY(read_size(reader, object, "outputs", &scorer->outputs, err));
    GR_TRY(read_numbers(reader, object, "grades", &scorer->level_labels, &scorer->levels, err));
    GR_TRY(read_by_grade(reader, object, scorer, err));
    GR_TRY(read_choice(reader, object, "repair", gr_repairs, &repair, err));
    scorer->repair = (gr_repair)repair;
    GR_TRY(read_thresholds(reader, object, scorer, err));
    GR_TRY(read_flag(reader, object, "weighted", &weighted, err));
    if (!weighted)
        return GRADUS_OK;
    if (!gr_size_times(scorer->outputs, scorer->levels, &weights))
        return gr_model_damaged(reader, err, "'outputs' is too large");
    return gr_model_copy_array(reader, "weights", weights, sizeof(double), &scorer->weights, err);
}

/* Only models fitted by maximum likelihood have this. */
static gradus_status read_fit(const gr_model_reader *reader, gradus_model *model, gradus_error *err)
{
    const gr_json *object = gr_json_find(reader->header, "fit");
    bool errors = false;

    if (!object)
        return GRADUS_OK;
    if (!gr_json_number(gr_json_find(object, "log_likelihood"), &model->log_likelihood))
        return no_such(reader, "log_likelihood", err);
    GR_TRY(read_flag(reader, object, "errors", &errors, err));
    if (!errors)
        return GRADUS_OK;
    if (model->scorer.levels < 2)
        return gr_model_damaged(reader, err, "standard errors in a model without thresholds");
    return gr_model_copy_array(reader, "errors", gr_model_error_count(model), sizeof(double),
                               &model->errors, err);
}

static gradus_status read_inputs(const gr_model_reader *reader, const gr_json *list, gr_node *node,
                                 gradus_error *err)
{
    if (!list || list->kind != GR_JSON_LIST || list->count > GR_NODE_INPUTS)
        return gr_model_damaged(reader, err, "node %zu has invalid inputs", reader->node);
    const gr_json *input = gr_json_first(list);

    for (size_t i = 0; i < list->count; i++, input = gr_json_next(input)) {
        uint64_t number;

        if (!gr_json_count(input, &number) || number >= reader->node)
            return gr_model_damaged(reader, err, "node %zu: input %zu is not an earlier node",
                                    reader->node, i);
        node->inputs[node->input_count++] = (size_t)number;
    }
    return GRADUS_OK;
}

static const gr_node_kind *find_kind(const char *name)
{
    for (size_t k = 0; k < KINDS; k++)
        if (strcmp(kinds[k]->about.name, name) == 0)
            return kinds[k];
    return NULL;
}

static gradus_status check_state(const gr_model_reader *reader, const gr_node *node,
                                 gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    const gradus_status status =
        node->kind->check ? node->kind->check(node->state, &found) : GRADUS_OK;

    if (status == GRADUS_NO_MEMORY)
        return gr_fail(err, status, "%s", found.message);
    return status == GRADUS_OK ? GRADUS_OK : gr_model_damaged(reader, err, "%.200s", found.message);
}

static gradus_status read_state(gr_model_reader *reader, size_t features, gr_node *node,
                                gradus_error *err)
{
    node->state = calloc(1, node->kind->size);
    if (!node->state)
        return gr_fail_memory(err, "a model");
    GR_TRY(node->kind->read(reader, features, node->state, err));
    GR_TRY(check_state(reader, node, err));
    return node->kind->prepare ? node->kind->prepare(node->state, err) : GRADUS_OK;
}

static gradus_status read_node(gr_model_reader *reader, const gr_json *object, gradus_model *model,
                               gradus_error *err)
{
    gr_node node = { .input_count = 0 };
    const char *kind;
    gradus_status status;

    if (!gr_json_text(gr_json_find(object, "kind"), &kind))
        return gr_model_damaged(reader, err, "node %zu has no kind", reader->node);
    node.kind = find_kind(kind);
    if (!node.kind)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "'%.240s' has a node of kind '%.40s', which this gradus does not know",
                       reader->name, kind);
    GR_TRY(read_inputs(reader, gr_json_find(object, "inputs"), &node, err));
    reader->facts = gr_json_find(object, "facts");
    status = read_node_columns(reader, object, &node, err);
    if (status == GRADUS_OK)
        status = read_node_transform(reader, object, gr_node_features(model, &node), &node, err);
    if (status == GRADUS_OK)
        status = read_state(reader, gr_node_features(model, &node), &node, err);
    if (status == GRADUS_OK)
        status = gr_model_add_node(model, &node, err);
    if (status != GRADUS_OK)
        gr_node_free(&node);
    return status;
}

static gradus_status read_nodes(gr_model_reader *reader, gradus_model *model, gradus_error *err)
{
    const gr_json *list = gr_json_find(reader->header, "nodes");

    if (!list || list->kind != GR_JSON_LIST)
        return no_such(reader, "nodes", err);
    const gr_json *object = gr_json_first(list);

    for (size_t n = 0; n < list->count; n++, object = gr_json_next(object)) {
        reader->node = n;
        GR_TRY(read_node(reader, object, model, err));
    }
    reader->node = GR_MODEL_ITSELF;
    return GRADUS_OK;
}

static bool is_curve_value(double value)
{
    const double none = (double)NAN;

    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits of the NaN matter */
    return !isnan(value) || memcmp(&value, &none, sizeof none) == 0;
}

static gradus_status read_curve(const gr_model_reader *reader, gradus_model *model,
                                gradus_error *err)
{
    const void *bytes;

    GR_TRY(gr_model_read_section(reader, "curve", model->point_count, sizeof *model->points, &bytes,
                                 err));
    model->points = gr_new_array(model->point_count, sizeof *model->points);
    if (!model->points)
        return gr_fail_memory(err, "a model");
    memcpy(model->points, bytes, model->point_count * sizeof *model->points);
    for (size_t i = 0; i < model->point_count; i++)
        if (!is_curve_value(model->points[i].train) || !is_curve_value(model->points[i].valid))
            return gr_model_damaged(reader, err, "point %zu of its curve is not a number", i);
    return GRADUS_OK;
}

static gradus_status read_training(const gr_model_reader *reader, gradus_model *model,
                                   gradus_error *err)
{
    const gr_json *object = gr_json_find(reader->header, "training");

    GR_TRY(read_count(reader, object, "rows", &model->rows, err));
    GR_TRY(read_count(reader, object, "queries", &model->queries, err));
    if (!gr_model_hex(gr_json_find(object, "fingerprint"), 16, &model->fingerprint) ||
        !gr_model_hex(gr_json_find(object, "valid_fingerprint"), 16, &model->valid_fingerprint))
        return no_such(reader, "fingerprint", err);
    GR_TRY(read_text(reader, object, "metric", &model->metric, err));
    GR_TRY(read_text(reader, object, "convention", &model->convention, err));
    GR_TRY(read_flag(reader, object, "lower_is_better", &model->lower_is_better, err));
    GR_TRY(read_size(reader, object, "points", &model->point_count, err));
    GR_TRY(read_count(reader, object, "start_rounds", &model->start_rounds, err));
    GR_TRY(read_count(reader, object, "rounds_done", &model->rounds_done, err));
    GR_TRY(read_count(reader, object, "best_round", &model->best_round, err));
    GR_TRY(read_flag(reader, object, "finished", &model->finished, err));
    if (gr_json_find(object, "distilled"))
        GR_TRY(read_flag(reader, object, "distilled", &model->distilled, err));
    return read_curve(reader, model, err);
}

static gradus_status read_all(gr_model_reader *reader, gradus_model *model, gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };

    GR_TRY(read_recipe(reader, model, err));
    GR_TRY(read_features(reader, model, err));
    GR_TRY(read_transform(reader, model, err));
    GR_TRY(gr_scorer_take(reader, &model->scorer, err));
    GR_TRY(read_nodes(reader, model, err));
    GR_TRY(read_fit(reader, model, err)); /* its size depends on the nodes */
    GR_TRY(read_results(reader, model, err));
    GR_TRY(read_training(reader, model, err));
    if (gr_model_check(model, &found) != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    return GRADUS_OK;
}

gradus_model *gr_model_parse(const void *bytes, size_t size, const char *name, gradus_error *err)
{
    gr_model_reader reader;
    gradus_model *model = NULL;
    gradus_status status = gr_model_reader_open(&reader, bytes, size, name, err);

    if (status == GRADUS_OK)
        model = gr_model_new(err);
    if (model && read_all(&reader, model, err) != GRADUS_OK) {
        gr_model_free(model);
        model = NULL;
    }
    gr_model_reader_close(&reader);
    return model;
}
