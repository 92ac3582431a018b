/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the targets of an explanation, the nodes that contribute and how to explain them. */
#include "explain/explain.h"

#include "base/text.h"
#include "model/forest_node.h"
#include "model/members.h"
#include "model/narrow.h"
#include "model/predict.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 96 }; /* of targets */

static bool parse_number(const char *word, size_t *number)
{
    size_t n = 0;

    if (!*word)
        return false;
    for (; *word; word++) {
        if (*word < '0' || *word > '9' || n > SIZE_MAX / 16)
            return false;
        n = 10 * n + (size_t)(*word - '0');
    }
    *number = n;
    return true;
}

gradus_status gr_find_query(const gradus_dataset *data, const char *word, size_t *query,
                            gradus_error *err)
{
    size_t number;

    GR_TRY(gr_dataset_need(data, 1u << GR_QUERY_BYTES | 1u << GR_QUERY_NAMES, NULL, err));
    for (size_t q = 0; q < data->arrays.queries; q++)
        if (data->query_names.count && strcmp(gr_name_at(&data->query_names, q), word) == 0) {
            *query = q;
            return GRADUS_OK;
        }
    if (!data->query_names.count && parse_number(word, &number) && number >= 1 &&
        number <= data->arrays.queries) {
        *query = number - 1;
        return GRADUS_OK;
    }
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "the data have no query '%.100s'%s", word,
                   data->query_names.count ? "" : ": queries have no ids, only numbers from 1");
}

gradus_status gr_find_document(const gradus_dataset *data, size_t query, const char *word,
                               size_t *row, gradus_error *err)
{
    const unsigned needs = GR_NEED_DOCUMENTS | 1u << GR_QUERY_STARTS;
    size_t number;

    GR_TRY(gr_dataset_need(data, needs, NULL, err));
    const size_t first = (size_t)data->arrays.query_starts[query];
    const size_t end = (size_t)data->arrays.query_starts[query + 1];

    for (size_t r = first; data->document_names.count && r < end; r++)
        if (strcmp(gr_name_at(&data->document_names, r), word) == 0) {
            *row = r;
            return GRADUS_OK;
        }
    if (parse_number(word, &number) && number >= 1 && number <= end - first) {
        *row = first + number - 1;
        return GRADUS_OK;
    }
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "query '%.100s' has no document '%.100s': use an id, or a position from 1 to "
                   "%zu",
                   data->query_names.count ? gr_name_at(&data->query_names, query) : "", word,
                   end - first);
}

/* What output k of the scored node stands for: the words before and after a grade; "": no grade. */
static const char *grade_words(const gradus_model *model, const char **after)
{
    const gr_meaning meaning = model->scorer.meaning;

    *after = meaning == GR_MEANS_ABOVE   ? " or higher)"
             : meaning == GR_MEANS_BELOW ? " or lower)"
                                         : ")";
    if (gr_model_core(model) != &model->nodes[model->node_count - 1] || meaning == GR_MEANS_SCORE ||
        gr_meaning_has_thresholds(meaning))
        return "";
    return " (grade ";
}

static gradus_status name_target(gr_explain_plan *plan, size_t t, gradus_error *err)
{
    const gr_scorer *scorer = &plan->model->scorer;
    const gr_explain_target *target = &plan->targets[t];
    const char *after, *before = grade_words(plan->model, &after);
    char *name = gr_arena_array(&plan->to->arena, NAME_SIZE, 1), number[GRADUS_NUMBER_SIZE];

    if (!name)
        return gr_fail_memory(err, "explanations");
    plan->to->names[t] = name;
    if (target->is_score) {
        gr_text_copy(name, NAME_SIZE, "score", "");
        return GRADUS_OK;
    }
    gr_format_count(target->output + 1, number);
    gr_text_copy(name, NAME_SIZE, "output ", number);
    if (*before && scorer->level_labels) {
        const size_t grade = target->output + (scorer->meaning == GR_MEANS_ABOVE);

        gr_format_float((float)scorer->level_labels[grade], number);
        gr_text_append(name, NAME_SIZE, before);
        gr_text_append(name, NAME_SIZE, number);
        gr_text_append(name, NAME_SIZE, after);
    }
    return GRADUS_OK;
}

