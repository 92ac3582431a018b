/* SPDX-License-Identifier: Apache-2.0 */
/* The computation of a graph as statements: one loop per value, in the order of the graph, in functions
 * of limited length. */
#include "exchange/source_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PART_VALUES = 50 }; /* per function */

/* A value that is being written, and how its elements and those of its inputs are accessed. */
typedef struct statement {
    const gr_source *source;
    size_t value;
    size_t depth;                                /* of the line, in levels of four blanks */
    const char *subscripts[GR_GRAPH_INPUTS + 1]; /* result first; NULL: the array */
} statement;

void gr_source_put_value(const gr_source *source, size_t value)
{
    const size_t owner = source->plan.values[value].owner;
    const gr_graph_op op = source->graph->values[owner].op;

    if (op == GR_OP_INPUT) {
        gr_buffer_text(source->out, "x");
        return;
    }
    if (op == GR_OP_CONSTANT)
        gr_source_put(source, source->language->prefix);
    gr_buffer_text(source->out, op == GR_OP_CONSTANT ? "c" : "v");
    gr_buffer_count(source->out, owner);
}

static void put_number(const gr_source *source, const gr_graph_value *constant)
{
    const double number = constant->type == GR_GRAPH_F32 ? (double)*(const float *)constant->data
                                                         : *(const double *)constant->data;

    gr_buffer_text(source->out, signbit(number) ? "(" : "");
    source->language->literal(source->out, (int)constant->type, number);
    gr_buffer_text(source->out, signbit(number) ? ")" : "");
}

static void put_element(const statement *at, size_t value, const char *subscript)
{
    const size_t owner = at->source->plan.values[value].owner;

    if (gr_source_is_literal(at->source, owner)) {
        put_number(at->source, &at->source->graph->values[owner]);
        return;
    }
    gr_source_put_value(at->source, value);
    if (subscript)
        gr_buffer_text(at->source->out, subscript);
}

static void put_part(const statement *at, const char *letter)
{
    gr_source_put(at->source, at->source->language->prefix);
    gr_buffer_text(at->source->out, letter);
    gr_buffer_count(at->source->out, at->value);
}

/* Replaces what follows a $. */
static void put_placeholder(const statement *at, char name)
{
    const gr_graph *graph = at->source->graph;
    const gr_graph_value *value = &graph->values[at->value];
    const gr_graph_value *first = &graph->values[value->inputs[0]];
    gr_buffer *out = at->source->out;

    switch (name) {
    case 'o':
        put_element(at, at->value, at->subscripts[0]);
        return;
    case 'a':
    case 'b':
    case 'c':
        put_element(at, value->inputs[name - 'a'], at->subscripts[name - 'a' + 1]);
        return;
    case 'm':
        gr_buffer_count(out, value->rows);
        return;
    case 'n':
        gr_buffer_count(out, value->columns);
        return;
    case 'h':
        gr_buffer_count(out, first->rows);
        return;
    case 'k':
        gr_buffer_count(out, first->columns);
        return;
    case 'w':
        gr_buffer_count(out, graph->values[value->inputs[1]].columns);
        return;
    case 'q':
        gr_buffer_count(out, value->forest->trees);
        return;
    case 'T':
        gr_buffer_text(out, at->source->language->types[value->type]);
        return;
    case 'S':
        gr_buffer_text(out, at->source->language->suffixes[value->type]);
        return;
    case 'R':
        gr_buffer_text(out, at->source->language->rounds[value->type]);
        return;
    default: /* $p and $t */
        put_part(at, name == 'p' ? "p" : "t");
    }
}

static void put_indent(const gr_source *source, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        gr_buffer_text(source->out, "    ");
}

static void put_text(const statement *at, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, "$@\n");
        gr_buffer *out = at->source->out;

        gr_buffer_put(out, text, length);
        text += length;
        if (!*text)
            return;
        if (*text == '@') {
            gr_source_put(at->source, "@");
        } else if (*text == '\n') {
            gr_buffer_text(out, "\n");
            put_indent(at->source, at->depth);
        } else {
            put_placeholder(at, *++text);
        }
        text++;
    }
}

static void put_loop(const statement *at, size_t depth, const char *index, size_t count)
{
    put_indent(at->source, depth);
    gr_buffer_format(at->source->out, "for (%s %s = 0; %s < %zu; %s++)\n",
                     at->source->language->index, index, index, count, index);
}

static bool same_shape(const gr_graph_value *a, const gr_graph_value *b)
{
    return a->rows == b->rows && a->columns == b->columns;
}

