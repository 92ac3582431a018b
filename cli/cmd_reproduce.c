/* SPDX-License-Identifier: Apache-2.0 */
/* gradus reproduce: runs the experiments of papers, and prints the results beside the paper's. */
#include "figure.h"
#include "progress.h"
#include "common.h"
#include "signals.h"
#include "print_table.h"
#include "reproduce_all.h"
#include "reproduce_claims.h"
#include "reproduce_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIGURES = 16 };

static void add_p(table *rows, double p)
{
    if (isnan(p))
        table_cell(rows, "%s", "");
    else if (p <= LEAST_P)
        table_cell(rows, "%s", "<1e-300");
    else if (p < 1e-3)
        table_cell(rows, "%.1e", p);
    else
        table_cell(rows, "%.3f", p);
}

static void add_value(table *rows, double value, size_t digits, bool sign)
{
    if (isnan(value))
        table_cell(rows, "%s", "");
    else
        table_cell(rows, sign ? "%+.*f" : "%.*f", (int)digits, value);
}

static bool has_published_errors(const gradus_table *found)
{
    for (size_t c = 0; c < found->count; c++)
        if (!isnan(found->cells[c].paper_error))
            return true;
    return false;
}

/* One line per cell: gradus beside the paper, with the standard errors of both. */
static void add_cells(text *t, const gradus_table *found)
{
    table rows;
    static const char *const heads[] = { "",   "",           "gradus", "+-", "paper",
                                         "+-", "difference", "p",      "" };
    const bool errors = has_published_errors(found);

    table_begin(&rows, errors ? 9 : 8);
    for (size_t i = 0; i < 9; i++)
        if (i != 5 || errors)
            table_cell(&rows, "%s", heads[i]);
    for (size_t c = 0; c < found->count; c++) {
        const gradus_cell *cell = &found->cells[c];
        const bool same = c > 0 && strcmp(cell->row, found->cells[c - 1].row) == 0;

        table_cell(&rows, "%s", same ? "" : cell->row);
        table_cell(&rows, "%s", cell->column);
        add_value(&rows, cell->ours, found->digits, false);
        add_value(&rows, cell->error, found->digits, false);
        add_value(&rows, cell->paper, found->digits, false);
        if (errors)
            add_value(&rows, cell->paper_error, found->digits, false);
        add_value(&rows, cell->ours - cell->paper, found->digits, true);
        add_p(&rows, cell->p);
        table_cell(&rows, "%s", cell->verdict);
    }
    table_end(&rows, t);
}

static size_t columns_of(const gradus_table *found, const char *names[TABLE_COLUMNS])
{
    size_t count = 0;

    for (size_t c = 0; c < found->count; c++) {
        size_t i = 0;

        while (i < count && strcmp(names[i], found->cells[c].column) != 0)
            i++;
        if (i == TABLE_COLUMNS)
            return 0;
        if (i == count)
            names[count++] = found->cells[c].column;
    }
    return count;
}

static const gradus_cell *cell_at(const gradus_table *found, const char *row, const char *column)
{
    for (size_t c = 0; c < found->count; c++)
        if (strcmp(found->cells[c].row, row) == 0 && strcmp(found->cells[c].column, column) == 0)
            return &found->cells[c];
    return NULL;
}

/* A grid, for tables without values to compare with. */
static void add_grid(text *t, const gradus_table *found, const char *const *names, size_t columns)
{
    table rows;

    table_begin(&rows, columns + 1);
    table_cell(&rows, "%s", "");
    for (size_t i = 0; i < columns; i++)
        table_cell(&rows, "%s", names[i]);
    for (size_t c = 0; c < found->count; c++) {
        if (cell_at(found, found->cells[c].row, found->cells[c].column) != &found->cells[c] ||
            (c > 0 && strcmp(found->cells[c].row, found->cells[c - 1].row) == 0))
            continue;
        table_cell(&rows, "%s", found->cells[c].row);
        for (size_t i = 0; i < columns; i++) {
            const gradus_cell *cell = cell_at(found, found->cells[c].row, names[i]);

            add_value(&rows, cell ? cell->ours : (double)NAN, found->digits, false);
        }
    }
    table_end(&rows, t);
}

static bool has_published(const gradus_table *found)
{
    for (size_t c = 0; c < found->count; c++)
        if (!isnan(found->cells[c].paper))
            return true;
    return false;
}

static bool is_compared(const gradus_table *found)
{
    for (size_t c = 0; c < found->count; c++)
        if (!isnan(found->cells[c].paper) || !isnan(found->cells[c].p) ||
            !isnan(found->cells[c].error))
            return true;
    return false;
}

