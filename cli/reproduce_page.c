/* SPDX-License-Identifier: Apache-2.0 */
/* The Markdown page of gradus reproduce all (see reproduce_page.h). */
#include "reproduce_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 64, POINTS = 10 };

static void count_table(const gr_json *table, verdict_counts *counts)
{
    const gr_json *cell = NULL;
    size_t cells = member_list(table, "cells", &cell);

    for (; cells > 0; cells--, cell = gr_json_next(cell)) {
        const char *verdict = member_text(cell, "verdict");

        if (isnan(member_number(cell, "ours")) || isnan(member_number(cell, "paper")))
            continue;
        counts->agree += strcmp(verdict, "agrees") == 0;
        counts->better += strcmp(verdict, "better") == 0;
        counts->differ += strcmp(verdict, "differs") == 0;
        counts->inconclusive += strcmp(verdict, "inconclusive") == 0;
        counts->without += !*verdict;
    }
}

verdict_counts outcome_count(const outcome *one)
{
    verdict_counts counts = { 0 };
    const gr_json *claim = NULL, *table = NULL;
    size_t claims = member_list(one->root, "claims", &claim);
    size_t tables = member_list(one->root, "tables", &table);

    for (; tables > 0; tables--, table = gr_json_next(table))
        count_table(table, &counts);
    for (; claims > 0; claims--, claim = gr_json_next(claim)) {
        const char *verdict = member_text(claim, "verdict");

        counts.confirmed += strcmp(verdict, "confirmed") == 0;
        counts.not_confirmed += strcmp(verdict, "not confirmed") == 0;
        counts.open += strcmp(verdict, "inconclusive") == 0;
    }
    return counts;
}

static void add_capital(text *t, const char *words)
{
    const char first = *words >= 'a' && *words <= 'z' ? (char)(*words - 32) : *words;

    if (*words)
        text_add_bytes(t, &first, 1);
    text_add(t, *words ? words + 1 : "");
}

static void add_number(text *t, double number, int digits, bool sign)
{
    if (!isnan(number))
        text_format(t, sign ? "%+.*f" : "%.*f", digits, number);
}

static void add_p(text *t, double p)
{
    if (p <= LEAST_P)
        text_add(t, "<1e-300");
    else if (!isnan(p))
        text_format(t, p < 1e-3 ? "%.1e" : "%.3f", p);
}

static void add_rule(text *t, size_t columns)
{
    text_add(t, "|");
    for (size_t i = 0; i < columns; i++)
        text_add(t, "---|");
    text_add(t, "\n");
}

/* Which optional columns a table has. */
typedef struct columns {
    bool error, paper, paper_error, p;
} columns;

static columns columns_of(const gr_json *cell, size_t count)
{
    columns has = { false, false, false, false };

    for (; count > 0; count--, cell = gr_json_next(cell)) {
        has.error = has.error || !isnan(member_number(cell, "error"));
        has.paper = has.paper || !isnan(member_number(cell, "paper"));
        has.paper_error = has.paper_error || !isnan(member_number(cell, "paper_error"));
        has.p = has.p || !isnan(member_number(cell, "p"));
    }
    return has;
}

static void add_cell(text *t, const gr_json *cell, const char *last, int digits, columns has)
{
    const double ours = member_number(cell, "ours"), paper = member_number(cell, "paper");
    const char *row = member_text(cell, "row");

    text_format(t, "| %s | %s | ", strcmp(row, last) == 0 ? "" : row, member_text(cell, "column"));
    add_number(t, ours, digits, false);
    text_add(t, isnan(ours) ? "-" : "");
    if (has.error) {
        text_add(t, " | ");
        add_number(t, member_number(cell, "error"), digits, false);
    }
    if (has.paper) {
        text_add(t, " | ");
        add_number(t, paper, digits, false);
    }
    if (has.paper_error) {
        text_add(t, " | ");
        add_number(t, member_number(cell, "paper_error"), digits, false);
    }
    if (has.p) {
        text_add(t, " | ");
        add_p(t, member_number(cell, "p"));
    }
    if (has.paper) {
        text_add(t, " | ");
        add_number(t, ours - paper, digits, true);
        text_format(t, " | %s", member_text(cell, "verdict"));
    }
    text_add(t, " |\n");
}