/* An element-wise operation: one loop if every input has the shape of the result or is one number,
 * else loops over rows and columns. */
static void put_elements(statement *at, const char *text)
{
    const gr_graph *graph = at->source->graph;
    const gr_graph_value *value = &graph->values[at->value];
    const size_t inputs = gr_graph_arity(value->op), count = value->rows * value->columns;
    char whole[64];
    bool flat = true;

    snprintf(whole, sizeof whole, "[i * %zu + j]", value->columns);
    for (size_t i = 0; i < inputs; i++) {
        const gr_graph_value *input = &graph->values[value->inputs[i]];

        flat &= same_shape(input, value) || input->rows * input->columns == 1;
    }
    at->subscripts[0] = count == 1 ? "[0]" : flat ? "[i]" : whole;
    for (size_t i = 0; i < inputs; i++) {
        const gr_graph_value *input = &graph->values[value->inputs[i]];
        const char *row = input->columns == 1 ? "[i]" : whole;

        at->subscripts[i + 1] = input->rows * input->columns == 1 ? "[0]"
                                : flat                            ? "[i]"
                                : input->rows == 1                ? "[j]"
                                                                  : row;
    }
    if (flat && count > 1)
        put_loop(at, at->depth++, "i", count);
    if (!flat) {
        put_loop(at, at->depth++, "i", value->rows);
        put_loop(at, at->depth++, "j", value->columns);
    }
    put_indent(at->source, at->depth);
    put_text(at, "$o = ");
    put_text(at, text);
    put_text(at, ";");
}

static void put_value(const gr_source *source, size_t value, size_t depth)
{
    const gr_op_text *op = &source->language->ops[source->graph->values[value].op];
    statement at = { .source = source, .value = value, .depth = depth };

    if (op->is_block) {
        put_indent(source, depth);
        put_text(&at, op->text);
    } else {
        put_elements(&at, op->text);
    }
    gr_buffer_text(source->out, "\n");
}

/* What the values of a function are needed for, if not for all results. */
static void put_condition(const gr_source *source, unsigned needed_for)
{
    if (needed_for != GR_FOR_BOTH)
        gr_buffer_format(source->out, "    if (%s%s) {\n", source->language->flags,
                         needed_for == GR_FOR_SCORE ? "score" : "probabilities");
}

/* Statements of the stored values from first to end - 1. */
static void put_body(const gr_source *source, size_t first, size_t end)
{
    const bool has_both = source->graph->probabilities != SIZE_MAX;
    unsigned current = GR_FOR_BOTH;

    for (size_t v = first; v < end; v++) {
        const unsigned needed_for = has_both ? source->plan.values[v].needed_for : GR_FOR_BOTH;

        if (!gr_source_stores(source->graph, &source->plan, v))
            continue;
        if (needed_for != current) {
            gr_buffer_text(source->out, current == GR_FOR_BOTH ? "" : "    }\n");
            put_condition(source, needed_for);
            current = needed_for;
        }
        put_value(source, v, current == GR_FOR_BOTH ? 1 : 2);
    }
    gr_buffer_text(source->out, current == GR_FOR_BOTH ? "" : "    }\n");
}

static void declare_once(const gr_source *source, size_t value, size_t part)
{
    const size_t owner = source->plan.values[value].owner;
    gr_planned *planned = &source->plan.values[owner];

    if (planned->part == part || source->graph->values[owner].op == GR_OP_CONSTANT)
        return;
    planned->part = part;
    source->language->declare(source, owner);
}

static void put_declarations(const gr_source *source, size_t first, size_t end, size_t part)
{
    for (size_t v = first; v < end; v++) {
        if (!gr_source_stores(source->graph, &source->plan, v))
            continue;
        for (size_t i = 0; i < gr_graph_arity(source->graph->values[v].op); i++)
            declare_once(source, source->graph->values[v].inputs[i], part);
        declare_once(source, v, part);
    }
    gr_buffer_text(source->out, "\n");
}

size_t gr_source_put_parts(const gr_source *source)
{
    const gr_graph *graph = source->graph;
    size_t parts = 0, end;

    for (size_t first = 0; first < graph->count; first = end) {
        size_t stored = 0;

        for (end = first; end < graph->count && stored < PART_VALUES; end++)
            stored += gr_source_stores(graph, &source->plan, end);
        if (stored == 0)
            break;
        source->language->open_part(source, ++parts);
        if (source->language->declare)
            put_declarations(source, first, end, parts);
        put_body(source, first, end);
        gr_buffer_text(source->out, "}\n\n");
    }
    return parts;
}
