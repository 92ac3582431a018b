/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets in a report: means with intervals, NDCG by cutoff, tests, calibration. */
#include "experiments/report/report_data.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RELIABILITY_BINS = 10 };

double gr_report_value(const gr_report_set *s, size_t metric, size_t system, size_t query)
{
    gradus_result result;

    gradus_evaluation_at(s->evaluations[system], metric, &result);
    return result.by_query[query];
}

void gr_report_put_short(gr_json_writer *j, const char *name, double number)
{
    gr_json_put_number(j, name, isfinite(number) ? round(number * 1e5) / 1e5 : number);
}

static gradus_status fail_system(const gr_report_set *s, size_t system, const gradus_error *why,
                                 gradus_error *err)
{
    return gr_fail(err, why->status, "%.80s on %.80s: %.340s", s->of->input->systems[system].name,
                   s->name, why->message);
}

static gradus_status score_system(gr_report_set *s, size_t system, gradus_error *err)
{
    const gradus_report_system *what = &s->of->input->systems[system];
    double *scores = gr_new_array(gradus_dataset_rows(s->data), sizeof *scores);
    gradus_error fault = { GRADUS_OK, "" };

    s->scores[system] = scores;
    if (!scores)
        return gr_fail_memory(err, "scores");
    if ((what->model ? gradus_model_score(s->of->context, what->model, s->data, scores, &fault)
                     : gradus_scores(s->of->context, s->data, what->name, s->of->input->seed,
                                     scores, &fault)) != GRADUS_OK)
        return fail_system(s, system, &fault, err);
    s->evaluations[system] =
        gradus_evaluate(s->of->context, s->data, scores, s->of->evaluate, &fault);
    return s->evaluations[system] ? GRADUS_OK : gr_fail(err, fault.status, "%s", fault.message);
}

/* The interval of a mean is that of its difference from zero, by Student's t. */
static gradus_status add_mean(gr_json_writer *j, const gr_report_set *s,
                              const gradus_result *result, const gradus_options *how,
                              gradus_error *err)
{
    if (result->geometric)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "%s is a geometric mean, but the intervals of a report need arithmetic "
                       "means; use map",
                       result->metric);
    const size_t queries = gradus_dataset_queries(s->data);
    double *zeros = gr_new_array(queries, sizeof *zeros);
    const double *values[2] = { zeros, result->by_query };
    gradus_contrast k = { .low = (double)NAN, .high = (double)NAN };
    gradus_comparison *comparison = NULL;
    gradus_status status = zeros ? GRADUS_OK : gr_fail_memory(err, "values of queries");

    if (zeros && result->counted > 1) {
        comparison = gradus_compare(s->of->context, 2, queries, values, how, err);
        if (comparison)
            gradus_comparison_at(comparison, 0, &k);
        else
            status = err->status;
    }
    gr_json_open(j, NULL, '{');
    gr_json_put_number(j, "mean", result->mean);
    gr_report_put_short(j, "low", k.low);
    gr_report_put_short(j, "high", k.high);
    gr_json_close(j, '}');
    gradus_comparison_free(comparison);
    free(zeros);
    return status;
}

static gradus_status add_means(gr_json_writer *j, const gr_report_set *s, size_t system,
                               const gradus_options *how, gradus_error *err)
{
    gradus_result result;
    gradus_status status = GRADUS_OK;

    gr_json_open(j, NULL, '{');
    gr_json_put_text(j, "name", s->of->input->systems[system].name);
    gr_json_open(j, "means", '[');
    for (size_t m = 0;
         status == GRADUS_OK && gradus_evaluation_at(s->evaluations[system], m, &result); m++) {
        if (m == s->of->metrics) {
            gr_json_close(j, ']');
            gr_json_open(j, "by_depth", '[');
        }
        status = add_mean(j, s, &result, how, err);
    }
    gr_json_close(j, ']');
    gr_json_close(j, '}');
    return status;
}

static gradus_status add_systems(gr_json_writer *j, const gr_report_set *s, gradus_error *err)
{
    gradus_options *how = gradus_options_new("compare", err);
    gradus_status status = how ? GRADUS_OK : GRADUS_NO_MEMORY;

    if (how)
        status = gradus_options_set(how, "confidence",
                                    gradus_options_value(s->of->compare, "confidence"), err);
    gr_json_open(j, "systems", '[');
    for (size_t i = 0; status == GRADUS_OK && i < s->of->input->system_count; i++)
        status = add_means(j, s, i, how, err);
    gr_json_close(j, ']');
    gradus_options_free(how);
    return status;
}

