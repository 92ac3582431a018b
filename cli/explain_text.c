/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations in the terminal: waterfalls, "A against B", the documents of a query, all rows. */
#include "cmd_explain.h"
#include "print_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 32, LEAST_BAR = 8, PAGE = 80 };

static size_t query_first(const explained *e)
{
    return e->arrays.queries ? (size_t)e->arrays.query_starts[e->query] : 0;
}

static size_t query_end(const explained *e)
{
    return e->arrays.queries ? (size_t)e->arrays.query_starts[e->query + 1] : e->arrays.rows;
}

void explain_document(text *t, const explained *e, size_t row)
{
    const char *name = gradus_dataset_document_name(e->data, row);

    if (name[0])
        text_add_shown(t, name);
    else
        text_format(t, "document %zu", row - query_first(e) + 1);
}

size_t explain_rank(const explained *e, size_t row)
{
    const size_t count = query_end(e) - query_first(e);
    size_t low = 0, high = count; /* scores up to the row's are before `low` */

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (e->sorted[middle] > e->scores[row])
            high = middle;
        else
            low = middle + 1;
    }
    return count - low + 1;
}

static int by_size(const void *a, const void *b, void *sizes)
{
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const double x = fabs(((const double *)sizes)[i]), y = fabs(((const double *)sizes)[k]);

    return x != y ? (x < y) - (x > y) : (i > k) - (i < k);
}

static size_t rank_sizes(double *sizes, size_t count, size_t *order)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (sizes[i] != 0.0)
            order[found++] = i;
    qsort_r(order, found, sizeof *order, by_size, sizes);
    return found;
}

size_t rank_contributions(const gradus_contributions *c, size_t *order)
{
    return rank_sizes((double *)c->contributions, c->count, order);
}

static const char *reference_name(const explained *e)
{
    if (strcmp(e->info.against, "query") == 0)
        return "mean of the other documents";
    if (e->info.zero_means)
        return "score if scaled features are 0"; /* the model stores no means */
    return e->info.exact ? "mean of the training data" : "mean of random rows of the data";
}

/* What is replaced by what: "the features of document 3 are replaced by those of document 5". */
static void add_replacement(text *line, const explained *e, const gradus_contributions *c)
{
    if (strcmp(e->info.against, "mean") == 0 && e->info.exact) {
        text_add(line, "the values of the features become known");
        return;
    }
    text_add(line, "the features of ");
    if (c->reference != SIZE_MAX)
        explain_document(line, e, c->reference);
    else
        text_add(line, strcmp(e->info.against, "query") == 0 ? "the other documents"
                                                             : "random rows of the data");
    text_add(line, " are replaced by those of ");
    if (e->document)
        explain_document(line, e, c->row);
    else
        text_add(line, e->by_query ? "the document" : "the row");
}

/* What the numbers are, in words. */
static void add_method(text *t, const explained *e)
{
    const bool known = strcmp(e->info.against, "mean") == 0 && e->info.exact;
    text line = { NULL, 0, 0 };
    gradus_contributions c;

    if (!gradus_explanation_at(e->explanation, 0, 0, &c))
        return;
    text_format(&line, "Shapley values, %s: what changes if ", c.errors ? "sampled" : "exact");
    add_replacement(&line, e, &c);
    text_format(&line, " one after another, averaged over %s orders", c.errors ? "random" : "all");
    if (known)
        text_add(&line, e->info.zero_means
                            ? "; in linear parts, which store no means, those not yet known are 0 "
                              "after scaling"
                            : "; those not yet known are averaged over the training data");
    if (c.errors && e->document)
        text_add(&line, "; +- is the standard error");
    if (e->document)
        text_add(t, locale_is_utf8() ? "█ raises, ░ lowers\n" : "# raises, - lowers\n");
    text_wrap(t, text_string(&line), 0, page_width(PAGE));
    text_add(t, "\n");
    text_free(&line);
}

/* The width of a bar after a table of `used` columns. */
static size_t bar_width(size_t used)
{
    const size_t width = page_width(PAGE), room = width > used + 2 ? width - used - 2 : 0;

    return room > BAR ? BAR : room < LEAST_BAR ? LEAST_BAR : room;
}

