/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons in a report: for the best model and its worst queries, why a document is ranked above one
 * with a higher grade. */
#include "experiments/report/report_data.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 8, FEATURES = 10 };

/* A query with its value, lower is worse. */
typedef struct loss {
    double value;
    size_t query, above, below; /* rows: `above` is ranked above `below`, whose grade is higher */
} loss;

static int by_value(const void *left, const void *right)
{
    const loss *a = left, *b = right;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->query < b->query ? -1 : a->query > b->query;
}

/* The model with the best mean of the first metric; SIZE_MAX: none. */
static size_t best_model(const gr_report_set *s)
{
    size_t best = SIZE_MAX;
    double best_mean = 0.0;

    for (size_t i = 0; i < s->of->input->system_count; i++) {
        gradus_result result;

        if (!s->of->input->systems[i].model || !gradus_evaluation_at(s->evaluations[i], 0, &result))
            continue;
        const double mean = result.lower_is_better ? -result.mean : result.mean;

        if (isfinite(mean) && (best == SIZE_MAX || mean > best_mean)) {
            best = i;
            best_mean = mean;
        }
    }
    return best;
}

/* The first document that is ranked above one with a higher grade, and the best ranked of those with
 * the highest grade below it. False if the order is right. */
static bool find_pair(const gr_report_set *s, const double *scores, loss *l)
{
    const uint64_t *starts = s->arrays.query_starts;
    const size_t first = starts ? (size_t)starts[l->query] : 0;
    const size_t end = starts ? (size_t)starts[l->query + 1] : s->arrays.rows;
    const float *labels = s->arrays.labels;
    bool found = false;

    l->below = first;
    for (size_t r = first; r < end; r++)
        if (labels[r] > labels[l->below] ||
            (labels[r] == labels[l->below] && scores[r] > scores[l->below]))
            l->below = r;
    for (size_t r = first; r < end; r++)
        if (labels[r] < labels[l->below] && scores[r] > scores[l->below] &&
            (!found || scores[r] > scores[l->above])) {
            l->above = r;
            found = true;
        }
    return found;
}

/* The queries with the lowest values that have such a pair; how many. */
static size_t find_losses(const gr_report_set *s, size_t system, loss *all)
{
    const size_t queries = gradus_dataset_queries(s->data);
    gradus_result result;
    size_t count = 0;

    gradus_evaluation_at(s->evaluations[system], 0, &result);
    for (size_t q = 0; q < queries; q++) {
        loss l = { result.lower_is_better ? -result.by_query[q] : result.by_query[q], q, 0, 0 };

        if (isfinite(l.value) && find_pair(s, s->scores[system], &l))
            all[count++] = l;
    }
    qsort(all, count, sizeof *all, by_value);
    return count < QUERIES ? count : QUERIES;
}

static void add_document(gr_json_writer *j, const gr_report_set *s, size_t system, const char *name,
                         size_t query, size_t row)
{
    const uint64_t *starts = s->arrays.query_starts;
    const size_t first = starts ? (size_t)starts[query] : 0;
    const size_t end = starts ? (size_t)starts[query + 1] : s->arrays.rows;
    const char *document = gradus_dataset_document_name(s->data, row);
    const double *scores = s->scores[system];
    size_t rank = 1;
    char made[32];

    for (size_t r = first; r < end; r++)
        rank += scores[r] > scores[row];
    snprintf(made, sizeof made, "document %zu", row - first + 1); /* as in gradus explain */
    gr_json_open(j, name, '{');
    gr_json_put_text(j, "document", document[0] ? document : made);
    gr_json_put_label(j, "grade", (double)s->arrays.labels[row]);
    gr_json_put_count(j, "rank", rank);
    gr_json_put_number(j, "score", scores[row]);
    gr_json_close(j, '}');
}

/* The positions of the largest contributions, at most FEATURES; *rest: the sum of the others. */
static size_t largest(const gradus_contributions *c, size_t *order, double *rest)
{
    size_t count = 0;

    *rest = 0.0;
    for (size_t i = 0; i < c->count; i++) {
        size_t at = count;

        while (at > 0 && fabs(c->contributions[order[at - 1]]) < fabs(c->contributions[i]))
            at--;
        if (c->contributions[i] == 0.0)
            continue;
        if (count < FEATURES)
            count++;
        else
            *rest += c->contributions[at < FEATURES ? order[FEATURES - 1] : i];
        for (size_t k = count - 1; k > at; k--)
            order[k] = order[k - 1];
        if (at < FEATURES)
            order[at] = i;
    }
    return count;
}

static void add_features(gr_json_writer *j, const gradus_dataset *data, const gradus_model *model,
                         const gradus_contributions *c)
{
    size_t order[FEATURES];
    double rest;
    const size_t count = largest(c, order, &rest);

    /* name, value above, value below, contribution, number of the feature in the model */
    gr_json_open(j, "features", '[');
    for (size_t i = 0; i < count; i++) {
        const size_t f = c->features[order[i]];
        const char *name = gradus_model_feature_name(model, f);
        char id[32];

        snprintf(id, sizeof id, "%zu", f + gradus_dataset_first_id(data));
        gr_json_open(j, NULL, '[');
        gr_json_put_text(j, NULL, *name ? name : id);
        gr_json_put_number(j, NULL, (double)c->values[order[i]]);
        gr_json_put_number(j, NULL, (double)c->references[order[i]]);
        gr_report_put_short(j, NULL, c->contributions[order[i]]);
        gr_json_put_count(j, NULL, f);
        gr_json_close(j, ']');
    }
    gr_json_close(j, ']');
    gr_report_put_short(j, "others", rest);
}

