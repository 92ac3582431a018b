/* SPDX-License-Identifier: Apache-2.0 */
/* gradus_report: collects the data of the page as one JSON object, and writes the page. */
#include "experiments/report/page_write.h"

#include "api/api_arguments.h"
#include "base/memory.h"
#include "experiments/helpers.h"
#include "experiments/report/page_template.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SETS = 16, MAX_RUNS = 16, MAX_METRICS = 12, METRICS_SIZE = 4096 };

bool gradus_report_available(void)
{
    return gr_page_template_size() > 0;
}

static gradus_status fail_without_charts(gradus_error *err)
{
    return gr_fail(err, GRADUS_NO_FILE,
                   "this gradus was built without Chart.js, which draws the charts of reports; "
                   "install it (Debian: apt-get install libjs-chart.js), then configure and build "
                   "again");
}

static gradus_status too_many(size_t most, const char *what, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "a report takes at most %zu %s", most, what);
}

static gradus_status check(const gradus_report_input *input, gradus_error *err)
{
    if (!gradus_report_available())
        return fail_without_charts(err);
    if (input->system_count > GRADUS_REPORT_SYSTEMS)
        return too_many(GRADUS_REPORT_SYSTEMS, "models and scores", err);
    if (input->set_count > MAX_SETS)
        return too_many(MAX_SETS, "data sets", err);
    if (input->run_count > MAX_RUNS)
        return too_many(MAX_RUNS, "JSON files", err);
    if (input->system_count + input->run_count == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a report needs models, scores or JSON files");
    if (input->set_count && input->system_count == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a data set needs models or scores");
    for (size_t i = 0; i < input->system_count; i++)
        if (!input->systems[i].name)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "system %zu has no name", i);
    for (size_t i = 0; i < input->set_count; i++)
        if (!input->sets[i].name)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "data set %zu has no name", i);
    return GRADUS_OK;
}

/* The requested metrics, and after them NDCG at each cutoff. */
static gradus_status set_metrics(gr_report *r, gradus_error *err)
{
    const char *requested = gradus_options_value(r->evaluate, "metric");
    char list[METRICS_SIZE];
    int used = snprintf(list, sizeof list, "%s", requested);

    r->metrics = 1;
    for (const char *c = requested; *c; c++)
        r->metrics += *c == ',';
    if (r->metrics > MAX_METRICS)
        return too_many(MAX_METRICS, "metrics", err);
    for (int depth = 1; depth <= GR_REPORT_DEPTHS && used >= 0 && used < METRICS_SIZE; depth++)
        used += snprintf(list + used, METRICS_SIZE - (size_t)used, ",ndcg@%d", depth);
    if (used < 0 || used >= METRICS_SIZE)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the list of metrics is too long");
    return gradus_options_set(r->evaluate, "metric", list, err);
}

static gradus_status collect(const gr_report *r, gr_json_writer *j, gradus_error *err)
{
    gr_json_open(j, NULL, '{');
    gr_json_put_text(j, "gradus", gradus_version());
    gr_json_put_text(j, "title", r->input->title ? r->input->title : "");
    gr_json_put_text(j, "command", r->input->command ? r->input->command : "");
    GR_TRY(gr_report_models(j, r, err));
    GR_TRY(gr_report_sets(j, r, err));
    GR_TRY(gr_report_runs(j, r, err));
    gr_json_close(j, '}');
    return gr_json_done(j, err);
}

gradus_status gradus_report(gradus_context *context, const gradus_report_input *input,
                            const char *path, gradus_error *err)
{
    if (!GR_GIVEN(err, input, path))
        return GRADUS_BAD_ARGUMENT;
    gradus_error fault = { GRADUS_OK, "" };
    gr_report_program programs[GRADUS_REPORT_SYSTEMS] = { 0 };
    gr_report r = {
        .context = context, .input = input, .programs = programs, .max_program = 512 << 10
    };
    gr_json_writer data = { .layout = GR_JSON_LINE };
    gradus_status status = check(input, &fault);

    if (status == GRADUS_OK &&
        (!(r.evaluate = gr_copy_options("evaluate", input->evaluate, &fault)) ||
         !(r.compare = gr_copy_options("compare", input->compare, &fault))))
        status = fault.status;
    if (status == GRADUS_OK && input->set_count)
        status = set_metrics(&r, &fault);
    if (status == GRADUS_OK)
        status = collect(&r, &data, &fault);
    if (status == GRADUS_OK)
        status = gr_page_write(&(gr_page){ gr_page_template, gr_page_template_size() }, &r, &data,
                               path, &fault);
    gr_json_writer_free(&data);
    gr_report_free_programs(&r);
    gradus_options_free(r.evaluate);
    gradus_options_free(r.compare);
    return status == GRADUS_OK ? GRADUS_OK : gr_fail(err, status, "%s", fault.message);
}