static void value_cell(table *rows, float value)
{
    if (isnan(value))
        table_cell(rows, "missing");
    else
        table_cell(rows, "%.6g", (double)value);
}

static void contribution_cell(table *rows, double contribution, double error, bool exact)
{
    if (exact)
        table_cell(rows, "%+.5f", contribution);
    else
        table_cell(rows, "%+.5f +- %.5f", contribution, error);
}

/* A waterfall: features in order, and what remains after those shown. */
typedef struct waterfall {
    const gradus_contributions *c;
    size_t *order, found, shown;
    double rest;      /* contributions that are not shown */
    double low, high; /* of the sums after each feature */
} waterfall;

static waterfall arrange(const explained *e, const gradus_contributions *c)
{
    waterfall w = { .c = c, .order = must_have(c->count + 1, sizeof *w.order) };
    double at = c->base;

    w.found = rank_contributions(c, w.order);
    w.shown = w.found < e->top ? w.found : e->top;
    w.low = fmin(c->base, c->value);
    w.high = fmax(c->base, c->value);
    for (size_t i = 0; i < w.found; i++) {
        if (i >= w.shown) {
            w.rest += c->contributions[w.order[i]];
            continue;
        }
        at += c->contributions[w.order[i]];
        w.low = fmin(w.low, at);
        w.high = fmax(w.high, at);
    }
    return w;
}

static void feature_cells(table *rows, const explained *e, const waterfall *w, size_t i)
{
    const gradus_contributions *c = w->c;
    const size_t f = w->order[i];
    text name = { NULL, 0, 0 };

    add_data_feature(&name, e->model, e->data, c->features[f]);
    table_cell(rows, "%s", text_string(&name));
    value_cell(rows, c->values[f]);
    if (c->references)
        value_cell(rows, c->references[f]);
    contribution_cell(rows, c->contributions[f], c->errors ? c->errors[f] : 0.0, !c->errors);
    text_free(&name);
}

static void total_cells(table *rows, const waterfall *w, const char *name, double total)
{
    table_cell(rows, "%s", name);
    table_cell(rows, "%s", "");
    if (w->c->references)
        table_cell(rows, "%s", "");
    table_cell(rows, "%+.5f", total);
}

/* A bar from one number to another, on the scale of the waterfall. */
static void add_span(text *t, const waterfall *w, double from, double to, size_t width)
{
    const double scale = w->high > w->low ? 1.0 / (w->high - w->low) : 0.0;
    size_t a = nearest_step((fmin(from, to) - w->low) * scale, width);
    size_t b = nearest_step((fmax(from, to) - w->low) * scale, width);
    const bool up = to >= from;
    const char *full = locale_is_utf8() ? (up ? "█" : "░") : (up ? "#" : "-");

    if (b == a) { /* at least one character */
        a -= a == width;
        b = a + 1;
    }
    text_pad(t, a);
    for (size_t i = a; i < b; i++)
        text_add(t, full);
}

/* Copies the lines of a table, with a bar after each but the header and the sum. */
static void add_bars(text *t, const waterfall *w, const char *from)
{
    const size_t width = bar_width(strcspn(from, "\n"));
    double at = w->c->base;

    for (size_t line = 0; *from; line++) {
        const size_t length = strcspn(from, "\n");
        const bool feature = line > 0 && line <= w->shown;
        const double before = at;

        text_add_bytes(t, from, length);
        if (feature || (line == w->shown + 1 && w->found > w->shown)) {
            at += feature ? w->c->contributions[w->order[line - 1]] : w->rest;
            text_add(t, "  ");
            add_span(t, w, before, at, width);
        }
        text_add(t, "\n");
        from += length + (from[length] != '\0');
    }
}

static void add_rows(text *t, const explained *e, const gradus_contributions *c)
{
    waterfall w = arrange(e, c);
    text body = { NULL, 0, 0 };
    table rows;

    table_begin(&rows, c->references ? 4 : 3);
    table_cell(&rows, "feature");
    table_cell(&rows, "value");
    if (c->references)
        table_cell(&rows, c->reference != SIZE_MAX ? "other's" : "mean");
    table_cell(&rows, "contribution");
    for (size_t i = 0; i < w.shown; i++)
        feature_cells(&rows, e, &w, i);
    if (w.found > w.shown) {
        text others = { NULL, 0, 0 };

        text_add(&others, counted(w.found - w.shown, "other", "others"));
        total_cells(&rows, &w, text_string(&others), w.rest);
        text_free(&others);
    }
    total_cells(&rows, &w, "sum", c->value - c->base);
    table_end(&rows, &body);
    add_bars(t, &w, text_string(&body));
    text_free(&body);
    free(w.order);
}