static void add_metrics(gr_json_writer *j, const gr_report_set *s)
{
    gradus_result result;

    gr_json_open(j, "metrics", '[');
    for (size_t m = 0; m < s->of->metrics; m++) {
        gradus_evaluation_at(s->evaluations[0], m, &result);
        gr_json_open(j, NULL, '{');
        gr_json_put_text(j, "name", result.metric);
        gr_json_put_flag(j, "lower_is_better", result.lower_is_better);
        gr_json_put_count(j, "counted", result.counted);
        gr_json_put_count(j, "empty", result.empty);
        gr_json_put_count(j, "brief", result.short_lists);
        gr_json_close(j, '}');
    }
    gr_json_close(j, ']');
}

static void add_contrast(gr_json_writer *j, const gradus_contrast *k, bool lower)
{
    const double sign = lower ? -1.0 : 1.0;

    gr_json_open(j, NULL, '{');
    gr_json_put_count(j, "a", k->a);
    gr_json_put_count(j, "b", k->b);
    gr_json_put_count(j, "queries", k->queries);
    gr_json_put_number(j, "difference", sign * k->difference);
    gr_json_put_number(j, "low", lower ? -k->high : k->low);
    gr_json_put_number(j, "high", lower ? -k->low : k->high);
    gr_json_put_number(j, "p", k->p);
    gr_json_put_number(j, "p_holm", k->p_adjusted);
    gr_json_put_count(j, "wins", k->wins);
    gr_json_put_count(j, "ties", k->ties);
    gr_json_put_count(j, "losses", k->losses);
    gr_json_close(j, '}');
}

/* Tests assume that larger is better, so metrics where lower is better are negated. Systems without
 * a common query have no contrast. */
static gradus_status add_contrasts(gr_json_writer *j, const gr_report_set *s, size_t metric,
                                   gradus_error *err)
{
    const size_t queries = gradus_dataset_queries(s->data), systems = s->of->input->system_count;
    const double *values[GRADUS_REPORT_SYSTEMS];
    double *signed_values = gr_new_array(queries, systems * sizeof *signed_values);
    gradus_result result;
    gradus_contrast k;
    gradus_error fault = { GRADUS_OK, "" };

    if (!signed_values)
        return gr_fail_memory(err, "values of queries");
    gradus_evaluation_at(s->evaluations[0], metric, &result);
    for (size_t i = 0; i < systems; i++) {
        values[i] = signed_values + i * queries;
        for (size_t q = 0; q < queries; q++)
            signed_values[i * queries + q] =
                gr_report_value(s, metric, i, q) * (result.lower_is_better ? -1.0 : 1.0);
    }
    gradus_comparison *comparison =
        gradus_compare(s->of->context, systems, queries, values, s->of->compare, &fault);

    gr_json_open(j, NULL, '[');
    for (size_t i = 0; comparison && gradus_comparison_at(comparison, i, &k); i++)
        add_contrast(j, &k, result.lower_is_better);
    gr_json_close(j, ']');
    free(signed_values);
    gradus_comparison_free(comparison);
    return comparison || fault.status == GRADUS_BAD_ARGUMENT
               ? GRADUS_OK
               : gr_fail(err, fault.status, "%s", fault.message);
}

static bool find_test(const char *name, gradus_entry *test)
{
    for (size_t i = 0; gradus_entry_at("tests", i, test); i++)
        if (strcmp(test->name, name) == 0)
            return true;
    return false;
}

static gradus_status add_comparisons(gr_json_writer *j, const gr_report_set *s, gradus_error *err)
{
    gradus_options *options = s->of->compare;
    gradus_entry test;
    double confidence = (double)NAN;
    gradus_status status = GRADUS_OK;

    gr_json_open(j, "test", '{');
    gr_json_put_text(j, "name", gradus_options_value(options, "test"));
    if (find_test(gradus_options_value(options, "test"), &test))
        gr_json_put_text(j, "summary", test.summary);
    gr_json_put_raw(j, "sided", gradus_options_value(options, "sided"));
    gradus_number_parse(gradus_options_value(options, "confidence"), &confidence, NULL);
    gr_json_put_number(j, "confidence", confidence);
    gr_json_close(j, '}');
    gr_json_open(j, "contrasts", '[');
    for (size_t m = 0; status == GRADUS_OK && s->of->input->system_count > 1 && m < s->of->metrics;
         m++)
        status = add_contrasts(j, s, m, err);
    gr_json_close(j, ']');
    return status;
}

