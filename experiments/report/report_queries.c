/* SPDX-License-Identifier: Apache-2.0 */
/* Queries in a report: the value of each, and the documents of those with the largest differences.
 */
#include "experiments/report/report_data.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS_SHOWN = 10, PICKED_EACH_WAY = 5 };

/* Queries whose documents are shown, and their number. */
typedef struct picked {
    bool *marks;
    size_t count;
} picked;

typedef struct change {
    double size;
    size_t query;
} change;

static int by_size(const void *left, const void *right)
{
    const change *a = left, *b = right;

    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->query < b->query ? -1 : a->query > b->query;
}

static void pick(picked *p, size_t query)
{
    if (p->count == GR_REPORT_OPENED || p->marks[query])
        return;
    p->marks[query] = true;
    p->count++;
}

/* The queries with the largest gains and losses of system b over system a. */
static void pick_changes(picked *p, const gr_report_set *s, size_t metric, size_t a, size_t b,
                         change *changes)
{
    const size_t queries = gradus_dataset_queries(s->data);
    size_t count = 0;

    for (size_t q = 0; q < queries; q++) {
        const double size = gr_report_value(s, metric, b, q) - gr_report_value(s, metric, a, q);

        if (size < 0.0 || size > 0.0)
            changes[count++] = (change){ size, q };
    }
    qsort(changes, count, sizeof *changes, by_size);
    for (size_t i = 0; i < count && i < PICKED_EACH_WAY; i++) {
        pick(p, changes[i].query);
        pick(p, changes[count - 1 - i].query);
    }
}

/* The worst queries of a single system. */
static void pick_worst(picked *p, const gr_report_set *s, change *values)
{
    const size_t queries = gradus_dataset_queries(s->data);
    gradus_result result;
    size_t count = 0;

    gradus_evaluation_at(s->evaluations[0], 0, &result);
    for (size_t q = 0; q < queries; q++)
        if (isfinite(result.by_query[q]))
            values[count++] =
                (change){ result.by_query[q] * (result.lower_is_better ? 1.0 : -1.0), q };
    qsort(values, count, sizeof *values, by_size);
    for (size_t i = 0; i < count && i < 2 * PICKED_EACH_WAY; i++)
        pick(p, values[i].query);
}

/* marks NULL: out of memory. */
static picked pick_queries(const gr_report_set *s)
{
    const size_t queries = gradus_dataset_queries(s->data);
    picked p = { gr_new_array(queries, sizeof(bool)), 0 };
    change *changes = gr_new_array(queries, sizeof *changes);

    if (!p.marks || !changes) {
        free(p.marks);
        free(changes);
        return (picked){ NULL, 0 };
    }
    for (size_t m = 0; m < s->of->metrics; m++)
        for (size_t b = 1; b < s->of->input->system_count; b++)
            for (size_t a = 0; a < b; a++)
                pick_changes(&p, s, m, a, b, changes);
    if (s->of->input->system_count == 1)
        pick_worst(&p, s, changes);
    free(changes);
    return p;
}

/* A document, by its best rank in any ranking. */
typedef struct document {
    size_t at, rank;
    int class; /* 0: near the top somewhere; 1: relevant; 2: neither */
} document;

static int by_rank(const void *left, const void *right)
{
    const document *a = left, *b = right;

    if (a->class != b->class)
        return a->class - b->class;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* A query whose documents are shown: its rows, and the rank of each in each system's ranking,
 * negative where documents with the same score share it. */
typedef struct opened {
    size_t first, count;
    int64_t *ranks; /* system by system */
} opened;

typedef struct scored {
    double score;
    size_t at;
} scored;

static int by_score(const void *left, const void *right)
{
    const scored *a = left, *b = right;

    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void take_ranks(const double *scores, size_t count, scored *all, int64_t *ranks)
{
    for (size_t i = 0; i < count; i++)
        all[i] = (scored){ scores[i], i };
    qsort(all, count, sizeof *all, by_score);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && all[end].score == all[i].score;)
            end++;
        const int64_t rank = end - i > 1 ? -(int64_t)(i + 1) : (int64_t)(i + 1);

        for (size_t k = i; k < end; k++)
            ranks[all[k].at] = rank;
    }
}

/* Sorts the documents to show first: near the top of a ranking, then relevant ones. Returns how
 * many. */
