/* SPDX-License-Identifier: Apache-2.0 */
/* gradus compare: significance tests between rankers, query by query. */
#include "curve.h"
#include "common.h"
#include "print_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPREAD = 13,
    WIDE_PAGE = 104
}; /* columns of the histogram of differences; minimum width of a page for it */
enum { MAX_SYSTEMS = 16, MAX_FOLDS = 64, MAX_CONTRASTS = MAX_SYSTEMS * (MAX_SYSTEMS - 1) / 2 };

/* One data set with the systems compared on it. */
typedef struct fold {
    const char *data;
    char **names;
    size_t systems;
    gradus_evaluation *evaluations[MAX_SYSTEMS];
    const double *values[MAX_SYSTEMS];
    gradus_comparison *comparison;
} fold;

typedef struct comparing {
    fold folds[MAX_FOLDS];
    size_t count;
    const char *metric;
    bool lower_is_better;
    size_t contrasts; /* pairs of systems */
    double p_combined[MAX_CONTRASTS], p_adjusted[MAX_CONTRASTS], statistic[MAX_CONTRASTS];
} comparing;

static bool evaluate_fold(const arguments *given, fold *f, int *status)
{
    const char *qrels = argument(given, "qrels");
    gradus_error err;
    gradus_dataset *data = qrels ? NULL : read_data(given, f->data, status);

    for (size_t s = 0; *status == 0 && s < f->systems; s++) {
        double *scores = qrels ? NULL : read_scores(given, data, f->names[s], status);

        if (!qrels && !scores)
            break;
        f->evaluations[s] = qrels ? gradus_evaluate_run(given->context, qrels, f->names[s],
                                                        options_of(given, "evaluate"), &err)
                                  : gradus_evaluate(given->context, data, scores,
                                                    options_of(given, "evaluate"), &err);
        free(scores);
        if (!f->evaluations[s])
            *status = fail(&err);
    }
    if (*status == 0 && data && f->data == given->words[0]) /* once for all folds */
        note_letor(given, data, f->data);
    gradus_dataset_free(data);
    return *status == 0;
}

/* The values of system s in the query order of system 0; NAN for a query that s lacks. */
static double *aligned_values(const fold *f, size_t s, const double *by_query)
{
    const size_t queries = gradus_evaluation_queries(f->evaluations[0]);
    const size_t others = gradus_evaluation_queries(f->evaluations[s]);
    double *values = must_have(queries, sizeof *values);

    for (size_t q = 0; q < queries; q++) {
        const char *name = gradus_evaluation_query_name(f->evaluations[0], q);
        size_t o = q;

        if (o >= others || strcmp(gradus_evaluation_query_name(f->evaluations[s], o), name) != 0)
            for (o = 0; o < others; o++)
                if (strcmp(gradus_evaluation_query_name(f->evaluations[s], o), name) == 0)
                    break;
        values[q] = o < others ? by_query[o] : (double)NAN;
    }
    return values;
}

/* Tests assume that larger is better: negates the values of metrics where smaller is better. */
static gradus_comparison *compare_values(const arguments *given, const fold *f, bool negate,
                                         gradus_error *err)
{
    const size_t queries = gradus_evaluation_queries(f->evaluations[0]);
    const double *values[MAX_SYSTEMS];
    double *negated = must_have(queries * f->systems, sizeof *negated);

    for (size_t s = 0; s < f->systems; s++) {
        for (size_t q = 0; q < queries; q++)
            negated[s * queries + q] = -f->values[s][q];
        values[s] = negate ? negated + s * queries : f->values[s];
    }
    gradus_comparison *comparison = gradus_compare(given->context, f->systems, queries, values,
                                                   options_of(given, "compare"), err);
    free(negated);
    return comparison;
}

/* A contrast with the sign of the metric, not of negated values. */
static bool contrast_at(const comparing *c, const fold *f, size_t index, gradus_contrast *k)
{
    if (!gradus_comparison_at(f->comparison, index, k))
        return false;
    if (c->lower_is_better) {
        const double low = k->low;

        k->mean_a = -k->mean_a;
        k->mean_b = -k->mean_b;
        k->difference = -k->difference;
        k->low = -k->high;
        k->high = -low;
        k->statistic = -k->statistic;
    }
    return true;
}

