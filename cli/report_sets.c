/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets in a report: means with intervals, NDCG by cutoff, tests, calibration. */
#include "cmd_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RELIABILITY_BINS = 10 };

double value_at(const set_shown *s, size_t metric, size_t system, size_t query)
{
    gradus_result result;

    gradus_evaluation_at(s->evaluations[system], metric, &result);
    return result.by_query[query];
}

void json_short(json *j, const char *name, double number)
{
    json_number(j, name, isfinite(number) ? round(number * 1e5) / 1e5 : number);
}

static int fail_system(const set_shown *s, size_t system, const gradus_error *why)
{
    gradus_error err = { .status = why->status };

    snprintf(err.message, sizeof err.message, "%.80s on %.80s: %.340s", s->of->systems[system].name,
             s->path, why->message);
    return fail(&err);
}

static int score_system(set_shown *s, size_t system)
{
    const arguments *given = s->of->given;
    const system_shown *what = &s->of->systems[system];
    gradus_error err;

    s->scores[system] = must_have(gradus_dataset_rows(s->data), sizeof(double));
    if ((what->model
             ? gradus_model_score(given->context, what->model, s->data, s->scores[system], &err)
             : gradus_scores(given->context, s->data, what->name, given->seed, s->scores[system],
                             &err)) != GRADUS_OK)
        return fail_system(s, system, &err);
    s->evaluations[system] = gradus_evaluate(given->context, s->data, s->scores[system],
                                             options_of(given, "evaluate"), &err);
    return s->evaluations[system] ? 0 : fail(&err);
}

/* The interval of a mean is that of its difference from zero, by Student's t. */
static int add_mean(json *j, const set_shown *s, const gradus_result *result,
                    const gradus_options *how)
{
    if (result->geometric)
        return fail_usage("%s is a geometric mean, but the intervals of a report need arithmetic "
                          "means; use map",
                          result->metric);
    const size_t queries = gradus_dataset_queries(s->data);
    double *zeros = must_have(queries, sizeof *zeros);
    const double *values[2] = { zeros, result->by_query };
    gradus_error err;
    gradus_contrast k = { .low = (double)NAN, .high = (double)NAN };
    gradus_comparison *comparison = NULL;
    int status = 0;

    if (result->counted > 1) {
        comparison = gradus_compare(s->of->given->context, 2, queries, values, how, &err);
        if (comparison)
            gradus_comparison_at(comparison, 0, &k);
        else
            status = fail(&err);
    }
    json_open(j, NULL, '{');
    json_number(j, "mean", result->mean);
    json_short(j, "low", k.low);
    json_short(j, "high", k.high);
    json_close(j, '}');
    gradus_comparison_free(comparison);
    free(zeros);
    return status;
}

static int add_means(json *j, const set_shown *s, size_t system, const gradus_options *how)
{
    gradus_result result;
    int status = 0;

    json_open(j, NULL, '{');
    json_string(j, "name", s->of->systems[system].name);
    json_open(j, "means", '[');
    for (size_t m = 0; status == 0 && gradus_evaluation_at(s->evaluations[system], m, &result);
         m++) {
        if (m == s->of->metrics) {
            json_close(j, ']');
            json_open(j, "by_depth", '[');
        }
        status = add_mean(j, s, &result, how);
    }
    json_close(j, ']');
    json_close(j, '}');
    return status;
}

static int add_systems(json *j, const set_shown *s)
{
    gradus_error err;
    gradus_options *how = gradus_options_new("compare", &err);
    const char *confidence =
        gradus_options_value(options_of(s->of->given, "compare"), "confidence");
    int status = 0;

    if (!how || gradus_options_set(how, "confidence", confidence, &err) != GRADUS_OK)
        status = fail(&err);
    json_open(j, "systems", '[');
    for (size_t i = 0; status == 0 && i < s->of->count; i++)
        status = add_means(j, s, i, how);
    json_close(j, ']');
    gradus_options_free(how);
    return status;
}