static void add_cells(text *t, const gr_json *cell, size_t count, int digits, columns has)
{
    const char *last = "";

    text_format(t, "|  |  | gradus%s%s%s%s%s |\n", has.error ? " | ±" : "",
                has.paper ? " | paper" : "", has.paper_error ? " | ±" : "", has.p ? " | p" : "",
                has.paper ? " | difference | " : "");
    add_rule(t, 3u + has.error + has.paper_error + has.p + (has.paper ? 3u : 0u));
    for (; count > 0; count--, cell = gr_json_next(cell)) {
        add_cell(t, cell, last, digits, has);
        last = member_text(cell, "row");
    }
    text_add(t, "\n");
}

static const gr_json *find_cell(const gr_json *cell, size_t count, const char *row,
                                const char *column)
{
    for (; count > 0; count--, cell = gr_json_next(cell))
        if (strcmp(member_text(cell, "row"), row) == 0 &&
            strcmp(member_text(cell, "column"), column) == 0)
            return cell;
    return NULL;
}

static size_t names_of(const gr_json *cell, size_t count, const char *names[MAX_COLUMNS])
{
    size_t known = 0;

    for (; count > 0; count--, cell = gr_json_next(cell)) {
        size_t i = 0;

        while (i < known && strcmp(names[i], member_text(cell, "column")) != 0)
            i++;
        if (i == known && known < MAX_COLUMNS)
            names[known++] = member_text(cell, "column");
    }
    return known;
}

/* A grid, for tables without values to compare with. */
static void add_grid(text *t, const gr_json *first, size_t count, int digits)
{
    const char *names[MAX_COLUMNS];
    const size_t known = names_of(first, count, names);
    const gr_json *cell = first;

    text_add(t, "|");
    for (size_t i = 0; i < known; i++)
        text_format(t, " | %s", names[i]);
    text_add(t, " |\n");
    add_rule(t, known + 1);
    for (size_t c = 0; c < count; c++, cell = gr_json_next(cell)) {
        const char *row = member_text(cell, "row");
        bool seen = false;
        const gr_json *before = first;

        for (size_t i = 0; i < c && !seen; i++, before = gr_json_next(before))
            seen = strcmp(member_text(before, "row"), row) == 0;
        if (seen)
            continue;
        text_format(t, "| %s", row);
        for (size_t i = 0; i < known; i++) {
            const gr_json *at = find_cell(first, count, row, names[i]);

            text_add(t, " | ");
            if (at)
                add_number(t, member_number(at, "ours"), digits, false);
        }
        text_add(t, " |\n");
    }
    text_add(t, "\n");
}

static void add_criterion(text *t, const gr_json *table)
{
    verdict_counts n = { 0 };
    const gr_json *cell = NULL;
    const char *criterion = member_text(table, "criterion");
    const size_t cells = member_list(table, "cells", &cell);

    if (!*criterion || !columns_of(cell, cells).paper)
        return;
    count_table(table, &n);
    const size_t judged = n.agree + n.better + n.differ + n.inconclusive;

    text_format(t, "Rule: %s.", criterion);
    if (judged > 0)
        text_format(t, " %zu of %zu values agree, %zu better, %zu differ, %zu inconclusive.",
                    n.agree, judged, n.better, n.differ, n.inconclusive);
    if (n.without > 0)
        text_format(t, " %zu beside published values without a verdict.", n.without);
    text_add(t, "\n\n");
}

static void add_table(text *t, const gr_json *table)
{
    const gr_json *cell = NULL;
    const size_t count = member_list(table, "cells", &cell);
    const columns has = columns_of(cell, count);
    const int digits = (int)nearest_step(member_number(table, "digits") / 16.0, 16);

    add_capital(t, member_text(table, "title"));
    text_add(t, ".\n\n");
    if (has.error || has.paper || has.p)
        add_cells(t, cell, count, digits, has);
    else
        add_grid(t, cell, count, digits);
    add_criterion(t, table);
}