/* Chooses what is explained: the option "output". */
static gradus_status choose_targets(gr_explain_plan *plan, gradus_error *err)
{
    const char *word = plan->options.output;
    const gr_node *core = gr_model_core(plan->model);
    const size_t outputs = core->kind->columns(core->state);
    const bool score = strcmp(word, "score") == 0, all = strcmp(word, "all") == 0;
    size_t number = 0;

    if (!score && !all && (!parse_number(word, &number) || number < 1 || number > outputs))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "output '%.60s' is not 'score', 'all' or a number from 1 to %zu", word,
                       outputs);
    plan->to->targets = all ? outputs : 1;
    plan->targets = gr_arena_array(&plan->arena, plan->to->targets, sizeof *plan->targets);
    plan->to->names = gr_arena_array(&plan->to->arena, plan->to->targets, sizeof *plan->to->names);
    if (!plan->targets || !plan->to->names)
        return gr_fail_memory(err, "explanations");
    for (size_t t = 0; t < plan->to->targets; t++) {
        plan->targets[t] = (gr_explain_target){ score, all ? t : score ? 0 : number - 1 };
        GR_TRY(name_target(plan, t, err));
    }
    return GRADUS_OK;
}

static gradus_status choose_method(gr_explain_plan *plan, gradus_error *err)
{
    const gradus_model *model = plan->model;
    const char *against = plan->options.against;

    for (size_t n = 0; n < model->node_count; n++)
        if (model->nodes[n].kind->by_query)
            return gr_fail(
                err, GRADUS_BAD_ARGUMENT,
                "the ensemble combines ranks or standardised scores within queries ('%s'), "
                "to which features have no contributions: explain its members",
                model->nodes[n].kind->combination
                    ? model->nodes[n].kind->combination(model->nodes[n].state)
                    : model->nodes[n].kind->about.name);
    plan->to->against = strcmp(against, "mean") == 0    ? GR_AGAINST_MEAN
                        : strcmp(against, "query") == 0 ? GR_AGAINST_QUERY
                                                        : GR_AGAINST_ROW;
    plan->columns = gr_explain_columns(model);
    plan->weights =
        gr_arena_array(&plan->arena, plan->to->targets * plan->columns, sizeof *plan->weights);
    plan->means = gr_arena_array(&plan->arena, plan->to->targets, sizeof *plan->means);
    if (!plan->weights || !plan->means)
        return gr_fail_memory(err, "explanations");
    plan->to->exact = true;
    for (size_t t = 0; t < plan->to->targets; t++)
        plan->to->exact = gr_explain_weights(model, &plan->targets[t], plan->columns,
                                             plan->weights + t * plan->columns) &&
                          plan->to->exact;
    return GRADUS_OK;
}

/* Whether a target depends on a node. */
static bool contributes(const gr_explain_plan *plan, const gr_node *node)
{
    bool some = !plan->to->exact;

    for (size_t t = 0; t < plan->to->targets; t++)
        for (size_t c = 0; c < node->kind->columns(node->state); c++)
            some = some || plan->weights[t * plan->columns + node->column + c] != 0.0;
    return some && gr_node_takes_rows(node);
}

