/* SPDX-License-Identifier: Apache-2.0 */
/* Names, numbers and tables of generated programs. */
#include "exchange/source_text.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 100 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static char capital(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

void gr_program_name(const gr_language *language, const char *text, char name[GR_IDENTIFIER_SIZE])
{
    gr_text_copy(name, GR_IDENTIFIER_SIZE - sizeof "_model", is_letter(*text) ? "" : "model_",
                 text);
    for (char *at = name; *at; at++)
        if (!is_word(*at))
            *at = '_';
    for (size_t i = 0; language->taken && language->taken[i]; i++)
        if (strcmp(name, language->taken[i]) == 0) {
            gr_text_append(name, GR_IDENTIFIER_SIZE, "_model");
            return;
        }
}

void gr_program_put(const gr_program *source, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, "@");

        gr_buffer_put(source->out, text, length);
        text += length;
        if (!*text)
            return;
        const bool capitals = text[1] == '@';
        for (const char *at = source->name; *at; at++) {
            const char c = capitals ? capital(*at) : *at;

            gr_buffer_put(source->out, &c, 1);
        }
        text += capitals ? 2 : 1;
    }
}

void gr_program_put_plain(const gr_program *source, const char *text)
{
    for (; *text; text++)
        gr_buffer_put(source->out, is_word(*text) || strchr(" .-", *text) ? text : "_", 1);
}

void gr_program_item(gr_buffer *out, size_t *start, const char *item, size_t length,
                     const char *indent)
{
    if (*start == 0 || out->used - *start + length + 2 > LINE_WIDTH) {
        if (*start)
            gr_buffer_text(out, "\n");
        *start = out->used;
        gr_buffer_text(out, indent);
    } else {
        gr_buffer_text(out, " ");
    }
    gr_buffer_put(out, item, length);
    gr_buffer_text(out, ",");
}

bool gr_program_uses(const gr_program *source, gr_graph_op op)
{
    for (size_t v = 0; v < source->graph->count; v++)
        if (source->graph->values[v].op == op && source->plan.values[v].needed_for)
            return true;
    return false;
}

void gr_program_put_helpers(const gr_program *source)
{
    const gr_language *language = source->language;
    unsigned needed = 0;

    for (size_t op = 0; op < GR_GRAPH_OPS; op++)
        if (gr_program_uses(source, (gr_graph_op)op))
            needed |= language->ops[op].helpers;
    for (size_t i = 0; language->helpers[i]; i++)
        if (needed >> i & 1)
            gr_program_put(source, language->helpers[i]);
}

/* The numbers of a table. data NULL: zeros. */
typedef struct number_table {
    int type;
    const void *data;
    size_t count;
} number_table;

static double number_at(const number_table *table, size_t i)
{
    if (!table->data)
        return 0.0;
    switch (table->type) {
    case GR_GRAPH_F32:
        return (double)((const float *)table->data)[i];
    case GR_GRAPH_F64:
        return ((const double *)table->data)[i];
    case GR_TABLE_UINT32:
        return (double)((const uint32_t *)table->data)[i];
    default:
        return (double)((const int32_t *)table->data)[i];
    }
}

/* name: prefix, letter, value and part, as in "c12" or "t3_leaves". An empty table gets a 0, because
 * C has no empty arrays. */
static void put_table(const gr_program *source, char letter, size_t value, const char *part,
                      number_table table)
{
    gr_buffer item = { .used = 0 };
    char name[2 * GRADUS_NUMBER_SIZE];
    size_t start = 0;

    name[0] = letter;
    gr_format_count(value, name + 1);
    gr_text_append(name, sizeof name, part);
    if (table.count == 0)
        table = (number_table){ table.type, NULL, 1 };
    source->language->open_table(source, table.type, name, table.count);
    for (size_t i = 0; i < table.count; i++) {
        item.used = 0;
        source->language->number(&item, table.type, number_at(&table, i));
        gr_program_item(source->out, &start, item.bytes.at, item.used, "    ");
        source->out->failed |= item.failed;
    }
    gr_program_put(source, source->language->close_table);
    gr_buffer_free(&item);
}

int32_t gr_program_child(const gr_forest *forest, size_t tree, int32_t child)
{
    const int32_t start = (int32_t)forest->starts[tree];

    return child >= 0 ? start + child : ~(start + (int32_t)tree + ~child);
}