/* A few points of a curve, in words; the drawing has all. */
static void add_series(text *t, const gr_json *series)
{
    const gr_json *x = NULL, *y = NULL;
    const size_t count = member_list(series, "x", &x);
    size_t next = 0;
    double px, py;

    if (member_list(series, "y", &y) != count)
        return;
    text_format(t, "| %s |", member_text(series, "name"));
    for (size_t i = 0; i < count; i++, x = gr_json_next(x), y = gr_json_next(y)) {
        if (i != next * (count - 1) / (POINTS - 1) && i + 1 != count)
            continue;
        while (next * (count - 1) / (POINTS - 1) <= i && next < POINTS)
            next++;
        if (gr_json_number(x, &px) && gr_json_number(y, &py))
            text_format(t, " %.4g → %.4g;", px, py);
    }
    text_add(t, " |\n");
}

static void add_figures(text *t, const outcome *one, const char *figures)
{
    const gr_json *figure = NULL, *series = NULL;
    size_t count = member_list(one->root, "figures", &figure);

    if (count > 0)
        text_format(t, "![%s](%s%s.svg)\n\n", one->about.summary, figures, one->about.name);
    for (; count > 0; count--, figure = gr_json_next(figure)) {
        size_t lines = member_list(figure, "series", &series);

        text_format(t, "Points of the figure \"%s\":\n\n|  | %s → %s |\n|---|---|\n",
                    member_text(figure, "title"), member_text(figure, "x"),
                    member_text(figure, "y"));
        for (; lines > 0; lines--, series = gr_json_next(series))
            add_series(t, series);
        text_add(t, "\n");
    }
}

/* The comment on an experiment in the file of notes: the text below its heading "## NAME". */
static void add_note(text *t, const char *notes, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = notes; at && *at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, "## ", 3) != 0 || strncmp(at + 3, name, length) != 0 ||
            at[3 + length] != '\n')
            continue;
        const char *from = at + 3 + length + strspn(at + 3 + length, "\n");
        const char *end = strstr(from - 1, "\n## ");

        if (!end)
            end = from + strlen(from);
        while (end > from && end[-1] == '\n')
            end--;
        if (end > from) {
            text_add_bytes(t, from, (size_t)(end - from));
            text_add(t, "\n\n");
        }
        return;
    }
}

static void add_claims(text *t, const outcome *one)
{
    const gr_json *claim = NULL;
    size_t claims = member_list(one->root, "claims", &claim);

    if (claims == 0)
        return;
    for (; claims > 0; claims--, claim = gr_json_next(claim)) {
        text_format(t, "- **%s**: %s. ", member_text(claim, "verdict"),
                    member_text(claim, "claim"));
        add_capital(t, member_text(claim, "found"));
        text_add(t, ".\n");
    }
    text_add(t, "\n");
}

static void add_experiment(text *t, const outcome *one, const char *notes, const char *figures)
{
    const gr_json *item = NULL;
    const verdict_counts counts = outcome_count(one);

    text_format(t, "## %s: %s\n\n%s\n\n", one->about.name, one->about.summary, one->about.details);
    text_format(t, "Run: %s, by %s, `%s`", one->date, one->build, one->command);
    if (one->seconds > 0.0)
        text_format(t, ", %.0f s", one->seconds);
    text_add(t, ".\n\n");
    if (one->scale < 1.0)
        text_format(t, "**Run at scale %g, not in full.**\n\n", one->scale);
    for (size_t n = member_list(one->root, "notes", &item); n > 0; n--, item = gr_json_next(item)) {
        const char *words;

        if (gr_json_text(item, &words))
            text_format(t, "%s\n\n", words);
    }
    for (size_t n = member_list(one->root, "tables", &item); n > 0; n--, item = gr_json_next(item))
        add_table(t, item);
    add_figures(t, one, figures);
    add_claims(t, one);
    const size_t length = t->length;

    add_note(t, notes, one->about.name);
    if (t->length == length && counts.better + counts.differ > 0)
        text_add(t, "The differences are unexplained.\n\n");
}

/* GitHub's anchor of an experiment's heading. */
static void add_link(text *t, const outcomes *all, const char *name)
{
    const outcome *one = NULL;

    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->list[i].about.name, name) == 0)
            one = &all->list[i];
    if (!one || !one->root) {
        text_add(t, name);
        return;
    }
    text_format(t, "[%s](#%s-", name, name);
    for (const char *c = one->about.summary; *c; c++) {
        const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-' ||
                            *c == '_' || (*c & 0x80);
        const char kept = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c == ' ' ? '-' : *c;

        if (letter || kept != *c)
            text_add_bytes(t, &kept, 1);
    }
    text_add(t, ")");
}

