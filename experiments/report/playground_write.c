/* SPDX-License-Identifier: Apache-2.0 */
/* gradus_playground: documents, scores and models of a data set in one page. */
#include "experiments/report/page_write.h"

#include "api/api_arguments.h"
#include "base/error.h"
#include "base/memory.h"
#include "experiments/report/playground_template.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_VALUES = 1500000, /* features of documents in the page: about 10 MB */
    MAX_PROGRAM = 4 << 20
};

static gradus_status check(const gradus_report_input *input, gradus_error *err)
{
    if (input->set_count != 1 || !input->sets[0].name)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a playground needs one data set");
    if (input->run_count)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a playground does not show JSON files");
    if (input->system_count == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a playground needs models or scores");
    if (input->system_count > GRADUS_REPORT_SYSTEMS)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a playground takes at most %d models and scores",
                       GRADUS_REPORT_SYSTEMS);
    for (size_t i = 0; i < input->system_count; i++)
        if (!input->systems[i].name)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "system %zu has no name", i);
    return GRADUS_OK;
}

static gradus_status score_systems(gr_report_set *s, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    for (size_t i = 0; i < s->of->input->system_count && status == GRADUS_OK; i++) {
        const gradus_report_system *what = &s->of->input->systems[i];

        if (!(s->scores[i] = gr_new_array(s->arrays.rows, sizeof(double))))
            return gr_fail_memory(err, "scores");
        status = what->model
                     ? gradus_model_score(s->of->context, what->model, s->data, s->scores[i], err)
                     : gradus_scores(s->of->context, s->data, what->name, s->of->input->seed,
                                     s->scores[i], err);
    }
    return status;
}

static void add_features(gr_json_writer *j, const gr_report_set *s)
{
    char id[32];

    gr_json_open(j, "features", '[');
    for (size_t f = 0; f < s->arrays.features; f++) {
        const char *name = gradus_dataset_feature_name(s->data, f);

        snprintf(id, sizeof id, "%zu", f + gradus_dataset_first_id(s->data));
        gr_json_put_text(j, NULL, *name ? name : id);
    }
    gr_json_close(j, ']');
}

/* The page computes them by itself, under the convention gradus. */
static gradus_status add_metrics(gr_json_writer *j, const gr_report_set *s, gradus_error *err)
{
    static const char *const names[] = { "ndcg@10", "err@10", "map", "p@10", "mrr" };
    gradus_label_kind kind = GRADUS_LABELS_OTHER;
    float most = 0.0F;

    GR_TRY(gradus_dataset_labels(s->of->context, s->data, &kind, err));
    gr_json_open(j, "metrics", '[');
    for (size_t i = 0; kind == GRADUS_LABELS_GRADES && i < sizeof names / sizeof *names; i++)
        gr_json_put_text(j, NULL, names[i]);
    gr_json_close(j, ']');
    for (size_t row = 0; row < s->arrays.rows; row++)
        most = fmaxf(most, s->arrays.labels[row]);
    gr_json_put_label(j, "max_label", (double)most);
    return GRADUS_OK;
}

static void add_systems(gr_json_writer *j, const gr_report_set *s)
{
    gr_json_open(j, "systems", '[');
    for (size_t i = 0; i < s->of->input->system_count; i++) {
        const gradus_report_system *what = &s->of->input->systems[i];
        const gr_report_program *program =
            what->model ? gr_report_program_of(s->of, i, &j->failed) : NULL;

        gr_json_open(j, NULL, '{');
        gr_json_put_text(j, "name", what->name);
        if (program && program->text)
            gr_json_put_text(j, "variable", program->name);
        else
            gr_json_put_text(j, "missing", program ? program->missing : "it is not a model");
        gr_json_close(j, '}');
    }
    gr_json_close(j, ']');
}

static void add_row(gr_json_writer *j, const gradus_arrays *a, size_t row)
{
    const bool dense = a->values || !a->row_starts;
    uint64_t at = dense ? 0 : a->row_starts[row];
    const uint64_t end = dense ? 0 : a->row_starts[row + 1];

    gr_json_open(j, NULL, '[');
    for (size_t f = 0; f < a->features; f++) {
        float value = 0.0F;

        if (a->values)
            value = a->values[row * a->stride + f];
        else if (at < end && a->columns[at] == f)
            value = a->entries[at++];
        gr_json_put_label(j, NULL, (double)value);
    }
    gr_json_close(j, ']');
}