/* Lists the features that can change a target. */
static gradus_status list_used(gr_explain_plan *plan, gradus_error *err)
{
    const gradus_model *model = plan->model;
    bool *used = gr_arena_array(&plan->arena, model->features, sizeof *used);
    bool *own = gr_arena_array(&plan->arena, model->features, sizeof *own);
    size_t count = 0;

    if (!used || !own)
        return gr_fail_memory(err, "explanations");
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        if (!contributes(plan, node))
            continue;
        memset(own, 0, model->features * sizeof *own);
        gr_node_mark_used(model, node, own);
        for (size_t f = 0; f < gr_node_features(model, node); f++)
            if (own[f])
                used[node->columns ? node->columns[f] : f] = true;
    }
    for (size_t f = 0; f < model->features; f++)
        count += used[f];
    plan->used = gr_arena_array(&plan->arena, count, sizeof *plan->used);
    plan->to->features = gr_arena_array(&plan->to->arena, count, sizeof *plan->to->features);
    if (!plan->used || !plan->to->features)
        return gr_fail_memory(err, "explanations");
    for (size_t f = 0; f < model->features; f++)
        if (used[f]) {
            plan->to->features[plan->to->used] = f;
            plan->used[plan->to->used++] = (uint32_t)f;
        }
    return GRADUS_OK;
}

static gradus_status prepare_part(gr_explain_plan *plan, gr_explain_part *part, gradus_error *err)
{
    const gr_node *node = &plan->model->nodes[part->node];
    const size_t features = gr_node_features(plan->model, node);
    size_t slot = 0;

    part->slots = gr_arena_array(&plan->arena, features, sizeof *part->slots);
    if (!part->slots)
        return gr_fail_memory(err, "explanations");
    for (size_t f = 0; f < features; f++) {
        const size_t feature = node->columns ? node->columns[f] : f;

        while (slot < plan->to->used && plan->used[slot] < feature)
            slot++;
        part->slots[f] =
            slot < plan->to->used && plan->used[slot] == feature ? (uint32_t)slot : UINT32_MAX;
    }
    if (plan->to->against != GR_AGAINST_MEAN)
        return GRADUS_OK;
    if (node->kind == &gr_node_forest) {
        gradus_error found = { GRADUS_OK, "" };

        part->shap = gr_shap_compile(node->state, &found);
        if (!part->shap)
            return gr_fail(err, found.status, "%s", found.message);
    }
    plan->to->zero_means |= !part->shap && !gr_separable_has_means(plan->model, node);
    for (size_t t = 0; t < plan->to->targets; t++)
        for (size_t k = 0; k < node->kind->columns(node->state); k++)
            plan->means[t] +=
                plan->weights[t * plan->columns + node->column + k] *
                (part->shap ? gr_shap_base(part->shap, k) : gr_separable_base(node, k));
    return GRADUS_OK;
}

/* The nodes that contribute to exact explanations. */
static gradus_status list_parts(gr_explain_plan *plan, gradus_error *err)
{
    const gradus_model *model = plan->model;

    plan->parts = gr_arena_array(&plan->arena, model->node_count, sizeof *plan->parts);
    if (!plan->parts)
        return gr_fail_memory(err, "explanations");
    for (size_t n = 0; plan->to->exact && n < model->node_count; n++) {
        if (!contributes(plan, &model->nodes[n]))
            continue;
        gr_explain_part *part = &plan->parts[plan->part_count++];

        part->node = n;
        GR_TRY(prepare_part(plan, part, err));
    }
    return GRADUS_OK;
}