/* names: separated by spaces; a name that follows itself is linked once */
static void add_links(text *t, const outcomes *all, const char *names)
{
    const char *first = names, *last = NULL;

    for (size_t length; (length = strcspn(names, " ")) > 0;
         names += length + (names[length] == ' ')) {
        text name = { 0 };

        if (last && strncmp(last, names, length) == 0 && last[length] == ' ')
            continue;
        last = names;
        text_add(t, names == first ? "" : ", ");
        text_add_bytes(&name, names, length);
        add_link(t, all, text_string(&name));
        text_free(&name);
    }
}

static const char *const statuses[] = { "confirmed", "not confirmed", "inconclusive",
                                        "not run",   "not tested",    "cannot be tested here" };
enum { STATUSES = sizeof statuses / sizeof statuses[0] };

static void add_claim_counts(text *t, const gradus_paper_claims *claims)
{
    gradus_paper_claim claim, next;
    size_t counts[STATUSES] = { 0 };

    text_add(t, "| paper");
    for (size_t s = 0; s < STATUSES; s++)
        text_format(t, " | %s", statuses[s]);
    text_add(t, " |\n");
    add_rule(t, STATUSES + 1);
    for (size_t i = 0; gradus_paper_claim_at(claims, i, &claim); i++) {
        for (size_t s = 0; s < STATUSES; s++)
            counts[s] += strcmp(claim.status, statuses[s]) == 0;
        if (gradus_paper_claim_at(claims, i + 1, &next) && strcmp(next.paper, claim.paper) == 0)
            continue;
        text_format(t, "| %s", claim.paper);
        for (size_t s = 0; s < STATUSES; s++) {
            text_format(t, " | %zu", counts[s]);
            counts[s] = 0;
        }
        text_add(t, " |\n");
    }
    text_add(t, "\n");
}

static int add_paper_claims(text *t, const outcomes *all)
{
    gradus_error err;
    gradus_paper_claims *claims = gradus_paper_claims_read(all->folder, &err);
    gradus_paper_claim claim;
    const char *paper = "";

    if (!claims)
        return fail(&err);
    text_add(
        t, "## The claims of the papers\n\nBy `gradus reproduce --claims --results FOLDER`. "
           "Inconclusive: some checks of the claim succeed and others do not, a difference is not "
           "significant (p of .05 or more), or a run was scaled down or is missing. Not "
           "tested: no experiment checks it. A claim that is not confirmed "
           "on data other than the paper's is not refuted by that. The last line counts remarks of "
           "this page, which the command lists and counts with the papers' claims.\n\n");
    add_claim_counts(t, claims);
    for (size_t i = 0; gradus_paper_claim_at(claims, i, &claim); i++) {
        if (strcmp(claim.paper, paper) != 0) {
            text_format(t, "%s%s:\n\n| claim | status | tested by | data, remarks |\n",
                        i ? "\n" : "", claim.paper);
            add_rule(t, 4);
        }
        paper = claim.paper;
        text_format(t, "| %s | **%s**", claim.claim, claim.status);
        if (claim.checks > 1)
            text_format(t, " (%zu of %zu checks)", claim.held, claim.checks);
        text_add(t, " | ");
        add_links(t, all, claim.experiment);
        text_format(t, " | %s |\n", *claim.why ? claim.why : claim.data);
    }
    text_add(t, "\n");
    gradus_paper_claims_free(claims);
    return 0;
}

/* Results whose build is not known exactly were copied from elsewhere. */
static void add_copied(text *t, const outcomes *all)
{
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].root && strncmp(all->list[i].build, "gradus ", 7) != 0)
            text_format(t, "%s%s", count++ ? ", " : "; those of ", all->list[i].about.name);
    if (count > 0)
        text_add(t, " were copied from an earlier page");
}