static void add_reliability(gr_json_writer *j, const gradus_reliability *r)
{
    gr_json_open(j, NULL, '{');
    gr_json_open(j, "bins", '[');
    for (size_t b = 0; b < r->bins; b++) {
        gr_json_open(j, NULL, '[');
        gr_json_put_number(j, NULL, r->weight[b]);
        gr_report_put_short(j, NULL, r->predicted[b]);
        gr_report_put_short(j, NULL, r->observed[b]);
        gr_json_close(j, ']');
    }
    gr_json_close(j, ']');
    gr_json_put_number(j, "error", r->error);
    gr_json_put_number(j, "largest_error", r->largest_error);
    gr_json_put_number(j, "log_loss", r->log_loss);
    gr_json_put_number(j, "brier", r->brier);
    gr_json_put_number(j, "reliability", r->reliability);
    gr_json_put_number(j, "resolution", r->resolution);
    gr_json_put_number(j, "uncertainty", r->uncertainty);
    gr_json_close(j, '}');
}

/* A model whose grades do not match the data is skipped, with the reason. */
static void add_reliabilities(gr_json_writer *j, const gr_report_set *s)
{
    gradus_reliability *measured = gr_new_array(1, sizeof *measured);
    gradus_model_info info;
    gradus_error err;

    j->failed = j->failed || !measured;
    if (!measured)
        return;
    gr_json_open(j, "reliability", '[');
    for (size_t i = 0; i < s->of->input->system_count; i++) {
        const gradus_model *model = s->of->input->systems[i].model;

        if (model)
            gradus_model_describe(model, &info);
        if (!model || !info.probabilities) {
            gr_json_put_number(j, NULL, (double)NAN);
        } else if (gradus_model_reliability(s->of->context, model, s->data, RELIABILITY_BINS,
                                            measured, &err) != GRADUS_OK) {
            gr_json_open(j, NULL, '{');
            gr_json_put_text(j, "missing", err.message);
            gr_json_close(j, '}');
        } else {
            add_reliability(j, measured);
        }
    }
    gr_json_close(j, ']');
    free(measured);
}

static gradus_status write_set(gr_json_writer *j, const gr_report_set *s, gradus_error *err)
{
    gradus_status status;

    gr_json_put_text(j, "data", s->name);
    gr_json_put_count(j, "rows", gradus_dataset_rows(s->data));
    gr_json_put_count(j, "features", gradus_dataset_features(s->data));
    gr_json_put_count(j, "queries", gradus_dataset_queries(s->data));
    gr_json_put_text(j, "convention", gradus_evaluation_convention(s->evaluations[0]));
    gr_json_put_text(j, "switches", gradus_evaluation_switches(s->evaluations[0]));
    gr_json_put_flag(j, "weighted", s->arrays.query_weights != NULL);
    add_metrics(j, s);
    status = add_systems(j, s, err);
    if (status == GRADUS_OK)
        status = add_comparisons(j, s, err);
    if (status == GRADUS_OK) {
        add_reliabilities(j, s);
        gr_report_queries(j, s);
        gr_report_reasons(j, s);
    }
    return status;
}

static gradus_status add_set(gr_json_writer *j, const gr_report *r, const gradus_report_set *given,
                             gradus_error *err)
{
    gr_report_set s = { .of = r, .name = given->name, .data = given->data };
    gradus_dataset *own = NULL;

    if (!s.data)
        s.data = own = gradus_dataset_read(r->context, given->name, r->input->read, err);
    gradus_status status =
        s.data ? gradus_dataset_arrays(r->context, s.data, &s.arrays, err) : err->status;

    for (size_t i = 0; status == GRADUS_OK && i < r->input->system_count; i++)
        status = score_system(&s, i, err);
    if (status == GRADUS_OK) {
        gr_json_open(j, NULL, '{');
        status = write_set(j, &s, err);
        gr_json_close(j, '}');
    }
    for (size_t i = 0; i < r->input->system_count; i++) {
        free(s.scores[i]);
        gradus_evaluation_free(s.evaluations[i]);
    }
    gradus_dataset_free(own);
    return status;
}

gradus_status gr_report_sets(gr_json_writer *j, const gr_report *r, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    gr_json_open(j, "sets", '[');
    for (size_t i = 0; status == GRADUS_OK && i < r->input->set_count; i++)
        status = add_set(j, r, &r->input->sets[i], err);
    gr_json_close(j, ']');
    return status;
}