/* One query is too few for a test or an interval. */
static bool has_queries(const comparing *c, const fold *f, int *status)
{
    gradus_contrast k;
    gradus_error err = { .status = GRADUS_BAD_ARGUMENT };

    for (size_t i = 0; gradus_comparison_at(f->comparison, i, &k); i++) {
        if (k.queries >= 2)
            continue;
        snprintf(err.message, sizeof err.message,
                 "%.160s has %s with a value of %s for both %.80s and %.80s: a comparison needs at "
                 "least 2; 'gradus eval' shows the values",
                 f->data, counted(k.queries, "query", "queries"), c->metric, f->names[k.a],
                 f->names[k.b]);
        *status = fail(&err);
        return false;
    }
    return true;
}

static bool compare_fold(const arguments *given, comparing *c, fold *f, int *status)
{
    gradus_error err;
    gradus_result result;

    for (size_t s = 0; s < f->systems; s++) {
        if (gradus_evaluation_at(f->evaluations[s], 1, &result)) {
            *status = fail_usage("gradus compare takes one metric: --metric ndcg@10");
            return false;
        }
        gradus_evaluation_at(f->evaluations[s], 0, &result);
        if (result.geometric) {
            *status =
                fail_usage("%s is a geometric mean, but the tests compare arithmetic means; use "
                           "map",
                           result.metric);
            return false;
        }
        f->values[s] = aligned_values(f, s, result.by_query);
        c->metric = result.metric;
        c->lower_is_better = result.lower_is_better;
    }
    f->comparison = compare_values(given, f, c->lower_is_better, &err);
    if (!f->comparison)
        *status = fail(&err);
    return *status == 0 && has_queries(c, f, status);
}

/* Fisher's combination of each pair's p-values over the folds, and Holm's correction of those. */
static int combine(comparing *c)
{
    gradus_error err;
    gradus_contrast contrast;
    double p[MAX_FOLDS];

    for (c->contrasts = 0; gradus_comparison_at(c->folds[0].comparison, c->contrasts, &contrast);
         c->contrasts++) {
        for (size_t f = 0; f < c->count; f++) {
            gradus_comparison_at(c->folds[f].comparison, c->contrasts, &contrast);
            p[f] = contrast.p;
        }
        if (gradus_combine_p(p, c->count, &c->statistic[c->contrasts], &c->p_combined[c->contrasts],
                             &err) != GRADUS_OK)
            return fail(&err);
    }
    if (gradus_adjust_p(c->p_combined, c->contrasts, c->p_adjusted, &err) != GRADUS_OK)
        return fail(&err);
    return 0;
}

static void p_cell(table *t, double p)
{
    if (p < 1e-4)
        table_cell(t, "%.2e", p);
    else
        table_cell(t, "%.4f", p);
}

/* Tables refer to systems by letters: a, b, c, ... */
static char letter(size_t system)
{
    return (char)('a' + system);
}

static void show_systems(text *t, const comparing *c, const fold *f)
{
    gradus_contrast k;
    table rows;

    table_begin(&rows, 2);
    table_cell(&rows, "system");
    table_cell(&rows, "mean");
    for (size_t s = 0; s < f->systems; s++) {
        /* the first contrast with the system has its mean */
        for (size_t i = 0; contrast_at(c, f, i, &k) && k.a != s && k.b != s;)
            i++;
        table_cell(&rows, "%c  %s", letter(s), f->names[s]);
        table_cell(&rows, "%.4f", k.a == s ? k.mean_a : k.mean_b);
    }
    table_end(&rows, t);
}

/* A histogram of the differences b - a, with 0 in the middle. */
static void spread_cell(table *rows, const fold *f, const gradus_contrast *k)
{
    const size_t queries = gradus_evaluation_queries(f->evaluations[0]);
    size_t counts[SPREAD] = { 0 };
    double most = 0.0;
    text line = { NULL, 0, 0 };

    for (size_t q = 0; q < queries; q++)
        most = fmax(most, fabs(f->values[k->b][q] - f->values[k->a][q])); /* ignores NAN */
    for (size_t q = 0; q < queries; q++) {
        const double size = f->values[k->b][q] - f->values[k->a][q];

        if (isfinite(size) && most > 0.0)
            counts[(size_t)((size / most + 1.0) * 0.5 * (SPREAD - 1) + 0.5)]++;
    }
    text_sparkline(&line, counts, SPREAD);
    table_cell(rows, "%s", text_string(&line));
    text_free(&line);
}