static void add_query(gr_json_writer *j, const gr_report_set *s, size_t query)
{
    const gradus_arrays *a = &s->arrays;
    const size_t start = a->query_starts ? (size_t)a->query_starts[query] : 0;
    const size_t end = a->query_starts ? (size_t)a->query_starts[query + 1] : a->rows;

    gr_json_open(j, NULL, '{');
    gr_json_put_text(j, "name", gradus_dataset_query_name(s->data, query));
    if (a->document_names.starts) {
        gr_json_open(j, "ids", '[');
        for (size_t row = start; row < end; row++)
            gr_json_put_text(j, NULL, gradus_dataset_document_name(s->data, row));
        gr_json_close(j, ']');
    }
    gr_json_open(j, "labels", '[');
    for (size_t row = start; row < end; row++)
        gr_json_put_label(j, NULL, (double)a->labels[row]);
    gr_json_close(j, ']');
    gr_json_open(j, "features", '[');
    for (size_t row = start; row < end; row++)
        add_row(j, a, row);
    gr_json_close(j, ']');
    gr_json_open(j, "scores", '[');
    for (size_t i = 0; i < s->of->input->system_count; i++) {
        gr_json_open(j, NULL, '[');
        for (size_t row = start; row < end; row++)
            gr_json_put_number(j, NULL, s->scores[i][row]);
        gr_json_close(j, ']');
    }
    gr_json_close(j, ']');
    gr_json_close(j, '}');
}

static void add_queries(gr_json_writer *j, const gr_report_set *s)
{
    const size_t queries = gradus_dataset_queries(s->data);
    const size_t step = 1 + s->arrays.rows * s->arrays.features / MAX_VALUES;

    gr_json_open(j, "queries", '[');
    for (size_t q = 0; q < queries; q += step)
        add_query(j, s, q);
    gr_json_close(j, ']');
    gr_json_put_count(j, "omitted", queries - (queries + step - 1) / step);
}

static gradus_status collect(gr_json_writer *j, gr_report_set *s, gradus_error *err)
{
    const char *slash = strrchr(s->name, '/');
    const char *title = s->of->input->title;

    GR_TRY(gradus_dataset_arrays(s->of->context, s->data, &s->arrays, err));
    GR_TRY(score_systems(s, err));
    gr_json_open(j, NULL, '{');
    gr_json_put_text(j, "gradus", gradus_version());
    gr_json_put_text(j, "data", title && *title ? title : slash ? slash + 1 : s->name);
    add_features(j, s);
    GR_TRY(add_metrics(j, s, err));
    add_systems(j, s);
    add_queries(j, s);
    gr_json_close(j, '}');
    return gr_json_done(j, err);
}

static gradus_status write_playground(const gr_report *r, const char *path, gradus_error *err)
{
    const gradus_report_set *given = &r->input->sets[0];
    const gr_page page = { gr_playground_template, gr_playground_template_size() };
    gr_report_set s = { .of = r, .name = given->name, .data = given->data };
    gr_json_writer data = { .layout = GR_JSON_LINE };
    gradus_dataset *own = NULL;

    if (!s.data)
        s.data = own = gradus_dataset_read(r->context, given->name, r->input->read, err);
    gradus_status status = s.data ? collect(&data, &s, err) : err->status;

    if (status == GRADUS_OK)
        status = gr_page_write(&page, r, &data, path, err);
    for (size_t i = 0; i < r->input->system_count; i++)
        free(s.scores[i]);
    gr_json_writer_free(&data);
    gradus_dataset_free(own);
    return status;
}

gradus_status gradus_playground(gradus_context *context, const gradus_report_input *input,
                                const char *path, gradus_error *err)
{
    if (!GR_GIVEN(err, input, path))
        return GRADUS_BAD_ARGUMENT;
    gradus_error fault = { GRADUS_OK, "" };
    gr_report_program programs[GRADUS_REPORT_SYSTEMS] = { 0 };
    const gr_report r = {
        .context = context, .input = input, .programs = programs, .max_program = MAX_PROGRAM
    };
    gradus_status status = check(input, &fault);

    if (status == GRADUS_OK)
        status = write_playground(&r, path, &fault);
    gr_report_free_programs(&r);
    return status == GRADUS_OK ? GRADUS_OK : gr_fail(err, status, "%s", fault.message);
}