/* A value that JavaScript rounds to the same float: the shortest text, unless it is read as double and
 * then rounded to another float. Missing: null. */
static void put_value(gr_json_writer *j, float value)
{
    char text[GRADUS_NUMBER_SIZE];
    double read = (double)value;

    if (isinf(value)) {
        gr_json_put_text(j, NULL, value < 0.0f ? "-Infinity" : "Infinity");
        return;
    }
    if (isfinite(value))
        gr_parse_double(text, text + gr_format_float(value, text), &read);
    if ((float)read == value)
        gr_json_put_label(j, NULL, (double)value);
    else
        gr_json_put_number(j, NULL, (double)value);
}

static void put_values(gr_json_writer *j, const float *values, size_t count)
{
    gr_json_open(j, NULL, '[');
    for (size_t i = 0; i < count; i++)
        put_value(j, values[i]);
    gr_json_close(j, ']');
}

/* All that the score depends on: features that the model uses, their values above and below. */
static void add_inputs(gr_json_writer *j, const gradus_contributions *c)
{
    gr_json_open(j, "inputs", '[');
    gr_json_open(j, NULL, '[');
    for (size_t i = 0; i < c->count; i++)
        gr_json_put_count(j, NULL, c->features[i]);
    gr_json_close(j, ']');
    put_values(j, c->values, c->count);
    put_values(j, c->references, c->count);
    gr_json_close(j, ']');
}

/* The variable of the model in the page, or why it is not there. */
static void add_program(gr_json_writer *j, const gr_report_program *program)
{
    gr_json_open(j, "reasons_model", '{');
    gr_json_put_text(j, program->text ? "variable" : "missing",
                     program->text ? program->name : program->missing);
    gr_json_close(j, '}');
}

/* A word for which the option "against" finds the row `below`, in `position` or the data; NULL if no
 * word does. Ids may repeat, may be "mean" or "query", and may look like the position of another
 * document. */
static const char *word_for(const gr_report_set *s, const loss *l, char position[32])
{
    const uint64_t *starts = s->arrays.query_starts;
    const char *id = gradus_dataset_document_name(s->data, l->below);
    gradus_error err;
    size_t row;

    snprintf(position, 32, "%zu", l->below - (starts ? (size_t)starts[l->query] : 0) + 1);
    if (gradus_dataset_find_document(s->data, l->query, position, &row, &err) == GRADUS_OK &&
        row == l->below)
        return position;
    if (strcmp(id, "mean") != 0 && strcmp(id, "query") != 0 &&
        gradus_dataset_find_document(s->data, l->query, id, &row, &err) == GRADUS_OK &&
        row == l->below)
        return id;
    return NULL;
}

/* NULL: the model has no contributions of features, no word names the document, or memory is
 * exhausted (*failed). */
static gradus_explanation *explain(const gr_report_set *s, size_t system, const loss *l,
                                   bool *failed)
{
    gradus_error err = { GRADUS_OK, "" };
    char position[32];
    const char *word = word_for(s, l, position);
    gradus_options *options = word ? gradus_options_new("explain", &err) : NULL;
    gradus_explanation *made = NULL;

    if (options && gradus_options_set(options, "against", word, &err) == GRADUS_OK)
        made = gradus_explain(s->of->context, s->of->input->systems[system].model, s->data,
                              &l->above, 1, options, &err);
    gradus_options_free(options);
    *failed = *failed || (!made && err.status == GRADUS_NO_MEMORY);
    return made;
}

static void add_reason(gr_json_writer *j, const gr_report_set *s, size_t system, const loss *l,
                       const gradus_contributions *c, const gr_report_program *program)
{
    gr_json_open(j, NULL, '{');
    gr_json_put_count(j, "system", system);
    gr_json_put_text(j, "query", gradus_dataset_query_name(s->data, l->query));
    add_document(j, s, system, "above", l->query, l->above);
    add_document(j, s, system, "below", l->query, l->below);
    gr_json_put_flag(j, "exact", !c->errors);
    add_features(j, s->data, s->of->input->systems[system].model, c);
    if (program->text)
        add_inputs(j, c);
    gr_json_close(j, '}');
}

void gr_report_reasons(gr_json_writer *j, const gr_report_set *s)
{
    const size_t system = best_model(s);
    const gr_report_program *program = NULL;
    loss *all = gr_new_array(gradus_dataset_queries(s->data), sizeof *all);

    j->failed = j->failed || !all;
    gr_json_open(j, "reasons", '[');
    const size_t count = all && system != SIZE_MAX ? find_losses(s, system, all) : 0;

    for (size_t i = 0; i < count; i++) {
        gradus_explanation *made = explain(s, system, &all[i], &j->failed);
        gradus_contributions c;

        /* Some ensembles have no contributions of features. */
        if (made && gradus_explanation_at(made, 0, 0, &c) && c.references) {
            program = gr_report_program_of(s->of, system, &j->failed);
            add_reason(j, s, system, &all[i], &c, program);
        }
        gradus_explanation_free(made);
    }
    gr_json_close(j, ']');
    if (program)
        add_program(j, program);
    free(all);
}