static void show_contrasts(text *t, const comparing *c, const fold *f)
{
    const bool holm = f->systems > 2, wide = page_width(WIDE_PAGE) == WIDE_PAGE;
    gradus_contrast k;
    table rows;

    table_begin(&rows, 5u + holm + wide);
    table_cell(&rows, "contrast");
    table_cell(&rows, "difference");
    table_cell(&rows, "interval");
    table_cell(&rows, "p");
    if (holm)
        table_cell(&rows, "p (Holm)");
    table_cell(&rows, "better/equal/worse");
    if (wide)
        table_cell(&rows, "-     0     +");
    for (size_t i = 0; contrast_at(c, f, i, &k); i++) {
        table_cell(&rows, "%c - %c", letter(k.b), letter(k.a));
        table_cell(&rows, "%+.4f", k.difference);
        table_cell(&rows, "[%+.4f, %+.4f]", k.low, k.high);
        p_cell(&rows, k.p);
        if (holm)
            p_cell(&rows, k.p_adjusted);
        table_cell(&rows, "%zu/%zu/%zu", k.wins, k.ties, k.losses);
        if (wide)
            spread_cell(&rows, f, &k);
    }
    table_end(&rows, t);
}

typedef struct change {
    size_t query;
    double size;
} change;

static int by_size(const void *left, const void *right)
{
    const change *a = left, *b = right;

    if (fabs(a->size) != fabs(b->size))
        return fabs(a->size) > fabs(b->size) ? -1 : 1;
    return a->query < b->query ? -1 : a->query > b->query;
}

/* The nonzero differences between systems b and a, the largest first; returns their number. */
static size_t sorted_changes(const fold *f, size_t a, size_t b, change **changes)
{
    const size_t queries = gradus_evaluation_queries(f->evaluations[0]);
    size_t count = 0;

    *changes = must_have(queries, sizeof **changes);
    for (size_t q = 0; q < queries; q++) {
        const double size = f->values[b][q] - f->values[a][q];

        if (size < 0 || size > 0)
            (*changes)[count++] = (change){ q, size };
    }
    qsort(*changes, count, sizeof **changes, by_size);
    return count;
}

static void show_changes(text *t, const fold *f, size_t most)
{
    change *changes;
    table rows;
    const size_t count = sorted_changes(f, 0, 1, &changes);

    if (count && most) {
        text_format(t, "\nqueries with the largest differences between a and b\n");
        table_begin(&rows, 4);
        table_cell(&rows, "query");
        table_cell(&rows, "a");
        table_cell(&rows, "b");
        table_cell(&rows, "change");
        for (size_t i = 0; i < count && i < most; i++) {
            const size_t q = changes[i].query;

            table_cell(&rows, "%s", gradus_evaluation_query_name(f->evaluations[0], q));
            table_cell(&rows, "%.4f", f->values[0][q]);
            table_cell(&rows, "%.4f", f->values[1][q]);
            table_cell(&rows, "%+.4f", changes[i].size);
        }
        table_end(&rows, t);
    }
    free(changes);
}

static void show_fold(text *t, const comparing *c, const fold *f)
{
    gradus_contrast k;

    show_systems(t, c, f);
    text_add(t, "\n");
    show_contrasts(t, c, f);
    gradus_comparison_at(f->comparison, 0, &k);
    if (k.queries < gradus_evaluation_queries(f->evaluations[0]))
        text_format(t, "%s of %s compared; the others have no value of the metric\n",
                    with_commas(k.queries),
                    counted(gradus_evaluation_queries(f->evaluations[0]), "query", "queries"));
}

static void show_combined(text *t, const comparing *c)
{
    gradus_contrast k;
    table rows;
    const bool holm = c->folds[0].systems > 2;

    text_format(t, "\np-values of %zu sets combined by Fisher's method\n", c->count);
    table_begin(&rows, holm ? 4 : 3);
    table_cell(&rows, "contrast");
    table_cell(&rows, "chi2 (%zu)", 2 * c->count);
    table_cell(&rows, "p");
    if (holm)
        table_cell(&rows, "p (Holm)");
    for (size_t i = 0; i < c->contrasts; i++) {
        gradus_comparison_at(c->folds[0].comparison, i, &k);
        table_cell(&rows, "%c - %c", letter(k.b), letter(k.a));
        table_cell(&rows, "%.3f", c->statistic[i]);
        p_cell(&rows, c->p_combined[i]);
        if (holm)
            p_cell(&rows, c->p_adjusted[i]);
    }
    table_end(&rows, t);
}