/* The node where each tree starts, or ~leaf of a tree without splits. */
static void put_roots(const gr_program *source, size_t value, const gr_forest *forest, bool leaves)
{
    int32_t *roots = gr_new_array(forest->trees, sizeof *roots);

    if (!roots) {
        source->out->failed = true;
        return;
    }
    for (size_t t = 0; t < forest->trees; t++)
        roots[t] = gr_program_child(forest, t, forest->starts[t] < forest->starts[t + 1] ? 0 : ~0);
    put_table(source, 't', value, "_roots", (number_table){ GR_TABLE_INT32, roots, forest->trees });
    for (size_t t = 0; t < forest->trees; t++)
        roots[t] = (int32_t)(forest->starts[t] + t);
    if (leaves)
        put_table(source, 't', value, "_starts",
                  (number_table){ GR_TABLE_INT32, roots, forest->trees });
    free(roots);
}

static void put_forest(const gr_program *source, size_t value)
{
    const gr_forest *forest = source->graph->values[value].forest;
    const bool sums = source->graph->values[value].op == GR_OP_FOREST;
    const size_t splits = forest->trees ? (size_t)forest->starts[forest->trees] : 0;

    put_roots(source, value, forest, !sums);
    source->language->splits(source, value);
    if (sums) {
        put_table(source, 't', value, "_leaves",
                  (number_table){ GR_GRAPH_F32, forest->leaves, splits + forest->trees });
        put_table(source, 't', value, "_bases",
                  (number_table){ GR_GRAPH_F64, forest->bases, forest->outputs });
    }
}

bool gr_program_is_literal(const gr_program *source, size_t value)
{
    const gr_graph_value *v = &source->graph->values[value];

    return v->op == GR_OP_CONSTANT && v->rows * v->columns == 1 &&
           !source->plan.values[value].is_array;
}

void gr_program_put_tables(const gr_program *source)
{
    for (size_t v = 0; v < source->graph->count; v++) {
        const gr_graph_value *value = &source->graph->values[v];

        if (!source->plan.values[v].needed_for || gr_program_is_literal(source, v))
            continue;
        if (value->op == GR_OP_CONSTANT)
            put_table(
                source, 'c', v, "",
                (number_table){ (int)value->type, value->data, value->rows * value->columns });
        else if (value->op == GR_OP_PICK)
            put_table(source, 'p', v, "",
                      (number_table){ GR_TABLE_UINT32, value->data, value->columns });
        else if (value->forest)
            put_forest(source, v);
    }
}

/* Finds the constants that need an array: results, and inputs of statements. */
static void mark_arrays(gr_program *source)
{
    const gr_graph *graph = source->graph;
    gr_planned *values = source->plan.values;

    for (size_t v = 0; v < graph->count; v++) {
        const gr_graph_value *value = &graph->values[v];

        if (values[v].last_use == SIZE_MAX)
            values[values[v].owner].is_array = true;
        if (source->language->ops[value->op].is_block && value->op != GR_OP_RESHAPE)
            for (size_t i = 0; i < gr_graph_arity(value->op); i++)
                values[values[value->inputs[i]].owner].is_array = true;
    }
}

/* Every operation has a text, and nodes are numbered in 31 bits. */
static gradus_status check(const gr_language *language, const gr_graph *graph, gradus_error *err)
{
    for (size_t v = 0; v < graph->count; v++) {
        const gr_graph_value *value = &graph->values[v];
        const gr_forest *forest = value->forest;

        if (!language->ops[value->op].text)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' has no text for the operation '%s'",
                           language->format, gr_graph_op_name(value->op));
        if (forest && forest->trees && forest->starts[forest->trees] + forest->trees > INT32_MAX)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "a model with %zu leaves cannot be exported to %s; at most %d are "
                           "possible",
                           (size_t)forest->starts[forest->trees] + forest->trees, language->format,
                           INT32_MAX);
    }
    return GRADUS_OK;
}

gradus_status gr_program_write(const gr_language *language, const gradus_model *model,
                               const gr_graph *graph, const char *name, gr_buffer *out,
                               gradus_error *err)
{
    gr_program source = { .language = language, .model = model, .graph = graph, .out = out };

    GR_TRY(check(language, graph, err));
    gr_program_name(language, name ? name : "model", source.name);
    gradus_status status = gr_program_plan_make(graph, &source.plan, err);
    if (status == GRADUS_OK) {
        mark_arrays(&source);
        language->write(&source);
        status = gr_buffer_done(out, err);
    }
    gr_program_plan_free(&source.plan);
    return status;
}

gradus_status gr_program_export(const gr_language *language, const gradus_model *model,
                                const gr_export_options *options, gr_buffer *out, gradus_error *err)
{
    gr_graph graph;
    gradus_status status = gr_graph_build(model, language->format, &graph, err);

    if (status == GRADUS_OK)
        status = gr_program_write(language, model, &graph, options->name, out, err);
    gr_graph_free(&graph);
    return status;
}