static void add_contents(text *t, const outcomes *all)
{
    text copied = { 0 };

    add_copied(&copied, all);
    text_format(
        t,
        "## The experiments\n\nWritten by `%s` with %s on %s; do not edit. The results "
        "are of the builds and dates that the line \"Run:\" of each names%s. Each table with "
        "published values has a rule, declared in its file in `experiments/data`. On the "
        "paper's data, folds and queries a value agrees within a tolerance; where the "
        "paper prints standard errors, within two combined standard errors. Where data or "
        "samples are other than the paper's, values have no verdict, and substitute data "
        "sets are labelled as such.\n\n",
        all->command, all->build, all->date, text_string(&copied));
    text_free(&copied);
    text_add(t, "| experiment | agree | better | differ | inconclusive | no verdict | claims "
                "confirmed | not confirmed | inconclusive | run |\n");
    add_rule(t, 10);
    for (size_t i = 0; i < all->count; i++) {
        const outcome *one = &all->list[i];
        const verdict_counts n = outcome_count(one);

        text_add(t, "| ");
        add_link(t, all, one->about.name);
        if (one->root)
            text_format(t, " | %zu | %zu | %zu | %zu | %zu | %zu | %zu | %zu | %s |\n", n.agree,
                        n.better, n.differ, n.inconclusive, n.without, n.confirmed, n.not_confirmed,
                        n.open, one->date);
        else
            text_format(t, " |  |  |  |  |  |  |  |  | %s: %s |\n", one->state, one->reason);
    }
    text_add(t, "\n");
}

int page_add(text *t, const outcomes *all, const char *notes, const char *figures)
{
    text_add(t, "# Reproduction of the papers' tables and figures\n\n");
    add_note(t, notes, "opening");
    const int status = add_paper_claims(t, all);

    if (status)
        return status;
    add_note(t, notes, "verdicts");
    add_contents(t, all);
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].root)
            add_experiment(t, &all->list[i], notes, figures);
    return 0;
}

static void summary_claims(json *j, const gradus_paper_claims *claims)
{
    gradus_paper_claim claim;

    json_open(j, "claims", '[');
    for (size_t i = 0; gradus_paper_claim_at(claims, i, &claim); i++) {
        json_open(j, NULL, '{');
        json_string(j, "id", claim.id);
        json_string(j, "experiment", claim.experiment);
        json_string(j, "status", claim.status);
        json_count(j, "checks", claim.checks);
        json_count(j, "held", claim.held);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void summary_outcome(json *j, const outcome *one)
{
    const verdict_counts n = outcome_count(one);

    json_open(j, NULL, '{');
    json_string(j, "name", one->about.name);
    json_string(j, "state", one->state);
    json_string(j, "reason", one->reason);
    json_string(j, "build", one->build);
    json_string(j, "command", one->command);
    json_string(j, "date", one->date);
    json_number(j, "seconds", one->seconds);
    json_number(j, "scale", one->scale);
    json_count(j, "seed", one->seed);
    json_count(j, "seeds", one->seeds);
    json_open(j, "values", '{');
    json_count(j, "agree", n.agree);
    json_count(j, "better", n.better);
    json_count(j, "differ", n.differ);
    json_count(j, "inconclusive", n.inconclusive);
    json_count(j, "no_verdict", n.without);
    json_close(j, '}');
    json_open(j, "claims", '{');
    json_count(j, "confirmed", n.confirmed);
    json_count(j, "not_confirmed", n.not_confirmed);
    json_count(j, "inconclusive", n.open);
    json_close(j, '}');
    json_close(j, '}');
}

int summary_add(text *t, const outcomes *all)
{
    gradus_error err;
    gradus_paper_claims *claims = gradus_paper_claims_read(all->folder, &err);
    json j = JSON_TO(t);

    if (!claims)
        return fail(&err);
    json_open(&j, NULL, '{');
    json_string(&j, "build", all->build);
    json_string(&j, "command", all->command);
    json_string(&j, "date", all->date);
    json_open(&j, "experiments", '[');
    for (size_t i = 0; i < all->count; i++)
        summary_outcome(&j, &all->list[i]);
    json_close(&j, ']');
    summary_claims(&j, claims);
    json_close(&j, '}');
    text_add(t, "\n");
    gradus_paper_claims_free(claims);
    return 0;
}