static void show(text *t, const arguments *given, const comparing *c, size_t most_changes)
{
    const gradus_evaluation *first = c->folds[0].evaluations[0];
    gradus_options *options = options_of(given, "compare");
    gradus_entry test;

    if (find_entry("tests", gradus_options_value(options, "test"), &test))
        text_format(t, "%s: %s", test.name, test.summary);
    text_format(t, "; %s-sided\n",
                gradus_options_value(options, "sided")[0] == '1' ? "one" : "two");
    text_format(t, "metric %s\n", c->metric);
    add_convention(t, first);
    for (size_t f = 0; f < c->count; f++) {
        text_format(t, "\n%s\n", c->folds[f].data);
        show_fold(t, c, &c->folds[f]);
    }
    if (c->contrasts)
        show_combined(t, c);
    if (c->count == 1)
        show_changes(t, &c->folds[0], most_changes);
}

static void json_contrast(json *j, const fold *f, const gradus_contrast *k)
{
    json_open(j, NULL, '{');
    json_string(j, "a", f->names[k->a]);
    json_string(j, "b", f->names[k->b]);
    json_count(j, "queries", k->queries);
    json_number(j, "mean_a", k->mean_a);
    json_number(j, "mean_b", k->mean_b);
    json_number(j, "difference", k->difference);
    json_number(j, "low", k->low);
    json_number(j, "high", k->high);
    json_number(j, "statistic", k->statistic);
    json_number(j, "freedom", k->df);
    json_number(j, "p", k->p);
    json_number(j, "p_holm", k->p_adjusted);
    json_count(j, "wins", k->wins);
    json_count(j, "ties", k->ties);
    json_count(j, "losses", k->losses);
    json_close(j, '}');
}