static void add_place(text *t, const explained *e, size_t row)
{
    text_format(t, ", rank %zu of %zu", explain_rank(e, row), query_end(e) - query_first(e));
    if (e->arrays.labels) {
        text_add(t, ", label ");
        text_label(t, (double)e->arrays.labels[row]);
    }
}

static void add_query(text *t, const explained *e)
{
    const char *name = gradus_dataset_query_name(e->data, e->query);

    if (name[0]) {
        text_add(t, "query ");
        text_add_shown(t, name);
        text_add(t, "\n");
    }
}

/* The two documents, and the question. */
static void add_pair_head(text *t, const explained *e, const gradus_contributions *c,
                          const char *target)
{
    const double a = e->scores[c->row], b = e->scores[c->reference];

    text_add(t, "why is ");
    explain_document(t, e, c->row);
    text_add(t, a > b ? " above " : a < b ? " below " : " tied with ");
    explain_document(t, e, c->reference);
    text_add(t, "?\n\n");
    explain_document(t, e, c->row);
    text_format(t, ": %s %.6g", target, c->value);
    add_place(t, e, c->row);
    text_add(t, "\n");
    explain_document(t, e, c->reference);
    text_format(t, ": %s %.6g", target, c->base);
    add_place(t, e, c->reference);
    text_add(t, "\n");
}

static void add_one(text *t, const explained *e, size_t target)
{
    const char *name = gradus_explanation_target(e->explanation, target);
    gradus_contributions c;

    if (!gradus_explanation_at(e->explanation, 0, target, &c))
        return;
    if (c.reference != SIZE_MAX) {
        add_pair_head(t, e, &c, name);
    } else {
        explain_document(t, e, c.row);
        text_format(t, ": %s %.6g", name, c.value);
        add_place(t, e, c.row);
        text_format(t, "\n%s: %.6g\n", reference_name(e), c.base);
    }
    text_add(t, "\n");
    add_rows(t, e, &c);
}

/* The largest contributions of a document: "25 +0.31, 41 -0.1", on lines that start at `indent`. */
static void add_reasons(text *t, const explained *e, const gradus_contributions *c, size_t *order,
                        size_t indent)
{
    const size_t found = rank_contributions(c, order), width = page_width(PAGE);
    size_t column = indent;

    for (size_t i = 0; i < found && i < e->reasons; i++) {
        text reason = { NULL, 0, 0 };

        add_data_feature(&reason, e->model, e->data, c->features[order[i]]);
        text_format(&reason, " %+.3g%s", c->contributions[order[i]],
                    i + 1 < found && i + 1 < e->reasons ? "," : "");
        const size_t columns = text_columns(text_string(&reason));

        if (i > 0 && column + 1 + columns > width) {
            text_add(t, "\n");
            text_pad(t, indent);
            column = indent;
        } else if (i > 0) {
            text_add(t, " ");
            column++;
        }
        text_add(t, text_string(&reason));
        column += columns;
        text_free(&reason);
    }
}

static int by_value(const void *a, const void *b)
{
    const gradus_contributions *x = a, *y = b;

    return x->value != y->value ? (x->value < y->value) - (x->value > y->value)
                                : (x->row > y->row) - (x->row < y->row);
}

static void document_cells(table *rows, const explained *e, const gradus_contributions *c)
{
    text name = { NULL, 0, 0 }, label = { NULL, 0, 0 };

    explain_document(&name, e, c->row);
    if (e->arrays.labels)
        text_label(&label, (double)e->arrays.labels[c->row]);
    table_cell(rows, "%s", text_string(&name));
    table_cell(rows, "%s", text_string(&label));
    table_cell(rows, "%.5f", c->value);
    text_free(&name);
    text_free(&label);
}

