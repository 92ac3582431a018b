/* SPDX-License-Identifier: Apache-2.0 */
/* Tables, figures, claims and notes of an experiment, and their JSON. */
#include "experiments/results.h"

#include "experiments/findings.h"
#include "experiments/journal.h"
#include "experiments/published.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Grows a list by one element; on failure returns false and records that memory was exhausted. */
static bool make_room(gr_results *results, void **list, size_t count, size_t size)
{
    if (results->failed)
        return false;
    if ((count & (count - 1)) == 0) { /* the capacity is a power of two */
        void *grown = realloc(*list, (count ? 2 * count : 1) * size);

        results->failed = !grown;
        if (grown)
            *list = grown;
    }
    if (!results->failed)
        memset((char *)*list + count * size, 0, size);
    return !results->failed;
}

static char *copied(gr_results *results, const char *text)
{
    char *copy = results->failed ? NULL : strdup(text);

    results->failed = results->failed || !copy;
    return copy;
}

gr_results *gr_results_new(gradus_error *err)
{
    gr_results *results = calloc(1, sizeof *results);

    if (!results)
        gr_fail_memory(err, "results");
    return results;
}

gradus_status gr_results_done(const gr_results *results, gradus_error *err)
{
    if (results->failed)
        return gr_fail_memory(err, "results");
    if (results->fault.status != GRADUS_OK)
        return gr_fail(err, results->fault.status, "%s", results->fault.message);
    return GRADUS_OK;
}

static void end_table(gr_table *table)
{
    for (size_t c = 0; c < table->count; c++) {
        free((char *)table->cells[c].row);
        free((char *)table->cells[c].column);
    }
    free(table->cells);
    free(table->title);
    free(table);
}

static void end_figure(gr_figure *figure)
{
    for (size_t s = 0; s < figure->count; s++) {
        free((char *)figure->series[s].name);
        free((double *)figure->series[s].x);
        free((double *)figure->series[s].y);
    }
    free(figure->series);
    free(figure->title);
    free(figure->x);
    free(figure->y);
    free(figure);
}

void gr_results_free(gr_results *results)
{
    if (!results)
        return;
    for (size_t i = 0; i < results->table_count; i++)
        end_table(results->tables[i]);
    for (size_t i = 0; i < results->figure_count; i++)
        end_figure(results->figures[i]);
    for (size_t i = 0; i < results->claim_count; i++) {
        free((char *)results->claims[i].claim);
        free((char *)results->claims[i].found);
    }
    for (size_t i = 0; i < results->note_count; i++)
        free(results->notes[i]);
    free(results->tables);
    free(results->figures);
    free(results->claims);
    free(results->notes);
    free(results->json);
    free(results);
}

/* Only the first fault is kept. */
static void read_rule(gr_results *results, const char *published, gr_table *table)
{
    gradus_error fault = { GRADUS_OK, "" };

    if (!published)
        return;
    if (gr_published_rule(published, &table->rule, &fault) == GRADUS_OK)
        gr_rule_describe(&table->rule, table->criterion);
    else if (results->fault.status == GRADUS_OK)
        results->fault = fault;
}

gr_table *gr_results_table(gr_results *results, const char *title, gr_wanted wanted,
                           const char *published, size_t digits)
{
    gr_table *table = calloc(1, sizeof *table);

    if (!table || !make_room(results, (void **)&results->tables, results->table_count,
                             sizeof *results->tables)) {
        results->failed = true;
        free(table);
        return &results->unseen_table;
    }
    *table = (gr_table){
        .results = results, .title = copied(results, title), .wanted = wanted, .digits = digits
    };
    read_rule(results, published, table);
    results->tables[results->table_count++] = table;
    return table;
}

static double or_nan(double number)
{
    return number == 0.0 ? (double)NAN : number;
}

void gr_table_put(gr_table *table, const char *row, const char *column, gr_found found)
{
    gr_results *results = table->results;

    if (!results || !make_room(results, (void **)&table->cells, table->count, sizeof *table->cells))
        return;
    gradus_cell *cell = &table->cells[table->count++];

    if (isnan(found.error))
        found.error = 0.0;
    cell->row = copied(results, row);
    cell->column = copied(results, column);
    cell->ours = found.ours;
    cell->error = or_nan(found.error);
    cell->paper = or_nan(found.paper);
    cell->paper_error = or_nan(found.paper_error);
    cell->p = or_nan(found.p);
    cell->verdict = gr_verdict(&table->rule, table->wanted, results->trial, &found);
}

gr_figure *gr_results_figure(gr_results *results, const char *title, const char *x, const char *y)
{
    gr_figure *figure = calloc(1, sizeof *figure);

    if (!figure || !make_room(results, (void **)&results->figures, results->figure_count,
                              sizeof *results->figures)) {
        results->failed = true;
        free(figure);
        return &results->unseen_figure;
    }
    *figure = (gr_figure){ .results = results,
                           .title = copied(results, title),
                           .x = copied(results, x),
                           .y = copied(results, y) };
    results->figures[results->figure_count++] = figure;
    return figure;
}