enum { AGREE, BETTER, DIFFER, INCONCLUSIVE, SHOWN, VERDICTS }; /* SHOWN: beside a published value */

static void count_verdicts(const gradus_table *found, size_t counts[VERDICTS])
{
    static const char *const words[SHOWN] = { "agrees", "better", "differs", "inconclusive" };

    for (size_t c = 0; c < found->count; c++) {
        const gradus_cell *cell = &found->cells[c];

        for (size_t w = 0; w < SHOWN; w++)
            counts[w] += strcmp(cell->verdict, words[w]) == 0;
        counts[SHOWN] += !*cell->verdict && !isnan(cell->paper) && !isnan(cell->ours);
    }
}

/* How many values have each verdict; nothing if none is published. */
static void add_counts(text *t, const char *before, const size_t counts[VERDICTS])
{
    const size_t judged = counts[AGREE] + counts[BETTER] + counts[DIFFER] + counts[INCONCLUSIVE];

    if (judged > 0)
        text_format(t,
                    "%s%zu of %zu values agree with the paper, %zu better, %zu differ, %zu "
                    "inconclusive",
                    before, counts[AGREE], judged, counts[BETTER], counts[DIFFER],
                    counts[INCONCLUSIVE]);
    if (counts[SHOWN] > 0)
        text_format(t, "%s%zu beside published values without a verdict", judged ? "; " : before,
                    counts[SHOWN]);
    if (judged + counts[SHOWN] > 0)
        text_add(t, "\n");
}

static void add_table(text *t, const gradus_table *found)
{
    const char *names[TABLE_COLUMNS];
    const size_t columns = columns_of(found, names);

    text_format(t, "\n%s\n\n", found->title);
    if (is_compared(found) || columns == 0 || columns >= TABLE_COLUMNS)
        add_cells(t, found);
    else
        add_grid(t, found, names, columns);
    if (*found->criterion && has_published(found)) {
        size_t counts[VERDICTS] = { 0 };

        text_add(t, "\nRule: ");
        text_wrap(t, found->criterion, 2, page_width(100));
        text_add(t, ".\n");
        count_verdicts(found, counts);
        add_counts(t, "", counts);
    }
}

static void add_reproduction(text *t, const gradus_experiment *about,
                             const gradus_reproduction *found)
{
    const size_t width = page_width(100);
    gradus_table table_found;
    gradus_claim claim;
    size_t counts[VERDICTS] = { 0 };

    text_format(t, "%s: %s\n\n", about->name, about->summary);
    text_wrap(t, about->details, 0, width);
    text_add(t, "\n");
    for (size_t i = 0; gradus_reproduction_note_at(found, i); i++) {
        text_add(t, "\n");
        text_wrap(t, gradus_reproduction_note_at(found, i), 0, width);
        text_add(t, "\n");
    }
    for (size_t i = 0; gradus_reproduction_table_at(found, i, &table_found); i++)
        add_table(t, &table_found);
    for (size_t i = 0; gradus_reproduction_table_at(found, i, &table_found); i++)
        count_verdicts(&table_found, counts);
    for (size_t i = 0; gradus_reproduction_claim_at(found, i, &claim); i++) {
        text_format(t, "\n%s: ", claim.verdict);
        text_wrap(t, claim.claim, 2, width);
        text_add(t, "\n  ");
        text_wrap(t, claim.found, 2, width);
        text_add(t, "\n");
    }
    add_counts(t, "\nTogether: ", counts);
}

static int write_figures(const gradus_reproduction *found, const char *path)
{
    gradus_figure figures[MAX_FIGURES];
    size_t count = 0;
    text t = { 0 };

    while (count < MAX_FIGURES && gradus_reproduction_figure_at(found, count, &figures[count]))
        count++;
    if (count == 0)
        return fail_usage("this experiment has no figure: omit --svg");
    figures_svg(&t, figures, count);
    const int status = write_text(&t, path);

    text_free(&t);
    return status;
}

/* Adds a word, padded to the next column. */
static void add_word(text *t, const char *word, size_t width)
{
    const size_t columns = text_columns(word);

    text_add(t, word);
    text_pad(t, columns < width ? width - columns : 1);
}