/* Copies the lines of a table, with the reasons of each document after it. */
static void add_all_reasons(text *t, const explained *e, const gradus_contributions *all,
                            const char *from)
{
    size_t *order = must_have(all[0].count + 1, sizeof *order);
    const size_t indent = strcspn(from, "\n") + 2; /* the titles are ASCII */

    for (size_t line = 0; *from; line++) {
        const size_t length = strcspn(from, "\n");

        text_add_bytes(t, from, length);
        text_add(t, "  ");
        if (line == 0)
            text_add(t, "largest contributions");
        else
            add_reasons(t, e, &all[line - 1], order, indent);
        text_add(t, "\n");
        from += length + (from[length] != '\0');
    }
    free(order);
}

/* The documents of a query, best first. */
static void add_documents(text *t, const explained *e, size_t target)
{
    gradus_contributions *all = must_have(e->info.rows, sizeof *all);
    const char *what = gradus_explanation_target(e->explanation, target);
    text body = { NULL, 0, 0 };
    table rows;

    for (size_t i = 0; i < e->info.rows; i++)
        gradus_explanation_at(e->explanation, i, target, &all[i]);
    qsort(all, e->info.rows, sizeof *all, by_value);
    text_format(t, "documents by %s, compared with ", what);
    if (all[0].reference != SIZE_MAX)
        explain_document(t, e, all[0].reference);
    else
        text_format(t, "the %s", reference_name(e));
    text_add(t, "\n\n");
    table_begin(&rows, 3);
    table_cell(&rows, "document");
    table_cell(&rows, "label");
    table_cell(&rows, "%s", what);
    for (size_t i = 0; i < e->info.rows; i++)
        document_cells(&rows, e, &all[i]);
    table_end(&rows, &body);
    add_all_reasons(t, e, all, text_string(&body));
    text_free(&body);
    free(all);
}

/* The mean absolute contribution of each feature over all rows. */
static void add_summary(text *t, const explained *e, size_t target)
{
    text title = { NULL, 0, 0 };
    gradus_contributions c;

    if (!gradus_explanation_at(e->explanation, 0, target, &c))
        return;
    double *sizes = must_have(c.count + 1, sizeof *sizes);
    size_t *order = must_have(c.count + 1, sizeof *order), widest = strlen("feature");

    for (size_t f = 0; f < c.count; f++)
        sizes[f] = 0.0;
    for (size_t i = 0; gradus_explanation_at(e->explanation, i, target, &c); i++)
        for (size_t f = 0; f < c.count; f++)
            sizes[f] += fabs(c.contributions[f]) / (double)e->info.rows;
    const size_t found = rank_sizes(sizes, c.count, order);
    const size_t shown = found < e->top ? found : e->top;

    for (size_t i = 0; i < shown; i++) {
        text name = { NULL, 0, 0 };

        add_data_feature(&name, e->model, e->data, c.features[order[i]]);
        widest =
            text_columns(text_string(&name)) > widest ? text_columns(text_string(&name)) : widest;
        text_free(&name);
    }
    text_format(&title, "mean absolute contribution to the %s over %s, relative to the %s",
                gradus_explanation_target(e->explanation, target),
                counted(e->info.rows, "row", "rows"), reference_name(e));
    text_wrap(t, text_string(&title), 0, page_width(PAGE));
    text_free(&title);
    text_add(t, "\n\n");
    text_format(t, "%-*s  mean |contribution|\n", (int)widest, "feature");
    for (size_t i = 0; i < shown; i++) {
        const size_t line = t->length;

        add_data_feature(t, e->model, e->data, c.features[order[i]]);
        text_pad(t, widest - text_columns(t->at + line));
        text_format(t, "  %10.5f  ", sizes[order[i]]);
        text_fine_bar(t, sizes[order[i]] / sizes[order[0]], bar_width(widest + 12));
        text_add(t, "\n");
    }
    if (found > shown)
        text_format(t, "... and %s more; --top all lists them\n", with_commas(found - shown));
    free(order);
    free(sizes);
}

void explain_text(text *t, const explained *e)
{
    if (e->by_query)
        add_query(t, e);
    for (size_t target = 0; target < e->info.targets; target++) {
        text_add(t, target ? "\n" : "");
        if (e->document)
            add_one(t, e, target);
        else if (e->by_query)
            add_documents(t, e, target);
        else
            add_summary(t, e, target);
    }
    text_add(t, "\n");
    add_method(t, e);
}