static size_t choose_documents(const gr_report_set *s, const opened *o, document *all)
{
    size_t count = 0;

    for (size_t at = 0; at < o->count; at++) {
        document *d = &all[at];

        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the caller checks it */
        *d = (document){ .at = at, .rank = o->count };
        for (size_t i = 0; i < s->of->input->system_count; i++) {
            const size_t rank = (size_t)llabs(o->ranks[i * o->count + at]);

            d->rank = rank < d->rank ? rank : d->rank;
        }
        d->class = d->rank <= RANKS_SHOWN ? 0 : s->arrays.labels[o->first + at] > 0 ? 1 : 2;
        count += d->class < 2;
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the caller checks it */
    qsort(all, o->count, sizeof *all, by_rank);
    return count < GR_REPORT_DOCUMENTS ? count : GR_REPORT_DOCUMENTS;
}

/* Scores may have any magnitude: rounds to six significant digits. */
static double six_digits(double score)
{
    if (score == 0.0 || !isfinite(score))
        return score;
    const double unit = pow(10.0, floor(log10(fabs(score))) - 5.0);

    return isnormal(unit) && isfinite(1.0 / unit) ? round(score / unit) / (1.0 / unit) : score;
}

static void add_document(gr_json_writer *j, const gr_report_set *s, const opened *o, size_t at)
{
    const size_t row = o->first + at;
    const char *name = gradus_dataset_document_name(s->data, row);
    char made[32];

    snprintf(made, sizeof made, "row%zu", row + 1);
    gr_json_open(j, NULL, '[');
    gr_json_put_text(j, NULL, name[0] ? name : made);
    gr_json_put_label(j, NULL, (double)s->arrays.labels[row]);
    for (size_t i = 0; i < s->of->input->system_count; i++) {
        gr_json_put_number(j, NULL, (double)o->ranks[i * o->count + at]);
        gr_json_put_number(j, NULL, six_digits(s->scores[i][row]));
    }
    gr_json_close(j, ']');
}

static void add_documents(gr_json_writer *j, const gr_report_set *s, size_t query)
{
    const uint64_t *starts = s->arrays.query_starts;
    opened o = { .first = starts ? (size_t)starts[query] : 0 };

    o.count = (starts ? (size_t)starts[query + 1] : s->arrays.rows) - o.first;
    o.ranks = gr_new_array(o.count, s->of->input->system_count * sizeof *o.ranks);
    scored *sorted = gr_new_array(o.count, sizeof *sorted);
    document *all = gr_new_array(o.count, sizeof *all);

    j->failed = j->failed || !o.ranks || !sorted || !all;
    gr_json_open(j, gradus_dataset_query_name(s->data, query), '{');
    gr_json_put_count(j, "of", o.count);
    gr_json_open(j, "documents", '[');
    if (!j->failed) {
        for (size_t i = 0; i < s->of->input->system_count; i++)
            take_ranks(s->scores[i] + o.first, o.count, sorted, o.ranks + i * o.count);
        const size_t count = choose_documents(s, &o, all);

        for (size_t i = 0; i < count; i++)
            add_document(j, s, &o, all[i].at);
    }
    gr_json_close(j, ']');
    gr_json_close(j, '}');
    free(all);
    free(sorted);
    free(o.ranks);
}

/* If there are many queries, keeps evenly spaced ones and all whose documents are shown. */
static bool is_kept(const gr_report_set *s, const picked *p, size_t query)
{
    const size_t queries = gradus_dataset_queries(s->data);
    const size_t every = (queries + GR_REPORT_QUERIES - 1) / GR_REPORT_QUERIES;

    return query % every == 0 || p->marks[query];
}

static void add_values(gr_json_writer *j, const gr_report_set *s, const picked *p, size_t metric,
                       size_t system)
{
    gradus_result result;

    gradus_evaluation_at(s->evaluations[system], metric, &result);
    gr_json_open(j, NULL, '[');
    for (size_t q = 0; q < gradus_dataset_queries(s->data); q++)
        if (is_kept(s, p, q))
            gr_report_put_short(j, NULL, result.by_query[q]);
    gr_json_close(j, ']');
}

void gr_report_queries(gr_json_writer *j, const gr_report_set *s)
{
    const size_t queries = gradus_dataset_queries(s->data);
    picked p = pick_queries(s);

    j->failed = j->failed || !p.marks;
    if (j->failed) {
        free(p.marks);
        return;
    }
    gr_json_open(j, "query_names", '[');
    for (size_t q = 0; q < queries; q++)
        if (is_kept(s, &p, q))
            gr_json_put_text(j, NULL, gradus_dataset_query_name(s->data, q));
    gr_json_close(j, ']');
    gr_json_open(j, "query_values", '['); /* by metric, by system */
    for (size_t m = 0; m < s->of->metrics; m++) {
        gr_json_open(j, NULL, '[');
        for (size_t i = 0; i < s->of->input->system_count; i++)
            add_values(j, s, &p, m, i);
        gr_json_close(j, ']');
    }
    gr_json_close(j, ']');
    gr_json_open(j, "opened", '{');
    for (size_t q = 0; q < queries; q++)
        if (p.marks[q])
            add_documents(j, s, q);
    gr_json_close(j, '}');
    free(p.marks);
}