static double *copied_numbers(gr_results *results, const double *numbers, size_t count)
{
    double *copy = results->failed ? NULL : gr_new_array(count, sizeof *copy);

    results->failed = results->failed || !copy;
    if (copy)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

void gr_figure_add(gr_figure *figure, const char *series, bool theory, const double *x,
                   const double *y, size_t count)
{
    gr_results *results = figure->results;

    if (!results ||
        !make_room(results, (void **)&figure->series, figure->count, sizeof *figure->series))
        return;
    figure->series[figure->count++] = (gradus_series){ .name = copied(results, series),
                                                       .theory = theory,
                                                       .x = copied_numbers(results, x, count),
                                                       .y = copied_numbers(results, y, count),
                                                       .count = count };
}

static char *formatted(gr_results *results, const char *format, va_list list)
{
    char *text = NULL;

    if (vasprintf(&text, format, list) < 0) {
        results->failed = true;
        return NULL;
    }
    return text;
}

/* open: no verdict can be given. found is owned. */
static void add_claim(gr_results *results, bool held, bool open, const char *claim, char *found)
{
    if (!make_room(results, (void **)&results->claims, results->claim_count,
                   sizeof *results->claims)) {
        free(found);
        return;
    }
    results->claims[results->claim_count++] = (gradus_claim){
        .held = held,
        .claim = copied(results, claim),
        .found = found,
        .verdict = results->trial || open ? "inconclusive"
                   : held                 ? "confirmed"
                                          : "not confirmed",
    };
}

void gr_results_claim(gr_results *results, bool held, const char *claim, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    add_claim(results, held, false, claim, formatted(results, format, list));
    va_end(list);
}

void gr_results_claim_tested(gr_results *results, bool held, double p, const char *claim,
                             const char *format, ...)
{
    va_list list;

    va_start(list, format);
    add_claim(results, held, held && !(p < 0.05), claim, formatted(results, format, list));
    va_end(list);
}

void gr_results_note(gr_results *results, const char *format, ...)
{
    va_list list;

    if (!make_room(results, (void **)&results->notes, results->note_count, sizeof *results->notes))
        return;
    va_start(list, format);
    results->notes[results->note_count++] = formatted(results, format, list);
    va_end(list);
}

static void write_table(const gr_table *table, gr_json_writer *writer)
{
    gr_json_open(writer, NULL, '{');
    gr_json_put_text(writer, "title", table->title);
    gr_json_put_count(writer, "digits", table->digits);
    gr_json_put_text(writer, "rule", gr_rule_name(&table->rule));
    gr_json_put_text(writer, "criterion", table->criterion);
    gr_json_put_number(writer, "tolerance", table->rule.tolerance);
    gr_json_open(writer, "cells", '[');
    for (size_t c = 0; c < table->count; c++) {
        const gradus_cell *cell = &table->cells[c];

        gr_json_open(writer, NULL, '{');
        gr_json_put_text(writer, "row", cell->row);
        gr_json_put_text(writer, "column", cell->column);
        gr_json_put_number(writer, "ours", cell->ours);
        gr_json_put_number(writer, "error", cell->error);
        gr_json_put_number(writer, "paper", cell->paper);
        gr_json_put_number(writer, "paper_error", cell->paper_error);
        gr_json_put_number(writer, "p", cell->p);
        gr_json_put_text(writer, "verdict", cell->verdict);
        gr_json_close(writer, '}');
    }
    gr_json_close(writer, ']');
    gr_json_close(writer, '}');
}

static void write_figure(const gr_figure *figure, gr_json_writer *writer)
{
    gr_json_open(writer, NULL, '{');
    gr_json_put_text(writer, "title", figure->title);
    gr_json_put_text(writer, "x", figure->x);
    gr_json_put_text(writer, "y", figure->y);
    gr_json_open(writer, "series", '[');
    for (size_t s = 0; s < figure->count; s++) {
        gr_json_open(writer, NULL, '{');
        gr_json_put_text(writer, "name", figure->series[s].name);
        gr_json_put_flag(writer, "theory", figure->series[s].theory);
        gr_json_put_numbers(writer, "x", figure->series[s].x, figure->series[s].count);
        gr_json_put_numbers(writer, "y", figure->series[s].y, figure->series[s].count);
        gr_json_close(writer, '}');
    }
    gr_json_close(writer, ']');
    gr_json_close(writer, '}');
}

void gr_results_write(const gr_results *results, gr_json_writer *writer)
{
    gr_json_open(writer, "tables", '[');
    for (size_t i = 0; i < results->table_count; i++)
        write_table(results->tables[i], writer);
    gr_json_close(writer, ']');
    gr_json_open(writer, "figures", '[');
    for (size_t i = 0; i < results->figure_count; i++)
        write_figure(results->figures[i], writer);
    gr_json_close(writer, ']');
    gr_json_open(writer, "claims", '[');
    for (size_t i = 0; i < results->claim_count; i++) {
        gr_json_open(writer, NULL, '{');
        gr_json_put_text(writer, "claim", results->claims[i].claim);
        gr_json_put_flag(writer, "held", results->claims[i].held);
        gr_json_put_text(writer, "verdict", results->claims[i].verdict);
        gr_json_put_text(writer, "found", results->claims[i].found);
        gr_json_close(writer, '}');
    }
    gr_json_close(writer, ']');
    gr_json_open(writer, "notes", '[');
    for (size_t i = 0; i < results->note_count; i++)
        gr_json_put_text(writer, NULL, results->notes[i]);
    gr_json_close(writer, ']');
}
