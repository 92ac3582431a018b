/* SPDX-License-Identifier: Apache-2.0 */
/* Which values of a graph a generated program computes, and where it keeps them: first fit over the
 * values that are still read. */
#include "exchange/source_plan.h"

#include "base/error.h"

#include <stdlib.h>

static bool is_source(gr_graph_op op)
{
    return op == GR_OP_INPUT || op == GR_OP_CONSTANT;
}

bool gr_program_stores(const gr_graph *graph, const gr_program_plan *plan, size_t value)
{
    return plan->values[value].needed_for && plan->values[value].owner == value &&
           !is_source(graph->values[value].op);
}

/* From the results back to the input: what is needed, and until when. */
static void mark_needed(const gr_graph *graph, gr_planned *values)
{
    values[graph->score].needed_for |= GR_FOR_SCORE;
    values[graph->score].last_use = SIZE_MAX;
    if (graph->probabilities != SIZE_MAX) {
        values[graph->probabilities].needed_for |= GR_FOR_PROBABILITIES;
        values[graph->probabilities].last_use = SIZE_MAX;
    }
    for (size_t v = graph->count; v-- > 0;)
        for (size_t i = 0; values[v].needed_for && i < gr_graph_arity(graph->values[v].op); i++) {
            gr_planned *input = &values[graph->values[v].inputs[i]];

            input->needed_for |= values[v].needed_for;
            if (input->last_use < v)
                input->last_use = v;
        }
}

/* A RESHAPE is another name of its input, which must be kept as long as both are read. */
static void find_owners(const gr_graph *graph, gr_planned *values)
{
    for (size_t v = 0; v < graph->count; v++) {
        values[v].owner = v;
        if (graph->values[v].op != GR_OP_RESHAPE)
            continue;
        gr_planned *owner = &values[values[graph->values[v].inputs[0]].owner];

        values[v].owner = (size_t)(owner - values);
        if (owner->last_use < values[v].last_use)
            owner->last_use = values[v].last_use;
    }
}

/* The values with storage that are still read, in the order of their offsets. */
typedef struct live_values {
    size_t *values;
    size_t count;
} live_values;

static void drop_unread(live_values *live, const gr_planned *values, size_t now)
{
    size_t kept = 0;

    for (size_t i = 0; i < live->count; i++)
        if (values[live->values[i]].last_use >= now)
            live->values[kept++] = live->values[i];
    live->count = kept;
}

static size_t numbers_of(const gr_graph_value *value)
{
    return value->rows * value->columns; /* checked in check_sizes */
}

/* Puts a value into the first gap that holds it. */
static void place(const gr_graph *graph, gr_program_plan *plan, live_values *live, size_t v)
{
    const size_t size = numbers_of(&graph->values[v]);
    size_t offset = 0, at = 0;

    for (; at < live->count; at++) {
        const size_t next = live->values[at];

        if (plan->values[next].offset - offset >= size)
            break;
        offset = plan->values[next].offset + numbers_of(&graph->values[next]);
    }
    for (size_t i = live->count++; i > at; i--)
        live->values[i] = live->values[i - 1];
    live->values[at] = v;
    plan->values[v].offset = offset;
    size_t *total = &plan->sizes[graph->values[v].type];
    if (*total < offset + size)
        *total = offset + size;
}

/* The sum of all sizes is an upper limit of every offset. */
static bool check_sizes(const gr_graph *graph)
{
    size_t total = 0, size;

    for (size_t v = 0; v < graph->count; v++)
        if (!gr_size_times(graph->values[v].rows, graph->values[v].columns, &size) ||
            !gr_size_plus(total, size, &total) || total > SIZE_MAX / sizeof(double) / 4)
            return false;
    return true;
}

gradus_status gr_program_plan_make(const gr_graph *graph, gr_program_plan *plan, gradus_error *err)
{
    static const size_t bytes[GR_GRAPH_TYPES] = { sizeof(float), sizeof(double), 1 };

    *plan = (gr_program_plan){ .values = gr_new_array(graph->count, sizeof *plan->values) };
    if (!plan->values || !check_sizes(graph))
        return gr_fail_memory(err, "the values of a program");
    mark_needed(graph, plan->values);
    find_owners(graph, plan->values);
    for (size_t type = 0; type < GR_GRAPH_TYPES; type++) {
        live_values live = { gr_new_array(graph->count, sizeof *live.values), 0 };

        if (!live.values)
            return gr_fail_memory(err, "the values of a program");
        for (size_t v = 0; v < graph->count; v++)
            if (graph->values[v].type == type && gr_program_stores(graph, plan, v)) {
                drop_unread(&live, plan->values, v);
                place(graph, plan, &live, v);
            }
        free(live.values);
        plan->bytes += plan->sizes[type] * bytes[type];
    }
    return GRADUS_OK;
}

void gr_program_plan_free(gr_program_plan *plan)
{
    free(plan->values);
    *plan = (gr_program_plan){ .values = NULL };
}