static void add_metrics(json *j, const set_shown *s)
{
    gradus_result result;

    json_open(j, "metrics", '[');
    for (size_t m = 0; m < s->of->metrics; m++) {
        gradus_evaluation_at(s->evaluations[0], m, &result);
        json_open(j, NULL, '{');
        json_string(j, "name", result.metric);
        json_bool(j, "lower_is_better", result.lower_is_better);
        json_count(j, "counted", result.counted);
        json_count(j, "empty", result.empty);
        json_count(j, "brief", result.short_lists);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void add_contrast(json *j, const gradus_contrast *k, bool lower)
{
    const double sign = lower ? -1.0 : 1.0;

    json_open(j, NULL, '{');
    json_count(j, "a", k->a);
    json_count(j, "b", k->b);
    json_count(j, "queries", k->queries);
    json_number(j, "difference", sign * k->difference);
    json_number(j, "low", lower ? -k->high : k->low);
    json_number(j, "high", lower ? -k->low : k->high);
    json_number(j, "p", k->p);
    json_number(j, "p_holm", k->p_adjusted);
    json_count(j, "wins", k->wins);
    json_count(j, "ties", k->ties);
    json_count(j, "losses", k->losses);
    json_close(j, '}');
}

/* Tests assume that larger is better, so metrics where lower is better are negated. Systems without
 * a common query have no contrast. */
static int add_contrasts(json *j, const set_shown *s, size_t metric)
{
    const size_t queries = gradus_dataset_queries(s->data), systems = s->of->count;
    const double *values[MAX_SYSTEMS_SHOWN];
    double *signed_values = must_have(queries * systems, sizeof *signed_values);
    gradus_result result;
    gradus_contrast k;
    gradus_error err;

    gradus_evaluation_at(s->evaluations[0], metric, &result);
    for (size_t i = 0; i < systems; i++) {
        values[i] = signed_values + i * queries;
        for (size_t q = 0; q < queries; q++)
            signed_values[i * queries + q] =
                value_at(s, metric, i, q) * (result.lower_is_better ? -1.0 : 1.0);
    }
    gradus_comparison *comparison = gradus_compare(s->of->given->context, systems, queries, values,
                                                   options_of(s->of->given, "compare"), &err);

    json_open(j, NULL, '[');
    for (size_t i = 0; comparison && gradus_comparison_at(comparison, i, &k); i++)
        add_contrast(j, &k, result.lower_is_better);
    json_close(j, ']');
    free(signed_values);
    gradus_comparison_free(comparison);
    return comparison || err.status == GRADUS_BAD_ARGUMENT ? 0 : fail(&err);
}

static int add_comparisons(json *j, const set_shown *s)
{
    gradus_options *options = options_of(s->of->given, "compare");
    gradus_entry test;
    int status = 0;

    json_open(j, "test", '{');
    json_string(j, "name", gradus_options_value(options, "test"));
    if (find_entry("tests", gradus_options_value(options, "test"), &test))
        json_string(j, "summary", test.summary);
    json_setting(j, "sided", gradus_options_value(options, "sided"));
    json_setting(j, "confidence", gradus_options_value(options, "confidence"));
    json_close(j, '}');
    json_open(j, "contrasts", '[');
    for (size_t m = 0; status == 0 && s->of->count > 1 && m < s->of->metrics; m++)
        status = add_contrasts(j, s, m);
    json_close(j, ']');
    return status;
}

static void add_reliability(json *j, const gradus_reliability *r)
{
    json_open(j, NULL, '{');
    json_open(j, "bins", '[');
    for (size_t b = 0; b < r->bins; b++) {
        json_open(j, NULL, '[');
        json_number(j, NULL, r->weight[b]);
        json_short(j, NULL, r->predicted[b]);
        json_short(j, NULL, r->observed[b]);
        json_close(j, ']');
    }
    json_close(j, ']');
    json_number(j, "error", r->error);
    json_number(j, "largest_error", r->largest_error);
    json_number(j, "log_loss", r->log_loss);
    json_number(j, "brier", r->brier);
    json_number(j, "reliability", r->reliability);
    json_number(j, "resolution", r->resolution);
    json_number(j, "uncertainty", r->uncertainty);
    json_close(j, '}');
}

/* A model whose grades do not match the data is skipped, with the reason. */
static void add_reliabilities(json *j, const set_shown *s)
{
    gradus_reliability *measured = must_have(1, sizeof *measured);
    gradus_model_facts facts;
    gradus_error err;

    json_open(j, "reliability", '[');
    for (size_t i = 0; i < s->of->count; i++) {
        const gradus_model *model = s->of->systems[i].model;

        if (model)
            gradus_model_describe(model, &facts);
        if (!model || !facts.probabilities) {
            json_number(j, NULL, (double)NAN);
        } else if (gradus_model_reliability(s->of->given->context, model, s->data, RELIABILITY_BINS,
                                            measured, &err) != GRADUS_OK) {
            json_open(j, NULL, '{');
            json_string(j, "missing", err.message);
            json_close(j, '}');
        } else {
            add_reliability(j, measured);
        }
    }
    json_close(j, ']');
    free(measured);
}

static int write_set(json *j, set_shown *s)
{
    int status = 0;

    json_string(j, "data", s->path);
    json_count(j, "rows", gradus_dataset_rows(s->data));
    json_count(j, "features", gradus_dataset_features(s->data));
    json_count(j, "queries", gradus_dataset_queries(s->data));
    json_string(j, "convention", gradus_evaluation_convention(s->evaluations[0]));
    json_string(j, "switches", gradus_evaluation_switches(s->evaluations[0]));
    json_bool(j, "weighted", s->arrays.query_weights != NULL);
    add_metrics(j, s);
    status = add_systems(j, s);
    if (status == 0)
        status = add_comparisons(j, s);
    if (status == 0) {
        add_reliabilities(j, s);
        report_queries(j, s);
    }
    return status;
}

static int add_set(json *j, const report *r, const char *path)
{
    set_shown s = { .of = r, .path = path };
    gradus_error err;
    int status = 0;

    s.data = read_data(r->given, path, &status);
    if (s.data && gradus_dataset_arrays(r->given->context, s.data, &s.arrays, &err) != GRADUS_OK)
        status = fail(&err);
    for (size_t i = 0; status == 0 && i < r->count; i++)
        status = score_system(&s, i);
    if (status == 0) {
        json_open(j, NULL, '{');
        status = write_set(j, &s);
        json_close(j, '}');
    }
    for (size_t i = 0; i < r->count; i++) {
        free(s.scores[i]);
        gradus_evaluation_free(s.evaluations[i]);
    }
    gradus_dataset_free(s.data);
    return status;
}

int report_sets(json *j, const report *r)
{
    int status = 0;

    json_open(j, "sets", '[');
    for (size_t i = 0; status == 0 && i < r->set_count; i++)
        status = add_set(j, r, r->sets[i]);
    json_close(j, ']');
    return status;
}