/* The systems, and their value for each query, or null. */
static void json_values(json *j, const fold *f)
{
    const size_t queries = gradus_evaluation_queries(f->evaluations[0]);

    json_open(j, "systems", '[');
    for (size_t s = 0; s < f->systems; s++)
        json_string(j, NULL, f->names[s]);
    json_close(j, ']');
    json_open(j, "query_names", '[');
    for (size_t q = 0; q < queries; q++)
        json_string(j, NULL, gradus_evaluation_query_name(f->evaluations[0], q));
    json_close(j, ']');
    json_open(j, "query_values", '[');
    for (size_t s = 0; s < f->systems; s++) {
        json_open(j, NULL, '[');
        for (size_t q = 0; q < queries; q++)
            json_number(j, NULL, f->values[s][q]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void json_changes(json *j, const fold *f, size_t most)
{
    change *changes;
    const size_t count = sorted_changes(f, 0, 1, &changes);

    json_open(j, "changes", '[');
    for (size_t i = 0; i < count && i < most; i++) {
        json_open(j, NULL, '{');
        json_string(j, "query", gradus_evaluation_query_name(f->evaluations[0], changes[i].query));
        json_number(j, "a", f->values[0][changes[i].query]);
        json_number(j, "b", f->values[1][changes[i].query]);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(changes);
}

static void show_json(text *t, const arguments *given, const comparing *c, size_t most_changes)
{
    gradus_options *options = options_of(given, "compare");
    json j = JSON_TO(t);
    gradus_contrast k;

    json_open(&j, NULL, '{');
    json_string(&j, "metric", c->metric);
    json_string(&j, "convention", gradus_evaluation_convention(c->folds[0].evaluations[0]));
    json_bool(&j, "lower_is_better", c->lower_is_better);
    json_string(&j, "test", gradus_options_value(options, "test"));
    json_setting(&j, "sided", gradus_options_value(options, "sided"));
    json_setting(&j, "confidence", gradus_options_value(options, "confidence"));
    if (argument(given, "qrels"))
        json_string(&j, "qrels", argument(given, "qrels"));
    json_open(&j, "sets", '[');
    for (size_t f = 0; f < c->count; f++) {
        json_open(&j, NULL, '{');
        json_string(&j, "data", c->folds[f].data);
        json_open(&j, "contrasts", '[');
        for (size_t i = 0; contrast_at(c, &c->folds[f], i, &k); i++)
            json_contrast(&j, &c->folds[f], &k);
        json_close(&j, ']');
        json_changes(&j, &c->folds[f], most_changes);
        json_values(&j, &c->folds[f]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_open(&j, "combined", '[');
    for (size_t i = 0; i < c->contrasts; i++) {
        json_open(&j, NULL, '{');
        json_number(&j, "statistic", c->statistic[i]);
        json_number(&j, "p", c->p_combined[i]);
        json_number(&j, "p_holm", c->p_adjusted[i]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    text_add(t, "\n");
}

/* Splits the words DATA A B ... [+ DATA A B ...] into sets. */
static int split_words(const arguments *given, comparing *c)
{
    const bool trec = argument(given, "qrels") != NULL;
    const char *qrels = argument(given, "qrels");

    for (size_t i = 0; i < given->count;) {
        fold *f = &c->folds[c->count];
        size_t end = i;

        if (c->count == MAX_FOLDS)
            return fail_usage("gradus compare takes at most %d data sets", MAX_FOLDS);
        while (end < given->count && strcmp(given->words[end], "+") != 0)
            end++;
        f->data = trec ? qrels : given->words[i];
        f->names = given->words + i + !trec;
        f->systems = end - i > (size_t)!trec ? end - i - !trec : 0;
        if (f->systems < 2 || f->systems > MAX_SYSTEMS)
            return fail_usage("gradus compare needs %s and 2 to %d scores to compare, not %zu",
                              trec ? "--qrels FILE" : "DATA", MAX_SYSTEMS, f->systems);
        if (c->count && f->systems != c->folds[0].systems)
            return fail_usage("each set after '+' needs as many scores as the first: %zu",
                              c->folds[0].systems);
        c->count++;
        i = end + (end < given->count);
    }
    return c->count ? -1
                    : fail_usage("gradus compare needs data and scores: "
                                 "gradus compare DATA A B [C ...]");
}

static int compare_all(const arguments *given, comparing *c)
{
    const char *how = argument(given, "combine");
    int status = 0;

    if (how && strcmp(how, "fisher") != 0)
        return fail_usage("--combine takes fisher, not '%s'", how);
    for (size_t f = 0; f < c->count; f++)
        if (!evaluate_fold(given, &c->folds[f], &status) ||
            !compare_fold(given, c, &c->folds[f], &status))
            return status;
    return how ? combine(c) : 0;
}

static void comparing_free(comparing *c)
{
    for (size_t f = 0; f < c->count; f++) {
        for (size_t s = 0; s < c->folds[f].systems; s++) {
            gradus_evaluation_free(c->folds[f].evaluations[s]);
            free((double *)(uintptr_t)c->folds[f].values[s]);
        }
        gradus_comparison_free(c->folds[f].comparison);
    }
    free(c);
}

static int compare_run(arguments *given)
{
    comparing *c = must_have(1, sizeof *c);
    const char *changes = argument(given, "changes");
    uint64_t most = 5;
    text t = { NULL, 0, 0 };
    int status = split_words(given, c);

    if (status < 0 && changes && !parse_count(changes, SIZE_MAX, &most))
        status = fail_usage("--changes takes a number of queries, not '%s'", changes);
    if (status < 0)
        status = compare_all(given, c);
    if (status == 0) {
        if (given->json)
            show_json(&t, given, c, (size_t)most);
        else
            show(&t, given, c, (size_t)most);
        status = print_text(&t);
    }
    comparing_free(c);
    return status;
}

static const option compare_options[] = {
    { "qrels", 0, "FILE", "TREC judgements instead of DATA; the arguments are TREC runs",
      GRADUS_PATH_READ },
    { "combine", 0, "HOW", "combine the p-values of several sets: fisher" },
    { "changes", 0, "N", "show the N queries with the largest differences (default 5)" },
    { NULL, 0, NULL, NULL },
};

static const example compare_examples[] = {
    { "gradus compare test.txt old.scores new.scores --metric ndcg@10",
      "is the new ranker better? a paired t-test over queries" },
    { "gradus compare test.txt a b c --metric err@20 --test randomization",
      "three rankers, with Holm's correction" },
    { "gradus compare f1.txt a1 b1 + f2.txt a2 b2 --metric map --sided 1 --combine fisher",
      "two folds, with their p-values combined" },
    { NULL, NULL },
};

const command command_compare = {
    .name = "compare",
    .summary = "test whether one ranking is better than another",
    .usage = "gradus compare DATA A B [C ...] --metric METRIC [--test TEST] [options]\n"
             "gradus compare DATA A B + DATA A B ... --combine fisher [options]\n"
             "gradus compare --qrels FILE RUN RUN ... [options]",
    .description =
        "Compares rankings query by query: means, their difference (b - a) with a confidence "
        "interval, the p-value of a significance test, and on how many queries b is better than, "
        "equal to and worse than a; if the page is wide enough, also a histogram of the "
        "differences. With more than two rankings every pair is compared, and p-values are also "
        "corrected by Holm's method. 'gradus help tests' lists the tests. A, B, ... are anything "
        "that 'gradus eval' accepts as SCORES.\n\n"
        "Several data sets, such as the folds of a cross-validation, are separated by '+'; "
        "--combine fisher then combines their p-values into one.",
    .options = compare_options,
    .operations = { "compare", "evaluate", "read" },
    .metric = "ndcg@10",
    .examples = compare_examples,
    .run = compare_run,
};