static int list_json(void)
{
    gradus_experiment about;
    text t = { 0 };
    json j = JSON_TO(&t);

    json_open(&j, NULL, '[');
    for (size_t i = 0; gradus_experiment_at(i, &about); i++) {
        json_open(&j, NULL, '{');
        json_string(&j, "name", about.name);
        json_string(&j, "summary", about.summary);
        json_string(&j, "details", about.details);
        json_string(&j, "family", about.family);
        json_string(&j, "needs", about.needs);
        json_string(&j, "uses", about.uses);
        json_string(&j, "takes", about.takes);
        json_number(&j, "seconds", about.seconds);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    text_add(&t, "\n");
    return print_text(&t);
}

enum { LIST_WIDTH = 100 };

/* Optional data sets, with the experiments that use them. */
static void add_uses(text *t)
{
    gradus_experiment first, about;

    text_add(t, "\nOptional data sets, used if present (ltrc1, ltrc2: Yahoo; mslr: Microsoft):\n");
    for (size_t i = 0; gradus_experiment_at(i, &first); i++) {
        size_t before = 0;

        for (; gradus_experiment_at(before, &about) && strcmp(about.uses, first.uses) != 0;)
            before++;
        if (before < i || !*first.uses)
            continue;
        text line = { 0 };

        text_format(&line, "%s by", first.uses);
        for (size_t k = i; gradus_experiment_at(k, &about); k++)
            if (strcmp(about.uses, first.uses) == 0)
                text_format(&line, " %s", about.name);
        text_add(t, "  ");
        text_wrap(t, text_string(&line), 2, LIST_WIDTH);
        text_add(t, "\n");
        text_free(&line);
    }
}

static int list_all(void)
{
    enum { NAME = 26, TAKES = 8, NEEDS = 36 };
    gradus_experiment about;
    text t = { 0 };

    add_word(&t, "experiment", NAME);
    add_word(&t, "time", TAKES);
    add_word(&t, "needs", NEEDS);
    text_add(&t, "description\n");
    for (size_t i = 0; gradus_experiment_at(i, &about); i++) {
        add_word(&t, about.name, NAME);
        add_word(&t, about.takes, TAKES);
        add_word(&t, *about.needs ? about.needs : "-", NEEDS);
        text_format(&t, "%s\n", about.summary);
    }
    text_add(&t, "\n");
    text_wrap(
        &t,
        "Times are for two cores; experiments of one paper share their trials, so that the "
        "second one is fast. Data sets are read from --data DIR, which has a folder for each: "
        "folds (Fold1/train.txt, vali.txt, test.txt and so on), LETOR's parts (S1.txt to "
        "S5.txt), or a single fold (set1.train.txt, set1.valid.txt, set1.test.txt).\n",
        0, LIST_WIDTH);
    add_uses(&t);
    return print_text(&t);
}

static bool find_experiment(const char *name, gradus_experiment *about)
{
    for (size_t i = 0; gradus_experiment_at(i, about); i++)
        if (strcmp(about->name, name) == 0)
            return true;
    *about = (gradus_experiment){ .name = name, .summary = "", .details = "" };
    return false;
}

/* Unless --journal is given, finished work is saved to FAMILY.jsonl in the current folder. */
static int set_journal(const arguments *given, const gradus_experiment *about)
{
    gradus_options *options = options_of(given, "reproduce");
    gradus_error err;
    text path = { 0 };
    int status = 0;

    if (!*gradus_options_value(options, "journal") && about->family) {
        text_format(&path, "%s.jsonl", about->family);
        if (gradus_options_set(options, "journal", text_string(&path), &err) != GRADUS_OK)
            status = fail(&err);
    }
    text_free(&path);
    return status;
}

static int run_one(const arguments *given, const char *name)
{
    gradus_options *options = options_of(given, "reproduce");
    gradus_experiment about;
    gradus_error err;
    text t = { 0 };
    int status;

    find_experiment(name, &about);
    status = set_journal(given, &about);
    if (status || (status = check_paths(given)) != 0)
        return status;
    gradus_reproduction *found = gradus_reproduce(given->context, name, options, &err);

    if (!found && err.status == GRADUS_CANCELLED) {
        say("gradus: stopped; finished work is saved in '%s'. To resume, run the same command "
            "again\n",
            gradus_options_value(options, "journal"));
        return signals_status();
    }
    if (!found)
        return fail(&err);
    if (given->json) {
        text_add(&t, gradus_reproduction_json(found));
        text_add(&t, "\n");
    } else {
        add_reproduction(&t, &about, found);
    }
    status = argument(given, "output") ? write_text(&t, argument(given, "output")) : print_text(&t);
    if (argument(given, "output"))
        text_free(&t);
    if (status == 0 && argument(given, "svg"))
        status = write_figures(found, argument(given, "svg"));
    gradus_reproduction_free(found);
    return status;
}

static int reproduce_run(arguments *given)
{
    if (argument(given, "list"))
        return given->json ? list_json() : list_all();
    if (argument(given, "results") && !argument(given, "claims"))
        return fail_usage("--results is an option of --claims");
    if (argument(given, "claims"))
        return given->count == 0 ? claims_print(given)
                                 : fail_usage("--claims takes no experiment: it lists all claims");
    if ((argument(given, "time") || argument(given, "quick") || argument(given, "page") ||
         argument(given, "notes")) &&
        (given->count != 1 || strcmp(given->words[0], "all") != 0))
        return fail_usage("--time, --quick, --page and --notes are options of 'all'");
    if (given->count != 1)
        return fail_usage("gradus reproduce takes one experiment; 'gradus reproduce --list' lists "
                          "them");
    signals_remember("gradus: stopping; finished work is saved\n");
    progress_show(given->context, !given->quiet);
    return strcmp(given->words[0], "all") == 0 ? reproduce_all(given)
                                               : run_one(given, given->words[0]);
}

static const option reproduce_options[] = {
    { "list", 0, NULL, "list the experiments, the data they need and how long they take" },
    { "claims", 0, NULL,
      "list the claims of the papers, the experiments that test them and their status" },
    { "results", 0, "DIR", "with --claims: the folder of results, NAME.json for each experiment",
      GRADUS_PATH_READ },
    { "output", 'o', "FILE",
      "write the results to FILE; all: the folder of results (default: reproduction)",
      GRADUS_PATH_WRITTEN },
    { "time", 0, "T", "all: stop after this time: 90s, 20min, 8h; the same command resumes" },
    { "quick", 0, NULL,
      "all: only experiments of at most two minutes, with two seeds, for at most 20 minutes" },
    { "page", 0, "FILE", "all: write the page to FILE (default: page.md in the folder)",
      GRADUS_PATH_WRITTEN },
    { "notes", 0, "FILE",
      "all: comments for the page, Markdown below headings '## NAME'; 'opening' comes first",
      GRADUS_PATH_READ },
    { "svg", 0, "FILE", "draw the figures of the experiment as SVG", GRADUS_PATH_WRITTEN },
    { NULL, 0, NULL, NULL },
};

static const example reproduce_examples[] = {
    { "gradus reproduce --list", "list the experiments" },
    { "gradus reproduce --claims --results DIR", "which claims the results in DIR confirm" },
    { "gradus reproduce cocr-table1 --data letor", "COCR's Table 1 on the sets in folder letor" },
    { "gradus reproduce cocr-figure1 --svg figure1.svg", "draw a figure" },
    { "gradus reproduce cocr-table5 --scale 0.1", "a tenth of the size, for a quick try" },
    { "gradus reproduce all --data letor --time 8h", "everything, cheap experiments first" },
    { "gradus reproduce all --data letor --quick", "a first page within 20 minutes" },
    { NULL, NULL },
};

const command command_reproduce = {
    .name = "reproduce",
    .summary = "reproduce a paper's experiment",
    .usage = "gradus reproduce NAME [--data DIR] [options]\n"
             "gradus reproduce all [--data DIR] [--time T | --quick] [-o DIR]\n"
             "gradus reproduce --list\n"
             "gradus reproduce --claims [--results DIR]",
    .description =
        "Runs a table or figure of a paper again and prints the results of gradus beside the "
        "paper's: the difference, standard errors, p-values, and a verdict by the rule printed "
        "with each table. On the paper's data, folds and queries values agree within a tolerance; "
        "where the paper prints standard errors, within two combined standard errors; otherwise "
        "they are better or differ. Other values have no verdict: substitutes for unavailable "
        "data, labelled as such, and random samples. Inconclusive: errors too large to tell, and "
        "every value of a run scaled down by --scale. Claims of the paper are reported as "
        "confirmed, not confirmed or inconclusive; --claims lists the claims of all papers, with "
        "their status by the results in a folder (gradus reproduce NAME --json -o DIR/NAME.json).\n\n"
        "Finished work is saved in a journal (a file of JSON lines). If the command is stopped, "
        "running it again resumes from the journal; at most the trials that were running are "
        "lost. Experiments of one family share a journal.\n\n"
        "'all' runs the experiments in order of cost, as --list shows it. Its folder has NAME.json "
        "and NAME.svg for each, the journals, summary.json (what was run, when, by which build and "
        "command, with counts of verdicts and the status of every claim) and the page. Results "
        "that are there are kept: remove NAME.json to repeat an experiment. Those of a smaller "
        "scale, of fewer seeds or of another seed are shown until this run has its own; a run "
        "never replaces results of a larger scale or of more seeds. --quick runs those of "
        "at most two minutes with two seeds instead of all; the others stay on the page if they "
        "have results.",
    .options = reproduce_options,
    .operations = { "reproduce" },
    .words_are_names = true,
    .examples = reproduce_examples,
    .run = reproduce_run,
};