/* Allocates the results and lists the rows. */
static gradus_status reserve_results(gr_explain_plan *plan, const size_t *rows, size_t count,
                                     gradus_error *err)
{
    gradus_explanation *to = plan->to;
    const size_t all = rows ? count : plan->data->arrays.rows;
    size_t cells, numbers;

    to->rows = all;
    if (!gr_size_times(all, to->used, &cells) || !gr_size_times(cells, to->targets, &numbers))
        return gr_fail_memory(err, "explanations");
    GR_TRY(gr_check_memory(plan->context, "contributions of features",
                           (double)numbers * (to->exact ? 8.0 : 16.0) + (double)cells * 8.0, err));
    to->row = gr_arena_array(&to->arena, all, sizeof *to->row);
    to->values = gr_arena_array(&to->arena, all * to->targets, sizeof *to->values);
    to->bases = gr_arena_array(&to->arena, all * to->targets, sizeof *to->bases);
    to->contributions = gr_arena_array(&to->arena, numbers, sizeof *to->contributions);
    to->inputs = gr_arena_array(&to->arena, cells, sizeof *to->inputs);
    if (!to->exact)
        to->errors = gr_arena_array(&to->arena, numbers, sizeof *to->errors);
    if (to->against != GR_AGAINST_MEAN)
        to->references = gr_arena_array(&to->arena, cells, sizeof *to->references);
    if (to->against == GR_AGAINST_ROW)
        to->reference_row = gr_arena_array(&to->arena, all, sizeof *to->reference_row);
    if (to->arena.failed)
        return gr_fail_memory(err, "explanations");
    for (size_t i = 0; i < all; i++) {
        to->row[i] = rows ? rows[i] : i;
        if (to->row[i] >= plan->data->arrays.rows)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "row %zu is not among the %zu rows of the data", to->row[i],
                           plan->data->arrays.rows);
    }
    return GRADUS_OK;
}

static gradus_status prepare(gradus_explainer *explainer, gradus_error *err)
{
    gr_explain_plan *plan = &explainer->plan;

    plan->to = explainer->shape = gr_new_array(1, sizeof *explainer->shape);
    if (!plan->to)
        return gr_fail_memory(err, "explanations");
    GR_TRY(choose_targets(plan, err));
    GR_TRY(choose_method(plan, err));
    GR_TRY(list_used(plan, err));
    return list_parts(plan, err);
}

gradus_explainer *gr_explainer_new(const gradus_model *model, const gradus_options *options,
                                   gradus_error *err)
{
    gradus_explainer *explainer = gr_new_array(1, sizeof *explainer);
    gradus_status status = explainer ? GRADUS_OK : gr_fail_memory(err, "explanations");

    if (status != GRADUS_OK)
        return NULL;
    explainer->plan.model = model;
    if (options)
        status =
            (explainer->options = gr_options_copy(options, err)) ? GRADUS_OK : GRADUS_NO_MEMORY;
    if (status == GRADUS_OK)
        status = gr_options_get(explainer->options, &gr_operation_explain, &explainer->plan.options,
                                err);
    if (status == GRADUS_OK)
        status = prepare(explainer, err);
    if (status == GRADUS_OK)
        return explainer;
    gr_explainer_free(explainer);
    return NULL;
}

void gr_explainer_free(gradus_explainer *explainer)
{
    if (!explainer)
        return;
    for (size_t i = 0; i < explainer->plan.part_count; i++)
        gr_shap_free(explainer->plan.parts[i].shap);
    gr_arena_free(&explainer->plan.arena);
    gr_explanation_free(explainer->shape);
    gr_options_free(explainer->options);
    free(explainer);
}

/* An explanation with the targets and features of another. */
static gradus_explanation *explanation_like(const gradus_explanation *shape, gradus_error *err)
{
    gradus_explanation *made = gr_new_array(1, sizeof *made);

    if (!made) {
        gr_fail_memory(err, "explanations");
        return NULL;
    }
    made->against = shape->against;
    made->exact = shape->exact;
    made->zero_means = shape->zero_means;
    made->targets = shape->targets;
    made->used = shape->used;
    made->features = gr_arena_array(&made->arena, shape->used, sizeof *made->features);
    made->names = gr_arena_array(&made->arena, shape->targets, sizeof *made->names);
    for (size_t t = 0; made->names && t < shape->targets; t++) {
        made->names[t] = gr_arena_array(&made->arena, NAME_SIZE, 1);
        if (made->names[t])
            memcpy(made->names[t], shape->names[t], NAME_SIZE);
    }
    if (made->arena.failed) {
        gr_explanation_free(made);
        gr_fail_memory(err, "explanations");
        return NULL;
    }
    memcpy(made->features, shape->features, shape->used * sizeof *made->features);
    return made;
}

static gradus_status run_plan(gr_explain_plan *plan, const size_t *rows, size_t count,
                              gradus_error *err)
{
    const unsigned needs = GR_NEED_VALUES | 1u << GR_QUERY_STARTS | GR_NEED_DOCUMENTS;

    GR_TRY(gr_model_fits(plan->model, plan->data, plan->context, err));
    GR_TRY(gr_dataset_need(plan->data, needs, gr_pool_of(plan->context), err));
    GR_TRY(reserve_results(plan, rows, count, err));
    if (!plan->to->exact && plan->to->against == GR_AGAINST_MEAN && plan->to->rows)
        GR_TRY(gr_explain_background(plan, err));
    return gr_explain_rows_all(plan, err);
}

gradus_explanation *gr_explainer_run(const gradus_explainer *explainer,
                                     const gradus_context *context, const gradus_dataset *data,
                                     const size_t *rows, size_t count, gradus_error *err)
{
    gr_explain_plan plan = explainer->plan;

    gr_pool_begin(gr_pool_of(context));
    plan.context = context;
    plan.data = data;
    plan.to = explanation_like(explainer->shape, err);
    if (!plan.to)
        return NULL;
    const gradus_status status = run_plan(&plan, rows, count, err);

    gr_explain_rows_free(&plan.background);
    if (status == GRADUS_OK)
        return plan.to;
    gr_explanation_free(plan.to);
    return NULL;
}

static gradus_explanation *explain(const gradus_context *context, const gradus_model *model,
                                   const gradus_dataset *data, const size_t *rows, size_t count,
                                   const gradus_options *options, gradus_error *err)
{
    gradus_explainer *explainer = gr_explainer_new(model, options, err);
    gradus_explanation *made =
        explainer ? gr_explainer_run(explainer, context, data, rows, count, err) : NULL;

    gr_explainer_free(explainer);
    return made;
}

/* Explains with the columns of wide sparse data that the model uses. */
static gradus_explanation *explain_narrow(const gradus_context *context, const gradus_model *model,
                                          const gradus_dataset *data, const gr_used *columns,
                                          const size_t *rows, size_t count,
                                          const gradus_options *options, gradus_error *err)
{
    gradus_model *view = gr_model_narrowed(model, columns, err);
    gradus_dataset *narrow = view ? gr_used_narrow(columns, data, err) : NULL;
    gradus_explanation *made =
        narrow ? explain(context, view, narrow, rows, count, options, err) : NULL;

    for (size_t i = 0; made && i < made->used; i++)
        made->features[i] = columns->ids[made->features[i]];
    gradus_dataset_free(narrow);
    gr_model_free(view);
    return made;
}

gradus_explanation *gr_explain(const gradus_context *context, const gradus_model *model,
                               const gradus_dataset *data, const size_t *rows, size_t count,
                               const gradus_options *options, gradus_error *err)
{
    const bool wide = data->arrays.row_starts && model->features >= gr_wide_features(context);
    gr_used columns = { .features = 0 };
    gradus_explanation *made = NULL;
    bool known = false;

    if (!wide)
        return explain(context, model, data, rows, count, options, err);
    if (gr_model_fits(model, data, context, err) == GRADUS_OK &&
        gr_dataset_need(data, GR_NEED_ALL, gr_pool_of(context), err) == GRADUS_OK &&
        gr_used_start(&columns, model->features, err) == GRADUS_OK &&
        gr_model_add_columns(model, &columns, &known, err) == GRADUS_OK &&
        gr_used_finish(&columns, err) == GRADUS_OK)
        made = known && gr_used_are_few(&columns)
                   ? explain_narrow(context, model, data, &columns, rows, count, options, err)
                   : explain(context, model, data, rows, count, options, err);
    gr_used_free(&columns);
    return made;
}

void gr_explanation_free(gradus_explanation *explanation)
{
    if (!explanation)
        return;
    gr_arena_free(&explanation->arena);
    free(explanation);
}
